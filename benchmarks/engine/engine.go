// Package engine runs the measured tasks with the module's router. Its API uses only types of the
// standard library: with -before a program has two such packages, this one and that of an earlier
// commit, which is a module with another name.
package engine

import (
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

// A Route is an entry of a table. Path has ":name" for a segment and "*name" for the rest of the
// path. The response is the parameter Echo, or Body if Echo is empty.
type Route = struct{ Method, Path, Body, Echo string }

// Table returns a handler for a route table.
func Table(routes []Route) http.Handler {
	app := routing.New()
	for _, rt := range routes {
		pattern, _, rest := strings.Cut(rt.Path, "*")
		if rest {
			pattern += "*" // the rest of a path has no name in this syntax
		}
		app.Route(rt.Method, routing.Must(routing.Sinatra(pattern)), action(rt))
	}
	return app
}

func action(rt Route) routing.Action {
	if key := rt.Echo; key != "" {
		return func(c routing.Context) (routing.Result, error) {
			value, err := c.Params().Require(key)
			if err != nil {
				return routing.Result{}, err
			}
			return routing.Text(value), nil
		}
	}
	return constant(rt.Body)
}

// constant makes its result once, as the documentation recommends.
func constant(body string) routing.Action {
	text := routing.Text(body)
	return func(routing.Context) (routing.Result, error) { return text, nil }
}

// Passes returns a handler with n routes that pass and one that responds.
func Passes(rt Route, n int) http.Handler {
	app := routing.New()
	app.Get(rt.Path, action(rt))
	for range n {
		app.Get(rt.Path, func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	}
	return app
}

// Filters returns a handler with a route and n filters with a pattern.
func Filters(rt Route, pattern string, n int) http.Handler {
	app := routing.New()
	app.Get(rt.Path, action(rt))
	for range n {
		app.Before(func(routing.Context) error { return nil }, routing.On(pattern))
	}
	return app
}

// Hosts returns handlers for typical work of services, by name. Each responds to GET /users/7.
func Hosts() map[string]http.Handler {
	const pattern = "/users/:id"
	with := func(action routing.Action, options ...routing.RouteOption) *routing.App {
		app := routing.New()
		app.Get(pattern, action, options...)
		return app
	}
	alice := struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}{7, "Alice"}
	text := constant("Alice")
	page := []byte("Alice")
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write(page)
	})

	handled := routing.New()
	handled.Handle(http.MethodGet, pattern, handler)
	outer := routing.New()
	outer.Mount("/users", func() http.Handler {
		app := routing.New()
		app.Get("/:id", text)
		return app
	}())
	after := with(text)
	after.After(func(routing.Context) error { return nil })
	elsewhere := routing.New()
	elsewhere.Get("/elsewhere", text)

	return map[string]http.Handler{
		"set_status": with(func(c routing.Context) (routing.Result, error) {
			c.SetStatus(http.StatusAccepted)
			return routing.Text("Alice"), nil
		}),
		"bytes":  with(func(routing.Context) (routing.Result, error) { return routing.Bytes("image/png", page), nil }),
		"json":   with(func(routing.Context) (routing.Result, error) { return routing.JSON(alice) }),
		"handle": handled,
		"middleware": with(text, routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
		})),
		"mounted":   outer,
		"not_found": elsewhere,
		"next":      elsewhere.Middleware(handler),
		"after":     after,
	}
}
