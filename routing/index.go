package routing

import (
	"net/http"
	"slices"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

// definitions holds everything that was defined, in order.
type definitions struct {
	routes []*Route
	before []filter
	after  []filter
	layers []http.Handler // middleware; each continues with the next

	notFound, methodNotAllowed Action
	onError                    func(Context, error) (Result, error)
	answers405                 bool // respond with 405 if only routes of other methods match
}

// index holds all definitions, ready to serve. It is immutable: after a definition, the next
// request builds a new one. Package match finds the candidates of a request, newest first.
type index struct {
	definitions
	app     *core
	order   []*Route // the routes by the numbers of package match: the last one is tried first
	usual   string   // the base path of most requests, with mount prefixes
	appSite site     // for the not-found action and the error handler, if no route ran
	*match.Index[candidate]

	direct    int // paths up to this length need no prepare; -1 for none
	longQuery int // queries of at least this length need receive
}

// numbered returns f with its place among the definitions.
func (d *definitions) numbered(f filter) filter {
	f.number, f.routes = len(d.before)+len(d.after), len(d.routes)
	return f
}

// newIndex builds the index of d. It keeps d's slices, which only ever grow at their end.
func newIndex(a *core, d *definitions) *index {
	base := a.basePath()
	ix := &index{definitions: *d, app: a, usual: base}
	ix.appSite = site{app: a, base: len(base), limits: &a.settings.limits}
	ix.direct, ix.longQuery = a.settings.pathLimit, urlencoded.Short+1
	if len(d.before) > 0 || a.settings.strictPaths {
		ix.direct = -1
	}
	if a.settings.override {
		ix.longQuery = 0
	}
	ix.before, ix.after = filtersAt(d.before, a, len(base)), filtersAt(d.after, a, len(base))
	ix.order = d.routes
	if a.settings.firstMatch {
		ix.order = slices.Clone(d.routes)
		slices.Reverse(ix.order)
	}
	ix.Index = match.New(match.Definitions{
		Count:   len(ix.order),
		Method:  func(i int) string { return ix.order[i].method },
		Pattern: func(i int) *pattern.Pattern { return ix.order[i].pattern.p },
	}, func(i int, s *pattern.Shape) candidate { return ix.candidate(i, s) })
	return ix
}

// candidate is a route that a request may run, for paths of one shape. It holds what most requests
// need of the route, in one cache line.
type candidate struct {
	route  *Route
	action Action
	name   string // the route's name, with the usual base path
	site   site   // for the action
	late   *site  // for after filters and the error handler; nil if there are none
	number int    // of the route, in package match
	simple bool   // the route has neither conditions nor middleware
}

func (ix *index) candidate(i int, s *shape) candidate {
	r := ix.order[i]
	c := candidate{
		route:  r,
		number: i,
		action: r.action,
		name:   r.nameBelow(ix.usual),
		site:   site{app: ix.app, own: s, base: len(ix.usual), limits: r.limits},
		simple: len(r.conditions) == 0 && r.chain == nil,
	}
	if len(ix.after) > 0 || ix.onError != nil {
		late := c.site
		late.own, late.ran = nil, s
		c.late = &late
	}
	return c
}

// lateSite returns the site of a filter or handler that runs after the action and has captures of
// its own.
func (c *candidate) lateSite(own *shape) *site {
	if own == nil && c.late != nil {
		return c.late
	}
	s := c.site
	s.own, s.ran = own, c.site.own
	return &s
}
