package response_test

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

// Full has the optional interfaces of the writer behind it, whatever their set, and no others.
func TestFull(t *testing.T) {
	type (
		w = http.ResponseWriter
		f = http.Flusher
		h = http.Hijacker
		p = http.Pusher
		n = http.CloseNotifier //nolint:staticcheck // deprecated, but in use
	)
	behind := []http.ResponseWriter{
		struct{ w }{},
		struct {
			w
			f
		}{},
		struct {
			w
			h
		}{},
		struct {
			w
			p
		}{},
		struct {
			w
			n
		}{},
		struct {
			w
			f
			h
		}{},
		struct {
			w
			f
			p
		}{},
		struct {
			w
			f
			n
		}{},
		struct {
			w
			h
			p
		}{},
		struct {
			w
			h
			n
		}{},
		struct {
			w
			p
			n
		}{},
		struct {
			w
			f
			h
			p
		}{},
		struct {
			w
			f
			h
			n
		}{},
		struct {
			w
			f
			p
			n
		}{},
		struct {
			w
			h
			p
			n
		}{},
		struct {
			w
			f
			h
			p
			n
		}{},
	}
	seen := make(map[string]bool)
	for _, behind := range behind {
		want := interfacesOf(behind)
		seen[want] = true
		full := response.NewWriter(behind, nil, nil, 0).Full()
		if got := interfacesOf(full); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		_, readsFrom := full.(io.ReaderFrom)
		_, writesStrings := full.(io.StringWriter)
		if _, unwraps := full.(interface{ Unwrap() http.ResponseWriter }); !readsFrom || !writesStrings || !unwraps {
			t.Errorf("with %s it lacks ReadFrom, WriteString or Unwrap", want)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d sets were tested, want 16", len(seen))
	}
}
