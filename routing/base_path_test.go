package routing_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// The first request outside of the base path is logged, since http.StripPrefix in front of an app
// with WithBasePath makes every path a 404.
func TestRequestsOutsideOfTheBasePathAreLoggedOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []routing.Option
		paths   []string
		want    string // in the only line; empty for no line
	}{
		{"stripped", []routing.Option{routing.WithBasePath("/shop")}, []string{"/hello", "/other"}, `path=/hello "base path"=/shop`},
		{"without a base path", nil, []string{"/none"}, ""},
		{"inside", []routing.Option{routing.WithBasePath("/shop")}, []string{"/shop/none"}, ""},
		{"with a next handler", []routing.Option{routing.WithBasePath("/shop"), routing.WithNext(http.NotFoundHandler())}, []string{"/hello"}, ""},
	} {
		var log bytes.Buffer
		app := routing.New(append(c.options, routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
		app.Get("/hello", func(routing.Context) (routing.Result, error) { return routing.Text("hello"), nil })
		for _, path := range c.paths {
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.Code != http.StatusNotFound {
				t.Errorf("%s: %s: got %d, want 404", c.name, path, w.Code)
			}
		}
		text, lines := log.String(), 0
		if c.want != "" {
			lines = 1
		}
		if strings.Count(text, "\n") != lines || !strings.Contains(text, c.want) || lines == 1 && !strings.Contains(text, "http.StripPrefix") {
			t.Errorf("%s: got the log %q, want %d lines with %s", c.name, text, lines, c.want)
		}
	}
}

// Outside of the base path, no function of the app runs but its middleware.
func TestNothingRunsOutsideOfTheBasePath(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	fails := func(routing.Context) (routing.Result, error) { panic("it runs") }
	app.Before(func(routing.Context) error { panic("it runs") })
	app.After(func(routing.Context) error { panic("it runs") })
	app.Route(routing.Any, routing.Pattern{}, fails)
	app.NotFound(fails)
	app.OnError(func(c routing.Context, _ error) (routing.Result, error) { return fails(c) })
	app.ErrorBody(func(c routing.Context, _ *routing.Problem) (routing.Result, error) { return fails(c) })
	if w := get(app, "/other"); w.Code != 404 || !strings.Contains(w.Body.String(), "There is nothing at this address.") {
		t.Errorf("got %d %s, want the default 404", w.Code, w.Body)
	}
}

// The first 404 of an app without a base path, behind a ServeMux that passes on requests with a
// prefix, is logged once, unless a route has the prefix.
func TestMissingBasePathIsLogged(t *testing.T) {
	for _, test := range []struct {
		pattern, target string
		routes          []string
		strip, want     bool
	}{
		{"/shop/", "/shop/list", []string{"/list"}, false, true},
		{"GET example.com/shop/", "/shop/list", []string{"/list"}, false, true},
		{"/shop/", "/shop/list", []string{"/list", "/shop/other"}, false, false},
		{"/shop/", "/shop/list", nil, true, false},
		{"/", "/shop/list", []string{"/list"}, false, false},
		{"/shop/list", "/shop/list", []string{"/list"}, false, false},
	} {
		var log logBuffer
		app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		for _, route := range test.routes {
			app.Get(route, text("x"))
		}
		var handler http.Handler = app
		if test.strip {
			handler = http.StripPrefix("/shop", app)
		}
		mux := http.NewServeMux()
		mux.Handle(test.pattern, handler)
		for range 2 {
			if w := get(mux, test.target); w.Code != 404 {
				t.Errorf("%s: got %d", test.pattern, w.Code)
			}
		}
		if got := log.take(); (strings.Count(got, "WithBasePath") == 1) != test.want || strings.Count(got, "\n") > 1 {
			t.Errorf("%+v: the log has %q", test, got)
		}
	}
}
