package match

import (
	"cmp"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// Leaf is one shape of a definition in a table. What most requests need of the definition is in the
// value, in one line of the processor's cache.
type Leaf[V any] struct {
	order int64          // newer definitions are higher; of one definition, shapes that are tried first
	shape *pattern.Shape // nil for the nil Pattern
	older *Leaf[V]       // the next older one that ends at the same place
	Value V
}

// shapeBits leaves room for the rank of a shape below the number of its definition.
const shapeBits = 8

// NoBound is the bound that every leaf is below.
const NoBound = int64(1) << 62

// Below returns the bound under which only definitions older than definition i are.
func Below(i int) int64 { return int64(i+1) << shapeBits }

// number returns the number of the leaf's definition.
func (l *Leaf[V]) number() int { return int(l.order>>shapeBits) - 1 }

// Table holds the definitions for one method.
type Table[V any] struct {
	static  map[string]*Leaf[V] // patterns without parameters by the whole path, the newest of each
	lengths [4]uint64           // a bit for each length of a path in static; the longest share one
	root    node[V]             // all other patterns
}

// add adds definition i, which is newer than all in the table.
func (t *Table[V]) add(i int, p *pattern.Pattern, value func(int, *pattern.Shape) V) {
	order := Below(i)
	if p == nil {
		t.root.add(&Leaf[V]{order: order, Value: value(i, nil)})
		return
	}
	// The shape that is tried first is added last, as the newest.
	for n := p.Shapes() - 1; n >= 0; n-- {
		s := p.Shape(n)
		l := &Leaf[V]{order: order, shape: s, Value: value(i, s)}
		order++
		if path, ok := s.Static(); ok {
			t.addStatic(l, path)
		} else {
			t.root.add(l)
		}
	}
}

func (t *Table[V]) addStatic(l *Leaf[V], path string) {
	if t.static == nil {
		t.static = make(map[string]*Leaf[V])
	}
	l.older = t.static[path]
	t.static[path] = l
	n := lengthBit(path)
	t.lengths[n/64] |= 1 << (n % 64)
}

// maybeStatic reports whether path may be the whole of a pattern. Few paths with parameters have the
// length of one, so that most are not looked up in vain.
func (t *Table[V]) maybeStatic(path string) bool {
	n := lengthBit(path)
	return t.lengths[n/64]>>(n%64)&1 != 0
}

func lengthBit(path string) uint { return uint(min(len(path), 255)) }

func (t *Table[V]) empty() bool { return t.root.newest == 0 && t.lengths == [4]uint64{} }

// Newest returns the newest leaf below bound that matches path, or nil.
func (t *Table[V]) Newest(path string, bound int64) *Leaf[V] {
	s := search[V]{path: path, bound: bound}
	if t.maybeStatic(path) {
		s.ends(t.static[path])
	}
	if t.root.newest > s.order {
		s.last = lastBytes(path)
		s.walk(&t.root, 0)
		s.verify()
	}
	return s.found
}

// All appends every leaf below bound that matches path, newest first and one for each definition.
func (t *Table[V]) All(leaves []*Leaf[V], path string, bound int64) []*Leaf[V] {
	begin := len(leaves)
	leaves = t.static[path].collect(leaves, bound)
	leaves = t.root.collect(leaves, path, 0, bound)
	if found := leaves[begin:]; !slices.IsSortedFunc(found, newestFirst[V]) {
		slices.SortFunc(found, newestFirst[V])
	}
	return slices.CompactFunc(leaves, func(a, b *Leaf[V]) bool { return a.number() == b.number() })
}

func newestFirst[V any](a, b *Leaf[V]) int { return cmp.Compare(b.order, a.order) }
