package flowercatalog

import "io"

// This file is the search: what a text finds, written as a JSON array while it is found.

// maxFold is how many times shorter a text may be folded than it was; the Kelvin sign, three bytes, becomes a k. See TestFoldShortens.
const maxFold = 8

// sought returns the folded text to search for.
func (c *catalog) sought(text string) string {
	if most := maxFold * (c.longest + 1); len(text) > most {
		text = text[:most] // is longer than all names, folded too, and so finds what the whole does: nothing
	}
	return fold(text)
}

// searchTag returns the ETag of what a folded text finds. It is made of the list and the text, of which the result is; so it is known
// before the search, and the search is spared where the client has the result.
func (c *catalog) searchTag(sought string) entityTag {
	return tagOf([]byte(c.tag[0] + sought))
}

// search writes the flowers whose folded name contains sought, in catalog order, as a JSON array. It stops where w returns an error.
func (c *catalog) search(w io.Writer, sought string) error {
	find := c.names.Scan
	if c.index != nil {
		find = c.index.Search
	}
	a, _ := c.arrays.Get().(*array)
	if a == nil {
		a = &array{catalog: c, buffer: make([]byte, 0, arrayBuffer)}
	}
	defer a.release()
	a.w = w
	a.buffer = append(a.buffer, '[')
	find(sought, a.add)
	a.flush()
	a.buffer = append(a.buffer, ']')
	a.write(nil)
	return a.err
}

// array writes flowers as a JSON array. Neighbours, whose JSON lies side by side, are written together.
type array struct {
	catalog  *catalog
	w        io.Writer
	buffer   []byte
	from, to int // flowers that are not in the buffer yet
	some     bool
	err      error
}

// arrayBuffer is how much is gathered before it is written.
const arrayBuffer = 16 << 10

// release gives the array to the next search. It holds nothing of this one any more.
func (a *array) release() {
	*a = array{catalog: a.catalog, buffer: a.buffer[:0]}
	a.catalog.arrays.Put(a)
}

// add adds neighbouring flowers. It returns false if they cannot be written any more.
func (a *array) add(from, to int) bool {
	if from != a.to {
		a.flush()
		a.from = from
	}
	a.to = to
	return a.err == nil
}

// flush puts the flowers that were gathered into the buffer.
func (a *array) flush() {
	if a.from == a.to {
		return
	}
	run := a.catalog.run(a.from, a.to)
	if len(a.buffer)+1+len(run)+1 > cap(a.buffer) {
		a.write(nil)
	}
	if a.some {
		a.buffer = append(a.buffer, ',')
	}
	a.some = true
	a.from = a.to
	if 1+len(run)+1 > cap(a.buffer) {
		a.write(run)
		return
	}
	a.buffer = append(a.buffer, run...)
}

// write writes the buffer, and then more.
func (a *array) write(more []byte) {
	for _, b := range [...][]byte{a.buffer, more} {
		if len(b) > 0 && a.err == nil {
			_, a.err = a.w.Write(b)
		}
	}
	a.buffer = a.buffer[:0]
}
