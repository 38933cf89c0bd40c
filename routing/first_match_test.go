package routing_test

// This file tests WithFirstMatch.

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"

	"example.com/flowercafe/routing"
)

// passing traces its name and passes.
func passing(name string) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		c.Header().Add("Tried", name)
		return routing.Result{}, routing.Pass
	}
}

// Routes are tried in order of definition, HEAD routes before GET routes, and those of a mounted
// app in its own order.
func TestFirstMatch(t *testing.T) {
	inner := routing.New()
	inner.Get("/x", passing("inner 1"))
	inner.Get("/:x", passing("inner 2"))
	app := routing.New(routing.WithMethodNotAllowed(), routing.WithFirstMatch())
	app.Get("/a/*", passing("1"))
	app.Get("/a/:x", passing("2"))
	app.Group("/a", func(g *routing.Group) {
		g.Get("/x", passing("3"))
		g.Get("/:x", passing("4"))
	})
	app.Head("/a/x", passing("5"))
	app.Post("/a/x", passing("6"))
	app.Get("/a/x", passing("7"))
	app.Mount("/a", inner)

	for method, want := range map[string][]string{
		"GET": {"1", "2", "3", "4", "7", "inner 2", "inner 1"}, "HEAD": {"5", "1", "2", "3", "4", "7", "inner 2", "inner 1"}, "POST": {"6"},
	} {
		r := httptest.NewRequest(method, "/a/x", nil)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if got := w.Header()["Tried"]; !slices.Equal(got, want) {
			t.Errorf("%s: tried %q, want %q", method, got, want)
		}
		matched := matchedBy(app.Explain(r))
		if first := map[string]string{"GET": "GET /a/*", "HEAD": "HEAD /a/x", "POST": "POST /a/x"}[method]; matched[0].String() != first || matched[len(matched)-1].Mounted() != inner {
			t.Errorf("%s: Explain has %v", method, matched)
		}
	}
	var hidden []string
	for _, s := range app.Shadowed() {
		hidden = append(hidden, s.String())
	}
	want := []string{
		"GET /a/:x is hidden by GET /a/*, which is defined earlier",
		"GET /a/x is hidden by GET /a/*, which is defined earlier",
		"GET /a/:x is hidden by GET /a/*, which is defined earlier",
		"GET /a/x is hidden by GET /a/*, which is defined earlier",
	}
	if !slices.Equal(hidden, want) {
		t.Errorf("hidden are %q, want %q", hidden, want)
	}
}

func ExampleWithFirstMatch() {
	app := routing.New(routing.WithFirstMatch())
	app.Get("/doc/new", text("a form"))
	app.Get("/doc/:id", text("a document")) // for all other documents
	show(app, "GET", "/doc/new")
	show(app, "GET", "/doc/7")
	fmt.Println(app.Shadowed())
	// Output:
	// 200 a form
	// 200 a document
	// []
}
