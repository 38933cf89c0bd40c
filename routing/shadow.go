package routing

import "fmt"

// Shadow is a route that a later one hides: whatever matches Hidden matches By too, which goes first. Hidden runs only when By
// passes.
type Shadow struct {
	Hidden, By *Route
}

// String tells both routes.
func (s Shadow) String() string {
	return fmt.Sprintf("%s is hidden by %s, which is defined later", s.Hidden, s.By)
}

// Shadowed returns the routes that later ones hide entirely, in order of definition, each with the newest that does. It never names a
// route that can be reached, but it does not find all that cannot: patterns that need a regular expression, and ones that only
// several later routes hide together, are left out. A route with conditions hides nothing.
func (a *App) Shadowed() []Shadow {
	ix := a.current()
	var shadows []Shadow
	for _, hidden := range ix.routes {
		if by := ix.hider(hidden); by != nil {
			shadows = append(shadows, Shadow{hidden, by})
		}
	}
	return shadows
}

// hider returns the newest route that hides r, or nil. Only a route that matches a sample of r's paths can, so the index tells
// which to compare.
func (ix *index) hider(r *Route) *Route {
	method := r.method
	t := ix.methods[method]
	if t == nil {
		t = ix.any
	}
	sample := r.pattern.p.Sample()
	if sample == "" {
		return nil
	}
	for _, l := range t.all(nil, sample, noBound) {
		by := l.route
		if by.index <= r.index {
			break
		}
		if len(by.conditions) == 0 && (by.method == method || by.method == "") && by.pattern.p.Covers(r.pattern.p) {
			return by
		}
	}
	return nil
}
