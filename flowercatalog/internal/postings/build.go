package postings

import (
	"encoding/binary"
	"slices"
)

// Building goes over the texts twice: once to count the members and bytes of every posting set, once to write them all into
// one slice of exactly that size.

// gram is what the builder knows of one gram.
type gram struct {
	last uint32 // one more than the member counted or written last; 0 for none
	n    uint32
	size int32 // of the sparse form; after the layout, of the form taken
	off  int
}

// row holds the grams that differ in their last byte only. Rows exist for prefixes that occur, so the table stays small
// whatever the alphabet.
type row [256]gram

type builder struct {
	texts *Texts
	one   row
	two   [256]*row
	three [256 * 256]*row
	data  []byte
}

// NewIndex builds the index of texts, to which nothing may be appended afterwards. While it builds it takes a few megabytes
// beyond what it returns.
func NewIndex(texts *Texts) *Index {
	b := &builder{texts: texts}
	b.each(func(g *gram, member uint32, _ int) { g.count(member) })
	x := &Index{texts: texts, grams: b.layout()}
	b.each(b.write)
	x.data = b.data
	return x
}

// each calls f for every gram of every text: for one and two bytes with the text's number, for three with its block's.
func (b *builder) each(f func(g *gram, member uint32, length int)) {
	text, block := uint32(0), uint32(0)
	begin := 0
	for i, c := range b.texts.bytes {
		if c == separator {
			text++
			block = text / blockLen
			begin = i + 1
			continue
		}
		f(&b.one[c], text, 1)
		if i > begin {
			before := b.texts.bytes[i-1]
			f(&rowOf(&b.two[before])[c], text, 2)
			if i > begin+1 {
				first := b.texts.bytes[i-2]
				f(&rowOf(&b.three[int(first)<<8|int(before)])[c], block, 3)
			}
		}
	}
}

func rowOf(r **row) *row {
	if *r == nil {
		*r = new(row)
	}
	return *r
}

// count counts a member, of which those that are counted twice come one after the other.
func (g *gram) count(member uint32) {
	if g.last == member+1 {
		return
	}
	g.n++
	g.size += uvarintLen(member + 1 - g.last)
	g.last = member + 1
}

// layout gives every gram that occurs its place in the data, and returns them by key.
func (b *builder) layout() []entry {
	var entries []entry
	size := 0
	place := func(r *row, prefix uint32, length int) {
		if r == nil {
			return
		}
		limit := b.texts.limit(length)
		for c := range r {
			g := &r[c]
			if g.n == 0 {
				continue
			}
			if isDense(int(g.n), limit) {
				g.size = int32(denseSize(limit))
			}
			g.off, g.last = size, 0
			size += int(g.size)
			k := uint32(length)<<24 | (prefix<<8|uint32(c))<<(8*(3-length))
			entries = append(entries, entry{key: k, n: g.n, off: g.off, size: g.size})
		}
	}
	place(&b.one, 0, 1)
	for prefix, r := range b.two {
		place(r, uint32(prefix), 2)
	}
	for prefix, r := range b.three {
		place(r, uint32(prefix), 3)
	}
	b.data = make([]byte, size)
	return slices.Clip(entries)
}

// write writes a member into the gram's place.
func (b *builder) write(g *gram, member uint32, length int) {
	if g.last == member+1 {
		return
	}
	if isDense(int(g.n), b.texts.limit(length)) {
		b.data[g.off+int(member/8)] |= 1 << (member % 8)
	} else {
		g.off += binary.PutUvarint(b.data[g.off:], uint64(member+1-g.last))
	}
	g.last = member + 1
}
