package routing

import (
	"fmt"

	"example.com/flowercafe/routing/internal/pattern"
)

// This file has the rules for the values of parameters.

// Where restricts the values of a parameter: the regular expression must match the whole
// value. Other paths do not match the route.
//
//	app.Get("/users/:id", show, routing.Where("id", "[0-9]+"))
//
// The expression replaces the syntax's rule: with "[^/]+", a parameter of [Rails] may contain
// dots. In [App.Group] it is for the prefix, and for the patterns of the group that have the
// parameter; in [App.Mount] it is for the prefix. A parameter of a prefix has no other Where. Of
// several for another name the last one counts.
//
// Where panics if the expression is invalid or has anchors. That of a parameter must not match a
// slash or the empty text. The pattern, or one of the group, must have the parameter. A character
// class with a repetition, such as "[a-z-]+" or \d{4}, costs nearly nothing.
func Where(name, expression string) RouteOption {
	class, err := pattern.NewClass(expression)
	if err != nil {
		panic(fmt.Sprintf("routing: Where(%q, %q): %v", name, expression, err))
	}
	return &where{name: name, class: class}
}
