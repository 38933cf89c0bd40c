package main

import (
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

// This file builds handlers with the module's router, as its documentation shows.

// buildFlowercafe builds a table with the module's router.
func buildFlowercafe(table []route) http.Handler {
	app := routing.New()
	for _, rt := range table {
		pattern, _, rest := strings.Cut(rt.Path, "*")
		if rest {
			pattern += "*" // the rest of a path has no name in this syntax
		}
		app.Route(rt.Method, routing.Must(routing.Sinatra(pattern)), action(rt))
	}
	return app
}

func action(rt route) routing.Action {
	if key := rt.echo; key != "" {
		return func(c routing.Context) (routing.Result, error) {
			value, err := c.Params().Require(key)
			return routing.Text(value), err
		}
	}
	return text(rt.body())
}

func text(body string) routing.Action {
	return func(routing.Context) (routing.Result, error) { return routing.Text(body), nil }
}

// withPasses returns a handler with n routes that pass and one that responds.
func withPasses(rt route, n int) http.Handler {
	app := routing.New()
	app.Get(rt.Path, action(rt))
	for range n {
		app.Get(rt.Path, func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	}
	return app
}

// withFilters returns a handler with a route and n filters with a pattern.
func withFilters(rt route, pattern string, n int) http.Handler {
	app := routing.New()
	app.Get(rt.Path, action(rt))
	for range n {
		app.Before(func(routing.Context) error { return nil }, routing.On(pattern))
	}
	return app
}

// hostHandlers returns handlers for typical work of services, by name. Each responds to GET
// /users/7.
func hostHandlers() map[string]http.Handler {
	const pattern = "/users/:id"
	with := func(action routing.Action, options ...routing.RouteOption) *routing.App {
		app := routing.New()
		app.Get(pattern, action, options...)
		return app
	}
	alices := text("Alice")
	page := []byte("Alice")
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write(page)
	})

	outer := routing.New()
	outer.Mount("/users", func() http.Handler {
		app := routing.New()
		app.Get("/:id", alices)
		return app
	}())
	after := with(alices)
	after.After(func(routing.Context) error { return nil })
	elsewhere := routing.New()
	elsewhere.Get("/elsewhere", alices)

	return map[string]http.Handler{
		"set_status": with(func(c routing.Context) (routing.Result, error) {
			c.SetStatus(http.StatusAccepted)
			return routing.Text("Alice"), nil
		}),
		"bytes":     with(func(routing.Context) (routing.Result, error) { return routing.Bytes("image/png", page), nil }),
		"json":      with(func(routing.Context) (routing.Result, error) { return routing.JSON(user{"7", "Alice"}) }),
		"mounted":   outer,
		"not_found": elsewhere,
		"next":      elsewhere.Middleware(handler),
		"after":     after,
	}
}
