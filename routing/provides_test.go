package routing_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests Provides and Context.Accepts.

func TestProvides(t *testing.T) {
	define := func(app *routing.App) {
		app.Get("/f", text("any"))
		app.Get("/f", text("data"), routing.Provides("json", "csv"))
		app.Get("/f", text("page"), routing.Provides("html"))
		app.Get("/only", text("calendar"), routing.Provides("text/calendar; charset=utf-8"))
		app.Get("/passes", func(c routing.Context) (routing.Result, error) { return routing.JSON(1) })
		app.Get("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Provides("html"))
		app.Get("/halts", func(routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: 403, Body: routing.Text("no")}
		}, routing.Provides("html"))
		app.Get("/fails", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("broken") }, routing.Provides("html"))
		app.Get("/panics", func(routing.Context) (routing.Result, error) { panic("broken") }, routing.Provides("html"))
		app.Get("/own", func(c routing.Context) (routing.Result, error) {
			c.SetContentType("text/csv")
			return routing.Text("1,2"), nil
		}, routing.Provides("html"))
		app.Before(func(c routing.Context) error { c.SetContentType("text/x"); return nil }, routing.On("/filtered"))
		app.Get("/filtered", text("any"))
		app.Get("/filtered", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Provides("html"))
		app.Group("/g", func(g *routing.Group) {
			g.Get("/x", text("group"))
			g.Get("/y", text("narrower"), routing.Provides("text", "html"))
		}, routing.Provides("html", "json"))
		app.Handle("GET", "/handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "handler") }), routing.Provides("text"))
		app.Get("/stream", func(routing.Context) (routing.Result, error) {
			return routing.Stream("", strings.NewReader("stream")), nil
		}, routing.Provides("csv"))
		app.Get("/wrapped", text("wrapped"), routing.Provides("xml"), routing.Use(tag("m")))
		typed := routing.New()
		typed.Get("/x", func(routing.Context) (routing.Result, error) { return routing.JSON(1) })
		app.Mount("/app", typed, routing.Provides("html", "json"))
		app.OnError(func(routing.Context, error) (routing.Result, error) {
			return routing.JSON("failed")
		})
	}
	app, inner, outer, problems := routing.New(quiet()), routing.New(), routing.New(quiet()), routing.New(routing.WithProblemDetails())
	for _, a := range []*routing.App{app, inner} {
		define(a)
	}
	outer.Mount("/in", inner)
	problems.Mount("/in", inner)
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	const js = "application/json"
	for _, test := range []struct {
		path, accept   string
		body, wantType string
	}{
		{"/f", "", "200 page", "text/html; charset=utf-8"},
		{"/f", browser, "200 page", "text/html; charset=utf-8"},
		{"/f", "application/json", "200 data", js},
		{"/f", "application/json;q=0.1, text/csv", "200 data", "text/csv; charset=utf-8"},
		{"/f", "text/html;q=0, */*", "200 data", js},
		{"/f", "image/png", "200 any", "text/plain; charset=utf-8"},
		{"/g/x", "*/*, application/json", "200 group", js},
		{"/g/x", "application/json, text/html", "200 group", "text/html; charset=utf-8"},
		{"/filtered", browser, "200 any", "text/x"},
		{"/only", "text/*", "200 calendar", "text/calendar; charset=utf-8"},
		{"/only", "text/html", "404", ""},
		{"/passes", browser, "200 1", js},
		{"/halts", browser, "403 no", "text/plain; charset=utf-8"},
		{"/fails", browser, `500 "failed"`, js},
		{"/panics", browser, `500 "failed"`, js},
		{"/own", browser, "200 1,2", "text/csv"},
		{"/g/x", "application/json", "200 group", js},
		{"/g/x", "text/plain", "404", ""},
		{"/g/y", "text/html, text/plain;q=0.5", "200 narrower", "text/html; charset=utf-8"},
		{"/g/y", "text/plain", "404", ""},
		{"/handler", "text/plain", "200 handler", "text/plain; charset=utf-8"},
		{"/handler", "text/html", "404", ""},
		{"/app/x", browser, "200 1", js},
		{"/app/x", "text/plain", "404", ""},
		{"/stream", "*/*", "200 stream", "text/csv; charset=utf-8"},
		{"/wrapped", "application/*", "200 wrapped", "application/xml; charset=utf-8"},
	} {
		for name, handler := range map[string]http.Handler{"app": app, "mounted": outer, "problems": problems} {
			for _, method := range []string{"GET", "HEAD"} {
				path := test.path
				if name == "mounted" || name == "problems" {
					path = "/in" + path
				}
				r := withAccept(path, test.accept)
				if r.Method = method; test.accept == "" {
					r.Header.Del("Accept")
				}
				w := send(handler, r)
				want := test.body
				if got := fmt.Sprint(w.Code, " ", w.Body); method == "GET" && !strings.HasPrefix(got, want) || !strings.HasPrefix(want, fmt.Sprint(w.Code)) {
					t.Errorf("%s: %s %s, %q: got %s, want %s", name, method, path, test.accept, got, want)
				}
				if got := w.Header().Get("Content-Type"); test.wantType != "" && got != test.wantType {
					t.Errorf("%s: %s %s, %q: got the type %s, want %s", name, method, path, test.accept, got, test.wantType)
				}
				if got := w.Header().Values("Vary"); len(got) != 1 || got[0] != "Accept" {
					t.Errorf("%s: %s %s, %q: got Vary %q, want Accept once", name, method, path, test.accept, got)
				}
			}
		}
	}
	if got := app.Shadowed(); len(got) > 0 {
		t.Errorf("%v are not hidden", got)
	}
	if got := app.Explain(withAccept("/f", "text/csv")).String(); !strings.Contains(got, `- GET /f: the condition "Accept: html" does not hold`) || !strings.Contains(got, "+ GET /f: the path matches and the condition holds") {
		t.Errorf("Explain says %s", got)
	}
	for _, formats := range [][]string{nil, {"htm"}, {"text/*"}, {"text/"}, {"text/a b"}, {"text/html; a\r\nb"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Provides of %q does not panic", formats)
				}
			}()
			routing.Provides(formats...)
		}()
	}
}

