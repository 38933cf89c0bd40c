package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"example.com/flowercafe/routing"
)

// This file lists the benchmarks of the routers. Those that need more than a route table have their
// own files.

// A suite is all benchmarks.
type suite struct {
	peers []peer
	short bool // without the contestants that a short run leaves out
}

func newSuite(short bool) suite {
	s := suite{peers(), short}
	s.peers = slices.DeleteFunc(s.peers, func(p peer) bool { return !s.measures(p.name) })
	return s
}

// measures reports whether a contestant takes part. A short run leaves out the slowest ones.
func (s suite) measures(name string) bool {
	return !s.short || !slices.Contains([]string{
		"servemux", "chi", "echo", "gorilla", "treemux", "database/sql+mattn", "gin+gorm",
	}, name)
}

// entry is one benchmark of the suite.
type entry struct {
	name  string
	short bool // measured with -short too
	once  bool // measured in one layout, on all processors: there is too much data, or the layout matters little
	build func(ctx context.Context) (*benchmark, error)
}

// entries returns the benchmarks in the order of the tables.
func (s suite) entries() []entry {
	measured := func(name string, build func(context.Context) (*benchmark, error)) entry {
		return entry{name: name, build: build}
	}
	short := func(name string, build func(context.Context) (*benchmark, error)) entry {
		return entry{name: name, short: true, build: build}
	}
	once := func(name string, build func(context.Context) (*benchmark, error)) entry {
		return entry{name: name, once: true, build: build}
	}
	return slices.Concat([]entry{
		measured("loopback_user", overLoopback(userPath, 64, "a parameter and JSON", "chi", "gin")),
		measured("loopback_coffees", overLoopback(coffeesPath, 64, "five rows of a database")),
		measured("loopback_flower", overLoopback(flowerPath, 64, "one flower")),
		measured("loopback_flowers", overLoopback(flowersPath, 64, "all flowers")),
		short("github_all", s.onTable("the 203 routes of GitHub's API that do not overlap, each once", "github", plain)),
		short("github_overlapping", s.onTable("all 239 routes of GitHub's API, general ones first", "github", generalFirst)),
		short("github_param", s.onTable("those of the 203 that have a parameter", "github", func(t []route) []route { return withParams(plain(t)) })),
		short("param_write", s.paramWrite),
		short("static_all", s.onTable("157 routes without parameters", "static", plain)),
		measured("static_one", s.onTable("one route without parameters", "static", func(t []route) []route { return t[:1] })),
		measured("gplus_all", s.onTable("the routes of Google+", "gplus", plain)),
		measured("parse_all", s.onTable("the routes of Parse", "parse", plain)),
		measured("routes_10", s.generatedRoutes(10)),
		measured("routes_100", s.generatedRoutes(100)),
		measured("routes_1000", s.generatedRoutes(1000)),
		measured("routes_10000", s.generatedRoutes(10_000)),
		{name: "routes_100000", short: true, once: true, build: s.generatedRoutes(100_000, "bunrouter", "gorilla")},
		measured("pass_1", passes(1)),
		measured("pass_2", passes(2)),
		measured("pass_10", passes(10)),
		measured("pass_100", passes(100)),
		measured("filter_none", filters("", "no filter")),
		measured("filter_prefix", filters("/p/*", "a filter with a literal prefix")),
		measured("filter_pattern", filters("/:p/*", "a filter with a parameter")),
		measured("splats_1000", beside("1,000 wildcards beside the path asked for", splats)),
		measured("regexps_1000", beside("1,000 anchored expressions beside the path asked for", expressions)),
	}, hosts(), nethttpEntries(), operationEntries(), []entry{
		once("access_log", accessLog),
		once("search_selective", search("flower 0499999")),
		once("search_34000", search("common")),
		once("search_letter", search("f")),
		short("coffees", coffees),
	}, growing())
}

// onTable measures all routers on part of a route table.
func (s suite) onTable(about, table string, part func([]route) []route) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		all, err := routeTable(table)
		if err != nil {
			return nil, err
		}
		routes := part(all)
		return s.routers(ctx, about, routes, routes), nil
	}
}

// routers measures every peer but those left out, with requests for the given routes.
func (s suite) routers(ctx context.Context, about string, table, asked []route, leftOut ...string) *benchmark {
	b := &benchmark{about: about, reference: "httprouter"}
	calls := callsFor(ctx, asked)
	times := 3
	if s.short {
		times = 1
	}
	for _, p := range s.peers {
		if slices.Contains(leftOut, p.name) {
			b.leaveOut(p.name, "takes longer to build the table than all others to be measured")
			continue
		}
		built, h, err := timeBuild(p, table, times)
		if err != nil {
			b.leaveOut(p.name, err.Error())
			continue
		}
		b.enter(p.name, h, calls)
		b.builds = append(b.builds, built)
	}
	if !slices.ContainsFunc(b.entrants, func(c *contestant) bool { return c.name == b.reference }) {
		b.reference = "bunrouter"
	}
	return b
}

func (s suite) paramWrite(ctx context.Context) (*benchmark, error) {
	table := []route{{Method: http.MethodGet, Path: "/user/:name", echo: "name"}}
	return s.routers(ctx, "one parameter, read and written", table, table), nil
}

func (s suite) generatedRoutes(n int, leftOut ...string) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		table := generated(n)
		return s.routers(ctx, fmt.Sprintf("%d routes of a large REST interface, 1,000 of them asked for", n), table, spread(table, 1000), leftOut...), nil
	}
}

// passes measures a request for which n routes pass before one responds.
func passes(n int) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		return alone(ctx, fmt.Sprintf("%d routes pass", n), func(rt route) http.Handler { return withPasses(rt, n) }), nil
	}
}

// filters measures a request for one route with ten filters with the pattern, or without filters if
// the pattern is empty.
func filters(pattern, about string) func(context.Context) (*benchmark, error) {
	n := 0
	if pattern != "" {
		n, about = 10, about+", ten times"
	}
	return func(ctx context.Context) (*benchmark, error) {
		return alone(ctx, about, func(rt route) http.Handler { return withFilters(rt, pattern, n) }), nil
	}
}

// alone measures this router without peers, with requests for one route.
func alone(ctx context.Context, about string, build func(route) http.Handler) *benchmark {
	rt := route{Method: http.MethodGet, Path: "/p/:id"}
	b := &benchmark{about: about, reference: "flowercafe"}
	b.enter("flowercafe", build(rt), callsFor(ctx, []route{rt}))
	return b
}

// beside measures GitHub's routes with and without additional routes that don't match.
func beside(about string, add func(*routing.App)) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		table, err := routeTable("github")
		if err != nil {
			return nil, err
		}
		table = plain(table)
		b := &benchmark{about: about, reference: "without"}
		calls := callsFor(ctx, table)
		b.enter("without", buildFlowercafe(table), calls)
		app := buildFlowercafe(table).(*routing.App)
		add(app)
		b.enter("flowercafe", app, calls)
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
