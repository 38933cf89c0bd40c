package response

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"

	"example.com/flowercafe/internal/streaming"
)

// Writer is the writer of handlers, and of the middleware of a route. If the handler sets no
// status, Writer sends the status that was set before. It refuses invalid headers and statuses, and
// records whether anything was sent.
type Writer struct{ writer } // the types below have the same methods

type writer struct {
	http.ResponseWriter
	sender  *Sender
	r       *http.Request
	Status  int // if the handler sets none; 0 for the inner writer's
	encoded bool
	Sent    bool  // whether the response has begun
	failed  bool  // the response is a 500; the handler's body is dropped
	depth   uint8 // how many handlers are nested; see Enter
}

// Wrap puts w in front of inner and returns it with inner's optional interfaces. Encoded reports
// whether outer middleware encodes the body.
func (w *Writer) Wrap(inner http.ResponseWriter, r *http.Request, s *Sender, status int, encoded bool) http.ResponseWriter {
	w.writer = writer{ResponseWriter: inner, sender: s, r: r, Status: status, encoded: encoded}
	w.depth = depthOf(inner)
	return w.full()
}

// depthOf returns the depth of the first Writer in w. Like [http.ResponseController], it finds one
// inside other writers by their Unwrap methods.
func depthOf(w http.ResponseWriter) uint8 {
	for {
		switch outer := w.(type) {
		case interface{ nested() uint8 }:
			return outer.nested()
		case interface{ Unwrap() http.ResponseWriter }:
			w = outer.Unwrap()
		default:
			return 0
		}
	}
}

// MaxDepth limits how deep handlers may be nested. A handler that leads back to its app would
// otherwise overflow the stack, which ends the process.
const MaxDepth = 100

// Enter counts a handler that gets the writer. It reports false if too many are nested.
func (w *writer) Enter() bool {
	w.depth++
	return w.depth <= MaxDepth
}

func (w *writer) nested() uint8 { return w.depth }

// WriteHeader sends the status; a second call does nothing. Informational statuses (1xx) may come
// before.
func (w *writer) WriteHeader(status int) {
	if w.Sent {
		return
	}
	header := w.Header()
	name, illegal := Illegal(header)
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		if !illegal { // otherwise the final response fails
			w.ResponseWriter.WriteHeader(status)
		}
		return
	}
	w.Sent = true
	switch {
	case illegal:
		w.fail(fmt.Errorf("header %q is not valid", name))
		return
	case status < 100 || status > 999: // net/http would panic
		w.fail(fmt.Errorf("status %d must be 100 to 999", status))
		return
	case status == http.StatusRequestEntityTooLarge:
		// http.MaxBytesReader closes the connection only if it gets the writer of the server, not a
		// wrapper.
		CloseAfter(header, w.r)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) fail(err error) {
	w.failed = true
	w.sender.Log.Report(w.r, err)
	w.sender.InternalError(w.ResponseWriter, w.r, w.encoded)
}

