package routing

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
)

// This file runs handlers of net/http that write the response: those of Handle and Mount, and
// results made of a handler.

// renderHandler runs a handler that writes the response.
func (x *call) renderHandler(handler http.Handler, status int) {
	m, isApp := handler.(*mounted)
	if isApp && status == 0 {
		m.enter(x, x.w, x.r) // an app checks its response itself
		return
	}
	w := &responseWriter{ResponseWriter: x.w, app: x.app, r: x.r, entry: x.entry, status: status}
	defer w.end()
	if isApp {
		m.enter(x, w.full(), x.r)
		return
	}
	r := x.r
	if x.hasPathValues() {
		r = x.withPathValues(r.Context())
		defer endCopy(r, x.r)
	}
	handler.ServeHTTP(w.full(), r)
}

// responseWriter is the writer of handlers, and of the middleware of a route. If the handler sets
// no status, it sends the one that was set before. It refuses invalid headers and statuses, and
// records whether anything was sent.
type responseWriter struct {
	http.ResponseWriter
	app    *App
	r      *http.Request
	entry  *entry
	status int
	sent   bool
	failed bool // the response is a 500; the handler's body is dropped
}

// WriteHeader sends the status, once. Informational statuses (1xx) may come before.
func (w *responseWriter) WriteHeader(status int) {
	if w.sent {
		return
	}
	header := w.Header()
	name, illegal := illegalHeader(header)
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		if !illegal { // otherwise the final response fails
			w.ResponseWriter.WriteHeader(status)
		}
		return
	}
	w.sent = true
	switch {
	case illegal:
		w.fail(fmt.Errorf("header %q is not valid", name))
		return
	case status < 100 || status > 999: // net/http would panic
		w.fail(fmt.Errorf("status %d must be 100 to 999", status))
		return
	case status == http.StatusRequestEntityTooLarge:
		// http.MaxBytesReader closes the connection through the server's own writer, which it does
		// not find behind this one.
		closeAfter(header)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) fail(err error) {
	w.failed = true
	w.app.report(w.r, err)
	internalError(w.ResponseWriter, w.r, w.entry)
}

// begin sends the status if the handler has not done so.
func (w *responseWriter) begin() {
	if w.sent {
		return
	}
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.begin()
	if w.failed {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// ReadFrom lets the server send a file without copying it.
func (w *responseWriter) ReadFrom(r io.Reader) (int64, error) {
	w.begin()
	if w.failed {
		return io.Copy(io.Discard, r)
	}
	return io.Copy(w.ResponseWriter, r)
}

// Unwrap is for http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// FlushError is for http.ResponseController too, which would otherwise flush the inner writer
// before the status is sent.
func (w *responseWriter) FlushError() error {
	w.begin()
	if w.failed {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// end completes the response of a handler. A panic becomes a 500 if nothing was sent; otherwise it
// closes the connection.
func (w *responseWriter) end() {
	switch v := recover(); {
	case v == nil && (w.sent || w.status == 0):
	case v == nil:
		w.begin()
	case v == http.ErrAbortHandler || w.sent:
		cut(w.app, w.r, v)
	default:
		w.app.report(w.r, newPanicError(v))
		internalError(w.ResponseWriter, w.r, w.entry)
	}
}

// full returns w with Flush and Hijack if the inner writer has them, for handlers that use type
// assertions.
func (w *responseWriter) full() http.ResponseWriter {
	_, canFlush := w.ResponseWriter.(http.Flusher)
	hijacker, canHijack := w.ResponseWriter.(http.Hijacker)
	switch {
	case canFlush && canHijack:
		return struct {
			*responseWriter
			http.Flusher
			http.Hijacker
		}{w, flushing{w}, hijacking{w, hijacker}}
	case canFlush:
		return struct {
			*responseWriter
			http.Flusher
		}{w, flushing{w}}
	case canHijack:
		return struct {
			*responseWriter
			http.Hijacker
		}{w, hijacking{w, hijacker}}
	}
	return w
}

type flushing struct{ w *responseWriter }

func (f flushing) Flush() { f.w.FlushError() }

type hijacking struct {
	w        *responseWriter
	hijacker http.Hijacker
}

func (h hijacking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := h.hijacker.Hijack()
	if err == nil {
		h.w.sent = true
	}
	return conn, buffer, err
}
