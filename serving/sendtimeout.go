package serving

import (
	"fmt"
	"net/http"
	"time"
)

// This file lets responses last longer than the server's WriteTimeout, which is for a whole one.

// SendTimeout returns middleware for responses that take longer than the server's WriteTimeout,
// such as large files and streams. Each part of a response, of at most 64 KiB, must be sent within
// the timeout; the response as a whole has no limit, nor has the handler while it makes the next
// part. So a client that reads slowly gets everything, and one that does not read is disconnected.
//
//	app.Get("/downloads/*", respond.Files(files), routing.Use(serving.SendTimeout(10*time.Second)))
//
// The body of the request still has the server's ReadTimeout. A duration of 0 or less panics. The
// middleware is safe for concurrent use; it does nothing for a writer without deadlines.
func SendTimeout(timeout time.Duration) func(next http.Handler) http.Handler {
	if timeout < 1 {
		panic(fmt.Sprintf("serving: SendTimeout(%v): write a duration above 0", timeout))
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			parts := &partWriter{w, http.NewResponseController(w), timeout}
			parts.lift()
			next.ServeHTTP(parts, r)
			parts.extend() // the server sends what it has buffered
		})
	}
}

// partWriter sends a response in parts. Between them there is no deadline, since HTTP/2 resets a
// stream whose deadline passes, even if nothing is being sent.
type partWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

// partSize is at most what a part has. It is more than copying files needs.
const partSize = 64 << 10

func (w *partWriter) extend() { _ = w.control.SetWriteDeadline(time.Now().Add(w.timeout)) }
func (w *partWriter) lift()   { _ = w.control.SetWriteDeadline(time.Time{}) }

// Write sends parts.
func (w *partWriter) Write(p []byte) (n int, err error) {
	defer w.lift()
	for {
		w.extend()
		part := p[n:min(len(p), n+partSize)]
		sent, err := w.ResponseWriter.Write(part)
		if n += sent; err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError is for [http.ResponseController].
func (w *partWriter) FlushError() error {
	w.extend()
	defer w.lift()
	return w.control.Flush()
}

// Flush is for handlers that ask for an [http.Flusher].
func (w *partWriter) Flush() { _ = w.FlushError() }

// Unwrap is for [http.ResponseController].
func (w *partWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
