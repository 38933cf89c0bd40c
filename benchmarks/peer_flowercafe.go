package main

import (
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

func buildFlowercafe(table []route) http.Handler {
	app := routing.New()
	for _, rt := range table {
		// The rest of a path has no name in this syntax.
		pattern, _, _ := strings.Cut(rt.Path, "*")
		if len(pattern) < len(rt.Path) {
			pattern += "*"
		}
		app.Route(rt.Method, routing.Must(routing.Sinatra(pattern)), flowercafeAction(rt))
	}
	return app
}

func flowercafeAction(rt route) routing.Action {
	if key := rt.echo; key != "" {
		return func(c routing.Context) (routing.Result, error) {
			value, err := c.Params().Require(key)
			if err != nil {
				return routing.Result{}, err
			}
			return routing.Text(value), nil
		}
	}
	body := routing.Text(rt.body()) // as its documentation says: a text that is the same for all requests is made once
	return func(routing.Context) (routing.Result, error) { return body, nil }
}
