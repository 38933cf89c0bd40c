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
	mayHide := func(i int) bool { return len(ix.routes[i].conditions) == 0 }
	var shadows []Shadow
	for i, hidden := range ix.routes {
		if by, ok := ix.Hider(i, mayHide); ok {
			shadows = append(shadows, Shadow{hidden, ix.routes[by]})
		}
	}
	return shadows
}

// Unindexed returns the routes whose pattern is tried on every request for their method, in order of
// definition: regular expressions that are not anchored or do not begin with literal text, such as
// `\.png$` or `^/(\w+)-(\d+)$`, and patterns such as "/:name.:format". Each costs time on requests
// that it does not match, some hundred nanoseconds; all other patterns are found by an index. The
// app's logger is told once if there are more than 100 of them.
func (a *App) Unindexed() []*Route {
	var routes []*Route
	for _, r := range a.defined().routes {
		if r.pattern.p.Unindexed() {
			routes = append(routes, r)
		}
	}
	return routes
}

// manyUnindexed is how many unindexed routes an app may have before it is logged.
const manyUnindexed = 100

// tellUnindexed logs once that there are many unindexed routes.
func (a *App) tellUnindexed() {
	routes := a.Unindexed()
	if len(routes) > manyUnindexed && !a.toldUnindexed.Swap(true) {
		a.logger().Warn("patterns of many routes are tried on every request: anchor them and let them begin with literal text",
			"routes", len(routes), "example", routes[0].String())
	}
}
