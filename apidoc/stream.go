package apidoc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"

	"example.com/flowercafe/internal/deadline"
	"example.com/flowercafe/internal/duplex"
	"example.com/flowercafe/internal/precondition"
	"example.com/flowercafe/internal/whole"
	"example.com/flowercafe/routing"
)

// This file sends bodies that are made while they are sent: readers, and what functions write. The
// operation waits for the first part of the body, for which there is no deadline. So a failure
// before anything is sent is one of the operation. Later, the response breaks off: a client must
// not take a part for the whole (RFC 9112, 8).

// sendReader sends what a reader returns, and closes it if it can be closed.
func (d deadlines) sendReader(c routing.Context, media string, body io.Reader) (routing.Result, error) {
	if c.Request().Method == http.MethodHead {
		closeBody(body)
	}
	return d.sendWritten(c, media, func(w io.Writer) error {
		defer closeBody(body)
		_, err := io.Copy(w, body)
		return err
	})
}

func closeBody(body io.Reader) {
	if closer, ok := body.(io.Closer); ok {
		closer.Close() // a failure changes nothing: nobody reads on
	}
}

// sendWritten sends what a function writes. A client that asks for the header alone gets it without
// a call of the function.
func (d deadlines) sendWritten(c routing.Context, media string, write func(io.Writer) error) (routing.Result, error) {
	if c.Request().Method == http.MethodHead {
		return routing.Stream(media, http.NoBody), nil
	}
	w, err := d.begin(c, write)
	if err != nil {
		return failed(err)
	}
	return d.goOn(c, w, 0, http.Header{"Content-Type": {media}})
}

// begin calls a function that writes a body, until it writes. The error is that of a function that
// has written nothing.
func (d deadlines) begin(c routing.Context, write func(io.Writer) error) (*written, error) {
	w := &written{parts: d.response(c), begun: make(chan struct{}), to: make(chan io.Writer, 1), ended: make(chan struct{})}
	w.parts.Pause()
	go w.run(c.Request().Context(), write)
	select {
	case <-w.begun:
		return w, nil
	case <-w.ended:
		_ = w.parts.Next() // of the response to an error
		return w, w.err
	}
}

// goOn sends what a function has begun to write, with a status, unless that is 0, and with headers
// that describe it.
func (d deadlines) goOn(c routing.Context, w *written, status int, about http.Header) (routing.Result, error) {
	// What is sent may come from the request, which is read meanwhile: HTTP/1.1 allows that, and
	// HTTP/2 always does.
	_ = c.EnableFullDuplex()
	request, ctx := duplex.Body(c.Header(), c.Request()), whole.Context(c.Request().Context())
	forget := context.AfterFunc(ctx, func() { // also if a wrapper of the action loses the result
		if ctx.Err() == context.Canceled {
			w.give(closed{})
		}
	})
	w.respond = deadline.Handler(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if maps.Copy(to.Header(), about); status != 0 {
			to.WriteHeader(status)
		}
		sent := &sentWriter{to: to}
		forget()
		w.give(sent)
		<-w.ended
		if err := aborted(w.err); err != nil && sent.err == nil { // else the client has disconnected
			breakOff(r.Context(), err)
		}
		_ = request.Close()
	}), d.send)
	return routing.Handler(w)(c)
}

// breakOff cuts the connection, and the router logs the error, unless the client has disconnected.
func breakOff(ctx context.Context, err error) {
	if ctx.Err() == context.Canceled {
		panic(http.ErrAbortHandler)
	}
	panic(fmt.Errorf("apidoc: send the body: %w", err))
}

// written is a body that a function writes. The function runs in a goroutine of its own, but only
// while the goroutine of the request waits for it: for the first part, and later for the end. So it
// may use what belongs to the request, as if that had called it.
type written struct {
	parts   deadline.Parts // of the response
	begun   chan struct{}  // closed when the function writes
	to      chan io.Writer // the writer of the response, when it is sent
	ended   chan struct{}  // closed when the function has returned
	err     error          // of the function, then
	once    sync.Once
	writer  io.Writer // from the channel
	respond http.Handler
}

// ServeHTTP sends the body.
func (w *written) ServeHTTP(to http.ResponseWriter, r *http.Request) { w.respond.ServeHTTP(to, r) }

