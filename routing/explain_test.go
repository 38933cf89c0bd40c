package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// matchedBy returns the routes of e that match, in the order in which they are tried.
func matchedBy(e routing.Explanation) (routes []*routing.Route) {
	for _, step := range e.Steps {
		if step.Matched {
			routes = append(routes, step.Route)
		}
	}
	return routes
}

func empty(routing.Context) (routing.Result, error) { return routing.Result{}, nil }

func pass(routing.Context) error { return nil }

// Explain reports filters, parameters and mounted apps.
func TestExplainFiltersParametersAndMounts(t *testing.T) {
	inner := routing.New(routing.WithBasePath("/api"))
	inner.Before(pass)
	inner.Get("/items/:item", empty)
	outer := routing.New(routing.WithBasePath("/shop"))
	outer.Before(pass, routing.On("/users/*"), routing.When(func(r *http.Request) bool { return r.Header.Get("Key") != "" }).Named("has a key"))
	outer.Before(pass, routing.On("/admin/*"))
	outer.After(pass)
	outer.Get("/users/:id", empty)
	outer.Mount("/users/:user", inner)

	e := outer.Explain(httptest.NewRequest("GET", "/shop/users/ann/api/items/a%20b", nil))
	if e.Base != "/shop" || e.Path != "/users/ann/api/items/a b" || !e.Inside {
		t.Errorf("got base %q and path %q", e.Base, e.Path)
	}
	for i, want := range []struct {
		applies bool
		reason  string
	}{
		{false, `the condition "has a key" does not hold`},
		{false, `the path "/users/ann/api/items/a b" does not match`},
	} {
		if got := e.Before[i]; got.Applies != want.applies || got.Reason != want.reason {
			t.Errorf("before filter %d: got %t, %q, want %t, %q", i, got.Applies, got.Reason, want.applies, want.reason)
		}
	}
	if len(e.After) != 1 || !e.After[0].Applies || e.After[0].Reason != "it applies to every path" {
		t.Errorf("after filters: got %+v", e.After)
	}
	if got := e.Before[0].Filter.Conditions; !slices.Equal(got, []string{"has a key"}) {
		t.Errorf("conditions %q", got)
	}
	mount := e.Steps[0]
	if !mount.Matched || mount.Mounted == nil || !slices.Contains(mount.Params, struct{ Name, Value string }{"user", "ann"}) {
		t.Fatalf("the mount: got %+v", mount)
	}
	sub := mount.Mounted
	if sub.Base != "/shop/users/ann/api" || sub.Path != "/items/a b" || len(sub.Before) != 1 {
		t.Errorf("the mounted app: got base %q, path %q, %d filters", sub.Base, sub.Path, len(sub.Before))
	}
	if got := sub.Steps[0]; !got.Matched || !slices.Equal(got.Params, []struct{ Name, Value string }{{"item", "a b"}}) {
		t.Errorf("the route: got %+v", got)
	}
	if text := e.String(); !strings.Contains(text, "\n      + GET ") {
		t.Errorf("the text does not indent the mounted app:\n%s", text)
	}
}

// Every method that defines a route or filter records its file and line.
func TestSource(t *testing.T) {
	app := routing.New()
	app.Get("/a", empty)
	app.Handle("GET", "/b", http.NotFoundHandler())
	app.Mount("/c", routing.New())
	app.Route("", routing.Pattern{}, empty, routing.When(func(*http.Request) bool { return true }))
	app.Before(pass)
	app.After(pass, routing.On("/*"))
	reflect.ValueOf(app.Handle).Call([]reflect.Value{reflect.ValueOf("GET"), reflect.ValueOf("/d"), reflect.ValueOf(http.NotFoundHandler())})
	first := 0
	for i, entry := range app.Table() {
		match := regexp.MustCompile(`/routing/explain_test\.go:(\d+)$`).FindStringSubmatch(entry.Source())
		if match == nil {
			t.Fatalf("%s: source %q", entry.Kind, entry.Source())
		}
		line := 0
		fmt.Sscan(match[1], &line)
		if i == 0 {
			first = line
		}
		if line != first+i {
			t.Errorf("entry %d is in line %d, want %d", i, line, first+i)
		}
		if entry.Route != nil && entry.Route.Source() != entry.Source() {
			t.Errorf("the route says %q, the entry %q", entry.Route.Source(), entry.Source())
		}
	}
}

// With WithLooseSlashes, conditions and captures have the path without the ignored slashes.
func TestExplainLooseSlashes(t *testing.T) {
	app := routing.New(routing.WithLooseSlashes())
	isSeven := routing.When(func(r *http.Request) bool { return r.PathValue("id") == "7" })
	app.Get("/books/:id", empty, isSeven)
	app.Before(pass, routing.On("/books/:id"), isSeven)
	e := app.Explain(httptest.NewRequest("GET", "/books//7//", nil))
	if !e.Steps[0].Matched || !e.Before[0].Applies {
		t.Errorf("got %+v and %+v", e.Steps[0], e.Before[0])
	}
}
