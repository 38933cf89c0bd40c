package match

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// This file searches a table for the leaf with the highest priority that matches a path, or for all
// leaves that match. A search walks the trie segment by segment, and skips subtrees without a
// higher priority than the leaf found so far. It compares segments as 64-bit words: see wordLen.

// First returns the first leaf that matches a method and a path, or nil. With the empty method, it
// finds only routes for every method.
func (ix *Index[V]) First(method, path string) *Leaf[V] { return ix.table(method).first(path, nil) }

// All appends the leaves that match a method and a path, in the order in which they are tried, one
// for each route. If after is not nil, it leaves out that leaf's route and those before it.
func (ix *Index[V]) All(leaves []*Leaf[V], method, path string, after *Leaf[V]) []*Leaf[V] {
	s := search[V]{path: path, bound: after.bound(), every: true, all: leaves}
	s.run(ix.table(method))
	found := s.all[len(leaves):]
	for i, l := range found {
		if i > 0 && l.priority >= found[i-1].bound() { // rare: not sorted, or two leaves of a route
			slices.SortFunc(found, func(a, b *Leaf[V]) int { return cmp.Compare(b.priority, a.priority) })
			return slices.CompactFunc(s.all, func(a, b *Leaf[V]) bool { return a.bound() == b.bound() })
		}
	}
	return s.all
}

// table returns the routes that are tried for a method.
func (ix *Index[V]) table(method string) *table[V] {
	switch method {
	case "GET":
		return ix.get
	case "POST":
		return ix.post
	case "PUT":
		return ix.put
	case "DELETE":
		return ix.delete
	case "PATCH":
		return ix.patch
	}
	if t, ok := ix.methods[method]; ok {
		return t
	}
	return ix.methods[""]
}

// first returns the first leaf that matches path, of the routes that are tried after the leaf
// after, or nil.
func (t *table[V]) first(path string, after *Leaf[V]) *Leaf[V] {
	s := search[V]{path: path, bound: after.bound()}
	s.run(t)
	return s.found
}

// bound returns the lowest priority of the leaf's route. A search below this bound finds only
// routes that are tried after it. The bound of nil is higher than all priorities.
func (l *Leaf[V]) bound() int64 {
	if l == nil {
		return 1 << 62
	}
	return l.priority >> variantBits << variantBits
}

// search is a search for the leaves below a bound that match a path.
type search[V any] struct {
	path     string // without the suffix of the table that is searched
	bound    int64
	found    *Leaf[V] // the leaf with the highest priority so far
	priority int64    // of found, or 0

	every bool       // collect every leaf in all; found stays nil, so no subtree is skipped
	all   []*Leaf[V] // in no order
}

// run searches a table.
func (s *search[V]) run(t *table[V]) {
	path := s.path
	if t.lengths[min(len(path), maxLength)] { // saves the lookup for most paths with parameters
		s.ends(t.static[path])
	}
	if t.root.highest > s.priority {
		s.walk(&t.root, 0, false)
	}
	for i, c := range t.suffixed.classes {
		if dot := pattern.Dot(path); dot >= 0 && c.Match(path[dot+1:]) {
			s.path = path[:dot]
			s.run(t.suffixed.values[i])
		}
	}
}

// walk searches the trie below n, which matches the path up to i, the start of a segment or the
// end. It tries the wildcards and expressions of n after its children, since expressions are slow;
// with skipTails it leaves them out. It contains a copy of segmentMap.find, since searches spend
// most of their time here.
func (s *search[V]) walk(n *node[V], i int, skipTails bool) {
	path := s.path
	for n.highest > s.priority {
		if n.uncommon != nil && n.uncommon.tails != nil && !skipTails {
			s.walk(n, i, true)
			s.tails(n.uncommon, i)
			return
		}
		skipTails = false
		if i >= len(path) {
			s.ends(n.ends)
			return
		}
		if path[i] != '/' {
			return // only at the start of the path, as in OPTIONS *
		}
		begin := i + 1
		word := load(path, begin)
		length := min(slash(word), len(path)-begin)
		end := begin + length
		if length < wordLen {
			word = shortWord(word, length)
		} else {
			word, end = longSegment(path, begin)
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
					s.walk(next, end, false)
				}
				next = n.param
			}
			if n.uncommon != nil {
				for k, child := range n.uncommon.values {
					if child.highest > s.priority && n.uncommon.classes[k].Match(path[begin:end]) {
						if next != nil {
							s.walk(next, end, false)
						}
						next = child
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

// ends takes the leaves of the list l, whose patterns end at the end of the path.
func (s *search[V]) ends(l *Leaf[V]) {
	for ; l != nil && l.priority > s.priority; l = l.next {
		if l.priority < s.bound {
			s.take(l)
		}
	}
}

// tails takes the leaves whose wildcard or expression matches the path from i to its end.
func (s *search[V]) tails(uncommon *uncommonNode[V], i int) {
	path := s.path
	for _, length := range uncommon.lengths {
		if len(path)-i < length {
			continue
		}
		for l := uncommon.tails[path[i:i+length]]; l != nil && l.priority > s.priority; l = l.next {
			if l.priority < s.bound && l.variant.Follows(path, i+length) {
				s.take(l)
			}
		}
	}
}

// take records a leaf that matches.
func (s *search[V]) take(l *Leaf[V]) {
	if s.every {
		s.all = append(s.all, l)
		return
	}
	s.found, s.priority = l, l.priority
}

// The word of a text of up to seven bytes has these bytes, the first in the lowest bits, and their
// number in the highest byte. The word of a longer text is a hash with 0xFF as its highest byte.
const (
	wordLen  = 8
	longWord = 0xFF << 56
)

func wordOf(text string) uint64 {
	if len(text) >= wordLen {
		word, _ := longSegment(text, 0)
		return word
	}
	return shortWord(load(text, 0), len(text))
}

// longSegment returns the word of the segment of path that begins at i, and its end.
func longSegment(path string, i int) (word uint64, end int) {
	length := wordLen
	for end = i; length == wordLen; end += length {
		bytes := load(path, end)
		if length = min(slash(bytes), len(path)-end); length < wordLen {
			bytes = shortWord(bytes, length)
		}
		word = (bits.RotateLeft64(word, 29) ^ bytes) * odd2
	}
	return word ^ word>>32 | longWord, end
}

// shortWord returns the word of the first n bytes in bytes, at most seven.
func shortWord(bytes uint64, n int) uint64 { return bytes&(1<<(8*n&63)-1) | uint64(n)<<56 }

// load returns the eight bytes of text from i as a number, the first in the lowest bits. Bits after
// the end of the text are undefined. It has no branch for the end, which would be mispredicted once
// in most searches.
func load(text string, i int) uint64 {
	if from := min(i, len(text)-wordLen); from >= 0 {
		// The conversion does not copy.
		return binary.LittleEndian.Uint64([]byte(text[from:from+wordLen])) >> (8 * (i - from) & 63)
	}
	var bytes uint64
	for n := len(text) - 1; n >= i; n-- {
		bytes = bytes<<8 | uint64(text[n])
	}
	return bytes
}

// slash returns the number of bytes before the first slash in word, or eight without a slash.
func slash(word uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	zeros := word ^ '/'*ones // the slashes are zero bytes here
	return bits.TrailingZeros64((zeros-ones)&^zeros&highs) / 8
}

// Odd multipliers for the hashes of words.
const odd1, odd2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
