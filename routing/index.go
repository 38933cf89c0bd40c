package routing

import (
	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

// index is everything that is defined, ready to serve. It is immutable: a definition makes the next
// request build a new one. Package match finds the routes that match a request, newest first.
type index struct {
	definitions
	app     *App
	usual   string // the usual base path, mounts included
	appSite site   // of the not-found action and the error handler where no route ran
	*match.Index[candidate]

	direct    int // a path up to this length goes to the routes directly; -1 for none
	longQuery int // a query from this length on may be too long, or is not all that receive looks at
}

// newIndex builds the index of d. The index keeps d's slices as they are now: definitions are only ever added behind them.
func newIndex(a *App, d *definitions) *index {
	base, _ := a.baseOf(nil)
	ix := &index{definitions: *d, app: a, usual: base}
	ix.appSite = site{app: a, base: len(base), limits: &a.settings.limits}
	ix.direct, ix.longQuery = a.settings.pathLimit, a.settings.limits.Params
	if len(d.before) > 0 || a.settings.strictPaths {
		ix.direct = -1
	}
	if a.settings.override {
		ix.longQuery = 0
	}
	ix.before, ix.after = filtersAt(d.before, len(base)), filtersAt(d.after, len(base))
	routes := d.routes
	ix.Index = match.New(match.Definitions{
		Count:   len(routes),
		Method:  func(i int) string { return routes[i].method },
		Pattern: func(i int) *pattern.Pattern { return routes[i].pattern.p },
	}, func(i int, s *pattern.Shape) candidate { return ix.candidate(routes[i], s) })
	return ix
}

// candidate is a route that a request may run, for paths of one shape. What most requests need of
// the route is here, in one line of a processor's cache.
type candidate struct {
	route  *Route
	action Action
	name   string // the route's, with the usual base path
	site   site   // where the action stands
	late   *site  // where filters behind the action stand that have no parameters of their own; nil if there are none
	simple bool   // the route has neither conditions nor middleware
}

func (ix *index) candidate(r *Route, s *shape) candidate {
	c := candidate{
		route:  r,
		action: r.action,
		name:   r.name,
		site:   site{app: ix.app, own: s, base: len(ix.usual), limits: r.limits},
		simple: len(r.conditions) == 0 && r.chain == nil,
	}
	if ix.usual != r.base {
		c.name = r.nameBelow(ix.usual)
	}
	if len(ix.after) > 0 || ix.onError != nil {
		late := c.site
		late.own, late.ran = nil, s
		c.late = &late
	}
	return c
}