func TestAccepts(t *testing.T) {
	app := routing.New(quiet())
	app.Before(func(c routing.Context) error { c.Header().Set("Vary", "Origin, accept"); return nil }, routing.On("/varies"))
	app.Get("/*", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Accepts(), c.Accepts("nonsense"), c.Accepts("html", "nonsense", "json"))), nil
	})
	for accept, want := range map[string]string{
		"": "html", "*/*": "html", "application/json": "json", "text/html;q=0.5, application/json;q=0.6": "json", "image/*": "",
		"*/*, application/json": "json", "text/*, application/json": "json", "application/json, text/html": "html", "application/json;q=0.9, */*": "html",
	} {
		if w := send(app, withAccept("/", accept)); w.Body.String() != want || fmt.Sprint(w.Header()["Vary"]) != "[Accept]" {
			t.Errorf("%q: got %q, Vary %q; want %q", accept, w.Body, w.Header()["Vary"], want)
		}
	}
	if got := get(app, "/varies").Header()["Vary"]; fmt.Sprint(got) != "[Origin, accept]" {
		t.Errorf("got Vary %q", got)
	}
	if got := (routing.Context{}).Accepts("html"); got != "" {
		t.Errorf("the zero Context accepts %q", got)
	}
}

// One path has a page for browsers and JSON for programs.
func ExampleProvides() {
	app := routing.New(routing.WithFirstMatch())
	app.Get("/flowers", func(routing.Context) (routing.Result, error) { return routing.JSON([]string{"rose"}) }, routing.Provides("json"))
	app.Get("/flowers", text("<p>rose</p>"), routing.Provides("html"))
	app.Get("/flowers", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.Problem{Status: http.StatusNotAcceptable}
	})
	for _, accept := range []string{"text/html", "application/json", "image/png"} {
		w := send(app, withAccept("/flowers", accept))
		fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	// Output:
	// 200 text/html; charset=utf-8 <p>rose</p>
	// 200 application/json ["rose"]
	// 406 text/plain; charset=utf-8 Not Acceptable
}

// One action makes both formats.
func ExampleContext_Accepts() {
	app := routing.New()
	app.Get("/flowers", func(c routing.Context) (routing.Result, error) {
		if c.Accepts("html", "json") == "json" {
			return routing.JSON([]string{"rose"})
		}
		return routing.HTML("<p>rose</p>"), nil
	})
	fmt.Println(send(app, withAccept("/flowers", "application/json")).Body)
	fmt.Println(send(app, withAccept("/flowers", "text/html")).Body)
	// Output:
	// ["rose"]
	// <p>rose</p>
}

// The Accept header is read once for the conditions of all routes.
func TestProvidesReadsOnce(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	allocations := func(routes int) float64 {
		app := routing.New(quiet())
		app.Get("/", text("page"), routing.Provides("html"))
		for range routes {
			app.Get("/", text("data"), routing.Provides("json"))
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif")
		w := httptest.NewRecorder()
		return testing.AllocsPerRun(10, func() { app.ServeHTTP(w, r) })
	}
	if one, many := allocations(1), allocations(40); many > one+5 {
		t.Errorf("40 routes allocate %v times, one %v times", many, one)
	}
}
