// Package streaming is for bodies that are read or sent while a handler runs. It gives each part of
// a request or response a deadline, in place of the server's timeouts, which are for a whole one.
// Between the parts there is no deadline, since HTTP/2 resets a stream whose deadline passes, even
// if nothing is being sent or read. It also ends responses that are sent while the body of the
// request is read, and finds the context in which a response is sent.
package streaming

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// Parts sets the deadlines of a response that is sent in parts, each within Timeout. Without a
// Control it sets none.
type Parts struct {
	Control *http.ResponseController
	Timeout time.Duration
}

// Next sets the deadline of the next part. The end of a response is one too: the server sends what
// it has buffered, or a 500 after a panic. A writer without deadlines needs none.
func (p Parts) Next() error { return p.set(time.Now().Add(p.Timeout)) }

// Pause removes the deadline while the handler makes the next part.
func (p Parts) Pause() { _ = p.set(time.Time{}) }

func (p Parts) set(t time.Time) error {
	if p.Control == nil {
		return nil
	}
	err := p.Control.SetWriteDeadline(t)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// HasDeadlines reports whether w sets deadlines, or a writer that it wraps. It sets none.
func HasDeadlines(w http.ResponseWriter) bool {
	for {
		switch outer := w.(type) {
		case interface{ SetWriteDeadline(time.Time) error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = outer.Unwrap()
		default:
			return false
		}
	}
}

// Reader returns a reader of body that pauses the deadline while it reads: what it has read is sent
// next, as a part. Closing it closes body, if that is an [io.Closer].
func (p Parts) Reader(body io.Reader) io.ReadCloser { return reader{body, p} }

type reader struct {
	io.Reader
	parts Parts
}

func (r reader) Read(p []byte) (int, error) {
	r.parts.Pause()
	defer r.parts.Next()
	return r.Reader.Read(p)
}

func (r reader) Close() error {
	if closer, ok := r.Reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// Expire gives a response a deadline that has passed: nothing more is sent. It does nothing for a
// writer without deadlines.
func Expire(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}

// Handler returns a handler whose response is sent in parts: what a Write sends, but at most 64
// KiB, what a flush sends, and the end. A hijacked connection has no deadline until next sets one.
func Handler(next http.Handler, timeout time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		out := &writer{w, control, Parts{control, timeout}}
		out.parts.Pause()
		defer func() {
			v := recover()
			if v == http.ErrAbortHandler {
				Expire(w)
			} else {
				out.parts.Next()
			}
			if v != nil {
				panic(v)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// Result is a handler whose response is sent in parts, as by [Handler]. Package routing calls
// ServeResult: it handles an error before the first byte like an error of the action. It logs a
// later one and closes the connection.
type Result struct {
	Send    func(http.ResponseWriter, *http.Request) error
	Timeout time.Duration
}

// ServeResult sends the response. It returns the error of Send.
func (h Result) ServeResult(w http.ResponseWriter, r *http.Request) (err error) {
	Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { err = h.Send(w, r) }), h.Timeout).ServeHTTP(w, r)
	return err
}

// ServeHTTP is for use as an [http.Handler]. It panics with an error of Send.
func (h Result) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.ServeResult(w, r); err != nil {
		panic(err)
	}
}

// writer sends a response in parts.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	parts   Parts
}

// partSize is the maximum size of a part. [io.Copy] writes less at a time.
const partSize = 64 << 10

func (w *writer) Write(p []byte) (n int, err error) { return send(w.parts, w.ResponseWriter.Write, p) }

// WriteString writes text without a copy.
func (w *writer) WriteString(text string) (n int, err error) {
	return send(w.parts, func(part string) (int, error) { return io.WriteString(w.ResponseWriter, part) }, text)
}

// Send writes text and flushes it: a part, or several for a long text. The writer must be the one
// that [Handler] passes to next. If it cannot flush, Send writes the whole text and returns an
// [http.ErrNotSupported].
func Send[T string | []byte](w http.ResponseWriter, text T) (n int, err error) {
	to := w.(*writer)
	var unsupported error
	n, err = send(to.parts, func(part T) (n int, err error) {
		if text, isText := any(part).(string); isText {
			n, err = io.WriteString(to.ResponseWriter, text)
		} else {
			n, err = to.ResponseWriter.Write([]byte(part))
		}
		if err == nil {
			err = to.control.Flush()
		}
		if errors.Is(err, http.ErrNotSupported) {
			unsupported, err = err, nil
		}
		return n, err
	}, text)
	return n, cmp.Or(err, unsupported)
}

func send[T string | []byte](parts Parts, write func(T) (int, error), rest T) (n int, err error) {
	defer parts.Pause()
	for {
		if err := parts.Next(); err != nil {
			return n, err
		}
		part := rest[:min(len(rest), partSize)]
		rest = rest[len(part):] // even if a writer returns another number
		sent, err := write(part)
		if n += sent; err != nil || len(rest) == 0 {
			return n, err
		}
	}
}

// FlushError is for [http.ResponseController].
func (w *writer) FlushError() error {
	if err := w.parts.Next(); err != nil {
		return err
	}
	defer w.parts.Pause()
	return w.control.Flush()
}

// Flush is for handlers that ask for an [http.Flusher].
func (w *writer) Flush() { _ = w.FlushError() }

// Hijack takes the connection over, and its deadlines. It returns an error where the server cannot
// do that, as in HTTP/2.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := w.control.Hijack()
	if err == nil {
		w.parts.Control = nil
	}
	return conn, buffer, err
}

// CloseNotify is for handlers that ask for an [http.CloseNotifier].
func (w *writer) CloseNotify() <-chan bool { return CloseNotify(w.ResponseWriter) }

// CloseNotify calls the method of w. If w has none, the channel never gets a value. It is for
// wrappers of writers: gin's streams panic without the method, although it is deprecated.
func CloseNotify(w http.ResponseWriter) <-chan bool {
	if w, ok := w.(http.CloseNotifier); ok { //nolint:staticcheck // see above
		return w.CloseNotify()
	}
	return make(chan bool)
}

// Unwrap is for [http.ResponseController].
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Body returns the body of a request. Each read has the time limit part, and all of them the limit
// whole. A read that is too late returns the error tooSlow.
func Body(r *http.Request, control *http.ResponseController, part, whole time.Duration, tooSlow error) io.Reader {
	if r.ProtoMajor != 1 { // the first read may come after the server's ReadTimeout
		_ = control.SetReadDeadline(time.Time{})
	}
	return &body{r.Body, control, r.ProtoMajor == 1, part, time.Now().Add(whole), tooSlow}
}

type body struct {
	io.Reader
	control *http.ResponseController
	isHTTP1 bool
	part    time.Duration
	end     time.Time // of the whole
	tooSlow error
}

// Read reads a part. It leaves no deadline at the end of the body, as net/http does: the server
// then reads on to notice that the client has disconnected, and a deadline would look like that.
// With HTTP/1 the deadline stays between the parts, for what the server reads after the handler.
func (b *body) Read(p []byte) (n int, err error) {
	until := time.Now().Add(b.part)
	if until.After(b.end) {
		until = b.end
	}
	_ = b.control.SetReadDeadline(until)
	_ = b.control.SetWriteDeadline(time.Time{}) // the response follows, with deadlines of its own
	n, err = b.Reader.Read(p)
	if err == io.EOF || !b.isHTTP1 {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = b.tooSlow
	}
	return n, err
}
