package flowercatalog

import "io"

// This file is the search: what a text finds, written as a JSON array while it is found.

// maxFold is how many times shorter a text may be folded than it was; the Kelvin sign, three bytes, becomes a k. See TestFoldShortens.
const maxFold = 8

// sought returns the folded text to search for.
func (c *catalog) sought(text string) string {
	if most := maxFold * (c.names.longest + 1); len(text) > most {
		text = text[:most] // is longer than all names, folded too, and so finds what the whole does: nothing
	}
	return Fold(text)
}

// searchTag returns the ETag of what a folded text finds. It is made of the list and the text, of which the result is; so it is known
// before the search, and the search is spared where the client has the result.
func (c *catalog) searchTag(sought string) entityTag {
	return tagOf([]byte(c.tag[0] + sought))
}

// search writes the flowers whose folded name contains sought, in catalog order, as a JSON array. It stops where w returns an error.
func (c *catalog) search(w io.Writer, sought string) error {
	a, _ := c.arrays.Get().(*array)
	if a == nil {
		a = &array{buffer: make([]byte, 0, arrayBuffer)}
	}
	a.w = w
	from, to := 0, 0 // neighbours, whose JSON lies side by side, are written together
	c.names.search(sought, 0, func(i int) bool {
		if i == to {
			to++
			return true
		}
		if from < to {
			a.add(c.run(from, to))
		}
		from, to = i, i+1
		return a.err == nil
	})
	if from < to {
		a.add(c.run(from, to))
	}
	err := a.end()
	*a = array{buffer: a.buffer[:0]}
	c.arrays.Put(a)
	return err
}

// array writes flowers as a JSON array.
type array struct {
	w      io.Writer
	buffer []byte
	begun  bool // the bracket is written
	err    error
}

// arrayBuffer is how many bytes are gathered before they are written.
const arrayBuffer = 16 << 10

// add adds flowers with commas between them.
func (a *array) add(flowers []byte) {
	a.separate()
	if len(flowers) > cap(a.buffer)-len(a.buffer) {
		a.flush()
	}
	if len(flowers) > cap(a.buffer) {
		a.send(flowers)
		return
	}
	a.buffer = append(a.buffer, flowers...)
}

// separate writes the bracket, or a comma.
func (a *array) separate() {
	if len(a.buffer) == cap(a.buffer) {
		a.flush()
	}
	if a.begun {
		a.buffer = append(a.buffer, ',')
		return
	}
	a.begun = true
	a.buffer = append(a.buffer, '[')
}

// end ends the array.
func (a *array) end() error {
	if !a.begun {
		a.separate()
	}
	if len(a.buffer) == cap(a.buffer) {
		a.flush()
	}
	a.buffer = append(a.buffer, ']')
	a.flush()
	return a.err
}

// flush writes the buffer.
func (a *array) flush() {
	a.send(a.buffer)
	a.buffer = a.buffer[:0]
}

func (a *array) send(b []byte) {
	if len(b) > 0 && a.err == nil {
		_, a.err = a.w.Write(b)
	}
}
