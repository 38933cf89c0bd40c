package routing_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/flowercafe/routing"
)

func quiet() routing.Option { return routing.WithLogger(slog.New(slog.DiscardHandler)) }

func text(s string) routing.Action {
	return func(c routing.Context) (routing.Result, error) { return routing.Text(s), nil }
}

func send(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	return send(h, httptest.NewRequest(http.MethodGet, target, nil))
}

// form makes a POST request with an urlencoded body.
func form(target, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestRoutesAreAddedWhileServing(t *testing.T) {
	app := routing.New(quiet())
	const each = 250
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() {
			for i := range each {
				app.Get(fmt.Sprintf("/w%d/%d", worker, i), text("ok"))
				app.Before(func(routing.Context) error { return nil }, routing.On(fmt.Sprintf("/w%d/%d", worker, i)))
			}
		})
		wg.Go(func() {
			for i := range each {
				if w := get(app, fmt.Sprintf("/w%d/%d", worker, i)); w.Code != 200 && w.Code != 404 {
					t.Errorf("got %d", w.Code)
				}
			}
		})
	}
	wg.Wait()
	if n := len(app.Table()); n != 4*each {
		t.Errorf("there are %d definitions, want %d", n, 4*each)
	}
	for worker := range 2 {
		for i := range each {
			if w := get(app, fmt.Sprintf("/w%d/%d", worker, i)); w.Code != 200 {
				t.Errorf("/w%d/%d: got %d", worker, i, w.Code)
			}
		}
	}
}

func TestMethodNotAllowed(t *testing.T) {
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.Get("/x/:id", text("get"))
	app.Delete("/x/:id", text("delete"))
	app.Route("BREW", routing.Must(routing.Sinatra("/pot")), text("coffee"))
	for _, test := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"POST", "/x/1", 405, "DELETE, GET, HEAD, OPTIONS"},
		{"GET", "/x/1", 200, ""},
		{"GET", "/pot", 405, "BREW, OPTIONS"},
		{"GET", "/none", 404, ""},
	} {
		w := send(app, httptest.NewRequest(test.method, test.path, nil))
		if w.Code != test.status || w.Header().Get("Allow") != test.allow {
			t.Errorf("%s %s: got %d, Allow %q; want %d, %q", test.method, test.path, w.Code, w.Header().Get("Allow"), test.status, test.allow)
		}
	}
}

func TestPatternAndPathValue(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/base"))
	app.Get("/a/:x", text("a"))
	app.Get("/a/:x", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.Handle("", "/h/:x/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", r.PathValue("x"), r.PathValue("splat"), r.Pattern)
	}))
	for _, test := range []struct{ target, pattern, body string }{
		{"/base/a/1", "GET /base/a/:x", "a"},
		{"/base/h/1/2/3", "/base/h/:x/*", "1 2/3 /base/h/:x/*"},
		{"/base/none", "outer", ""},
	} {
		r := httptest.NewRequest("GET", test.target, nil)
		r.Pattern = "outer"
		w := send(app, r)
		if r.Pattern != test.pattern || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s: got pattern %q, body %q; want %q, %q", test.target, r.Pattern, w.Body, test.pattern, test.body)
		}
	}
}

func TestSyntaxOption(t *testing.T) {
	app := routing.New(routing.WithSyntax(routing.Rails))
	app.Get("/doc/:id(.:format)", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("format", "none")), nil
	})
	app.Before(func(c routing.Context) error { c.Header().Set("X-B", "1"); return nil }, routing.On("/doc(/*rest)"))
	w := get(app, "/doc/7.json")
	if w.Body.String() != "json" || w.Header().Get("X-B") != "1" {
		t.Errorf("got %q %v", w.Body, w.Header())
	}
	pattern := routing.Must(routing.Rails("/a/:b"))
	if pattern.Syntax() != "rails" || pattern.String() != "/a/:b" || !slices.Equal(pattern.Names(), []string{"b"}) || (routing.Pattern{}).Syntax() != "" || (routing.Pattern{}).Names() != nil {
		t.Error("the syntax, text or names of a pattern are wrong")
	}
	if app := routing.New(routing.WithSyntax(nil)); app.Get("/:x?", text("")).Pattern().Syntax() != "sinatra" {
		t.Error("WithSyntax(nil): the syntax is not Sinatra's")
	}
}

// Of an option that is given twice, the last one applies, also if that is nil.
func TestOptionsGivenTwice(t *testing.T) {
	app := routing.New(quiet(), routing.WithNext(http.NotFoundHandler()), routing.WithMethodOverride("PATCH"), routing.WithBasePath("/a"),
		routing.WithBasePath("/b"), routing.WithMethodOverride(), routing.WithNext(nil), routing.WithLogger(nil))
	app.Post("/", text("post"))
	r := httptest.NewRequest("POST", "/b", nil)
	r.Header.Set("X-HTTP-Method-Override", "PATCH")
	if w := send(app, r); w.Body.String() != "post" {
		t.Errorf("the last base path and method override: got %d %s", w.Code, w.Body)
	}
	if w := get(app, "/b/none"); w.Header().Get("Content-Type") != "text/html; charset=utf-8" || app.Logger() != slog.Default() {
		t.Errorf("the last next handler and logger: got %v", w.Header())
	}
}

// Finding a route, making its Context and calling the action allocate nothing. Each response
// allocates its Content-Type. Bytes, a status and the headers of a default page take one allocation
// each.
func TestAllocations(t *testing.T) {
	app := routing.New()
	app.Before(func(routing.Context) error { return nil }, routing.On("/a/*"))
	app.Get("/a/:x", func(c routing.Context) (routing.Result, error) {
		x, err := c.Params().Require("x")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(x), nil
	})
	for range 10 {
		app.Get("/a/:y", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	}
	image := []byte("PNG")
	app.Get("/image", func(routing.Context) (routing.Result, error) { return routing.Bytes("image/png", image), nil })
	app.Get("/status", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusAccepted)
		return routing.Text("later"), nil
	})
	app.Handle("GET", "/handler/:id", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	app.Mount("/mounted", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	app.Get("/around/:id", text(""), routing.Use(identity))
	w := &stringWriter{brokenWriter{header: make(http.Header), left: math.MaxInt}}
	for path, want := range map[string]float64{
		"/a/value": 1, "/image": 2, "/status": 2, "/nothing/here": 2,
		"/handler/7":    4, // the writer, the request and two for its path values
		"/around/7":     5, // these, and what middleware needs
		"/mounted/here": 1, // the writer
	} {
		r, fresh := new(http.Request), httptest.NewRequestWithContext(context.Background(), "GET", path, nil)
		serve := func() {
			clear(w.header)
			*r = *fresh
			app.ServeHTTP(w, r)
		}
		if n := testing.AllocsPerRun(1000, serve); n > want && !raceEnabled {
			t.Errorf("a request for %s allocates %v times, want %v", path, n, want)
		}
	}
}
