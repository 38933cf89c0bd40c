package apidoc

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"sync"

	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
)

// This file streams bodies: it copies a reader, or calls a function that writes. It does this when
// the response is sent, after the after filters. An error before the first byte is sent is handled
// like an error of the operation's function. After a later error the connection is closed, so that
// the client detects an incomplete body (RFC 9112, 8).

// streamed is a body from a function or a reader. It is the handler of a result.
type streamed struct {
	streaming.Result
	c       routing.Context
	media   string
	write   func(io.Writer) error
	flushes bool                                // each write of write is sent
	reader  io.Reader                           // instead of write
	close   func()                              // closes the reader; may be nil
	fail    func(error) (routing.Result, error) // responds to an error before the first byte

	stopClosing func() bool // keeps the end of the request from closing the reader
}

// result returns the result that sends the body.
func (s *streamed) result() (routing.Result, error) {
	if s.close != nil {
		ctx := streaming.RequestContext(s.c.Request().Context())
		s.stopClosing = context.AfterFunc(ctx, func() { // also if a wrapper of the action loses the result
			if ctx.Err() == context.Canceled {
				s.close()
			}
		})
	}
	return routing.Handler(s)(s.c)
}

// DropResult is called by package routing when it sends another response.
func (s *streamed) DropResult() {
	if s.close != nil {
		s.close()
	}
}

// send sends the body. Package routing logs an error after the first byte, and closes the
// connection.
func (s *streamed) send(to http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if s.stopClosing != nil && !s.stopClosing() && ctx.Err() == context.Canceled {
		panic(http.ErrAbortHandler) // the client has disconnected, and the body is closed
	}
	defer s.DropResult()
	body := &bodyWriter{streamed: s, to: to, ctx: ctx, size: -1}
	err := s.writeTo(body)
	request, failed := body.end(err)
	switch err = repanicAbort(cmp.Or(err, failed)); { // the function may ignore the errors of Write
	case err == nil:
	case request == nil:
		return s.failed(err)
	case ctx.Err() == context.Canceled: // mostly because the client has disconnected
		panic(http.ErrAbortHandler)
	case failed != nil && ctx.Err() == nil: // the connection is broken
	default:
		return fmt.Errorf("apidoc: send the body: %w", err)
	}
	if request != nil {
		_ = request.Close()
		return nil
	}
	to.Header()["Content-Type"] = []string{s.media}
	body.setLength()
	return nil
}

// writeTo writes the body. For HEAD, the function is not called and the reader is not read.
func (s *streamed) writeTo(w *bodyWriter) (err error) {
	defer recoverAs(&err)
	isHead := s.c.Request().Method == http.MethodHead
	reader := s.reader
	if file, ok := reader.(fs.File); ok {
		if info, err := file.Stat(); err == nil && info.IsDir() { // its length is arbitrary, and may be 0
			return fmt.Errorf("read %s: it is a directory", info.Name())
		}
	}
	if seeker, ok := reader.(io.Seeker); ok {
		w.size, err = bytesLeft(seeker)
		if w.size >= 0 {
			reader = io.LimitReader(reader, w.size) // a file may grow
		}
	}
	switch {
	case err != nil || isHead:
		return err
	case reader != nil:
		_, err = io.Copy(flushing{w}, reader) // what a reader has is sent, since it may wait for more
		return err
	case s.flushes:
		return s.write(flushing{w})
	}
	return s.write(w)
}

// bytesLeft returns the number of unread bytes, or -1 if s cannot seek, such as a pipe.
func bytesLeft(s io.Seeker) (int64, error) {
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1, nil //nolint:nilerr // the reader is read without a length
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return -1, nil //nolint:nilerr // the reader is read without a length
	}
	_, err = s.Seek(at, io.SeekStart)
	return max(0, end-at), err
}

// failed returns the error for package routing: a halt with the operation's response, or another
// error, which goes to App.OnError.
func (s *streamed) failed(err error) error {
	result, err := s.fail(err)
	if err != nil {
		return err
	}
	return &routing.HaltError{Status: s.c.Status(), Body: result}
}

