package match

import (
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// In the trie of a table, each node stands for a sequence of whole segments, literal or
// parameters. A leaf is at the node of its segments: in ends if the path ends there, in tails or
// expressions if a wildcard or an expression continues. Several patterns may match one path, so a
// search may have to follow both a literal child and a parameter. Each node knows the order of the
// newest leaf below, which skips most of these branches.

// node is a trie node. It fits into one cache line, since a search in a large trie mostly waits
// for memory.
type node[V any] struct {
	newest   int64 // the order of the newest leaf at this node and below
	literals lookup[node[V]]
	param    *node[V] // the child for any segment that is not empty
	ends     *Leaf[V] // the newest leaf whose path ends here
	rare     *rare[V] // may be nil
}

// rare holds data that most nodes do not have.
type rare[V any] struct {
	classes     []class[V] // the children for segments of a class
	tails       tails[V]   // wildcards, and the nil Pattern
	expressions tails[V]   // leaves with an expression
}

// class is the child for segments that are not empty and of a class.
type class[V any] struct {
	*pattern.Class
	node *node[V]
}

// add adds l, which is newer than all leaves so far, below n.
func (n *node[V]) add(l *Leaf[V]) {
	n.newest = l.order
	if l.shape == nil {
		n.more().tails.add(l)
		return
	}
	for g := range l.shape.Segments {
		n = n.child(g)
		n.newest = l.order
	}
	switch {
	case l.shape.Exact():
		l.older = n.ends
		n.ends = l
	case l.shape.HasExpression():
		n.more().expressions.add(l)
	default:
		n.more().tails.add(l)
	}
}

func (n *node[V]) more() *rare[V] {
	if n.rare == nil {
		n.rare = new(rare[V])
	}
	return n.rare
}

// child returns the child for a segment, and makes it if needed.
func (n *node[V]) child(g pattern.Segment) *node[V] {
	var child **node[V]
	switch {
	case !g.Param:
		child = n.literals.at(g.Text)
	case g.Class == nil:
		child = &n.param
	default:
		at := n.more()
		i := slices.IndexFunc(at.classes, func(c class[V]) bool { return c.Equal(g.Class) })
		if i < 0 {
			i = len(at.classes)
			at.classes = append(at.classes, class[V]{Class: g.Class})
		}
		child = &at.classes[i].node
	}
	if *child == nil {
		*child = new(node[V])
	}
	return *child
}

// tails are leaves that continue after a node, in order of definition. If there are many, they are
// grouped by their literal rest in a map, so that only leaves with a matching rest are tried.
type tails[V any] struct {
	leaves  []*Leaf[V]
	byRest  map[string][]*Leaf[V]
	lengths []int // of the keys of byRest, shortest first
}

const fewTails = 4

func (t *tails[V]) add(l *Leaf[V]) {
	t.leaves = append(t.leaves, l)
	switch {
	case len(t.leaves) <= fewTails:
	case t.byRest == nil:
		t.byRest = make(map[string][]*Leaf[V])
		for _, l := range t.leaves {
			t.group(l)
		}
	default:
		t.group(l)
	}
}

// group adds l to the group of its rest.
func (t *tails[V]) group(l *Leaf[V]) {
	rest := ""
	if l.shape != nil {
		rest = l.shape.Rest()
	}
	t.byRest[rest] = append(t.byRest[rest], l)
	if i, ok := slices.BinarySearch(t.lengths, len(rest)); !ok {
		t.lengths = slices.Insert(t.lengths, i, len(rest))
	}
}
