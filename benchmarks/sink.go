package main

import "net/http"

// A sink is the http.ResponseWriter of all contestants: it counts bytes and discards them. Like the
// writers of middleware and servers it holds another writer, which has the headers.
type sink struct {
	http.ResponseWriter
	status  int
	written int
}

func newSink() *sink { return &sink{ResponseWriter: headers{make(http.Header, 8)}} }

// headers is a writer that has only headers.
type headers struct{ header http.Header }

func (h headers) Header() http.Header       { return h.header }
func (h headers) WriteHeader(int)           {}
func (h headers) Write([]byte) (int, error) { return 0, nil }

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
	clear(s.Header())
	s.status = http.StatusOK
}
