package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"example.com/flowercafe/routing"
)

// This file lists what is measured of the routers. What needs more than a route table is in files of its own.

// suite returns the names of all benchmarks in the order of the tables, and what makes each.
func suite() []entry {
	return append([]entry{
		{"github_all", true, onTable("the 203 routes of GitHub's API that do not overlap, each once", "github", plain)},
		{"github_overlapping", true, onTable("all 239 routes of GitHub's API, general ones first", "github", generalFirst)},
		{"github_param", true, onTable("those of the 203 that have a parameter", "github", func(t []route) []route { return withParams(plain(t)) })},
		{"param_write", true, paramWrite},
		{"static_all", true, onTable("157 routes without parameters", "static", plain)},
		{"static_one", false, onTable("one route without parameters", "static", func(t []route) []route { return t[:1] })},
		{"gplus_all", false, onTable("the routes of Google+", "gplus", plain)},
		{"parse_all", false, onTable("the routes of Parse", "parse", plain)},
		{"routes_10", false, generatedRoutes(10)},
		{"routes_100", false, generatedRoutes(100)},
		{"routes_1000", false, generatedRoutes(1000)},
		{"routes_10000", false, generatedRoutes(10_000)},
		{"routes_100000", true, generatedRoutes(100_000, "bunrouter", "gorilla")},
		{"pass_1", false, passes(1)},
		{"pass_2", false, passes(2)},
		{"pass_10", false, passes(10)},
		{"pass_100", false, passes(100)},
		{"filter_none", false, filters("", "no filter")},
		{"filter_prefix", false, filters("/p/*", "a filter with a literal prefix")},
		{"filter_pattern", false, filters("/:p/*", "a filter with a parameter")},
		{"splats_1000", false, beside("1,000 wildcards beside the path asked for", splats)},
		{"regexps_1000", false, beside("1,000 anchored expressions beside the path asked for", expressions)},
		{"flowers_list", false, flowersOverLoopback("/flowers/")},
		{"flowers_slug", false, flowersOverLoopback("/flowers/rose")},
		{"search_selective", false, search("flower 0499999")},
		{"search_34000", false, search("common")},
		{"search_letter", false, search("f")},
		{"coffees", true, coffees},
	}, growing()...)
}

// entry is one benchmark of the suite.
type entry struct {
	name  string
	short bool // measured with -short too
	build func(ctx context.Context) (*benchmark, error)
}

// onTable measures all routers on part of a route table.
func onTable(about, table string, part func([]route) []route) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		all, err := routeTable(table)
		if err != nil {
			return nil, err
		}
		routes := part(all)
		return routers(ctx, about, routes, routes), nil
	}
}

// routers lets every peer but those left out route the table, asked for the given routes.
func routers(ctx context.Context, about string, table, asked []route, leftOut ...string) *benchmark {
	b := &benchmark{about: about, reference: "httprouter"}
	exchanges := exchangesFor(ctx, asked)
	for _, p := range peers() {
		if slices.Contains(leftOut, p.name) {
			b.leaveOut(p.name, "takes longer to build the table than all others to be measured")
			continue
		}
		built, h, err := timeBuild(p, table)
		if err != nil {
			b.leaveOut(p.name, err.Error())
			continue
		}
		b.enter(p.name, h, exchanges)
		b.builds = append(b.builds, built)
	}
	if !slices.ContainsFunc(b.entrants, func(c *contestant) bool { return c.name == b.reference }) {
		b.reference = "bunrouter"
	}
	return b
}

func paramWrite(ctx context.Context) (*benchmark, error) {
	table := []route{{Method: http.MethodGet, Path: "/user/:name", echo: "name"}}
	return routers(ctx, "one parameter, read and written", table, table), nil
}

func generatedRoutes(n int, leftOut ...string) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		table := generated(n)
		return routers(ctx, fmt.Sprintf("%d routes of a large REST interface, 1,000 of them asked for", n), table, spread(table, 1000), leftOut...), nil
	}
}

// passes measures a request that n routes pass before one answers.
func passes(n int) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		rt := route{Method: http.MethodGet, Path: "/p/:id"}
		app := routing.New()
		app.Get(rt.Path, flowercafeAction(rt))
		for range n {
			app.Get(rt.Path, func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
		}
		return alone(ctx, fmt.Sprintf("%d routes pass", n), app, []route{rt}), nil
	}
}

// filters measures a request for one route with ten filters of a pattern.
func filters(pattern, about string) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		rt := route{Method: http.MethodGet, Path: "/p/:id"}
		app := routing.New()
		app.Get(rt.Path, flowercafeAction(rt))
		if pattern != "" {
			about += ", ten times"
			for range 10 {
				app.Before(func(routing.Context) error { return nil }, routing.On(pattern))
			}
		}
		return alone(ctx, about, app, []route{rt}), nil
	}
}

// alone measures an app of ours that has no peers.
func alone(ctx context.Context, about string, app *routing.App, asked []route) *benchmark {
	b := &benchmark{about: about, reference: "flowercafe"}
	b.enter("flowercafe", app, exchangesFor(ctx, asked))
	return b
}

// beside measures GitHub's routes with and without others beside them that don't match.
func beside(about string, add func(*routing.App)) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		table, err := routeTable("github")
		if err != nil {
			return nil, err
		}
		table = plain(table)
		b := &benchmark{about: about, reference: "without"}
		exchanges := exchangesFor(ctx, table)
		b.enter("without", buildFlowercafe(table), exchanges)
		app := buildFlowercafe(table).(*routing.App)
		add(app)
		b.enter("flowercafe", app, exchanges)
		return b, nil
	}
}

func splats(app *routing.App) {
	for i := range 1000 {
		app.Get(fmt.Sprintf("/splat%d/*", i), nothing)
	}
}

func expressions(app *routing.App) {
	for i := range 1000 {
		app.Route(http.MethodGet, routing.Regexp(regexp.MustCompile(fmt.Sprintf(`^/expression%d/(\d+)$`, i))), nothing)
	}
}

func nothing(routing.Context) (routing.Result, error) { return routing.Result{}, nil }
