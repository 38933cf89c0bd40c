package match

import "example.com/flowercafe/routing/internal/pattern"

// Table holds the definitions for one method.
type Table[V any] struct {
	static   map[string]*Leaf[V]  // the newest pattern without parameters for each path
	suffixed *Table[V]            // shapes with a suffix, such as that of (.:format), by what is before it
	lengths  [mostLength + 1]bool // the path lengths in static; greater ones share the last
	root     node[V]              // all other patterns
	newest   int64                // the order of the newest leaf, without those with a suffix
}

// add adds definition i, which must be newer than all others in the table.
func (t *Table[V]) add(i int, p *pattern.Pattern, value func(int, *pattern.Shape) V) {
	order := Below(i)
	// The shape that is tried first is added last, as the newest.
	for n := p.Shapes() - 1; n >= 0; n-- {
		s := p.Shape(n)
		l := &Leaf[V]{order: order, shape: s, Value: value(i, s)}
		order++
		if s.HasSuffix() {
			if t.suffixed == nil {
				t.suffixed = new(Table[V])
			}
			t.suffixed.addLeaf(l)
		} else {
			t.addLeaf(l)
		}
	}
}

func (t *Table[V]) addLeaf(l *Leaf[V]) {
	t.newest = l.order
	if path, ok := l.shape.Static(); ok {
		t.addStatic(l, path)
	} else {
		t.root.add(l)
	}
}

func (t *Table[V]) addStatic(l *Leaf[V], path string) {
	if t.static == nil {
		t.static = make(map[string]*Leaf[V])
	}
	l.older = t.static[path]
	t.static[path] = l
	t.lengths[min(len(path), mostLength)] = true
}

// maybeStatic reports whether static may have the path. It saves the lookup for most paths with
// parameters.
func (t *Table[V]) maybeStatic(path string) bool { return t.lengths[min(len(path), mostLength)] }

const mostLength = 255

func (t *Table[V]) empty() bool { return t.newest == 0 && t.suffixed == nil }

// Leaf is one shape of a definition in a table. Its value holds what most requests need of the
// definition, in one cache line.
type Leaf[V any] struct {
	order int64          // by definition, newest highest; then by shape, first highest
	shape *pattern.Shape // nil for the nil Pattern
	older *Leaf[V]       // the next older leaf at the same node or path
	Value V
}

// shapeBits is the size of a shape's rank, below the number of the definition.
const shapeBits = 8

// NoBound is a bound above all leaves.
const NoBound = int64(1) << 62

// Below returns the bound above all definitions older than i.
func Below(i int) int64 { return int64(i+1) << shapeBits }

// number returns the number of the leaf's definition.
func (l *Leaf[V]) number() int { return int(l.order>>shapeBits) - 1 }
