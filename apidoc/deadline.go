package apidoc

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file extends the deadlines of requests and responses that last longer than the server's
// timeouts for a whole one. While nothing is sent or read there is no deadline, since HTTP/2 ends a
// stream whose deadline passes, whatever it does then.

// SendTimeout sets how long sending a part of a stream may take: a line, an event, what a reader
// returns or a function writes. The default is 10 seconds. It replaces the server's WriteTimeout,
// which limits a whole response. A duration of 0 or less panics.
func SendTimeout(timeout time.Duration) Option {
	if timeout < 1 {
		panic(fmt.Sprintf("apidoc: SendTimeout(%v): write a duration above 0", timeout))
	}
	return option(func(d *definition) { d.deadlines.send = timeout })
}

// Heartbeat sets after how much silence a comment is sent between events. So proxies keep the
// connection, and the sequence is told that the client has disconnected. The default is 15 seconds;
// 0 turns it off. A negative duration panics.
func Heartbeat(silence time.Duration) Option {
	if silence < 0 {
		panic(fmt.Sprintf("apidoc: Heartbeat(%v): write a duration of at least 0", silence))
	}
	return option(func(d *definition) { d.events = append(d.events, respond.Heartbeat(silence)) })
}

// ReceiveTimeout sets how long a client may take for each part of a body that the operation reads
// while it runs, an [io.Reader] or JSON Lines, and how long for the whole body. The defaults are 10
// seconds and 10 minutes. They replace the server's ReadTimeout; while the body is read the
// WriteTimeout does not count either. A read that is too late is an error with the status 408. A
// part of 0 or less, or a whole that is shorter, panics.
func ReceiveTimeout(part, whole time.Duration) Option {
	if part < 1 || whole < part {
		panic(fmt.Sprintf("apidoc: ReceiveTimeout(%v, %v): write a duration above 0, and one for the whole that is not shorter", part, whole))
	}
	return option(func(d *definition) { d.deadlines.part, d.deadlines.whole = part, whole })
}

// deadlines are the timeouts of an operation that streams.
type deadlines struct{ send, part, whole time.Duration }

var usualDeadlines = deadlines{send: 10 * time.Second, part: 10 * time.Second, whole: 10 * time.Minute}

// extend gives the next part of the response its time. A writer that has no deadlines needs none.
func (d deadlines) extend(c routing.Context) { _ = c.SetWriteDeadline(time.Now().Add(d.send)) }

// lift leaves the operation the time that it needs to make the next part.
func (d deadlines) lift(c routing.Context) { _ = c.SetWriteDeadline(time.Time{}) }

// body returns the body of a request, each read of which extends its deadline.
func (d deadlines) body(c routing.Context) io.Reader {
	return &slowBody{Reader: c.Request().Body, context: c, part: d.part, end: time.Now().Add(d.whole)}
}

// tooSlow is the error of a read after the deadline.
var tooSlow = refuse(http.StatusRequestTimeout, "request_timeout", "The body is sent too slowly")

type slowBody struct {
	io.Reader
	context routing.Context
	part    time.Duration
	end     time.Time // of the whole
}

// Read reads a part. It leaves no deadline at the end of the body, as net/http does: the server
// then reads on to notice that the client has disconnected, and a deadline would look like that.
// With HTTP/1 the deadline stays between the parts, for what the server reads after the operation.
func (b *slowBody) Read(p []byte) (n int, err error) {
	until := time.Now().Add(b.part)
	if until.After(b.end) {
		until = b.end
	}
	_ = b.context.SetReadDeadline(until)
	_ = b.context.SetWriteDeadline(time.Time{}) // the response follows, and gets a deadline of its own
	n, err = b.Reader.Read(p)
	if err == io.EOF || b.context.Request().ProtoMajor > 1 {
		_ = b.context.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = tooSlow
	}
	return n, err
}

// slowStream is the body of a response, of which each part has its time.
type slowStream struct {
	io.Reader
	context routing.Context
	time    deadlines
}

func (s slowStream) Read(p []byte) (int, error) {
	s.time.lift(s.context)
	n, err := s.Reader.Read(p)
	s.time.extend(s.context)
	return n, err
}

// Close closes the reader, if it can be closed.
func (s slowStream) Close() error {
	if closer, ok := s.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// slowFile is a slowStream that can be sent from any place.
type slowFile struct {
	slowStream
	io.Seeker
}

// slowWriter sends what a function writes, at once.
type slowWriter struct {
	io.Writer
	context routing.Context
	time    deadlines
	flush   func() error
	err     error // of the connection
}

func (s *slowWriter) Write(p []byte) (n int, err error) {
	s.time.extend(s.context)
	defer s.time.lift(s.context)
	if n, s.err = s.Writer.Write(p); s.err == nil {
		s.err = s.flush()
	}
	if errors.Is(s.err, http.ErrNotSupported) {
		s.err = nil // a writer that cannot flush sends when its buffer is full
	}
	return n, s.err
}
