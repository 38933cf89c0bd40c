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
	a.w, a.separator = w, '['
	find(sought, a.add)
	a.end()
	err := a.err
	a.release()
	return err
}

// array writes flowers as a JSON array. Neighbours, whose JSON lies side by side, are written together.
type array struct {
	catalog   *catalog
	w         io.Writer
	runs      [arrayRuns]run // that are not in the buffer yet
	n         int            // how many
	buffer    []byte
	separator byte // goes before the next run: the bracket, then commas
	err       error
}

// run is flowers that are neighbours, from the one up to but not including the other.
type run struct{ from, to int }

// arrayRuns is how many runs are found before they are gathered, arrayBuffer how many bytes are gathered before they are written.
const (
	arrayRuns   = 64
	arrayBuffer = 16 << 10
)

// release gives the array to the next search. It holds nothing of this one any more.
func (a *array) release() {
	*a = array{catalog: a.catalog, buffer: a.buffer[:0]}
	a.catalog.arrays.Put(a)
}

// add adds neighbouring flowers. It returns false if they cannot be written any more.
func (a *array) add(from, to int) bool {
	if a.n > 0 && a.runs[a.n-1].to == from {
		a.runs[a.n-1].to = to
		return true
	}
	if a.n == len(a.runs) {
		a.gather()
	}
	a.runs[a.n] = run{from, to}
	a.n++
	return a.err == nil
}

// gather puts the runs into the buffer.
func (a *array) gather() {
	list, records := a.catalog.list, a.catalog.records
	a.fetch()
	for _, r := range a.runs[:a.n] {
		found := list[records[r.from]-1 : records[r.to]-1] // with the byte in front, where the separator goes
		if len(found) > cap(a.buffer)-len(a.buffer) {
			a.write()
		}
		if len(found) > cap(a.buffer) {
			a.buffer = append(a.buffer, a.separator)
			a.write()
			a.send(found[1:])
		} else {
			at := len(a.buffer)
			a.buffer = append(a.buffer, found...)
			a.buffer[at] = a.separator
		}
		a.separator = ','
	}
	a.n = 0
}

// fetch reads the first and the last byte of all runs. A search in a large catalog waits for memory most of its time; the waits overlap
// this way. What it returns is of no use; it is not inlined, so that the compiler does not leave out the reads.
//
//go:noinline
func (a *array) fetch() (read byte) {
	list, records := a.catalog.list, a.catalog.records
	for _, r := range a.runs[:a.n] {
		read ^= list[records[r.from]] ^ list[records[r.to]-1]
	}
	return read
}

// end ends the array.
func (a *array) end() {
	a.gather()
	if len(a.buffer)+len("[]") > cap(a.buffer) {
		a.write()
	}
	if a.separator == '[' {
		a.buffer = append(a.buffer, '[')
	}
	a.buffer = append(a.buffer, ']')
	a.write()
}

// write writes the buffer.
func (a *array) write() {
	a.send(a.buffer)
	a.buffer = a.buffer[:0]
}

func (a *array) send(b []byte) {
	if len(b) > 0 && a.err == nil {
		_, a.err = a.w.Write(b)
	}
}
