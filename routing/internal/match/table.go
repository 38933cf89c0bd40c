package match

import (
	"cmp"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// Table holds the routes for a method: routes without parameters in a map by path, all others in a
// trie. Of the leaves that match, the newest is tried first.
//
// Each node of the trie represents a sequence of complete segments, literal or parameters. A leaf
// is at the node of its segments: in ends if the path ends there, in tails if a wildcard or an
// expression follows. Several patterns may match one path, so a search may have to follow both a
// literal child and a parameter. Each node has the order of the newest leaf below, so that a search
// skips most of these branches.
type Table[V any] struct {
	static   map[string]*Leaf[V] // the newest pattern without parameters for each path
	lengths  [maxLength + 1]bool // of the paths in static; greater ones share the last
	root     node[V]             // all other patterns
	suffixed byClass[Table[V]]   // shapes with a suffix, such as .:format, by its class
}

const maxLength = 255

// Leaf is one shape of a route's pattern in a table. Value belongs to the caller of the package.
type Leaf[V any] struct {
	order int64 // the higher, the newer: the number of the route, then the rank of its shape
	shape *pattern.Shape
	older *Leaf[V] // the next older leaf in the same list
	Value V
}

// shapeBits is the number of low bits of an order that hold the rank of the shape. The bits above
// them hold the number of the route, plus 1.
const shapeBits = 4

// node is a node of the trie. It fits into one cache line, since a search in a large trie mostly
// waits for memory.
type node[V any] struct {
	newest   int64 // the order of the newest leaf at this node and below
	literals lookup[node[V]]
	param    *node[V] // the child for any segment that is not empty
	ends     *Leaf[V] // the newest leaf whose path ends here
	rare     *rare[V] // data that few nodes have; may be nil
}

// rare holds the children for parameters whose values a class restricts, and the leaves that
// continue after a node: the newest for each literal text that precedes the wildcard or expression.
// There may be many, so a search tries only leaves whose text follows in the path.
type rare[V any] struct {
	byClass[node[V]]
	tails   map[string]*Leaf[V]
	lengths []int // of the texts
}

// byClass holds a T for each class, of segments or suffixes.
type byClass[T any] struct {
	classes []*pattern.Class
	values  []*T
}

// at returns the value of a class, and creates it if needed.
func (b *byClass[T]) at(c *pattern.Class) *T {
	i := slices.IndexFunc(b.classes, c.Equal)
	if i < 0 {
		i = len(b.classes)
		b.classes, b.values = append(b.classes, c), append(b.values, new(T))
	}
	return b.values[i]
}

// add adds a route, which is newer than all others in the table.
func (t *Table[V]) add(number int, p *pattern.Pattern, fill func(*V, *pattern.Shape)) {
	order := int64(number+1) << shapeBits
	// The shape that is tried first is added last, as the newest.
	for _, s := range slices.Backward(p.Shapes()) {
		l := &Leaf[V]{order: order, shape: cmp.Or(s, pattern.Everything)}
		fill(&l.Value, s)
		order++
		if c := l.shape.Suffix(); c != nil {
			t.suffixed.at(c).addLeaf(l)
		} else {
			t.addLeaf(l)
		}
	}
}

// addLeaf adds l, which is newer than all leaves so far.
func (t *Table[V]) addLeaf(l *Leaf[V]) {
	if path, ok := l.shape.Static(); ok {
		if t.static == nil {
			t.static = make(map[string]*Leaf[V])
		}
		l.older = t.static[path]
		t.static[path] = l
		t.lengths[min(len(path), maxLength)] = true
		return
	}
	n := &t.root
	n.newest = l.order
	segments, text, continues := l.shape.Segments()
	for _, g := range segments {
		n = n.child(g)
		n.newest = l.order
	}
	if !continues {
		l.older = n.ends
		n.ends = l
		return
	}
	at := n.more()
	if at.tails == nil {
		at.tails = make(map[string]*Leaf[V])
	}
	l.older = at.tails[text]
	at.tails[text] = l
	if !slices.Contains(at.lengths, len(text)) {
		at.lengths = append(at.lengths, len(text))
	}
}

func (n *node[V]) more() *rare[V] {
	if n.rare == nil {
		n.rare = new(rare[V])
	}
	return n.rare
}

// child returns the child for a segment, and creates it if needed.
func (n *node[V]) child(g pattern.Segment) *node[V] {
	switch {
	case !g.Param:
		return n.literals.at(g.Text)
	case g.Class != nil:
		return n.more().at(g.Class)
	case n.param == nil:
		n.param = new(node[V])
	}
	return n.param
}
