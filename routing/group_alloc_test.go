package routing_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing"
)

// Filters of a group do not allocate, for the prefix and below it, nor do filters with a pattern
// without parameters. The one allocation is the Content-Type.
func TestFiltersOfGroupsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	app := routing.New()
	app.Group("/g", func(g *routing.Group) {
		g.Before(func(routing.Context) error { return nil })
		g.After(func(routing.Context) error { return nil })
		g.After(func(routing.Context) error { return nil }, routing.On("/1"))
		g.Get("/", text("g"))
		g.Get("/:x", text("x"))
	})
	for _, path := range []string{"/g", "/g/1"} {
		r, w := httptest.NewRequest("GET", path, nil), discardWriter{http.Header{}}
		allocations := testing.AllocsPerRun(1000, func() {
			clear(w.header)
			r.Pattern = ""
			app.ServeHTTP(w, r)
		})
		if allocations > 1 {
			t.Errorf("%s: %v allocations, want 1", path, allocations)
		}
	}
}

// discardWriter takes a response without an allocation.
type discardWriter struct{ header http.Header }

func (w discardWriter) Header() http.Header                  { return w.header }
func (w discardWriter) Write(p []byte) (int, error)          { return len(p), nil }
func (w discardWriter) WriteString(text string) (int, error) { return len(text), nil }
func (w discardWriter) WriteHeader(int)                      {}
