package postings

import (
	"cmp"
	"math/bits"
	"slices"
)

// Index is a list of texts with the postings of its grams: for every byte and every two neighbouring bytes the texts that
// contain them, for every three the blocks that do. It is immutable: any number of goroutines may search it at once.
type Index struct {
	texts *Texts
	grams []entry // by key
	data  []byte  // every posting set, in the order of grams
}

// entry is where the posting set of one gram lies.
type entry struct {
	key  uint32
	n    uint32 // members
	off  int
	size int32
}

// key puts a gram of one to three bytes and its length into one number.
func key(gram string) uint32 {
	k := uint32(len(gram))
	for i := range 3 {
		k <<= 8
		if i < len(gram) {
			k |= uint32(gram[i])
		}
	}
	return k
}

// limit is one more than the largest member that the posting set of a gram of that many bytes may have.
func (t *Texts) limit(length int) int {
	if length < 3 {
		return t.n
	}
	return len(t.blocks)
}

// Search calls yield for each run of neighbouring texts, from the one up to but not including the other, that contain part,
// in order, until yield returns false. It finds what [Texts.Scan] finds.
func (x *Index) Search(part string, yield func(from, to int) bool) {
	switch len(part) {
	case 0:
		x.texts.Scan(part, yield)
	case 1, 2:
		if e, ok := x.lookup(part); ok {
			searchTexts(e.cursor(x), yield)
		}
	default:
		if cursors, ok := x.rarest(part); ok {
			x.searchBlocks(part, cursors, yield)
		}
	}
}

// searchTexts yields the members of a set, which are texts.
func searchTexts(c cursor, yield func(from, to int) bool) {
	if !c.dense {
		for i := c.seek(0); i != none; i = c.seek(i + 1) {
			if !yield(i, i+1) {
				return
			}
		}
		return
	}
	for word := range len(c.data) / 8 {
		for members := c.word(word); members != 0; {
			from := bits.TrailingZeros64(members)
			to := from + bits.TrailingZeros64(^(members >> from))
			if !yield(word*64+from, word*64+to) {
				return
			}
			members &= ^uint64(0) << to // none, when to is 64
		}
	}
}

// searchBlocks scans the blocks that are in all sets.
func (x *Index) searchBlocks(part string, sets []cursor, yield func(from, to int) bool) {
	sought := []byte(part)
	var found [64]int // blocks to be scanned
	n := 0
	for first := sets[0].seek(0); first != none; {
		// The sets are intersected by words of 64 blocks: few have any that is in all.
		word := first / 64
		common := sets[0].word(word)
		for i := 1; i < len(sets) && common != 0; i++ {
			common &= sets[i].word(word)
		}
		for ; common != 0; common &= common - 1 {
			if n == len(found) {
				if !x.texts.scanBlocks(found[:n], sought, yield) {
					return
				}
				n = 0
			}
			found[n] = word*64 + bits.TrailingZeros64(common)
			n++
		}
		first = sets[0].seek((word + 1) * 64)
	}
	x.texts.scanBlocks(found[:n], sought, yield)
}

// worth is how many bytes of a sparse set may be read to spare the scan of one block: both take about the same time then.
const worth = 64

// rarest returns the posting sets to intersect for a text of three bytes or more, the smallest first. Left out are those that
// hold every block, and those that take longer to read than the scans they would spare. It reports false when one of the grams
// occurs nowhere.
func (x *Index) rarest(part string) ([]cursor, bool) {
	var found [16]entry // enough for most; a longer text is found by its first grams too
	n := 0
	for i := 0; i+3 <= len(part) && n < len(found); i++ {
		e, ok := x.lookup(part[i : i+3])
		if !ok {
			return nil, false
		}
		found[n] = e
		n++
	}
	entries := found[:n]
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.key, b.key))
	})
	entries = slices.Compact(entries)
	cursors := []cursor{entries[0].cursor(x)}
	left := float64(entries[0].n) // how many blocks are expected in all sets taken so far
	blocks := x.texts.limit(3)
	for _, e := range entries[1:] {
		c := e.cursor(x)
		if c.dense && int(e.n) < blocks || !c.dense && float64(e.size) <= worth*left {
			cursors = append(cursors, c)
			left *= float64(e.n) / float64(blocks)
		}
	}
	return cursors, true
}

func (x *Index) lookup(gram string) (entry, bool) {
	i, ok := slices.BinarySearchFunc(x.grams, key(gram), func(e entry, k uint32) int { return cmp.Compare(e.key, k) })
	if !ok {
		return entry{}, false
	}
	return x.grams[i], true
}

func (e entry) cursor(x *Index) cursor {
	length := int(e.key >> 24)
	return cursor{set: set{
		data:  x.data[e.off : e.off+int(e.size)],
		dense: isDense(int(e.n), x.texts.limit(length)),
	}}
}

// uvarintLen is the number of bytes that binary.PutUvarint writes.
func uvarintLen(v uint32) int32 {
	n := int32(1)
	for v >= 0x80 {
		v >>= 7
		n++
	}
	return n
}
