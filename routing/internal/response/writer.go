package response

import (
	"fmt"
	"io"
	"net/http"

	"example.com/flowercafe/routing/internal/request"
)

// Writer is the writer of handlers, and of the middleware of a route. If the handler sets no
// status, it sends the one that was set before. It refuses invalid headers and statuses, and
// records whether anything was sent.
type Writer struct{ writer } // the types of full.go have the same methods

type writer struct {
	http.ResponseWriter
	sender *Sender
	r      *http.Request
	status int // set before; 0 for none
	sent   bool
	failed bool // the response is a 500; the handler's body is dropped
}

// NewWriter returns a Writer in front of w, with the status that was set before.
func NewWriter(w http.ResponseWriter, r *http.Request, s *Sender, status int) *Writer {
	return &Writer{writer{ResponseWriter: w, sender: s, r: r, status: status}}
}

// WriteHeader sends the status, once. Informational statuses (1xx) may come before.
func (w *writer) WriteHeader(status int) {
	if w.sent {
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
		CloseAfter(header, w.r)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Forget forgets the status that was set before: another app makes the response.
func (w *writer) Forget() { w.status = 0 }

func (w *writer) fail(err error) {
	w.failed = true
	w.sender.fail(w.ResponseWriter, w.r, err)
}

// Begin sends the status that was set before, unless the response has begun. Without one, the inner
// writer decides, since it may be a Writer of an outer app with a status; an invalid header is a
// 500.
func (w *writer) Begin() {
	if w.sent {
		return
	}
	if w.status != 0 {
		w.WriteHeader(w.status)
		return
	}
	w.sent = true
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
	if !w.sent {
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

// FlushError is for http.ResponseController too, which would otherwise flush the inner writer
// before the status is sent.
func (w *writer) FlushError() error {
	w.Begin()
	if w.failed {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Sent reports whether the response has begun.
func (w *writer) Sent() bool { return w.sent }

// isServers reports whether w is a writer of net/http, perhaps behind a Writer.
func isServers(w http.ResponseWriter) bool {
	for {
		own, ok := w.(interface{ inner() http.ResponseWriter })
		if !ok {
			break
		}
		w = own.inner()
	}
	return request.IsServers(w)
}

// inner is implemented by Writer and the results of [Writer.Full], to distinguish them from other
// writers.
func (w *writer) inner() http.ResponseWriter { return w.ResponseWriter }