// Begin sends the status that was set before, unless the response has begun. If no status was set,
// the inner writer chooses it, since it may be a Writer of an outer app with a status; an invalid
// header is a 500.
func (w *writer) Begin() {
	if w.Sent {
		return
	}
	if w.Status != 0 {
		w.WriteHeader(w.Status)
		return
	}
	w.Sent = true
	if name, illegal := Illegal(w.Header()); illegal {
		w.fail(fmt.Errorf("header %q is not valid", name))
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.Begin()
	if w.failed {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// WriteString writes text without a copy.
func (w *writer) WriteString(text string) (int, error) {
	w.Begin()
	if w.failed {
		return len(text), nil
	}
	return io.WriteString(w.ResponseWriter, text)
}

// ReadFrom lets the server send a file without copying it. It copies the first part, so that the
// handler can still send an error if the first read fails.
func (w *writer) ReadFrom(r io.Reader) (n int64, err error) {
	if !w.Sent {
		if n, err = io.CopyN(struct{ io.Writer }{w}, r, firstPart); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
	var to io.Writer = w.ResponseWriter
	if w.failed {
		to = io.Discard
	}
	rest, err := io.Copy(to, r)
	return n + rest, err
}

const firstPart = 512

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// FlushError is for http.ResponseController, which would otherwise flush the inner writer before
// the status is sent.
func (w *writer) FlushError() error {
	w.Begin()
	if w.failed {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Handlers ask for the optional interfaces of a writer with type assertions, and treat a missing
// interface as missing support by the server; gin's c.Stream even panics. Each set of interfaces of
// servers and common middleware needs its own type. All are a Writer with more methods, so that
// Wrap allocates nothing.
type (
	http1         Writer // of a server's HTTP/1.1
	http2         Writer // of a server's HTTP/2
	flushHijacker Writer // of middleware, for HTTP/1.1
	flusher       Writer // of other middleware, and httptest
	hijacker      Writer // of middleware without Flush, such as some access logs
)

// full returns w with the inner writer's methods of http.Flusher, http.Hijacker, http.Pusher and
// http.CloseNotifier, if they are one of these sets. For other sets it returns the largest subset.
// All writers have io.ReaderFrom, io.StringWriter and Unwrap.
func (w *Writer) full() http.ResponseWriter {
	switch w.ResponseWriter.(type) {
	case interface {
		http.Flusher
		http.Hijacker
		http.CloseNotifier //nolint:staticcheck // deprecated, but gin needs it
	}:
		return (*http1)(w)
	case interface {
		http.Flusher
		http.Pusher
		http.CloseNotifier //nolint:staticcheck // as above
	}:
		return (*http2)(w)
	case interface {
		http.Flusher
		http.Hijacker
	}:
		return (*flushHijacker)(w)
	case http.Flusher:
		return (*flusher)(w)
	case http.Hijacker:
		return (*hijacker)(w)
	}
	return w
}

// IsDirect reports whether other is w, and b may go to the writer behind w: nothing was sent, and b
// is a text or bytes with a valid type. The caller must check the headers before, and set Sent
// afterwards. Middleware that passes on another writer may use w in another goroutine, so Sent is
// read last.
func (w *Writer) IsDirect(other http.ResponseWriter, b Body) bool {
	return b.isWhole() && other == w.full() && !w.Sent
}

// End completes the response of a handler; it is deferred. A panic becomes a 500 if nothing was
// sent; otherwise it closes the connection.
func (w *writer) End() {
	switch v := recover(); {
	case v == nil:
		w.Begin()
	case v == http.ErrAbortHandler || w.Sent:
		w.sender.Cut(w.ResponseWriter, w.r, v)
	default:
		w.sender.Log.Report(w.r, w.sender.Log.Recovered(v))
		w.sender.InternalError(w.ResponseWriter, w.r, w.encoded)
	}
}

// Flush sends the headers and the bytes written so far.
func (w *http1) Flush()         { w.FlushError() }
func (w *http2) Flush()         { w.FlushError() }
func (w *flushHijacker) Flush() { w.FlushError() }
func (w *flusher) Flush()       { w.FlushError() }

// Hijack takes over the connection. The caller then writes the response.
func (w *http1) Hijack() (net.Conn, *bufio.ReadWriter, error)         { return w.hijack() }
func (w *flushHijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }
func (w *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error)      { return w.hijack() }

func (w *writer) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := w.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		w.Sent = true
	}
	return conn, buffer, err
}

// Push starts an HTTP/2 server push.
func (w *http2) Push(target string, options *http.PushOptions) error {
	return w.ResponseWriter.(http.Pusher).Push(target, options)
}

// CloseNotify returns a channel that gets a value when the client has disconnected.
func (w *http1) CloseNotify() <-chan bool { return streaming.CloseNotify(w.ResponseWriter) }
func (w *http2) CloseNotify() <-chan bool { return streaming.CloseNotify(w.ResponseWriter) }
