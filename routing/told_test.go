package routing_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/flowercafe/routing"
)

// The name of the route reaches outer middleware, even if inner middleware copies the request.
func TestRouteNames(t *testing.T) {
	type session struct{}
	copies := func(next http.Handler) http.Handler { // as every session library does
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), session{}, 1)))
		})
	}
	sub := routing.New(quiet())
	sub.Get("/rose", text("rose"))
	sub.Get("/pass", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	app.Get("/a/:id", text("a"))
	app.Get("/b", text("b"), routing.Use(copies))
	app.Get("/pass", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.Mount("/flowers", sub)
	app.Mount("/users/:user", sub)
	app.Use(copies)
	var mu sync.Mutex
	var name, pattern, outside string
	log := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			mu.Lock()
			defer mu.Unlock()
			name, pattern = routing.RouteName(r.Context()), r.Pattern
			if route := routing.RouteOf(r.Context()); (route != nil) != (name != "") || route != nil && !strings.HasSuffix(name, route.Pattern().String()) {
				t.Errorf("%s: got the route %v, named %q", r.URL, route, name)
			}
		})
	}
	named := routing.NameRoutes(log(copies(app)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		named.ServeHTTP(w, r)
		mu.Lock()
		defer mu.Unlock()
		outside = r.Pattern
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/shop/a/5": "GET /shop/a/:id", "/shop/b": "GET /shop/b", "/shop/none": "", "/shop/pass": "", "/elsewhere": "",
		"/shop/flowers/pass": "/shop/flowers/*", "/shop/flowers/none": "/shop/flowers/*",
		"/shop/flowers/rose": "GET /shop/flowers/rose", "/shop/users/ann/rose": "GET /shop/users/:user/rose",
	} {
		fetch(t, "GET", server.URL+path, "")
		mu.Lock()
		if name != want || outside != want {
			t.Errorf("%s: got the name %q and outside the pattern %q, want %q", path, name, outside, want)
		}
		if pattern != "" {
			t.Errorf("%s: the middleware in between copies nothing: the test shows nothing", path)
		}
		mu.Unlock()
	}
	if name := routing.RouteName(context.Background()); name != "" {
		t.Errorf("got %q of a context without a route", name)
	}
	if route := routing.RouteOf(context.Background()); route != nil {
		t.Errorf("got %v of a context without a route", route)
	}
}

// A mux names its own routes. NameRoutes hides these names from nobody outside, and does not take
// one for the name of an app's route.
func TestRouteNamesOfMux(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	app.Get("/a/:id", text("a"))
	app.Get("/pass", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	mux := http.NewServeMux()
	mux.Handle("/shop/", app)
	mux.HandleFunc("GET /ping", func(http.ResponseWriter, *http.Request) {})
	var name string
	handler := routing.NameRoutes(routing.NameRoutes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r)
		name = routing.RouteName(r.Context())
	})))
	for _, test := range []struct{ path, pattern, name string }{
		{"/shop/a/5", "GET /shop/a/:id", "GET /shop/a/:id"},
		{"/shop/none", "/shop/", ""},
		{"/shop/pass", "/shop/", ""},
		{"/ping", "GET /ping", ""},
		{"/none", "", ""},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		send(handler, r)
		if r.Pattern != test.pattern || name != test.name {
			t.Errorf("%s: got the pattern %q and the name %q, want %q and %q", test.path, r.Pattern, name, test.pattern, test.name)
		}
	}
}
