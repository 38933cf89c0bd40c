package apidoc_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests when the bytes of a body are sent: those of a function that writes when there are
// enough or when it flushes, others immediately.

// flushCounter counts writes and flushes.
type flushCounter struct {
	*httptest.ResponseRecorder
	writes, flushes int
}

func (c *flushCounter) Write(p []byte) (int, error) {
	c.writes++
	return c.ResponseRecorder.Write(p)
}

func (c *flushCounter) Flush() { c.flushes++ }

func TestFlushes(t *testing.T) {
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	type lined struct {
		Body iter.Seq[int] `body:"application/jsonl"`
	}
	app, api := newTyped()
	write := func(flush bool) func(context.Context, struct{}) (written, error) {
		return func(context.Context, struct{}) (written, error) {
			return written{func(w io.Writer) error {
				for range 1000 {
					if _, err := io.WriteString(w, "a\n"); err != nil {
						return err
					}
					if flush {
						w.(http.Flusher).Flush()
					}
				}
				return nil
			}}, nil
		}
	}
	apidoc.Get(api, "/written", "", write(false), apidoc.ID("written"))
	apidoc.Get(api, "/flushed", "", write(true), apidoc.ID("flushed"))
	apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (io.Reader, error) {
		return io.MultiReader(strings.NewReader("a"), strings.NewReader("b")), nil
	}, apidoc.ID("reader"))
	apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lined, error) {
		return lined{func(yield func(int) bool) { _ = yield(1) && yield(2) && yield(3) }}, nil
	}, apidoc.ID("lines"))
	for path, want := range map[string][2]int{"/written": {1, 0}, "/flushed": {1000, 1000}, "/reader": {2, 2}, "/lines": {3, 3}} {
		w := &flushCounter{ResponseRecorder: httptest.NewRecorder()}
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if got := [2]int{w.writes, w.flushes}; w.Code != 200 || got != want {
			t.Errorf("%s: %d, %d writes and flushes, want %d", path, w.Code, got, want)
		}
	}
}

// flushed is a writer of a function that sends bytes immediately.
type flushed struct{ io.Writer }

func (f flushed) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.Writer.(http.Flusher).Flush()
	return n, err
}
