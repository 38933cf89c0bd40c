package routing_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// A request that no route of a mounted app or handler matches has the name of the mount.
func TestRouteNameOfMounts(t *testing.T) {
	static := respond.Static("/m", fstest.MapFS{"a.txt": {Data: []byte("a")}})
	behind := routing.New(quiet())
	behind.Use(static)
	behind.Get("/r", text("r"))
	behind.Get("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	mux := http.NewServeMux()
	mux.HandleFunc("/m/x", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/m/app/", behind)
	for name, mounted := range map[string]http.Handler{
		"app behind static files": behind, "static files": static(http.NotFoundHandler()), "mux": mux,
		"app in front of a mux": routing.New(quiet(), routing.WithNext(mux)),
	} {
		app := routing.New(quiet())
		app.Mount("/m", mounted)
		app.Get("/m/gone", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
		for _, path := range []string{"/m/none", "/m/x", "/m/app/none", "/m/passes", "/m/gone"} {
			var ctx context.Context
			logged := routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx = r.Context()
				app.ServeHTTP(w, r)
			}))
			r := httptest.NewRequest("GET", path, nil)
			logged.ServeHTTP(httptest.NewRecorder(), r)
			route, routeName := routing.RouteFromContext(ctx)
			if got := fmt.Sprint(routeName, " ", r.Pattern, " ", route); got != "/m/* /m/* /m/*" {
				t.Errorf("%s, %s: got %s, want the mount, /m/*, three times", name, path, got)
			}
		}
	}
}

// If a route with middleware passes, its middleware and outer middleware see the name of the next.
func TestRouteNameAfterMiddleware(t *testing.T) {
	for name, middleware := range map[string]func(http.Handler) http.Handler{
		"plain":    func(next http.Handler) http.Handler { return next },
		"a logger": routing.RecordRoute,
	} {
		app := routing.New(quiet())
		app.Get("/:older", text("older"))
		app.Get("/newer", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Use(middleware))
		var got string
		routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r.WithContext(r.Context())) // a copy, whose Pattern nobody sees
			_, got = routing.RouteFromContext(r.Context())
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/newer", nil))
		if got != "GET /:older" {
			t.Errorf("%s: got %q, want GET /:older", name, got)
		}
	}
}

// A before filter that panics ends the request like one that returns an error: the route that would
// have run is known.
func TestRouteNameOfAFilterThatPanics(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/:id", text("show"))
	app.Before(func(routing.Context) error { panic("broken") })
	got := ""
	routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app.ServeHTTP(w, r)
		_, got = routing.RouteFromContext(r.Context())
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/7", nil))
	if got != "GET /:id" {
		t.Errorf("got %q, want GET /:id", got)
	}
}
