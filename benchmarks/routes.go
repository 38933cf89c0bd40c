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

// A route is an entry of a route table. In its path ":name" is one segment, "*name" the rest of the
// path.
//
// Its handler writes the route's method and pattern, to identify the route, or the value of the
// parameter echo if that is set.
type route struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	Overlapping bool   `json:"overlapping"` // refused by httprouter together with the others

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

// plain returns the routes without overlaps, which every router accepts.
func plain(table []route) []route {
	return slices.DeleteFunc(slices.Clone(table), func(rt route) bool { return rt.Overlapping })
}

// withParams returns the routes with parameters.
func withParams(table []route) []route {
	return slices.DeleteFunc(slices.Clone(table), func(rt route) bool {
		return !strings.ContainsAny(rt.Path, ":*")
	})
}

// generalFirst orders a table so that of two overlapping routes the more specific one comes later.
// Then "the last defined wins" and "the most specific wins" are the same rule, and all routers must
// give the same responses.
func generalFirst(table []route) []route {
	return slices.SortedStableFunc(slices.Values(table), func(a, b route) int {
		return slices.Compare(specificity(a.Path), specificity(b.Path))
	})
}

func specificity(path string) []int {
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

// translate rewrites a path in another router's notation.
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

// callsFor returns a call for each route. The value of a parameter is its name, and the rest of a
// path has two segments.
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

// generated returns a table of n routes like those of a large REST interface: areas with 25 kinds
// of resources each, and four routes for each kind.
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

// spread picks at most n routes from the whole table, in an order that a processor cannot predict.
func spread(table []route, n int) []route {
	picked := slices.SortedFunc(slices.Values(table), func(a, b route) int {
		return cmp.Compare(hashOf(a.body()), hashOf(b.body()))
	})
	return picked[:min(n, len(picked))]
}

// hashOf is the FNV-1a hash, with its high bits mixed into the low ones. It is the same in every
// run.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h ^ h>>29
}