// flushing is a writer that sends bytes immediately.
type flushing struct{ *bodyWriter }

func (f flushing) Write(p []byte) (n int, err error) {
	return f.writeBy(p, func(p []byte) (int, error) {
		f.begin()
		n, err := streaming.Send(f.to, p)
		if errors.Is(err, http.ErrNotSupported) {
			err = nil // a writer that cannot flush sends when its buffer is full
		}
		return n, err
	})
}

// bodyWriter is the writer of a function, until that has returned or the context of the request has
// ended. It keeps up to 4 KiB until Flush, since each write to the server sets deadlines.
type bodyWriter struct {
	*streamed
	to   http.ResponseWriter
	ctx  context.Context
	size int64 // of the body; -1 if it is not known

	mu      sync.Mutex
	buffer  *bufio.Writer // to unbuffered; nil before the first Write
	request io.Closer     // the body of the request, once something is sent
	isOver  bool
	err     error // the error that ended sending
}

func (b *bodyWriter) Write(p []byte) (n int, err error) {
	return b.writeBy(p, func(p []byte) (int, error) {
		if b.buffer == nil {
			b.buffer = bufio.NewWriter(unbuffered{b})
		}
		return b.buffer.Write(p)
	})
}

// unbuffered is a writer to the server.
type unbuffered struct{ *bodyWriter }

func (u unbuffered) Write(p []byte) (int, error) {
	u.begin()
	return u.to.Write(p)
}

// writeBy writes bytes with a function.
func (b *bodyWriter) writeBy(p []byte, write func([]byte) (int, error)) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.isOver:
		return 0, io.ErrClosedPipe
	case b.err != nil:
		return 0, b.err
	case b.ctx.Err() != nil:
		b.err = context.Cause(b.ctx)
		return 0, b.err
	case len(p) == 0:
		return 0, nil
	}
	n, b.err = write(p)
	return n, b.err
}

// FlushError sends the bytes that were written.
func (b *bodyWriter) FlushError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.isOver:
		return io.ErrClosedPipe
	case b.err != nil:
		return b.err
	}
	return b.flush()
}

func (b *bodyWriter) flush() error {
	b.sendBuffer()
	if b.err != nil || b.request == nil {
		return b.err
	}
	if err := http.NewResponseController(b.to).Flush(); !errors.Is(err, http.ErrNotSupported) {
		b.err = err // a writer that cannot flush sends when its buffer is full
	}
	return b.err
}

// Flush makes it an [http.Flusher]. The next Write returns the error of Flush.
func (b *bodyWriter) Flush() { _ = b.FlushError() }

func (b *bodyWriter) sendBuffer() {
	if b.buffer != nil && b.err == nil {
		b.err = b.buffer.Flush()
	}
}

// begin begins the response before the first byte. The function may still read the request: with
// HTTP/2 always, with HTTP/1.1 after EnableFullDuplex.
func (b *bodyWriter) begin() {
	if b.request != nil {
		return
	}
	_ = b.c.Controller().EnableFullDuplex()
	b.request = streaming.BodyCloser(b.to.Header(), b.c.Request())
	b.to.Header()["Content-Type"] = []string{b.media}
	b.setLength()
}

// setLength sets Content-Length, unless middleware encodes the body.
func (b *bodyWriter) setLength() {
	if h := b.to.Header(); b.size >= 0 && h["Content-Length"] == nil && h["Content-Encoding"] == nil {
		h["Content-Length"] = []string{strconv.FormatInt(b.size, 10)}
	}
}

// end ends the response after the function has returned an error or nil. It returns the body of the
// request, or nil if nothing was sent, and the error that ended sending.
func (b *bodyWriter) end(failed error) (request io.Closer, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isOver = true
	switch {
	case failed == nil:
		b.sendBuffer()
	case b.request != nil: // the client gets what was written before the error
		_ = b.flush()
	}
	return b.request, b.err
}
