// Package match finds the routes that match a method and a path, in the order in which they are
// tried. A route is a method, a pattern and a number, and the route with the highest number is
// tried first: the one defined last, or with routing.WithFirstMatch the one defined first.
//
// There is a table for each method (this file). In a table, patterns without parameters are in a
// map by the whole path, all others in a trie of segments (table.go, search.go). A route has a leaf
// for each variant of its pattern. A leaf contains a value of the caller.
//
// Nearly all requests need one search, for the leaf with the highest priority. If its route passes,
// All collects the other leaves at once, since a search for each would take quadratic time.
package match

import (
	"cmp"
	"iter"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// Rank returns 0 if routes with a method are not tried for a request with the method requested. Of
// the others, the routes of rank 2 are tried before those of rank 1. An empty method means every
// method. A HEAD is a GET without its content (RFC 9110, 9.3.2), so it tries the routes of HEAD,
// then the routes of GET.
func Rank(method, requested string) int {
	switch {
	case requested == "HEAD" && method == requested:
		return 2
	case method == requested, method == "", requested == "HEAD" && method == "GET":
		return 1
	}
	return 0
}

// Index holds routes. It is immutable and safe for concurrent use.
type Index[V any] struct {
	Routes
	methods map[string]*table[V] // the empty method is for methods without a route

	// Tables of the map, as fields: most requests need no lookup in it.
	get, post, put, delete, patch *table[V]
}

// Routes are the input of [New].
type Routes struct {
	Count   int
	Method  func(i int) string
	Pattern func(i int) *pattern.Pattern
}

// New returns an index. Fill sets the value of the leaf for route i and one of its variants, which
// is nil for the nil Pattern. Fill writes the value in place.
func New[V any](routes Routes, fill func(value *V, i int, v *pattern.Variant)) *Index[V] {
	ix := &Index[V]{Routes: routes, methods: map[string]*table[V]{"": nil, "GET": nil}}
	for i := range routes.Count {
		ix.methods[routes.Method(i)] = nil
	}
	for method := range ix.methods {
		t := new(table[V])
		for rank := 1; rank <= 2; rank++ {
			for i := range routes.Count {
				if Rank(routes.Method(i), method) == rank {
					t.add((rank-1)*routes.Count+i, routes.Pattern(i), func(value *V, v *pattern.Variant) { fill(value, i, v) })
				}
			}
		}
		ix.methods[method] = t
	}
	if ix.methods["HEAD"] == nil { // no route of HEAD, so it needs no copy of GET's table
		ix.methods["HEAD"] = ix.methods["GET"]
	}
	others := ix.methods[""]
	ix.get, ix.post, ix.put = ix.methods["GET"], cmp.Or(ix.methods["POST"], others), cmp.Or(ix.methods["PUT"], others)
	ix.delete, ix.patch = cmp.Or(ix.methods["DELETE"], others), cmp.Or(ix.methods["PATCH"], others)
	return ix
}

// Allowed returns the methods under which path matches a route, sorted. It returns no methods if
// path matches under the request's method.
func (ix *Index[V]) Allowed(requested, path string) (methods []string) {
	if ix.First(requested, path) != nil {
		return nil
	}
	for method, t := range ix.methods {
		if method != "" && t.first(path, nil) != nil {
			methods = append(methods, method)
		}
	}
	slices.Sort(methods)
	return methods
}

// Hidden yields the routes that another route hides, by ascending numbers, each with the route that
// hides it. If several do, it is the one that is tried first. A route hides another if it is tried
// before it, for the same methods, and matches every path of the other; canHide excludes routes.
// Routes that only several routes together hide are not found, nor are some with partial segments
// or expressions.
func (ix *Index[V]) Hidden(canHide func(i int) bool) iter.Seq2[int, int] {
	var hiders []int
	for i := range ix.Count {
		if canHide(i) {
			hiders = append(hiders, i)
		}
	}
	// A search in an index of only these routes skips all other routes.
	hiderIndex := New(Routes{
		Count:   len(hiders),
		Method:  func(n int) string { return ix.Method(hiders[n]) },
		Pattern: func(n int) *pattern.Pattern { return ix.Pattern(hiders[n]) },
	}, func(v *int, n int, _ *pattern.Variant) { *v = hiders[n] })
	return func(yield func(hidden, by int) bool) {
		for i := range ix.Count {
			method, p := ix.Method(i), ix.Pattern(i)
			// A route that matches all paths of p also matches the sample, so few are compared.
			table, sample := hiderIndex.table(method), p.Sample()
			for l := table.first(sample, nil); l != nil && l.Value > i; l = table.first(sample, l) {
				by := l.Value
				if Rank(ix.Method(by), method) != Rank(method, method) || !ix.Pattern(by).Covers(p) {
					continue
				}
				if !yield(i, by) {
					return
				}
				break
			}
		}
	}
}
