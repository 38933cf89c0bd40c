package routing

import (
	"fmt"

	"example.com/flowercafe/routing/internal/pattern"
)

// This file restricts the values of parameters.

// Where restricts the values of a parameter: the regular expression must match the whole value.
//
//	app.Get("/users/:id", show, routing.Where("id", "[0-9]+"))
//
// The expression replaces the syntax's rule: with "[^/]+", a parameter of [Rails] may contain dots.
// In [App.Group] it applies to the prefix, and to the patterns of the group that have the
// parameter; in [App.Mount] to the prefix.
//
// The expression must have no anchors. That of a parameter must not match a slash or the empty
// string.
func Where(name, expression string) RouteOption {
	class, err := pattern.NewClass(expression)
	if err != nil {
		panic(fmt.Sprintf("routing: Where(%q, %q): %v", name, expression, err))
	}
	return &where{name: name, class: class}
}
