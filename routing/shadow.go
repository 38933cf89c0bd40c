package routing

import "fmt"

// Shadow is a route that a later one hides: By matches every request that Hidden matches, and
// comes first. Hidden runs only if By passes.
type Shadow struct {
	Hidden, By *Route
}

// String describes both routes.
func (s Shadow) String() string {
	return fmt.Sprintf("%s is hidden by %s, which is defined later", s.Hidden, s.By)
}

// Shadowed returns the routes that a later route hides entirely, in order of definition, each with
// the newest such route. Every result is certain, but not all hidden routes are found: patterns
// that need a regular expression are skipped, and routes that only several others hide together.
// Routes with conditions hide nothing.
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

// Unindexed returns the routes whose patterns are tried on every request for their method, in
// order of definition: regular expressions that are not anchored or do not start with literal
// text, such as `\.png$` or `^/(\w+)-(\d+)$`, and patterns such as "/:name.:format". Each costs
// some hundred nanoseconds on requests that it does not match; all other patterns are indexed. If
// there are more than 100, the app logs a warning once.
func (a *App) Unindexed() []*Route {
	var routes []*Route
	for _, r := range a.defined().routes {
		if r.pattern.p.Unindexed() {
			routes = append(routes, r)
		}
	}
	return routes
}

// manyUnindexed is how many unindexed routes an app may have without a warning.
const manyUnindexed = 100

// tellUnindexed logs the warning of [App.Unindexed].
func (a *App) tellUnindexed() {
	routes := a.Unindexed()
	if len(routes) > manyUnindexed && !a.toldUnindexed.Swap(true) {
		a.logger().Warn("many route patterns are tried on every request: anchor them and start them with literal text",
			"routes", len(routes), "example", routes[0].String())
	}
}
