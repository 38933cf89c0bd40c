package routing

import "math/bits"

// lookup finds values by texts, for the two places where the index looks texts up: whole paths and segments. A text has a word,
// which its first bytes are part of; for a text of eight bytes or less the word says all, so that most segments are found by
// comparing numbers. A few texts are compared one after the other; more are in a hash table with open addressing.
type lookup[V any] struct {
	slots []slot[V] // as many as there are texts if they are few, else a power of two of which at most half are used
	count int
}

// slot holds one text; a slot without a value is free.
type slot[V any] struct {
	word  uint64
	text  string
	value *V
}

// few is how many texts are compared in no more time than hashing one takes.
const few = 4

// get returns the value of text, which has that word, or nil.
func (t *lookup[V]) get(text string, word uint64) *V {
	if s := t.find(text, word); s != nil {
		return s.value
	}
	return nil
}

// find returns the slot of text, or a free one where it belongs, or nil if there is none.
func (t *lookup[V]) find(text string, word uint64) *slot[V] {
	if len(t.slots) <= few {
		for i := range t.slots {
			if s := &t.slots[i]; s.word == word && s.holds(text) {
				return s
			}
		}
		return nil
	}
	for i := firstSlot(word, len(t.slots)); ; i++ {
		if s := &t.slots[i&(len(t.slots)-1)]; s.value == nil || s.word == word && s.holds(text) {
			return s
		}
	}
}

// holds reports whether s, which has the word of text, is its slot.
func (s *slot[V]) holds(text string) bool {
	return len(s.text) == len(text) && (len(text) <= wordLen || s.text == text)
}

// at returns where the value of text is. The caller sets it if it is nil.
func (t *lookup[V]) at(text string) **V {
	word := wordOf(text)
	s := t.find(text, word)
	if s == nil || s.value == nil {
		if t.count < few {
			t.slots = append(t.slots, slot[V]{})
			s = &t.slots[t.count]
		} else {
			t.grow()
			s = t.find(text, word)
		}
		s.word, s.text = word, text
		t.count++
	}
	return &s.value
}

// grow makes room for one text more.
func (t *lookup[V]) grow() {
	if t.count > few && 2*t.count < len(t.slots) {
		return
	}
	old := t.slots
	t.slots = make([]slot[V], 4<<bits.Len(uint(t.count)))
	for _, s := range old {
		*t.find(s.text, s.word) = s
	}
}

// firstSlot returns the slot in which the search for a word begins, in a table of a power of two slots.
func firstSlot(word uint64, slots int) int {
	return int(word * odd1 >> (bits.LeadingZeros64(uint64(slots-1)) & 63))
}

// wordLen is how many bytes a word holds.
const wordLen = 8

const odd1, odd2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F

// wordOf returns the word of a text: its bytes, if they are no more than eight, and else a hash of them all.
func wordOf(text string) uint64 {
	word, n := wordAt(text, 0)
	if n == len(text) {
		return word
	}
	return hashed(text, word)
}

// hashed returns the word of a text of more than eight bytes, of which the first eight are first.
func hashed(text string, first uint64) uint64 {
	h := first*odd1 + uint64(len(text))
	for i := wordLen; i < len(text)-wordLen; i += wordLen {
		h = (bits.RotateLeft64(h, 29) ^ eight(text, i)) * odd2
	}
	h = (bits.RotateLeft64(h, 29) ^ eight(text, len(text)-wordLen)) * odd2
	return h ^ h>>32
}

// bytesOf returns the bytes of a text of at most eight as a number, the first in the lowest bits.
func bytesOf(text string) uint64 {
	word := uint64(0)
	for i := len(text) - 1; i >= 0; i-- {
		word = word<<8 | uint64(text[i])
	}
	return word
}

// eight returns the eight bytes of text from i on as a number.
func eight(text string, i int) uint64 {
	b := text[i : i+wordLen]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// segmentAt returns where the segment of path that begins at i ends, and its word. Eight bytes at a time are searched for a slash.
func segmentAt(path string, i int) (end int, word uint64) {
	word, left := wordAt(path, i)
	n := min(slash(word), left)
	if end = i + n; n < wordLen {
		return end, word & (1<<(8*n) - 1)
	}
	return longSegmentAt(path, i, word)
}

// longSegmentAt is segmentAt for a segment of eight bytes or more, of which the first eight are first.
func longSegmentAt(path string, i int, first uint64) (end int, word uint64) {
	for end = i + wordLen; end < len(path); {
		more, left := wordAt(path, end)
		n := min(slash(more), left)
		end += n
		if n < wordLen {
			break
		}
	}
	if end == i+wordLen {
		return end, first
	}
	return end, hashed(path[i:end], first)
}

// wordAt returns the bytes of path from i on, eight or as many as there are, and their number.
func wordAt(path string, i int) (word uint64, n int) {
	switch n := len(path) - i; {
	case n >= wordLen:
		return eight(path, i), wordLen
	case len(path) >= wordLen:
		return eight(path, len(path)-wordLen) >> (8 * (wordLen - n)), n
	default:
		return bytesOf(path[i:]), n
	}
}

// slash returns the number of bytes in front of the first slash in word, and eight if there is none.
func slash(word uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	zeros := word ^ '/'*ones // the slashes are zero bytes here
	return bits.TrailingZeros64((zeros-ones)&^zeros&highs) / 8
}
