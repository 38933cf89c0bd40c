package flowercatalog

import "io"

// array writes flowers as a JSON array through a buffer of 16 KiB.
type array struct {
	w      io.Writer
	buffer []byte
	begun  bool // the opening bracket is written
	sent   bool // something was written to w
	failed bool // the last write failed
}

const arrayBuffer = 16 << 10

// add adds one or more flowers, which have commas between them.
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

// end writes the closing bracket and flushes the buffer.
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

// empty drops what was not sent.
func (a *array) empty() { a.buffer, a.begun = a.buffer[:0], false }

// reserve makes room for size bytes, or empties the buffer if they cannot fit.
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
