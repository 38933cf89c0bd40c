package routing

import (
	"math"
	"slices"
	"strings"
)

// The trie of a table has a node for each way to begin a path with whole segments, literal or parameters. A shape hangs at
// the node of its leading segments: where the path must end there, in ends; where a wildcard or an expression goes on, in
// tails. As several patterns may match one path, a search may have to follow a literal child and a parameter both; each node
// tells the newest and the oldest leaf below it, so that most such branches are not even entered.

// node is one node of the trie.
type node struct {
	newest, oldest int64 // of all leaves at this node and below

	literals lookup[*node]
	param    *node   // any segment that is not empty
	dotless  *node   // one without a dot
	ends     []*leaf // newest first
	more     *behind // what goes on behind the node other than by a segment; nil for nothing

	building map[string]*node // the literal children until the trie is finished
}

// behind is what hangs at a node where no segment follows that the trie knows.
type behind struct {
	tails    tails // wildcards, and the zero Pattern
	verified tails // decided by an expression
}

func newNode() *node {
	return &node{oldest: math.MaxInt64}
}

// add hangs l into the trie below n.
func (n *node) add(l *leaf) {
	n.covers(l)
	if l.shape == nil {
		n.behind().tails.add(l)
		return
	}
	for _, g := range l.shape.segments {
		n = n.child(g)
		n.covers(l)
	}
	switch l.shape.end {
	case exact:
		n.ends = append(n.ends, l)
	case wildcard:
		n.behind().tails.add(l)
	case verified:
		n.behind().verified.add(l)
	}
}

func (n *node) behind() *behind {
	if n.more == nil {
		n.more = new(behind)
	}
	return n.more
}

func (n *node) covers(l *leaf) {
	n.newest = max(n.newest, l.order)
	n.oldest = min(n.oldest, l.order)
}

// child returns the child for a segment, a new one if there is none.
func (n *node) child(g segment) *node {
	switch {
	case !g.param:
		if n.building == nil {
			n.building = make(map[string]*node)
		}
		if n.building[g.text] == nil {
			n.building[g.text] = newNode()
		}
		return n.building[g.text]
	case g.dotless:
		if n.dotless == nil {
			n.dotless = newNode()
		}
		return n.dotless
	default:
		if n.param == nil {
			n.param = newNode()
		}
		return n.param
	}
}

// finish makes the trie below n ready to be searched.
func (n *node) finish() {
	for _, child := range n.building {
		child.finish()
	}
	n.literals = newLookup(n.building)
	n.building = nil
	if n.param != nil {
		n.param.finish()
	}
	if n.dotless != nil {
		n.dotless.finish()
	}
	slices.SortFunc(n.ends, newestFirst)
	if n.more != nil {
		n.more.tails.finish()
		n.more.verified.finish()
	}
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

// walk searches the trie below n, which has matched s.path up to i.
func (s *search) walk(n *node, i int) {
	for n.newest > s.order && n.oldest < s.bound {
		if n.more != nil {
			s.behind(n.more, i)
		}
		if i == len(s.path) {
			for _, l := range n.ends {
				if l.order < s.bound {
					if l.order > s.order {
						s.take(l)
					}
					break
				}
			}
			return
		}
		if s.path[i] != '/' {
			return
		}
		end := segmentEnd(s.path, i+1)
		text := s.path[i+1 : end]
		next := n.literals.get(text)
		if text != "" {
			if n.param != nil {
				if next != nil {
					s.walk(next, end)
				}
				next = n.param
			}
			if n.dotless != nil && strings.IndexByte(text, '.') < 0 {
				if next != nil {
					s.walk(next, end)
				}
				next = n.dotless
			}
		}
		if next == nil {
			return
		}
		n, i = next, end
	}
}

// behind takes a wildcard that hangs at a node, and puts the expressions off.
func (s *search) behind(more *behind, i int) {
	s.tails(&more.tails, i)
	if len(more.verified.leaves) == 0 {
		return
	}
	if s.waiting == len(s.places) {
		s.tails(&more.verified, i)
		return
	}
	s.places[s.waiting] = verification{&more.verified, i}
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

func (s *search) newestOf(leaves []*leaf, i int) {
	for _, l := range leaves {
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
	if l.shape == nil {
		return true
	}
	return strings.HasPrefix(path[i:], l.shape.rest) && l.shape.finishes(path, i+len(l.shape.rest))
}

// collect appends all leaves below n that match path, of which n has matched the part up to i, and are older than bound.
func (n *node) collect(leaves []*leaf, path string, i int, bound int64) []*leaf {
	if n == nil || n.oldest >= bound {
		return leaves
	}
	if n.more != nil {
		leaves = n.more.tails.collect(leaves, path, i, bound)
		leaves = n.more.verified.collect(leaves, path, i, bound)
	}
	if i == len(path) {
		for _, l := range n.ends {
			if l.order < bound {
				leaves = append(leaves, l)
			}
		}
		return leaves
	}
	if path[i] != '/' {
		return leaves
	}
	end := segmentEnd(path, i+1)
	text := path[i+1 : end]
	leaves = n.literals.get(text).collect(leaves, path, end, bound)
	if text != "" {
		leaves = n.param.collect(leaves, path, end, bound)
		if strings.IndexByte(text, '.') < 0 {
			leaves = n.dotless.collect(leaves, path, end, bound)
		}
	}
	return leaves
}

// tails are leaves that go on behind a node, newest first. Where there are many, those whose rest cannot fit are not looked at:
// they are grouped by their rest, and a group is found in a hash table.
type tails struct {
	leaves  []*leaf
	byRest  map[string][]*leaf
	lengths []int // of the rests in byRest, shortest first
}

const fewTails = 4

func (t *tails) add(l *leaf) { t.leaves = append(t.leaves, l) }

func (t *tails) finish() {
	slices.SortFunc(t.leaves, newestFirst)
	if len(t.leaves) <= fewTails {
		return
	}
	t.byRest = make(map[string][]*leaf)
	for _, l := range t.leaves {
		rest := ""
		if l.shape != nil {
			rest = l.shape.rest
		}
		t.byRest[rest] = append(t.byRest[rest], l)
		if !slices.Contains(t.lengths, len(rest)) {
			t.lengths = append(t.lengths, len(rest))
		}
	}
	slices.Sort(t.lengths)
}

func (t *tails) collect(leaves []*leaf, path string, i int, bound int64) []*leaf {
	for _, l := range t.leaves {
		if l.order < bound && l.follows(path, i) {
			leaves = append(leaves, l)
		}
	}
	return leaves
}
