package postings

import (
	"bytes"
	"fmt"
	"math"
)

// separator ends every text. No UTF-8 text contains this byte, so it is where one text ends and the next begins.
const separator = 0xFF

// blockLen is how many neighbouring texts are found together by three bytes. Larger blocks make a smaller index and longer scans:
// in a million names (see BenchmarkSize; AMD EPYC, CPU time, other work beside) blocks of 1, 2, 4 and 8 took 46, 43, 38 and 32 MB,
// and finding the 33,000 names with "rose" 3.6, 3.7, 4.4 and 9.5 ms.
const blockLen = 2

// Texts is a list of texts to search. Append fills it; once nobody appends any more, it may be read by any number of
// goroutines at once. The zero value is an empty list.
type Texts struct {
	bytes  []byte   // each text and its separator
	blocks []uint32 // where each block of blockLen texts begins
	n      int
}

// Grow makes room for n more texts of size bytes in all, so that appending them does not copy what is there already.
func (t *Texts) Grow(n, size int) {
	t.bytes = append(make([]byte, 0, len(t.bytes)+size+n), t.bytes...)
	t.blocks = append(make([]uint32, 0, len(t.blocks)+n/blockLen+1), t.blocks...)
}

// Append adds one text at the end. A text that holds the byte 0xFF, which is not UTF-8, and one that would make the list
// larger than 4 GiB are errors, and nothing is added.
func (t *Texts) Append(text string) error {
	for i := range len(text) {
		if text[i] == separator {
			return fmt.Errorf("postings: text %d holds the byte 0xFF, which UTF-8 does not have", t.n)
		}
	}
	if uint64(len(t.bytes)+len(text)+1) > math.MaxUint32 {
		return fmt.Errorf("postings: text %d makes the list larger than 4 GiB", t.n)
	}
	if t.n%blockLen == 0 {
		t.blocks = append(t.blocks, uint32(len(t.bytes)))
	}
	t.bytes = append(t.bytes, text...)
	t.bytes = append(t.bytes, separator)
	t.n++
	return nil
}

// Len returns the number of texts.
func (t *Texts) Len() int { return t.n }

// Scan calls yield for each run of neighbouring texts, from the one up to but not including the other, that contain part, in
// order, until yield returns false. Every text contains the empty part. Runs are not joined: two that touch may follow each other.
func (t *Texts) Scan(part string, yield func(from, to int) bool) {
	if part == "" {
		if t.n > 0 {
			yield(0, t.n)
		}
		return
	}
	scan(t.bytes, 0, []byte(part), yield)
}

// scanBlocks is Scan over some blocks, in their order. It returns false once yield did.
func (t *Texts) scanBlocks(blocks []int, part []byte, yield func(from, to int) bool) bool {
	t.fetch(blocks)
	for _, block := range blocks {
		if !scan(t.bytes[t.blocks[block]:t.blockEnd(block)], block*blockLen, part, yield) {
			return false
		}
	}
	return true
}

// blockEnd returns where a block ends.
func (t *Texts) blockEnd(block int) int {
	if block+1 < len(t.blocks) {
		return int(t.blocks[block+1])
	}
	return len(t.bytes)
}

// fetch reads the first and the last byte of some blocks. The texts of a large list are not in the processor's caches; one after the
// other, each block would be waited for, while reads that don't depend on each other are waited for together. What it returns is of
// no use; it is not inlined, so that the compiler does not leave out the reads.
//
//go:noinline
func (t *Texts) fetch(blocks []int) (read byte) {
	for _, block := range blocks {
		read ^= t.bytes[t.blocks[block]] ^ t.bytes[t.blockEnd(block)-1]
	}
	return read
}

// scan looks at the texts within region one by one, the first of which has the number at: short slices are what package bytes
// searches fastest.
func scan(region []byte, at int, part []byte, yield func(from, to int) bool) bool {
	for len(region) > 0 {
		end := bytes.IndexByte(region, separator)
		if bytes.Contains(region[:end], part) && !yield(at, at+1) {
			return false
		}
		region = region[end+1:]
		at++
	}
	return true
}
