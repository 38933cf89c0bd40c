// Package match finds the definitions that match a method and a path, newest first. It does not
// depend on HTTP: a definition is a method, a pattern and a number, and higher numbers are newer.
//
// There is a table for each method (this file). In a table, patterns without parameters are in a
// map by the whole path, all others in a trie of segments (table.go, search.go). A definition has a
// leaf for each shape of its pattern. A leaf carries a value of the caller.
//
// Nearly all requests need one search, for the newest leaf. If that one passes, a second search
// finds the newest below it. After that, All collects the others at once, since a search for each
// would take quadratic time.
package match

import (
	"iter"
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
)

// Turn returns when definitions with method own are tried for a request with method asked: in turn
// 1, in turn 2, or 0 for never. An empty method stands for every method. A HEAD request tries the
// HEAD definitions, then those of GET. This is the only place with this rule.
func Turn(own, asked string) int {
	switch {
	case own == asked:
		return 1
	case asked == "HEAD" && (own == "GET" || own == ""):
		return 2 // together with those of GET
	case asked != "HEAD" && own == "":
		return 1
	}
	return 0
}

// Index holds definitions. It is immutable and safe for concurrent use.
type Index[V any] struct {
	Definitions
	methods map[string]tables[V] // the empty method is for those that no definition has

	// The tables of nearly all requests, so that these need no map.
	get, post, put, delete, patch *Table[V]
}

// tables are the tables to search for a method, in order; the second may be nil.
type tables[V any] struct{ first, second *Table[V] }

// Definitions are the input of [New].
type Definitions struct {
	Count   int
	Method  func(i int) string
	Pattern func(i int) *pattern.Pattern
}

// New returns an index. Value returns the value of the leaf for definition i and one of its
// shapes, which is nil for the nil Pattern.
func New[V any](d Definitions, value func(i int, s *pattern.Shape) V) *Index[V] {
	ix := &Index[V]{Definitions: d, methods: map[string]tables[V]{"": {}, "GET": {}}}
	for i := range d.Count {
		ix.methods[d.Method(i)] = tables[V]{}
	}
	for method := range ix.methods {
		t := new(Table[V])
		for i := range d.Count {
			if Turn(d.Method(i), method) == 1 {
				t.add(i, d.Pattern(i), value)
			}
		}
		ix.methods[method] = tables[V]{first: t}
	}
	ix.get, ix.post, ix.put = ix.of("GET").first, ix.of("POST").first, ix.of("PUT").first
	ix.delete, ix.patch = ix.of("DELETE").first, ix.of("PATCH").first
	head := tables[V]{first: ix.get}
	if own, ok := ix.methods["HEAD"]; ok {
		head = tables[V]{own.first, ix.get}
	}
	ix.methods["HEAD"] = head
	return ix
}

// of returns the tables for a method, from the map.
func (ix *Index[V]) of(method string) tables[V] {
	if t, ok := ix.methods[method]; ok {
		return t
	}
	return ix.methods[""]
}

// Tables returns the tables to search for a method, in order; the second may be nil. For the empty
// method, it holds the definitions of every method.
func (ix *Index[V]) Tables(method string) (first, second *Table[V]) {
	switch method {
	case "GET":
		return ix.get, nil
	case "POST":
		return ix.post, nil
	case "PUT":
		return ix.put, nil
	case "DELETE":
		return ix.delete, nil
	case "PATCH":
		return ix.patch, nil
	}
	t := ix.of(method)
	return t.first, t.second
}

// Allowed returns the methods under which path matches a definition, sorted. It returns none if
// path matches under the request's own method.
func (ix *Index[V]) Allowed(own, path string) (methods []string) {
	if ix.of(own).match(path) {
		return nil
	}
	for method, t := range ix.methods {
		if method != "" && t.match(path) {
			methods = append(methods, method)
		}
	}
	slices.Sort(methods)
	return methods
}

func (t tables[V]) match(path string) bool {
	return t.first.Newest(path, NoBound) != nil || t.second != nil && t.second.Newest(path, NoBound) != nil
}

// Hidden yields the definitions that a newer one hides, in order, each with the newest of those
// that may hide others. That one is tried for the same methods, and matches every path that the
// hidden one matches. Definitions that only several others hide together are not found, and of
// those with an expression not all.
func (ix *Index[V]) Hidden(may func(i int) bool) iter.Seq2[int, int] {
	var hiders []int
	for i := range ix.Count {
		if may(i) {
			hiders = append(hiders, i)
		}
	}
	// An index of these alone does not meet all the others again for each definition.
	only := New(Definitions{
		Count:   len(hiders),
		Method:  func(n int) string { return ix.Method(hiders[n]) },
		Pattern: func(n int) *pattern.Pattern { return ix.Pattern(hiders[n]) },
	}, func(n int, _ *pattern.Shape) int { return hiders[n] })
	return func(yield func(hidden, by int) bool) {
		for i := range ix.Count {
			method, p := ix.Method(i), ix.Pattern(i)
			sample := p.Sample()
			if sample == "" {
				continue
			}
			// What matches all paths of p also matches the sample, so few are compared.
			table, _ := only.Tables(method)
			for l := table.Newest(sample, NoBound); l != nil && l.Value > i; l = table.Newest(sample, Below(l.number())) {
				if by := l.Value; Turn(ix.Method(by), method) == 1 && ix.Pattern(by).Covers(p) {
					if !yield(i, by) {
						return
					}
					break
				}
			}
		}
	}
}
