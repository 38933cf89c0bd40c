// Package pooled has memory for bodies that package apidoc makes and package routing sends.
package pooled

import (
	"io"
	"sync"
)

// Buffer is memory for a body. Passed to routing.Stream as its reader, it is sent in one write and
// then put back.
type Buffer struct {
	Bytes []byte
	Kind  any // package routing's record of the body, which is used again as well
}

var buffers = sync.Pool{New: func() any { return new(Buffer) }}

// maxKept is the capacity of the largest buffer that is kept: the pool would keep the memory of a
// larger one for small bodies.
const maxKept = 64 << 10

// Get returns an empty Buffer.
func Get() *Buffer { return buffers.Get().(*Buffer) }

// Put gives the memory back. It must not be used any more.
func (b *Buffer) Put() {
	if cap(b.Bytes) <= maxKept {
		b.Bytes = b.Bytes[:0]
		buffers.Put(b)
	}
}

// Read reads from the bytes and removes them.
func (b *Buffer) Read(p []byte) (int, error) {
	if len(b.Bytes) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.Bytes)
	b.Bytes = b.Bytes[n:]
	return n, nil
}
