package main

import "net/http"

// A sink is the http.ResponseWriter that all contestants write to: it counts
// bytes and forgets them.
type sink struct {
	header  http.Header
	status  int
	written int
}

func newSink() *sink { return &sink{header: make(http.Header, 8)} }

func (s *sink) Header() http.Header  { return s.header }
func (s *sink) WriteHeader(code int) { s.status = code }

func (s *sink) Write(b []byte) (int, error) {
	s.written += len(b)
	return len(b), nil
}

// WriteString is there because net/http's own writer has it.
func (s *sink) WriteString(b string) (int, error) {
	s.written += len(b)
	return len(b), nil
}

// reset makes the sink as good as new for the next request; the count goes on.
func (s *sink) reset() {
	clear(s.header)
	s.status = http.StatusOK
}
