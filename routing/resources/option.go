package resources

import (
	"fmt"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// Option configures what a method of a [Scope] defines. Each method says which options it allows;
// any other panics.
type Option struct {
	name  string
	apply func(*settings)
}

// settings holds the options of one definition.
type settings struct {
	as, path, param *string
	only, except    []string
	shallow         bool
	noFormat        bool
	pathNames       map[string]string
	wheres          map[string]*where
	routes          []routing.RouteOption
	inside          []func(*Scope)
}

// settingsOf applies the options of a definition, which allows some of them.
func settingsOf(what string, options []Option, allowed ...string) settings {
	s := settings{pathNames: make(map[string]string), wheres: make(map[string]*where)}
	for _, o := range options {
		if o.apply == nil {
			panic("resources: " + what + ": the zero Option is not valid: leave it out")
		}
		if !slices.Contains(allowed, o.name) {
			panic(fmt.Sprintf("resources: %s: the option %s does nothing here; allowed are %s", what, o.name, strings.Join(allowed, ", ")))
		}
		o.apply(&s)
	}
	for _, w := range s.wheres {
		w.what = what
	}
	return s
}

// As sets the name of a route or a scope, without the prefixes of scopes around it. For a
// [Scope.Resource] it also begins the names inside.
func As(name string) Option { return Option{"As", func(s *settings) { s.as = &name }} }

// Path sets the path of a resource or namespace, which is otherwise its name.
func Path(path string) Option { return Option{"Path", func(s *settings) { s.path = &path }} }

// Param sets the parameter of a resource, which is otherwise "id". Nested routes have it with the
// singular in front, such as post_slug.
func Param(name string) Option { return Option{"Param", func(s *settings) { s.param = &name }} }

// Only leaves out all actions of a resource but these: index, new, create, show, edit, update and
// destroy. An unknown action panics, and so does one that is nil in [Actions].
func Only(actions ...string) Option {
	checkActions("Only", actions)
	return Option{"Only", func(s *settings) { s.only = append(s.only, actions...) }}
}

// Except leaves out these actions of a resource. An unknown action panics.
func Except(actions ...string) Option {
	checkActions("Except", actions)
	return Option{"Except", func(s *settings) { s.except = append(s.except, actions...) }}
}

// Shallow gives the members of nested resources paths without their parents: /comments/:id in place
// of /posts/:post_id/comments/:id. For resources and scopes.
func Shallow() Option { return Option{"Shallow", func(s *settings) { s.shallow = true }} }

// PathName sets the segment of the action new or edit, for example in another language. It is for
// resources and scopes, and for all that is inside.
func PathName(action, segment string) Option {
	if action != "new" && action != "edit" {
		panic(fmt.Sprintf("resources: PathName(%q): only new and edit have a segment of their own", action))
	}
	return Option{"PathName", func(s *settings) { s.pathNames[action] = segment }}
}

// Where is [routing.Where] for all routes of a definition that have the parameter, which may be
// "format". The one of a resource also applies to its parameter in nested routes: "id" to post_id.
// If no route has the parameter, Draw panics.
func Where(param, expression string) Option {
	return Option{"Where", func(s *settings) { s.wheres[param] = &where{param: param, expression: expression} }}
}

// NoFormat leaves out the format that [routing.WithFormat] adds to paths, as "format: false" does.
// It is for routes, resources and scopes, and for all that is inside.
func NoFormat() Option { return Option{"NoFormat", func(s *settings) { s.noFormat = true }} }

// Route adds options of package routing to all routes of a definition, such as [routing.Use] and
// [routing.When].
func Route(options ...routing.RouteOption) Option {
	return Option{"Route", func(s *settings) { s.routes = append(s.routes, options...) }}
}

// Inside draws further routes inside a resource. A function passed for several resources is what
// Rails calls a concern. A nil function panics.
func Inside(draw func(*Scope)) Option {
	if draw == nil {
		panic("resources: Inside: pass a function, not nil")
	}
	return Option{"Inside", func(s *settings) { s.inside = append(s.inside, draw) }}
}
