package match

import (
	"math/bits"

	"example.com/flowercafe/routing/internal/pattern"
)

// lookup finds the child of a node by the text of a segment. It is a hash table with open
// addressing. Each text has a word. Short texts, as most are, are identified by their word alone,
// so that a lookup compares numbers.
//
// It exists for speed: with a map, a search takes a third longer, both in GitHub's 239 routes and
// in 100,000 routes. A map hashes each segment again, while the search gets its word together with
// the slash. For whole paths a map is as fast, so the table of static patterns is one.
type lookup[T any] struct {
	slots []slot[T] // a power of two, at most half full; nil for none
	count uint32
	shift uint8 // from a text's hash to its first slot
}

// slot holds one text. Without a value it is free.
type slot[T any] struct {
	word  uint64
	text  string
	value *T
}

// find returns the slot of text, or else the free slot where it belongs.
func (t *lookup[T]) find(text string, word uint64) *slot[T] {
	for i := t.first(word); ; i++ {
		if s := &t.slots[i&(len(t.slots)-1)]; s.value == nil || s.holds(text, word) {
			return s
		}
	}
}

// first returns the slot where the search for a word begins.
func (t *lookup[T]) first(word uint64) int { return int(word * odd1 >> (t.shift & 63)) }

// holds reports whether s is the slot of text, whose word is given.
func (s *slot[T]) holds(text string, word uint64) bool {
	return s.word == word && (isShort(word) || s.text == text)
}

// at returns a pointer to the value of text. The caller sets the value if it is nil.
func (t *lookup[T]) at(text string) **T {
	if 2*(int(t.count)+1) > len(t.slots) {
		t.grow()
	}
	word := wordOf(text)
	s := t.find(text, word)
	if s.value == nil {
		s.word, s.text = word, text
		t.count++
	}
	return &s.value
}

func (t *lookup[T]) grow() {
	old := t.slots
	t.slots = make([]slot[T], max(2*len(old), 2))
	t.shift = uint8(64 - bits.TrailingZeros(uint(len(t.slots))))
	for _, s := range old {
		if s.value != nil {
			*t.find(s.text, s.word) = s
		}
	}
}

// The word of a text of up to seven bytes has these bytes, the first in the lowest bits, and their
// number in the highest byte. The word of a longer text is a hash with 0xFF as its highest byte.
const (
	wordLen  = pattern.Word
	longWord = 0xFF << 56
)

func isShort(word uint64) bool { return word < longWord }

// shortWord returns the word of the first n bytes in word, at most seven.
func shortWord(word uint64, n uint) uint64 {
	return word&(1<<(8*n&63)-1) | uint64(n)<<56
}

func wordOf(text string) uint64 {
	if len(text) < wordLen {
		return shortWord(pattern.LoadTail(text, 0), uint(len(text)))
	}
	return hash(text)
}

const odd1, odd2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F

// hash returns the word of a text of eight bytes or more.
func hash(text string) uint64 {
	h := uint64(len(text))
	for i := 0; i < len(text)-wordLen; i += wordLen {
		h = (bits.RotateLeft64(h, 29) ^ pattern.Load(text, i)) * odd2
	}
	h = (bits.RotateLeft64(h, 29) ^ pattern.Load(text, len(text)-wordLen)) * odd2
	return h ^ h>>32 | longWord
}
