package routing

import (
	"fmt"
	"slices"
	"sync/atomic"

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

// where is the option of [Where].
type where struct {
	name  string
	class *pattern.Class
	used  atomic.Bool // by a pattern of the group
}

func (w *where) applyRoute(s *routeSettings) { s.where = append(s.where, w) }

// classes returns the classes that options set for the parameters of a pattern and its prefix. The
// last option wins.
func (s *routeSettings) classes(p *pattern.Pattern, prefix *pattern.Prefix) map[string]*pattern.Class {
	if len(s.ofGroups)+len(s.where) == 0 {
		return nil
	}
	classes, names := make(map[string]*pattern.Class), append(prefix.Names(), p.Names()...)
	for _, w := range s.ofGroups {
		if slices.Contains(names, w.name) {
			classes[w.name] = w.class
			w.used.Store(true)
		}
	}
	for _, w := range s.where {
		classes[w.name] = w.class
	}
	return classes
}
