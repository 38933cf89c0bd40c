package postings

import (
	"encoding/binary"
	"math/bits"
)

// set is an immutable set of small numbers in whichever of two forms is smaller: a bit for every number there could be, or
// the distances between the members as variable-length integers. A member costs a byte or more in the second form, so the
// first is taken once an eighth of all numbers are members.
type set struct {
	data  []byte
	dense bool
}

// isDense tells the form of a set with n members, all below limit.
func isDense(n, limit int) bool { return n >= (limit+7)/8 }

// denseSize is the number of bytes of a dense set, in whole words of 64 bits.
func denseSize(limit int) int { return (limit + 63) / 64 * 8 }

// none is what a cursor returns when there is no such number; it is larger than every member.
const none = int(^uint(0) >> 1)

// cursor walks forward through a set. The zero cursor of a set stands before its first member.
type cursor struct {
	set
	pos  int // sparse: how much of data was read
	here int // sparse: one more than the member read last
}

// seek returns the least member that is at least i, or none. Without going back: i must not be less than in the call before.
func (c *cursor) seek(i int) int {
	if c.dense {
		return c.next(i)
	}
	for c.here <= i {
		if c.pos == len(c.data) {
			return none
		}
		c.read()
	}
	return c.here - 1
}

// read reads the next member of a sparse set that has one.
func (c *cursor) read() {
	if b := c.data[c.pos]; b < 0x80 { // nearly all distances
		c.here += int(b)
		c.pos++
		return
	}
	distance, n := binary.Uvarint(c.data[c.pos:])
	c.here += int(distance)
	c.pos += n
}

// word returns the members from 64w to 64w+63 as bits. Without going back: neither seek nor word may have been asked beyond.
func (c *cursor) word(w int) uint64 {
	if c.dense {
		return binary.LittleEndian.Uint64(c.data[w*8:])
	}
	var members uint64
	for first, end := w*64, w*64+64; c.here <= end; c.read() {
		if c.here > first {
			members |= 1 << (c.here - 1 - first)
		}
		if c.pos == len(c.data) {
			break
		}
	}
	return members
}

// next finds the first bit from i on in a dense set.
func (c *cursor) next(i int) int {
	word := i / 64
	if word*8 >= len(c.data) {
		return none
	}
	rest := binary.LittleEndian.Uint64(c.data[word*8:]) &^ (1<<(i%64) - 1)
	for rest == 0 {
		if word++; word*8 >= len(c.data) {
			return none
		}
		rest = binary.LittleEndian.Uint64(c.data[word*8:])
	}
	return word*64 + bits.TrailingZeros64(rest)
}
