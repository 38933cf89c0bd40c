package routing

import (
	"slices"

	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

// index holds all definitions, prepared for the requests of one mount point. It is immutable: after
// a definition, the next request builds a new index. Package match finds the routes of a
// request, in the order in which they are tried.
type index struct {
	*mountPoint
	definitions              // a copy, since a pointer costs a simple request 1 %
	builtFrom   *definitions // definitions is a copy of it
	order       []*Route     // the routes by the numbers of package match: the last one is tried first
	*match.Index[routeVariant]

	before, after []filter
	prepared      preparedContext // for the not-found action and the error handler, if no route ran
}

// build returns the current index. It builds the index unless another goroutine has built it.
func (p *mountPoint) build() *index {
	if p.app == nil {
		panic(zeroAppText)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.app.definitions.Load()
	if ix := p.index.Load(); ix != nil && ix.builtFrom == d {
		return ix
	}
	ix := &index{mountPoint: p, definitions: *d, builtFrom: d, order: d.routes}
	ix.prepared = preparedContext{mountPoint: p, base: len(p.base), bodyLimit: p.bodyLimit}
	if p.varies {
		ix.prepared.base = -1
	}
	ix.before, ix.after = filtersAt(d.filters, "before", ix.prepared), filtersAt(d.filters, "after", ix.prepared)
	if p.firstMatch {
		ix.order = slices.Clone(d.routes)
		slices.Reverse(ix.order)
	}
	ix.Index = match.New(match.Routes{
		Count:   len(ix.order),
		Method:  func(i int) string { return ix.order[i].method },
		Pattern: func(i int) *pattern.Pattern { return ix.order[i].pattern.p },
	}, ix.fill)
	p.index.Store(ix)
	return ix
}

// routeVariant is a route and a variant of its pattern. It has copies of the fields that most
// requests read, so that they do not load the route.
type routeVariant struct {
	route          *Route
	action         Action
	name           string          // the route's name, with the base path
	prepared       preparedContext // for the action
	*uncommonRoute                 // nil without conditions, middleware and a mounted app
}

// uncommonRoute has the fields that few route variants need.
type uncommonRoute struct {
	inner *mountPoint // the mount point of the app that is mounted here; nil for other routes
}

// indexedRoute is a routeVariant in the index.
type indexedRoute = match.Leaf[routeVariant]

// fill sets v for route i and a variant of its pattern.
func (ix *index) fill(v *routeVariant, i int, ofPattern *variant) {
	r := ix.order[i]
	v.route, v.action, v.name, v.prepared = r, r.action, r.nameBelow(ix.base), ix.prepared
	v.prepared.variant, v.prepared.bodyLimit = ofPattern, r.bodyLimit
	switch {
	case r.mount != nil:
		v.uncommonRoute = &uncommonRoute{ix.mountPointOf(r)}
	case len(r.conditions) > 0 || r.around != nil:
		v.uncommonRoute = new(uncommonRoute)
	}
}

// preparedAfter returns the prepared context of an after filter whose pattern has the given
// variant. The variant is nil for a filter without a pattern.
func (v *routeVariant) preparedAfter(filter *variant) *preparedContext {
	if !filter.HasNames() {
		return &v.prepared
	}
	s := v.prepared
	s.variant, s.ofRoute = filter, v.prepared.variant
	return &s
}