// DropResult is for package routing, which sends another response. The function's Write fails then.
func (w *written) DropResult() {
	w.give(closed{})
	<-w.ended
	_ = w.parts.Next()
}

// give tells the function where to write. Only the first writer counts.
func (w *written) give(to io.Writer) {
	select {
	case w.to <- to:
	default:
	}
}

// run calls the function. One that does not return, but calls [runtime.Goexit], aborts the request.
func (w *written) run(ctx context.Context, write func(io.Writer) error) {
	defer close(w.ended)
	w.err = &routing.PanicError{Value: http.ErrAbortHandler}
	_, w.err = contained(func(context.Context) (any, error) { return nil, write(partWriter{w}) })(ctx)
}

// partWriter is the writer of the function.
type partWriter struct{ *written }

// Write waits for the response, if p is the first part.
func (w partWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	w.once.Do(func() {
		close(w.begun)
		w.writer = <-w.to
	})
	return w.writer.Write(p)
}

// closed is the writer of no response.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// sentWriter sends at once what is written.
type sentWriter struct {
	to  http.ResponseWriter
	err error // of the connection
}

func (s *sentWriter) Write(p []byte) (n int, err error) {
	if n, s.err = deadline.Send(s.to, p); errors.Is(s.err, http.ErrNotSupported) {
		s.err = nil // a writer that cannot flush sends when its buffer is full
	}
	return n, s.err
}

// sendRange sends a body, or the range of it that the client asks for (RFC 9110, 14). The body is
// closed. What net/http would refuse in plain text is a problem.
func (d deadlines) sendRange(c routing.Context, media string, body io.ReadSeeker) (routing.Result, error) {
	reply := &rangeReply{header: c.Header().Clone()}
	reply.header.Set("Content-Type", media)                          // net/http would read the body to find one
	modified, _ := http.ParseTime(reply.header.Get("Last-Modified")) // the zero time if there is none
	r := precondition.ForContent(c.Request())
	w, err := d.begin(c, func(to io.Writer) error {
		reply.body = to
		source := &seeker{body: body}
		defer source.close()
		http.ServeContent(reply, r, "", modified, source)
		return source.failure()
	})
	switch {
	case err != nil:
		return failed(err)
	case reply.status == http.StatusPreconditionFailed:
		return failed(outdated)
	case reply.status == http.StatusRequestedRangeNotSatisfiable:
		c.Header()["Content-Range"] = reply.header["Content-Range"] // RFC 9110, 15.5.17
		return failed(noSuchRange)
	}
	maps.DeleteFunc(reply.header, func(name string, _ []string) bool { return name != "Content-Type" && c.Header()[name] != nil })
	return d.goOn(c, w, reply.status, reply.header)
}

var noSuchRange = refuse(http.StatusRequestedRangeNotSatisfiable, "requested_range_not_satisfiable", "The body has no such range")

// rangeReply is what [http.ServeContent] replies, without the texts of its errors.
type rangeReply struct {
	header http.Header
	status int
	body   io.Writer
}

// Header returns the header, which is not yet that of the response.
func (r *rangeReply) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *rangeReply) WriteHeader(status int) { r.status = status }

// Write writes a part of the body.
func (r *rangeReply) Write(p []byte) (int, error) {
	if r.status >= http.StatusBadRequest {
		return len(p), nil
	}
	return r.body.Write(p)
}

// seeker keeps the error of a body, which [http.ServeContent] does not tell. Several ranges are read
// in a goroutine of its own, which may go on after its end: a panic there is an error too, and the
// body is not closed while it is read.
type seeker struct {
	mu   sync.Mutex
	body io.ReadSeeker
	err  error // the first, or that of a body that is closed
}

func (s *seeker) Read(p []byte) (n int, err error) {
	err = s.call(func() (err error) {
		n, err = s.body.Read(p)
		return err
	})
	return n, err
}

func (s *seeker) Seek(offset int64, whence int) (at int64, err error) {
	err = s.call(func() (err error) {
		at, err = s.body.Seek(offset, whence)
		return err
	})
	return at, err
}

// call calls a method of the body, unless that has failed before.
func (s *seeker) call(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	_, err := contained(func(context.Context) (any, error) { return nil, f() })(context.Background())
	if err != io.EOF {
		s.err = err
	}
	return err
}

func (s *seeker) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *seeker) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = io.ErrClosedPipe
	closeBody(s.body)
}
