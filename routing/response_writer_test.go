package routing_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"example.com/flowercafe/routing/internal/response"
)

// interfacesOf returns which optional interfaces a writer has.
func interfacesOf(w http.ResponseWriter) string {
	_, flushes := w.(http.Flusher)
	_, hijacks := w.(http.Hijacker)
	_, pushes := w.(http.Pusher)
	_, notifies := w.(http.CloseNotifier) //nolint:staticcheck // deprecated, but in use
	return fmt.Sprintf("Flusher %v, Hijacker %v, Pusher %v, CloseNotifier %v", flushes, hijacks, pushes, notifies)
}

// A Writer has the optional interfaces of the inner writer, if these are one of the sets of servers
// and common middleware. For another set it has the largest of these sets that is a subset.
func TestWriterHasTheOptionalInterfaces(t *testing.T) {
	type (
		w = http.ResponseWriter
		f = http.Flusher
		h = http.Hijacker
		p = http.Pusher
		n = http.CloseNotifier //nolint:staticcheck // deprecated, but in use
	)
	type http1 struct {
		w
		f
		h
		n
	}
	type http2 struct {
		w
		f
		p
		n
	}
	type hijackable struct {
		w
		f
		h
	}
	type flushable struct {
		w
		f
	}
	for name, test := range map[string]struct{ behind, as http.ResponseWriter }{
		"HTTP/1.1":                   {http1{}, http1{}},
		"HTTP/2":                     {http2{}, http2{}},
		"middleware around HTTP/1.1": {hijackable{}, hijackable{}},
		"other middleware":           {flushable{}, flushable{}},
		"nothing":                    {struct{ w }{}, struct{ w }{}},
		"all": {struct {
			http1
			p
		}{}, http1{}},
		"no CloseNotifier": {struct {
			flushable
			p
		}{}, flushable{}},
		"middleware without Flush": {struct {
			w
			h
		}{}, struct {
			w
			h
		}{}},
	} {
		full := new(response.Writer).Wrap(test.behind, nil, nil, 0, false)
		if got, want := interfacesOf(full), interfacesOf(test.as); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		_, readsFrom := full.(io.ReaderFrom)
		_, writesStrings := full.(io.StringWriter)
		if _, unwraps := full.(interface{ Unwrap() http.ResponseWriter }); !readsFrom || !writesStrings || !unwraps {
			t.Errorf("%s: it lacks ReadFrom, WriteString or Unwrap", name)
		}
	}
}
