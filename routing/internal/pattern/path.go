package pattern

import (
	"encoding/binary"
	"math/bits"
)

// This file finds slashes, eight bytes of a path at a time. Package match uses it too.

// Word is the number of bytes that are checked at once.
const Word = 8

// Load returns the eight bytes of text from i as a number, the first in the lowest bits. The
// conversion does not copy.
func Load(text string, i int) uint64 { return binary.LittleEndian.Uint64([]byte(text[i : i+Word])) }

// LoadTail returns the bytes of text from i, fewer than eight, as a number.
func LoadTail(text string, i int) uint64 {
	if len(text) >= Word {
		return Load(text, len(text)-Word) >> (8 * uint(i+Word-len(text)) & 63)
	}
	return loadShort(text[i:])
}

func loadShort(text string) (word uint64) {
	for i := len(text) - 1; i >= 0; i-- {
		word = word<<8 | uint64(text[i])
	}
	return word
}

// Slash returns the number of bytes before the first slash in word, or eight if there is none.
func Slash(word uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	zeros := word ^ '/'*ones // the slashes are zero bytes here
	return bits.TrailingZeros64((zeros-ones)&^zeros&highs) / 8
}

// SegmentEnd returns the end of the segment of path that contains or starts at i.
func SegmentEnd(path string, i int) int {
	for len(path)-i >= Word {
		n := Slash(Load(path, i))
		i += n
		if n < Word {
			return i
		}
	}
	if i < len(path) {
		i += min(Slash(LoadTail(path, i)), len(path)-i)
	}
	return i
}
