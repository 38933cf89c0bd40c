package routing

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
)

// This file lets handlers of net/http answer: those of Handle and Mount, and any other a result is made of.

// handlerResult is what a handler writes.
type handlerResult struct {
	handler http.Handler
}

func (h *handlerResult) drop() {}

func (h *handlerResult) render(out *output) {
	handler := h.handler
	if sub, ok := handler.(*mounted); ok {
		app := sub.below(out.x.entrance.base)
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r)
			out.x.tellName(r.Pattern)
		})
		if out.status == 0 {
			handler.ServeHTTP(out.w, out.r) // an app needs no help with its answer
			return
		}
	}
	writer := &responseWriter{ResponseWriter: out.w, app: out.x.app, r: out.r, status: out.status}
	defer writer.contain(out)
	r := out.x.withPathValues(out.r)
	if r != out.r {
		defer removeFiles(r, hasForm(r))
	}
	handler.ServeHTTP(writer.full(), r)
}

// withPathValues returns r with the parameters of the route's pattern, for handlers, which have no Params.
func (x *exchange) withPathValues(r *http.Request) *http.Request {
	keys := x.ran.Keys(x.path)
	if len(keys) == 0 {
		return r
	}
	r = r.WithContext(r.Context())
	for _, key := range keys {
		value, _ := x.ran.First(x.path, key)
		r.SetPathValue(key, value)
	}
	return r
}

// responseWriter is the writer that a handler gets, and the middleware of a route. It sets the status that was set before if the
// handler sets none, holds back headers that are not legal, and knows whether anything was sent, for the case that the handler panics.
type responseWriter struct {
	http.ResponseWriter
	app    *App
	r      *http.Request
	visit  *visit // of middleware; an answer that it begins when its action has passed is dropped
	status int
	sent   bool
	failed bool // a header was not legal: the answer is a 500, and what the handler writes is dropped
}

// WriteHeader sends the status, once.
func (w *responseWriter) WriteHeader(status int) {
	if !w.sent && w.visit.passed() {
		return
	}
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		if _, illegal := illegalHeader(w.Header()); !illegal { // the answer behind it tells
			w.ResponseWriter.WriteHeader(status)
		}
		return
	}
	if w.sent {
		return
	}
	w.sent = true
	if name, illegal := illegalHeader(w.Header()); illegal {
		w.app.report(w.r, fmt.Errorf("header %q is not legal", name))
		w.failed = true
		(&output{w: w.ResponseWriter, r: w.r}).internalError()
		return
	}
	w.ResponseWriter.WriteHeader(status)
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
	if w.drops() {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// ReadFrom lets the server send a file without copying it.
func (w *responseWriter) ReadFrom(r io.Reader) (int64, error) {
	w.begin()
	if w.drops() {
		return io.Copy(io.Discard, r)
	}
	return io.Copy(w.ResponseWriter, r)
}

// drops reports whether a body is not sent: that of an answer that has failed, or was not begun in time.
func (w *responseWriter) drops() bool { return w.failed || !w.sent }

// Unwrap is for http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// contain ends what the handler has written. A panic is a 500 as long as nothing was sent; then it cuts the connection.
func (w *responseWriter) contain(out *output) {
	v := recover()
	switch {
	case v == nil && (w.sent || w.status == 0):
	case v == nil:
		w.begin()
	case v == http.ErrAbortHandler || w.sent:
		if v != http.ErrAbortHandler {
			w.app.report(w.r, &PanicError{Value: v, Stack: debug.Stack()})
		}
		panic(http.ErrAbortHandler)
	default:
		w.app.report(w.r, &PanicError{Value: v, Stack: debug.Stack()})
		out.status = 0
		out.internalError()
	}
}

// full returns w with what the server's own writer can do beside: flushing, and taking over the connection. A handler that asks
// for those by a type assertion finds them where they are there, and only there.
func (w *responseWriter) full() http.ResponseWriter {
	flusher, canFlush := w.ResponseWriter.(http.Flusher)
	hijacker, canHijack := w.ResponseWriter.(http.Hijacker)
	switch {
	case canFlush && canHijack:
		return struct {
			*responseWriter
			http.Flusher
			http.Hijacker
		}{w, flushing{w, flusher}, hijacking{w, hijacker}}
	case canFlush:
		return struct {
			*responseWriter
			http.Flusher
		}{w, flushing{w, flusher}}
	case canHijack:
		return struct {
			*responseWriter
			http.Hijacker
		}{w, hijacking{w, hijacker}}
	}
	return w
}

type flushing struct {
	w       *responseWriter
	flusher http.Flusher
}

func (f flushing) Flush() {
	f.w.begin()
	if f.w.sent {
		f.flusher.Flush()
	}
}

type hijacking struct {
	w        *responseWriter
	hijacker http.Hijacker
}

func (h hijacking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.w.sent = true
	return h.hijacker.Hijack()
}
