package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A route is one line of a route table, in the notation of its source: ":name"
// is one segment, "*name" the rest of the path.
//
// Its handler writes the route's own method and pattern, so that a response
// tells which route gave it; with echo set it writes that parameter's value.
type route struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	Overlapping bool   `json:"overlapping"` // refused by httprouter beside the others

	echo string
}

func (rt route) body() string { return rt.Method + " " + rt.Path }

//go:embed testdata/routes.json
var routesJSON []byte

// routeTable returns one of the tables in testdata/routes.json.
func routeTable(name string) ([]route, error) {
	var tables map[string][]route
	if err := json.Unmarshal(routesJSON, &tables); err != nil {
		return nil, fmt.Errorf("read route tables: %w", err)
	}
	if len(tables[name]) == 0 {
		return nil, fmt.Errorf("read route tables: no table %q", name)
	}
	return tables[name], nil
}

// plain is the part of a table without overlaps, which every router accepts.
func plain(table []route) []route {
	return slices.DeleteFunc(slices.Clone(table), func(rt route) bool { return rt.Overlapping })
}

// withParams is the part of a table that has parameters.
func withParams(table []route) []route {
	return slices.DeleteFunc(slices.Clone(table), func(rt route) bool {
		return !strings.ContainsAny(rt.Path, ":*")
	})
}

// generalFirst orders a table so that of two routes that match the same path
// the more special one comes later: then "the last defined wins" and "the most
// special wins" are the same rule, and all routers owe the same responses.
func generalFirst(table []route) []route {
	return slices.SortedStableFunc(slices.Values(table), func(a, b route) int {
		return slices.Compare(specialness(a.Path), specialness(b.Path))
	})
}

func specialness(path string) []int {
	var s []int
	for segment := range strings.SplitSeq(path[1:], "/") {
		switch {
		case strings.HasPrefix(segment, "*"):
			s = append(s, 0)
		case strings.HasPrefix(segment, ":"):
			s = append(s, 1)
		default:
			s = append(s, 2)
		}
	}
	return s
}

// translate rewrites a path into another router's notation.
func (rt route) translate(param, rest func(name string) string) string {
	segments := strings.Split(rt.Path, "/")
	for i, s := range segments {
		switch {
		case strings.HasPrefix(s, ":"):
			segments[i] = param(s[1:])
		case strings.HasPrefix(s, "*"):
			segments[i] = rest(s[1:])
		}
	}
	return strings.Join(segments, "/")
}

// callsFor asks for each route once: every parameter has its own name as
// its value, and a rest of a path is two segments long.
func callsFor(ctx context.Context, table []route) []call {
	self := func(name string) string { return name }
	xs := make([]call, len(table))
	for i, rt := range table {
		target := rt.translate(self, func(name string) string { return name + "/file.go" })
		body := rt.body()
		if rt.echo != "" {
			body = rt.echo
		}
		xs[i] = call{
			request: newRequest(ctx, rt.Method, target),
			want:    response{http.StatusOK, plainText, body},
		}
	}
	return xs
}

// generated returns a table of n routes shaped like a large REST interface:
// areas, with 25 kinds of things each, and four routes for each kind.
func generated(n int) []route {
	table := make([]route, 0, n)
	for i := 0; len(table) < n; i++ {
		base := fmt.Sprintf("/area%d/kind%d", i/25, i%25)
		table = append(table,
			route{Method: http.MethodGet, Path: base},
			route{Method: http.MethodPost, Path: base},
			route{Method: http.MethodGet, Path: base + "/:id"},
			route{Method: http.MethodGet, Path: base + "/:id/parts/:part"},
		)
	}
	return table[:n]
}

// spread picks at most n routes that are spread over the whole table, in an
// order without a pattern that a processor could learn.
func spread(table []route, n int) []route {
	picked := slices.SortedFunc(slices.Values(table), func(a, b route) int {
		return cmp.Compare(scatter(a.body()), scatter(b.body()))
	})
	return picked[:min(n, len(picked))]
}

// scatter is FNV-1a: the same order in every run.
func scatter(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h ^ h>>29
}
