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
		return t.orSuffixed(s.found, path, bound)
	}
	return s.found
}

// orSuffixed returns the newest of a leaf without a suffix, which may be nil, and those with one.
// The text of a suffix is checked after the search: a check of each leaf during all searches makes
// those of tables without suffixes 5 % slower.
func (t *Table[V]) orSuffixed(found *Leaf[V], path string, bound int64) *Leaf[V] {
	dot := pattern.Dot(path)
	if dot < 0 || found != nil && found.order > t.suffixed.newest {
		return found
	}
	l := t.suffixed.Newest(path[:dot], bound)
	if l != nil && !l.shape.FitsSuffix(path[dot+1:]) {
		// All others at once, since a search for each would take quadratic time.
		others := t.appendSuffixed(nil, path, l.order)
		slices.SortFunc(others, newestFirst)
		l = nil
		if len(others) > 0 {
			l = others[0]
		}
	}
	if l == nil || found != nil && found.order > l.order {
		return found
	}
	return l
}

// All appends the leaves below bound that match path, newest first, one for each definition.
func (t *Table[V]) All(leaves []*Leaf[V], path string, bound int64) []*Leaf[V] {
	all := t.appendSuffixed(t.appendTo(leaves, path, bound), path, bound)
	if found := all[len(leaves):]; !slices.IsSortedFunc(found, newestFirst[V]) {
		slices.SortFunc(found, newestFirst[V])
	}
	return slices.CompactFunc(all, func(a, b *Leaf[V]) bool { return a.number() == b.number() })
}

// appendTo appends the leaves without a suffix that match path, in no order.
func (t *Table[V]) appendTo(leaves []*Leaf[V], path string, bound int64) []*Leaf[V] {
	s := search[V]{path: path, bound: bound, every: true, all: leaves}
	s.run(t)
	return s.all
}

// appendSuffixed appends the leaves with a suffix that match path, in no order.
func (t *Table[V]) appendSuffixed(leaves []*Leaf[V], path string, bound int64) []*Leaf[V] {
	dot := pattern.Dot(path)
	if t.suffixed == nil || dot < 0 {
		return leaves
	}
	count := len(leaves)
	leaves = t.suffixed.appendTo(leaves, path[:dot], bound)
	fitting := slices.DeleteFunc(leaves[count:], func(l *Leaf[V]) bool { return !l.shape.FitsSuffix(path[dot+1:]) })
	return leaves[:count+len(fitting)]
}

func newestFirst[V any](a, b *Leaf[V]) int { return cmp.Compare(b.order, a.order) }

// search is a search for the leaves below a bound that match a path.
type search[V any] struct {
	path  string
	bound int64
	found *Leaf[V] // the newest so far
	order int64    // of found; 0 for none

	every bool       // all are wanted: they are in all, and nothing is found, so nothing is skipped
	all   []*Leaf[V] // in no order

	// Expressions are tried after the walk, and only if they are newer than the leaf found. These
	// are the first nodes that have some; those of further ones, which are rare, are tried during
	// the walk.
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
		if l.order < s.bound {
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
		if l.order < s.bound && (l.shape == nil || l.shape.Follows(s.path, i)) {
			s.take(l)
		}
	}
}
