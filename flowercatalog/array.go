package flowercatalog

import "io"

// array writes flowers as a JSON array. It holds 16 KiB of it at most.
type array struct {
	w      io.Writer
	buffer []byte
	begun  bool // the bracket is written
	sent   bool // to w
	failed bool // w takes no more
}

const arrayBuffer = 16 << 10

// add adds flowers with commas between them.
func (a *array) add(flowers []byte) error {
	separator := byte(',')
	if !a.begun {
		a.begun, separator = true, '['
	}
	if err := a.reserve(1 + len(flowers)); err != nil {
		return err
	}
	a.buffer = append(a.buffer, separator)
	if len(flowers) < cap(a.buffer) {
		a.buffer = append(a.buffer, flowers...)
		return nil
	}
	if err := a.flush(); err != nil {
		return err
	}
	return a.send(flowers)
}

// end ends the array.
func (a *array) end() error {
	if err := a.reserve(len("[]")); err != nil {
		return err
	}
	if !a.begun {
		a.buffer = append(a.buffer, '[')
	}
	a.buffer = append(a.buffer, ']')
	return a.flush()
}

// empty drops what is not sent.
func (a *array) empty() { a.buffer, a.begun = a.buffer[:0], false }

// reserve makes room for size bytes, or as many as there can be.
func (a *array) reserve(size int) error {
	if len(a.buffer)+size <= cap(a.buffer) {
		return nil
	}
	return a.flush()
}

func (a *array) flush() error {
	err := a.send(a.buffer)
	a.buffer = a.buffer[:0]
	return err
}

func (a *array) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	a.sent = true
	_, err := a.w.Write(b)
	a.failed = err != nil
	return err
}
