package match

import (
	"cmp"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// This file searches tables: for the newest leaf, or for all. A search walks the trie from slash to
// slash, and skips what is older than the newest leaf that it has found.

// Newest returns the newest leaf below bound that matches path, or nil.
func (t *Table[V]) Newest(path string, bound int64) *Leaf[V] {
	s := search[V]{path: path, bound: bound}
	s.run(t)
	if t.suffixed != nil {
		s.runSuffixed(t.suffixed)
	}
	return s.found
}

// All appends the leaves below bound that match path, newest first, one for each definition.
func (t *Table[V]) All(leaves []*Leaf[V], path string, bound int64) []*Leaf[V] {
	s := search[V]{path: path, bound: bound, every: true, all: leaves}
	s.run(t)
	if t.suffixed != nil {
		s.runSuffixed(t.suffixed)
	}
	if found := s.all[len(leaves):]; !slices.IsSortedFunc(found, newestFirst[V]) {
		slices.SortFunc(found, newestFirst[V])
	}
	return slices.CompactFunc(s.all, func(a, b *Leaf[V]) bool { return a.number() == b.number() })
}

func newestFirst[V any](a, b *Leaf[V]) int { return cmp.Compare(b.order, a.order) }

// search is a search for the leaves below a bound that match a path.
type search[V any] struct {
	path   string
	suffix string // after the last dot, which the path does not have; empty for none
	bound  int64
	found  *Leaf[V] // the newest so far
	order  int64    // of found; 0 for none

	every bool       // all are wanted: they are in all, and nothing is found, so nothing is skipped
	all   []*Leaf[V] // in no order

	// Expressions are tried after the walk, and only if they are newer than the leaf found. These
	// are the first nodes that have some; those of further ones, which are rare, are tried during the
	// walk.
	postponed [2]expressionsAt[V]
	waiting   int
}

// expressionsAt are leaves with expressions, and where in the path their node begins.
type expressionsAt[V any] struct {
	tails *tails[V]
	at    int
}

// take records a leaf that matches.
func (s *search[V]) take(l *Leaf[V]) {
	if s.every {
		s.all = append(s.all, l)
		return
	}
	s.found, s.order = l, l.order
}

// runSuffixed searches the patterns of a table that have a suffix.
func (s *search[V]) runSuffixed(t *Table[V]) {
	if dot := pattern.Dot(s.path); dot >= 0 && t.newest > s.order {
		s.path, s.suffix, s.waiting = s.path[:dot], s.path[dot+1:], 0
		s.run(t)
	}
}

// run searches a table without its patterns that have a suffix.
func (s *search[V]) run(t *Table[V]) {
	if t.maybeStatic(s.path) {
		s.ends(t.static[s.path])
	}
	if t.root.newest <= s.order {
		return
	}
	s.walk(&t.root, 0)
	for _, p := range s.postponed[:s.waiting] {
		s.tails(p.tails, p.at)
	}
}

// walk searches the trie below n, which matches the path up to i, the start of a segment or the
// end. It repeats the code of lookup.find and shortWord, since searches spend most of their time
// here.
func (s *search[V]) walk(n *node[V], i int) {
	path := s.path
	for n.newest > s.order {
		if n.rare != nil {
			s.others(n.rare, i)
		}
		if i >= len(path) {
			s.ends(n.ends)
			return
		}
		if path[i] != '/' {
			return // only at the start of the path, as in OPTIONS *
		}
		begin := i + 1
		var word uint64
		if begin+wordLen <= len(path) {
			word = pattern.Load(path, begin)
		} else {
			word = pattern.LoadTail(path, begin)
		}
		length := min(pattern.Slash(word), len(path)-begin)
		end := begin + length
		if length < wordLen {
			word = word&(1<<(8*length&63)-1) | uint64(length)<<56
		} else {
			end = pattern.SegmentEnd(path, begin+wordLen)
			word = hash(path[begin:end])
		}
		var next *node[V]
		if slots := n.literals.slots; len(slots) > 0 {
			for at := int(word * odd1 >> (n.literals.shift & 63)); ; at++ {
				l := &slots[at&(len(slots)-1)]
				if l.value == nil || l.word == word && (word < longWord || l.text == path[begin:end]) {
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
			if n.rare != nil {
				for _, c := range n.rare.classes {
					if c.node.newest > s.order && c.Match(path[begin:end]) {
						if next != nil {
							s.walk(next, end)
						}
						next = c.node
					}
				}
			}
		}
		if next == nil {
			return
		}
		n, i = next, end
	}
}

// ends takes leaves of the list l.
func (s *search[V]) ends(l *Leaf[V]) {
	for ; l != nil && l.order > s.order; l = l.older {
		if l.order < s.bound && (s.suffix == "" || l.shape.FitsSuffix(s.suffix)) {
			s.take(l)
		}
	}
}

// others tries the wildcards of a node, and postpones its expressions.
func (s *search[V]) others(at *rare[V], i int) {
	s.tails(&at.tails, i)
	if len(at.expressions.leaves) == 0 {
		return
	}
	if s.waiting == len(s.postponed) {
		s.tails(&at.expressions, i)
		return
	}
	s.postponed[s.waiting] = expressionsAt[V]{&at.expressions, i}
	s.waiting++
}

// tails takes leaves of t that match the path from i.
func (s *search[V]) tails(t *tails[V], i int) {
	if t.byRest == nil {
		s.following(t.leaves, i)
		return
	}
	for _, length := range t.lengths {
		if len(s.path)-i < length {
			break
		}
		s.following(t.byRest[s.path[i:i+length]], i)
	}
}

// following takes those of leaves, which are in order of definition, that match the path from i.
func (s *search[V]) following(leaves []*Leaf[V], i int) {
	for _, l := range slices.Backward(leaves) {
		if l.order <= s.order {
			return
		}
		if l.order < s.bound && (l.shape == nil || l.shape.Follows(s.path, i)) && (s.suffix == "" || l.shape.FitsSuffix(s.suffix)) {
			s.take(l)
		}
	}
}
