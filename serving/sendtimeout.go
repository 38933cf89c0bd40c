package serving

import (
	"bufio"
	"fmt"
	"net"
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
// middleware is safe for concurrent use; it does nothing for a writer without deadlines. A
// connection that the handler takes over has no deadline until the handler sets one.
func SendTimeout(timeout time.Duration) func(next http.Handler) http.Handler {
	if timeout < 1 {
		panic(fmt.Sprintf("serving: SendTimeout(%v): write a duration above 0", timeout))
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			parts := &partWriter{ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout}
			parts.lift()
			defer parts.extend() // the server sends what it has buffered, or a 500 after a panic
			next.ServeHTTP(parts, r)
		})
	}
}

// partWriter sends a response in parts. Between them there is no deadline, since HTTP/2 resets a
// stream whose deadline passes, even if nothing is being sent.
type partWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	isTaken bool // the connection is the handler's, and so are its deadlines
}

// partSize is at most what a part has. It is more than copying files needs.
const partSize = 64 << 10

func (w *partWriter) extend() { w.setDeadline(time.Now().Add(w.timeout)) }
func (w *partWriter) lift()   { w.setDeadline(time.Time{}) }

func (w *partWriter) setDeadline(t time.Time) {
	if !w.isTaken {
		_ = w.control.SetWriteDeadline(t)
	}
}

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

// Hijack takes the connection over, without a deadline. It returns an error where the server cannot
// do that, as in HTTP/2.
func (w *partWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := w.control.Hijack()
	w.isTaken = w.isTaken || err == nil
	return conn, buffer, err
}

// Unwrap is for [http.ResponseController].
func (w *partWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
