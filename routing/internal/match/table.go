package match

import (
	"cmp"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// table holds the routes for a method: routes without parameters in a map by path, all others in a
// trie.
//
// Each node of the trie represents a sequence of complete segments, literal or parameters. A leaf
// is at the node of its segments: in ends if the path ends there, in tails if a wildcard or an
// expression follows. Several patterns may match one path, so a search may have to follow both a
// literal child and a parameter. Each node has the highest priority of the leaves below, so that a
// search skips most of these branches.
type table[V any] struct {
	static   map[string]*Leaf[V] // patterns without parameters by path; the leaf is the first of a list
	lengths  [maxLength + 1]bool // whether static has a path of this length; the last is for all longer ones
	root     node[V]             // all other patterns
	suffixed byClass[table[V]]   // variants with a suffix, such as .:format, by its class
}

const maxLength = 255

// Leaf is one variant of a route's pattern in a table. Value belongs to the caller of the package.
type Leaf[V any] struct {
	priority int64 // the leaf with the highest is tried first: see variantBits
	variant  *pattern.Variant
	next     *Leaf[V] // the leaf with the next lower priority for the same text
	Value    V
}

// variantBits is the number of low bits of a priority that order the variants of a route. The bits
// above them hold the number of the route, plus 1.
const variantBits = 4

// node is a node of the trie. It fits into one cache line, since a search in a large trie mostly
// waits for memory.
type node[V any] struct {
	highest  int64 // the highest priority of the leaves at this node and below
	literals segmentMap[node[V]]
	param    *node[V]         // the child for any segment that is not empty
	ends     *Leaf[V]         // the leaves whose path ends here, as a list
	uncommon *uncommonNode[V] // data that few nodes have; may be nil
}

// uncommonNode holds the children for parameters whose values a class restricts, and the leaves
// whose wildcard or expression begins after a node, by the literal text before it. There may be
// many, so a search tries only leaves whose text follows in the path.
type uncommonNode[V any] struct {
	byClass[node[V]]
	tails   map[string]*Leaf[V] // lists of leaves
	lengths []int               // of the texts
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

// add adds a route, whose number is the highest so far.
func (t *table[V]) add(number int, p *pattern.Pattern, fill func(*V, *pattern.Variant)) {
	priority := int64(number+1) << variantBits
	// The variant that is tried first is added last, so it gets the highest priority.
	for _, v := range slices.Backward(p.Variants()) {
		l := &Leaf[V]{priority: priority, variant: cmp.Or(v, pattern.Everything)}
		fill(&l.Value, v)
		priority++
		if c := l.variant.Suffix(); c != nil {
			t.suffixed.at(c).addLeaf(l)
		} else {
			t.addLeaf(l)
		}
	}
}

// addLeaf adds l, whose priority is the highest so far.
func (t *table[V]) addLeaf(l *Leaf[V]) {
	if path, ok := l.variant.Static(); ok {
		if t.static == nil {
			t.static = make(map[string]*Leaf[V])
		}
		l.next = t.static[path]
		t.static[path] = l
		t.lengths[min(len(path), maxLength)] = true
		return
	}
	n := &t.root
	n.highest = l.priority
	segments, text, continues := l.variant.Segments()
	for _, g := range segments {
		n = n.child(g)
		n.highest = l.priority
	}
	if !continues {
		l.next = n.ends
		n.ends = l
		return
	}
	uncommon := n.withUncommon()
	if uncommon.tails == nil {
		uncommon.tails = make(map[string]*Leaf[V])
	}
	l.next = uncommon.tails[text]
	uncommon.tails[text] = l
	if !slices.Contains(uncommon.lengths, len(text)) {
		uncommon.lengths = append(uncommon.lengths, len(text))
	}
}

// withUncommon returns n.uncommon, and creates it if needed.
func (n *node[V]) withUncommon() *uncommonNode[V] {
	if n.uncommon == nil {
		n.uncommon = new(uncommonNode[V])
	}
	return n.uncommon
}

// child returns the child for a segment, and creates it if needed.
func (n *node[V]) child(g pattern.Segment) *node[V] {
	switch {
	case !g.Param:
		return n.literals.at(g.Text)
	case g.Class != nil:
		return n.withUncommon().at(g.Class)
	case n.param == nil:
		n.param = new(node[V])
	}
	return n.param
}
