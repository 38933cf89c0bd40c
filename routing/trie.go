package routing

import (
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/pattern"
)

// The trie of a table has a node for each way to begin a path with whole segments, literal or parameters. A shape hangs at
// the node of its leading segments: where the path must end there, in ends; where a wildcard or an expression goes on, in
// behind. As several patterns may match one path, a search may have to follow a literal child and a parameter both; each node
// tells the newest leaf below it, so that most such branches are not even entered.

// node is one node of the trie. It fills one line of a processor's cache: a search in a large trie mostly waits for memory.
type node struct {
	newest   int64 // the order of the newest leaf at this node and below
	literals lookup[node]
	param    *node // the child for any segment that is not empty
	ends     *leaf // the newest of those that end here
	rare     *rare // nil for nothing
}

// rare is what few nodes have.
type rare struct {
	dotless  *node // the child for a segment that is not empty and has no dot
	tails    tails // wildcards, and the zero Pattern
	verified tails // decided by an expression
}

// add hangs l, which is newer than all leaves so far, into the trie below n.
func (n *node) add(l *leaf) {
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
		n.more().verified.add(l)
	default:
		n.more().tails.add(l)
	}
}

func (n *node) more() *rare {
	if n.rare == nil {
		n.rare = new(rare)
	}
	return n.rare
}

// child returns the child for a segment, a new one if there is none.
func (n *node) child(g pattern.Segment) *node {
	var child **node
	switch {
	case !g.Param:
		child = n.literals.at(g.Text)
	case g.Dotless:
		child = &n.more().dotless
	default:
		child = &n.param
	}
	if *child == nil {
		*child = new(node)
	}
	return *child
}

// search is one search for the newest leaf that matches path and is older than bound.
type search struct {
	path  string
	bound int64
	found *leaf
	order int64 // of found; 0 for none

	// Expressions are asked when the walk is over, and only if they belong to newer leaves than the one found. These are the
	// first places where some hang; there are rarely more on one path, and any others are asked on the way.
	places  [2]verification
	waiting int
}

type verification struct {
	tails *tails
	at    int
}

// take notes a leaf that matches.
func (s *search) take(l *leaf) {
	s.found, s.order = l, l.order
}

// walk searches the trie below n, which has matched s.path up to i, where a segment begins or the path ends. It is where most of the
// time of a search goes, so that it does by itself what segmentAt and lookup.get do.
func (s *search) walk(n *node, i int) {
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
			return // only in front of the first segment, as in OPTIONS *
		}
		begin := i + 1
		var word uint64
		i, word = segmentAt(path, begin)

		var next *node
		if slots := n.literals.slots; len(slots) <= few {
			for at := range slots {
				if l := &slots[at]; l.word == word && (isShort(word) || l.text == path[begin:i]) {
					next = l.value
					break
				}
			}
		} else {
			for at := n.literals.first(word); ; at++ {
				l := &slots[at&(len(slots)-1)]
				if l.value == nil || l.word == word && (isShort(word) || l.text == path[begin:i]) {
					next = l.value
					break
				}
			}
		}
		if i > begin {
			if n.param != nil {
				if next != nil {
					s.walk(next, i)
				}
				next = n.param
			}
			if n.rare != nil && n.rare.dotless != nil && strings.IndexByte(path[begin:i], '.') < 0 {
				if next != nil {
					s.walk(next, i)
				}
				next = n.rare.dotless
			}
		}
		if next == nil {
			return
		}
		n = next
	}
}

// ends takes the newest of l and those older, which match, if it is newer than what was found.
func (s *search) ends(l *leaf) {
	for ; l != nil; l = l.older {
		if l.order < s.bound {
			if l.order > s.order {
				s.take(l)
			}
			return
		}
	}
}

// behind takes a wildcard that hangs at a node, and puts the expressions off.
func (s *search) behind(at *rare, i int) {
	s.tails(&at.tails, i)
	if len(at.verified.leaves) == 0 {
		return
	}
	if s.waiting == len(s.places) {
		s.tails(&at.verified, i)
		return
	}
	s.places[s.waiting] = verification{&at.verified, i}
	s.waiting++
}

// verify asks the expressions that wait.
func (s *search) verify() {
	for _, v := range s.places[:s.waiting] {
		s.tails(v.tails, v.at)
	}
}

// tails takes the newest of t that matches the path from i on, if it is newer than what was found.
func (s *search) tails(t *tails, i int) {
	if t.byRest != nil {
		for _, length := range t.lengths {
			if len(s.path)-i < length {
				break
			}
			s.newestOf(t.byRest[s.path[i:i+length]], i)
		}
		return
	}
	s.newestOf(t.leaves, i)
}

// newestOf takes the newest of leaves, which are in order of definition.
func (s *search) newestOf(leaves []*leaf, i int) {
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

// follows reports whether path, of which the segments of l end at i, goes on as l does.
func (l *leaf) follows(path string, i int) bool {
	return l.shape == nil || l.shape.Follows(path, i)
}

// collect appends all leaves below n that match path, of which n has matched the part up to i, and are older than bound.
func (n *node) collect(leaves []*leaf, path string, i int, bound int64) []*leaf {
	if n == nil {
		return leaves
	}
	if n.rare != nil {
		leaves = n.rare.tails.collect(leaves, path, i, bound)
		leaves = n.rare.verified.collect(leaves, path, i, bound)
	}
	if i == len(path) {
		return n.ends.collect(leaves, bound)
	}
	if path[i] != '/' {
		return leaves
	}
	end, word := segmentAt(path, i+1)
	text := path[i+1 : end]
	leaves = n.literals.get(text, word).collect(leaves, path, end, bound)
	if text != "" {
		leaves = n.param.collect(leaves, path, end, bound)
		if n.rare != nil && strings.IndexByte(text, '.') < 0 {
			leaves = n.rare.dotless.collect(leaves, path, end, bound)
		}
	}
	return leaves
}

// tails are leaves that go on behind a node, in order of definition. Where there are many, those whose rest cannot fit are not
// looked at: they are grouped by their rest, and a group is found in a map.
type tails struct {
	leaves  []*leaf
	byRest  map[string][]*leaf
	lengths []int // of the rests in byRest, shortest first
}

const fewTails = 4

func (t *tails) add(l *leaf) {
	t.leaves = append(t.leaves, l)
	switch {
	case len(t.leaves) <= fewTails:
	case t.byRest == nil:
		t.byRest = make(map[string][]*leaf)
		for _, l := range t.leaves {
			t.group(l)
		}
	default:
		t.group(l)
	}
}

// group puts l into the group of its rest.
func (t *tails) group(l *leaf) {
	rest := ""
	if l.shape != nil {
		rest = l.shape.Rest()
	}
	t.byRest[rest] = append(t.byRest[rest], l)
	if i, ok := slices.BinarySearch(t.lengths, len(rest)); !ok {
		t.lengths = slices.Insert(t.lengths, i, len(rest))
	}
}

// collect appends the leaves that match path from i on and are older than bound, newest first.
func (t *tails) collect(leaves []*leaf, path string, i int, bound int64) []*leaf {
	for _, l := range slices.Backward(t.leaves) {
		if l.order < bound && l.follows(path, i) {
			leaves = append(leaves, l)
		}
	}
	return leaves
}
