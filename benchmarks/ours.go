package main

import (
	"net/http"

	"example.com/flowercafe/benchmarks/engine"
)

// ours is the module's router, of this commit or an earlier one.
type ours struct {
	name    string
	table   func([]engine.Route) http.Handler
	passes  func(engine.Route, int) http.Handler
	filters func(engine.Route, string, int) http.Handler
	hosts   func() map[string]http.Handler
}

func allOurs() []ours {
	return append([]ours{{"flowercafe", engine.Table, engine.Passes, engine.Filters, engine.Hosts}}, before()...)
}

func (o ours) build(table []route) http.Handler {
	routes := make([]engine.Route, len(table))
	for i, rt := range table {
		routes[i] = rt.forOurs()
	}
	return o.table(routes)
}

func (rt route) forOurs() engine.Route {
	return engine.Route{Method: rt.Method, Path: rt.Path, Body: rt.body(), Echo: rt.echo}
}
