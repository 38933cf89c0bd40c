package routing_test

import (
	"context"
	"log/slog"
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
			var route *routing.Route
			route, name = routing.RouteFromContext(r.Context())
			pattern = r.Pattern
			if (route != nil) != (name != "") || route != nil && !strings.HasSuffix(name, route.Pattern().String()) {
				t.Errorf("%s: got the route %v, named %q", r.URL, route, name)
			}
		})
	}
	named := routing.RecordRoute(log(copies(app)))
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
	if route, name := routing.RouteFromContext(context.Background()); route != nil || name != "" {
		t.Errorf("got %v, %q of a context without a route", route, name)
	}
}

// RecordRoute leaves the Pattern that a ServeMux sets, but RouteFromContext does not return it.
func TestRouteNamesOfMux(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	app.Get("/a/:id", text("a"))
	app.Get("/pass", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	mux := http.NewServeMux()
	mux.Handle("/shop/", app)
	mux.HandleFunc("GET /ping", func(http.ResponseWriter, *http.Request) {})
	var name string
	handler := routing.RecordRoute(routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r)
		_, name = routing.RouteFromContext(r.Context())
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

// If an action reads a parameter of a request with a JSON body, a warning is logged once for each
// route.
func TestParameterOfJSONBodyIsLoggedOnce(t *testing.T) {
	var log strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	ask := func(c routing.Context) (routing.Result, error) {
		c.Params().Get("name")
		return routing.Text(c.Params().GetOr("", "no body")), nil
	}
	app.Post("/a", ask)
	app.Post("/b/:id", ask)
	app.Post("/whole", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("", "no body")), nil
	})
	app.Post("/query", func(c routing.Context) (routing.Result, error) {
		c.Params().Values("page") // which the query has
		return routing.Text(c.Params().GetOr("", "no body")), nil
	})
	for range 3 {
		for _, path := range []string{"/a", "/b/1", "/b/2", "/whole", "/query?page=2"} {
			r := httptest.NewRequest("POST", path, strings.NewReader(`{"name":"x"}`))
			r.Header.Set("Content-Type", "application/json")
			if got := send(app, r).Body.String(); got != `{"name":"x"}` {
				t.Errorf("%s: got %s", path, got)
			}
			send(app, form(path, "q=1"))
		}
	}
	if got := strings.Count(log.String(), "level=WARN"); got != 2 || !strings.Contains(log.String(), `route="POST /b/:id" parameter=name`) {
		t.Errorf("got %d warnings, want one for each of two routes:\n%s", got, &log)
	}
}
