package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// discarded is a writer that discards the response.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header       { return d.header }
func (discarded) Write(p []byte) (int, error) { return len(p), nil }
func (discarded) WriteHeader(int)             {}

func serveAll(b *testing.B, app *routing.App, paths ...string) {
	var requests []*http.Request
	for _, path := range paths {
		requests = append(requests, httptest.NewRequest("GET", path, nil))
	}
	w := discarded{make(http.Header)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		clear(w.header)
		app.ServeHTTP(w, requests[i%len(requests)])
	}
}

// BenchmarkParameters compares a parameter with a format and a Where with a parameter alone.
func BenchmarkParameters(b *testing.B) {
	for _, bench := range []struct {
		name, path string
		define     func(*routing.App)
	}{
		{"plain", "/users/1234", func(a *routing.App) { a.Get("/users/:id", empty) }},
		{"format", "/users/1234", func(a *routing.App) { a.Get("/users/:id(.:format)", empty) }},
		{"format given", "/users/1234.json", func(a *routing.App) { a.Get("/users/:id(.:format)", empty) }},
		{"where", "/users/1234", func(a *routing.App) { a.Get("/users/:id", empty, routing.Where("id", "[0-9]+")) }},
		{"where alternatives", "/users/1234", func(a *routing.App) { a.Get("/users/:id", empty, routing.Where("id", "new|[0-9]+")) }},
		{"where and format", "/users/a.b", func(a *routing.App) { a.Get("/users/:id(.:format)", empty, routing.Where("id", "[^/]+")) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			app := routing.New(routing.WithSyntax(routing.Rails))
			bench.define(app)
			serveAll(b, app, bench.path)
		})
	}
}

// BenchmarkRails has 423 routes, as Rails makes them of resources.
func BenchmarkRails(b *testing.B) {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithFormatSuffix(), routing.WithLooseSlashes())
	app.Get("/", empty)
	var paths []string
	count := 1
	resources := func(prefix, name string) {
		for _, route := range []string{"GET ", "POST ", "GET /new", "GET /:id/edit", "GET /:id", "PATCH /:id", "PUT /:id", "DELETE /:id"} {
			method, rest, _ := strings.Cut(route, " ")
			define := map[string]func(string, routing.Action, ...routing.RouteOption) *routing.Route{
				"GET": app.Get, "POST": app.Post, "PATCH": app.Patch, "PUT": app.Put, "DELETE": app.Delete,
			}[method]
			define(prefix+"/"+name+rest, empty)
			if count++; method == "GET" {
				paths = append(paths, strings.ReplaceAll(prefix+"/"+name+rest, "/:project_id", "/some-project"))
				paths[len(paths)-1] = strings.ReplaceAll(paths[len(paths)-1], ":id", "1234")
			}
		}
	}
	for i := range 26 {
		resources("", fmt.Sprintf("things%d", i))
		resources("/projects/:project_id", fmt.Sprintf("parts%d", i))
	}
	for i := count; i < 423; i++ {
		app.Get(fmt.Sprintf("/my/page%d/*path", i), empty)
	}
	for i := range paths {
		if i%3 == 0 {
			paths[i] += ".json"
		}
	}
	serveAll(b, app, paths...)
}
