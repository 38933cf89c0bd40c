package response

import (
	"bufio"
	"net"
	"net/http"
)

// This file gives a Writer the optional interfaces of the writer behind it. Handlers ask for them
// with type assertions, and take one that is missing for a server that cannot do it; gin's c.Stream
// even panics. A type has its methods or not, so there is one for each set of them.

// Full returns w with those of http.Flusher, http.Hijacker, http.Pusher and http.CloseNotifier that
// the inner writer has. All writers have io.ReaderFrom, io.StringWriter and Unwrap.
func (w *Writer) Full() http.ResponseWriter {
	_, flushes := w.ResponseWriter.(http.Flusher)
	_, hijacks := w.ResponseWriter.(http.Hijacker)
	_, pushes := w.ResponseWriter.(http.Pusher)
	_, notifies := w.ResponseWriter.(http.CloseNotifier) //nolint:staticcheck // deprecated, but gin needs it
	f, h, p, n := flusher{w}, hijacker{w}, pusher{w}, notifier{w}
	switch [...]bool{flushes, hijacks, pushes, notifies} {
	case [...]bool{true, true, false, true}: // HTTP/1.1
		return struct {
			*Writer
			flusher
			hijacker
			notifier
		}{w, f, h, n}
	case [...]bool{true, false, true, true}: // HTTP/2
		return struct {
			*Writer
			flusher
			pusher
			notifier
		}{w, f, p, n}
	case [...]bool{true, true, true, true}:
		return struct {
			*Writer
			flusher
			hijacker
			pusher
			notifier
		}{w, f, h, p, n}
	case [...]bool{true, true, true, false}:
		return struct {
			*Writer
			flusher
			hijacker
			pusher
		}{w, f, h, p}
	case [...]bool{true, true, false, false}:
		return struct {
			*Writer
			flusher
			hijacker
		}{w, f, h}
	case [...]bool{true, false, true, false}:
		return struct {
			*Writer
			flusher
			pusher
		}{w, f, p}
	case [...]bool{true, false, false, true}:
		return struct {
			*Writer
			flusher
			notifier
		}{w, f, n}
	case [...]bool{true, false, false, false}:
		return struct {
			*Writer
			flusher
		}{w, f}
	case [...]bool{false, true, true, true}:
		return struct {
			*Writer
			hijacker
			pusher
			notifier
		}{w, h, p, n}
	case [...]bool{false, true, true, false}:
		return struct {
			*Writer
			hijacker
			pusher
		}{w, h, p}
	case [...]bool{false, true, false, true}:
		return struct {
			*Writer
			hijacker
			notifier
		}{w, h, n}
	case [...]bool{false, true, false, false}:
		return struct {
			*Writer
			hijacker
		}{w, h}
	case [...]bool{false, false, true, true}:
		return struct {
			*Writer
			pusher
			notifier
		}{w, p, n}
	case [...]bool{false, false, true, false}:
		return struct {
			*Writer
			pusher
		}{w, p}
	case [...]bool{false, false, false, true}:
		return struct {
			*Writer
			notifier
		}{w, n}
	}
	return w
}

type flusher struct{ w *Writer }

// Flush sends what was written, and the headers.
func (f flusher) Flush() { f.w.FlushError() }

type hijacker struct{ w *Writer }

// Hijack takes the connection over. Then the response is the caller's.
func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := h.w.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		h.w.sent = true
	}
	return conn, buffer, err
}

type pusher struct{ w *Writer }

// Push starts an HTTP/2 server push.
func (p pusher) Push(target string, options *http.PushOptions) error {
	return p.w.ResponseWriter.(http.Pusher).Push(target, options)
}

type notifier struct{ w *Writer }

// CloseNotify returns a channel that gets a value when the client has gone.
func (n notifier) CloseNotify() <-chan bool {
	return n.w.ResponseWriter.(http.CloseNotifier).CloseNotify() //nolint:staticcheck // see Full
}
