package match

import (
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/pattern"
)

// In the trie of a table, each node stands for a sequence of whole segments, literal or
// parameters. A leaf is at the node of its segments: in ends if the path ends there, in tails or
// decided if a wildcard or an expression continues. Several patterns may match one path, so a
// search may have to follow both a literal child and a parameter. Each node knows the order of the
// newest leaf below, which skips most of these branches.

// node is a trie node. It fits into one cache line, since a search in a large trie mostly waits
// for memory.
type node[V any] struct {
	newest   int64 // the order of the newest leaf at this node and below
	literals lookup[V]
	param    *node[V] // the child for any segment that is not empty
	ends     *Leaf[V] // the newest leaf whose path ends here
	rare     *rare[V] // may be nil
}

// rare is what few nodes have.
type rare[V any] struct {
	dotless *node[V] // the child for a segment that is not empty and has no dot
	tails   tails[V] // wildcards, and the nil Pattern
	decided tails[V] // leaves with an expression
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
	case l.shape.Decided():
		n.more().decided.add(l)
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
	case g.Dotless:
		child = &n.more().dotless
	default:
		child = &n.param
	}
	if *child == nil {
		*child = new(node[V])
	}
	return *child
}

// search is a search for the newest leaf below bound that matches path.
type search[V any] struct {
	path  string
	last  uint64 // the last eight bytes of the path, as pattern.Load has them
	bound int64
	found *Leaf[V]
	order int64 // of found; 0 for none

	// Expressions are tried after the walk, and only if they are newer than the leaf found. These
	// are the first places that have some; further ones, which are rare, are tried during the
	// walk.
	places  [2]place[V]
	waiting int
}

// place is where a walk found leaves with expressions.
type place[V any] struct {
	tails *tails[V]
	at    int
}

// take records a leaf that matches.
func (s *search[V]) take(l *Leaf[V]) { s.found, s.order = l, l.order }

// lastBytes returns the last eight bytes of path. A shorter path is padded with zeros in front.
func lastBytes(path string) uint64 {
	if len(path) >= wordLen {
		return pattern.Load(path, len(path)-wordLen)
	}
	return pattern.LoadTail(path, 0) << (8 * uint(wordLen-len(path)) & 63)
}

// load returns up to eight bytes of the path from i, and their number.
func (s *search[V]) load(i int) (word uint64, most int) {
	most = len(s.path) - i
	if most >= wordLen {
		return pattern.Load(s.path, i), wordLen
	}
	return s.last >> (8 * uint(wordLen-most) & 63), most
}

// walk searches the trie below n, which matches the path up to i, the start of a segment or the
// end. It repeats the code of lookup.get, since searches spend most of their time here.
func (s *search[V]) walk(n *node[V], i int) {
	path := s.path
	for n.newest > s.order {
		if n.rare != nil {
			s.behind(n.rare, i)
		}
		if i >= len(path) {
			s.ends(n.ends)
			return
		}
		if path[i] != '/' {
			return // only at the start of the path, as in OPTIONS *
		}
		begin := i + 1
		word, most := s.load(begin)
		length := min(pattern.Slash(word), most)
		end := begin + length
		if length < wordLen {
			word = shortWord(word, uint(length))
		} else {
			end = pattern.SegmentEnd(path, begin+wordLen)
			word = hash(path[begin:end])
		}
		var next *node[V]
		if slots := n.literals.slots; len(slots) <= few {
			for at := range slots {
				if l := &slots[at]; l.word == word && (isShort(word) || l.text == path[begin:end]) {
					next = l.value
					break
				}
			}
		} else {
			for at := n.literals.first(word); ; at++ {
				l := &slots[at&(len(slots)-1)]
				if l.value == nil || l.word == word && (isShort(word) || l.text == path[begin:end]) {
					next = l.value
					break
				}
			}
		}
		if end > begin {
			if n.param != nil {
				if next != nil {
					s.walk(next, end)
				}
				next = n.param
			}
			if n.rare != nil && n.rare.dotless != nil && strings.IndexByte(path[begin:end], '.') < 0 {
				if next != nil {
					s.walk(next, end)
				}
				next = n.rare.dotless
			}
		}
		if next == nil {
			return
		}
		n, i = next, end
	}
}

// ends takes the newest leaf of the list l below the bound, if it is newer than the one found.
func (s *search[V]) ends(l *Leaf[V]) {
	for ; l != nil; l = l.older {
		if l.order < s.bound {
			if l.order > s.order {
				s.take(l)
			}
			return
		}
	}
}

// behind tries the wildcards of a node, and postpones its expressions.
func (s *search[V]) behind(at *rare[V], i int) {
	s.tails(&at.tails, i)
	if len(at.decided.leaves) == 0 {
		return
	}
	if s.waiting == len(s.places) {
		s.tails(&at.decided, i)
		return
	}
	s.places[s.waiting] = place[V]{&at.decided, i}
	s.waiting++
}

// verify tries the postponed expressions.
func (s *search[V]) verify() {
	for _, p := range s.places[:s.waiting] {
		s.tails(p.tails, p.at)
	}
}

// tails takes the newest leaf of t that matches the path from i, if it is newer than the one
// found.
func (s *search[V]) tails(t *tails[V], i int) {
	if t.byRest == nil {
		s.newestOf(t.leaves, i)
		return
	}
	for _, length := range t.lengths {
		if len(s.path)-i < length {
			break
		}
		s.newestOf(t.byRest[s.path[i:i+length]], i)
	}
}

// newestOf takes the newest matching leaf of leaves, which are in order of definition.
func (s *search[V]) newestOf(leaves []*Leaf[V], i int) {
	for _, l := range slices.Backward(leaves) {
		if l.order <= s.order {
			return
		}
		if l.order < s.bound && l.follows(s.path, i) {
			s.take(l)
			return
		}
	}
}

// follows reports whether path, whose segments up to i match those of l, matches l.
func (l *Leaf[V]) follows(path string, i int) bool {
	return l.shape == nil || l.shape.Follows(path, i)
}

// collect appends all leaves below n that match path and are below bound, in no order. Node n
// matches the path up to i.
func (n *node[V]) collect(leaves []*Leaf[V], path string, i int, bound int64) []*Leaf[V] {
	if n == nil {
		return leaves
	}
	if n.rare != nil {
		for _, l := range slices.Concat(n.rare.tails.leaves, n.rare.decided.leaves) {
			if l.order < bound && l.follows(path, i) {
				leaves = append(leaves, l)
			}
		}
	}
	if i >= len(path) {
		return n.ends.collect(leaves, bound)
	}
	if path[i] != '/' {
		return leaves
	}
	end := pattern.SegmentEnd(path, i+1)
	segment := path[i+1 : end]
	leaves = n.literals.get(segment).collect(leaves, path, end, bound)
	if segment == "" {
		return leaves
	}
	leaves = n.param.collect(leaves, path, end, bound)
	if n.rare != nil && !strings.Contains(segment, ".") {
		leaves = n.rare.dotless.collect(leaves, path, end, bound)
	}
	return leaves
}

// collect appends l and the older leaves in its list that are below bound.
func (l *Leaf[V]) collect(leaves []*Leaf[V], bound int64) []*Leaf[V] {
	for ; l != nil; l = l.older {
		if l.order < bound {
			leaves = append(leaves, l)
		}
	}
	return leaves
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
