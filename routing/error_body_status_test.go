package routing_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests ErrorBody functions for some statuses only.

// pageOf returns an action whose text is name, the status, the parameter id and the current ETag.
func pageOf(name string) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(name, " ", c.Status(), " ", c.Params().GetOr("id", "-"), c.Header().Get("ETag"))), nil
	}
}

// onStatus returns an ErrorBody function that calls page for the given statuses, and else passes.
func onStatus(page routing.Action, statuses ...int) func(routing.Context, *routing.Problem) (routing.Result, error) {
	return func(c routing.Context, p *routing.Problem) (routing.Result, error) {
		if !slices.Contains(statuses, p.Status) {
			return routing.Result{}, routing.Pass
		}
		return page(c)
	}
}

func TestErrorBodyByStatus(t *testing.T) {
	fails := func(err error) routing.Action {
		return func(routing.Context) (routing.Result, error) { return routing.Result{}, err }
	}
	sets := func(status int, body ...routing.Result) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			c.SetStatus(status)
			c.Header().Set("ETag", `"a"`)
			c.Header().Set("X-Kept", "yes")
			return append(body, routing.Result{})[0], nil
		}
	}
	own := routing.HTML("own")
	define := func(app *routing.App) {
		app.Get("/halt/:id", fails(&routing.HaltError{Status: 403}))
		app.Get("/halt-own/:id", fails(&routing.HaltError{Status: 403, Body: own}))
		app.Get("/set-own/:id", sets(404, own))
		app.Get("/set/:id", sets(404))
		app.Get("/fails", fails(errors.New("broken")))
		app.Get("/missing", fails(&routing.ParamError{Key: "a"}))
		app.Get("/other", sets(409, own))
		app.Get("/fine", sets(201, own))
		app.Get("/stream", func(c routing.Context) (routing.Result, error) {
			c.SetStatus(403)
			return routing.Stream("text/plain", io.NopCloser(strings.NewReader("stream"))), nil
		})
		app.Group("/g/:id", func(g *routing.Group) { g.Get("/x", sets(403)) })
		app.Handle("GET", "/handler", http.NotFoundHandler())
		app.Get("/wrapped/:id", sets(403), routing.Use(tag("m")))
		app.Get("/late/:how", sets(201))
		app.Get("/keeps", sets(418))
		app.Get("/halts", sets(410))
		app.Get("/panics", sets(411))
		app.Get("/again", sets(412))
		app.After(func(c routing.Context) error {
			switch how, _ := c.Params().Get("how"); how {
			case "set":
				c.SetStatus(403)
			case "halt":
				return &routing.HaltError{Status: 403}
			case "fail":
				return errors.New("broken")
			}
			if c.Status() == 500 {
				c.SetStatus(200) // a plain 500 is final
			}
			return nil
		})
		app.ErrorBody(func(c routing.Context, p *routing.Problem) (routing.Result, error) {
			switch p.Status {
			case 400, 403, 404, 500:
				return pageOf("page")(c)
			case 410:
				return routing.Result{}, &routing.HaltError{Status: 451, Body: routing.Text("halted")}
			case 411:
				panic("in a page")
			case 412:
				return routing.Result{}, &routing.ParamError{Key: "a"}
			}
			c.Header().Del("ETag")
			return routing.Result{}, routing.Pass
		})
	}
	app, inner, outer := routing.New(quiet()), routing.New(), routing.New(quiet())
	define(app)
	define(inner)
	outer.Mount("/in", inner)
	isDefault := map[string]bool{"/panics": true, "/again": true}
	for path, want := range map[string]string{
		"/halt/7":     "403 page 403 7",
		"/set/7":      "404 page 404 7",
		"/halt-own/7": "403 own",
		"/set-own/7":  "404 own",
		"/fails":      "500 page 500 -",
		"/missing":    "400 page 400 -",
		"/nowhere":    "404 page 404 -",
		"/other":      `409 own`,
		"/fine":       `201 own`,
		"/stream":     "403 stream",
		"/g/7/x":      "403 page 403 7",
		"/handler":    "404 404 page not found\n",
		"/wrapped/7":  "403 page 403 7",
		"/late/set":   "403 page 403 -",
		"/late/halt":  "403 page 403 -",
		"/late/fail":  "500 page 500 -",
		"/keeps":      "418 ",
		"/halts":      "451 halted",
		"/panics":     "500 Internal Server Error",
		"/again":      `400 Bad Request: The parameter "a" is missing.`,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for name, handler := range map[string]http.Handler{"app": app, "mounted": outer} {
				target := path
				if name == "mounted" {
					target = "/in" + path
				}
				got := fetch(t, method, serve(t, handler)+target, "")
				status, body, _ := strings.Cut(want, " ")
				if method == "HEAD" {
					body = ""
				}
				if fmt.Sprint(got.status) != status || got.body != body {
					t.Errorf("%s, %s %s: got %d %q, want %s", name, method, target, got.status, got.body, want)
				}
				if kept := got.header.Get("X-Kept") != ""; path == "/set/7" && (!kept || got.header.Get("Content-Type") != "text/plain; charset=utf-8") {
					t.Errorf("%s: headers %v", path, got.header)
				}
				if vary := got.header.Get("Vary"); vary != "" && !isDefault[path] {
					t.Errorf("%s: Vary %q of the default response", path, vary)
				}
				if tag := got.header.Get("ETag"); path == "/keeps" && tag == "" {
					t.Errorf("%s: a page that passes has removed headers", path)
				}
			}
		}
	}
}

// OnError and NotFound run before ErrorBody, which only makes a body that they leave empty.
func TestErrorBodyAfterOnErrorAndNotFound(t *testing.T) {
	inner := routing.New()
	inner.Get("/fails", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("broken") })
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.Mount("/in", inner)
	app.Get("/text", text("text"))
	app.ErrorBody(onStatus(pageOf("page"), 404, 405, 500))
	check := func(name string, want ...string) {
		t.Helper()
		for i, request := range []string{"GET /in/fails", "GET /in/none", "POST /text", "OPTIONS /text"} {
			method, path, _ := strings.Cut(request, " ")
			w := send(app, httptest.NewRequest(method, path, nil))
			if got := strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)); got != want[i] {
				t.Errorf("%s, %s: got %q, want %q", name, request, got, want[i])
			}
		}
	}
	check("pages alone", "500 page 500 -", "404 page 404 -", "405 page 405 -", "204")
	empty := false
	respond := func() routing.Result {
		if empty {
			return routing.Result{}
		}
		return routing.Text("own")
	}
	app.NotFound(func(routing.Context) (routing.Result, error) { return respond(), nil })
	app.OnError(func(routing.Context, error) (routing.Result, error) { return respond(), nil })
	check("handlers", "500 own", "404 own", "405 page 405 -", "204")
	empty = true
	check("handlers without a body", "500 page 500 -", "404 page 404 -", "405 page 405 -", "204")
	inner.ErrorBody(onStatus(pageOf("inner"), 404))
	check("inner", "500 page 500 -", "404 inner 404 -", "405 page 405 -", "204")
	empty = false
	check("inner, and the handlers of the app around", "500 own", "404 inner 404 -", "405 page 405 -", "204")
	empty = true
	inner.ErrorBody(nil)
	check("inner removed", "500 page 500 -", "404 page 404 -", "405 page 405 -", "204")
	next := routing.New(routing.WithNext(http.NotFoundHandler()))
	next.ErrorBody(onStatus(pageOf("page"), 404))
	if got := get(next, "/").Body.String(); got != "404 page not found\n" {
		t.Errorf("next handler: got %q", got)
	}
}
