package response

import (
	"bufio"
	"net"
	"net/http"
)

// This file gives a Writer the optional interfaces of the writer behind it. Handlers ask for them
// with type assertions, and take one that is missing for a server that cannot do it; gin's c.Stream
// even panics. A type has its methods or not, so there is one for each set that servers and common
// middleware have. All are a Writer with more methods, so that Full allocates nothing.

type (
	http1    Writer // of a server's HTTP/1.1
	http2    Writer // of a server's HTTP/2
	takeover Writer // of middleware, for HTTP/1.1
	flushing Writer // of other middleware, and httptest
)

// Full returns w with those of http.Flusher, http.Hijacker, http.Pusher and http.CloseNotifier that
// the inner writer has, if they are one of these sets; of others, the largest that is in it. All
// writers have io.ReaderFrom, io.StringWriter and Unwrap.
func (w *Writer) Full() http.ResponseWriter {
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
		return (*takeover)(w)
	case http.Flusher:
		return (*flushing)(w)
	}
	return w
}

// Given reports whether other is w, and nothing was sent. Then a response that needs no check may
// go to the writer behind w, before [Writer.Begun] is called. Middleware that passes on a writer of
// its own may use w in another goroutine meanwhile, so what was sent is asked last.
func (w *Writer) Given(other http.ResponseWriter) bool { return other == w.Full() && !w.sent }

// Begun records that the response has begun behind w.
func (w *writer) Begun() { w.sent = true }

// End completes the response of a handler; it is deferred. A panic becomes a 500 if nothing was
// sent; otherwise it closes the connection.
func (w *writer) End() {
	switch v := recover(); {
	case v == nil:
		w.Begin()
	case v == http.ErrAbortHandler || w.sent:
		w.sender.Cut(w.r, v)
	default:
		w.sender.Log.ReportPanic(w.r, v)
		w.sender.InternalError(w.ResponseWriter, w.r)
	}
}

// Flush sends what was written, and the headers.
func (w *http1) Flush()    { w.FlushError() }
func (w *http2) Flush()    { w.FlushError() }
func (w *takeover) Flush() { w.FlushError() }
func (w *flushing) Flush() { w.FlushError() }

// Hijack takes the connection over. Then the response is the caller's.
func (w *http1) Hijack() (net.Conn, *bufio.ReadWriter, error)    { return w.hijack() }
func (w *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w *writer) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := w.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		w.sent = true
	}
	return conn, buffer, err
}

// Push starts an HTTP/2 server push.
func (w *http2) Push(target string, options *http.PushOptions) error {
	return w.ResponseWriter.(http.Pusher).Push(target, options)
}

// CloseNotify returns a channel that gets a value when the client has disconnected.
func (w *http1) CloseNotify() <-chan bool { return w.closeNotify() }
func (w *http2) CloseNotify() <-chan bool { return w.closeNotify() }

func (w *writer) closeNotify() <-chan bool {
	return w.ResponseWriter.(http.CloseNotifier).CloseNotify() //nolint:staticcheck // see Full
}
