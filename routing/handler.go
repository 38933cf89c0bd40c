package routing

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
)

// This file lets handlers of net/http write the response: those of Handle and Mount, and results made of one.

// renderHandler lets a handler write the response.
func (x *call) renderHandler(handler http.Handler, status int) {
	m, isApp := handler.(*mounted)
	if isApp && status == 0 {
		m.enter(x, x.w, x.r) // an app needs no help with its response
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

// responseWriter is the writer of handlers, and of the middleware of a route. It sends the status that was set before if the
// handler sets none, refuses headers and statuses that are not legal, and knows whether anything was sent.
type responseWriter struct {
	http.ResponseWriter
	app    *App
	r      *http.Request
	entry  *entry
	status int
	sent   bool
	failed bool // the response is the plain 500; what the handler writes is dropped
}

// WriteHeader sends the status, once.
func (w *responseWriter) WriteHeader(status int) {
	if w.sent {
		return
	}
	header := w.Header()
	name, illegal := illegalHeader(header)
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		if !illegal { // the response behind it will tell
			w.ResponseWriter.WriteHeader(status)
		}
		return
	}
	w.sent = true
	switch {
	case illegal:
		w.fail(fmt.Errorf("header %q is not legal", name))
		return
	case status < 100 || status > 999: // net/http would panic
		w.fail(fmt.Errorf("status %d is not one of 100 to 999", status))
		return
	case status == http.StatusRequestEntityTooLarge:
		// http.MaxBytesReader tells the server's own writer to close the connection, and does not find it behind this one.
		closeAfter(header)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) fail(err error) {
	w.failed = true
	w.app.report(w.r, err)
	internalError(w.ResponseWriter, w.r, w.entry)
}

// begin sends the status that is due when the handler has not set one.
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

// FlushError is for http.ResponseController too. It is here so that Unwrap does not lead around the head of the response.
func (w *responseWriter) FlushError() error {
	w.begin()
	if w.failed {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// end ends what a handler has written. A panic is a 500 as long as nothing was sent; later it cuts the connection.
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

// full returns w with what the server's own writer can do beside: flushing, and taking over the connection. A handler that asks
// for those by a type assertion finds them where they are there, and only there.
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
