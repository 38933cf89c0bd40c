package main

import "net/http"

// A sink is the http.ResponseWriter of all contestants: it counts bytes and discards them.
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

// WriteString is implemented because net/http's own writer has it.
func (s *sink) WriteString(b string) (int, error) {
	s.written += len(b)
	return len(b), nil
}

// reset clears the sink for the next request, except for the count.
func (s *sink) reset() {
	clear(s.header)
	s.status = http.StatusOK
}
