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
