package match

import (
	"encoding/binary"
	"math/bits"
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
	shift uint8 // from a word's hash to its first slot
}

// slot holds one text. Without a value it is free.
type slot[T any] struct {
	word  uint64
	text  string
	value *T
}

// find returns the slot of text, or else the free slot where it belongs.
func (t *lookup[T]) find(text string, word uint64) *slot[T] {
	for i := int(word * odd1 >> (t.shift & 63)); ; i++ {
		s := &t.slots[i&(len(t.slots)-1)]
		if s.value == nil || s.word == word && (word < longWord || s.text == text) {
			return s
		}
	}
}

// at returns the value of text, and makes it if needed.
func (t *lookup[T]) at(text string) *T {
	if 2*(int(t.count)+1) > len(t.slots) {
		t.grow()
	}
	word := wordOf(text)
	s := t.find(text, word)
	if s.value == nil {
		*s = slot[T]{word, text, new(T)}
		t.count++
	}
	return s.value
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

// load returns the eight bytes of text from i as a number, the first in the lowest bits. What comes
// after the end of the text is any bits. It has no branch for the end, which would be mispredicted
// once in most searches.
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

// slash returns the number of bytes before the first slash in word, or eight if there is none.
func slash(word uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	zeros := word ^ '/'*ones // the slashes are zero bytes here
	return bits.TrailingZeros64((zeros-ones)&^zeros&highs) / 8
}

const odd1, odd2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
