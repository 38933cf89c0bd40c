package resources

import (
	"fmt"

	"example.com/flowercafe/routing"
)

// Option is an option of [Scope.Resources].
type Option interface{ apply(*settings) }

// ResourceOption is an option of [Scope.Resource] too.
type ResourceOption interface {
	Option
	ofResource()
}

// NamespaceOption is an option of [Scope.Namespace] too.
type NamespaceOption interface {
	ResourceOption
	ofNamespace()
}

// ScopeOption is an option of [Scope.Scope] too.
type ScopeOption interface {
	NamespaceOption
	ofScope()
}

// RouteOption is an option of single routes too, as in [Scope.Get].
type RouteOption interface {
	ScopeOption
	ofRoute()
}

// option implements all of these. A constructor's return type determines where it is accepted.
type option func(*settings)

func (o option) apply(s *settings) { o(s) }
func (option) ofResource()         {}
func (option) ofNamespace()        {}
func (option) ofScope()            {}
func (option) ofRoute()            {}

// settings holds the options of a definition.
type settings struct {
	as, path, param *string
	only, except    []string
	hasOnly         bool // only may be empty
	shallow         bool
	noFormat        bool
	pathNames       map[string]string
	wheres          map[string]*where
	routes          []routing.RouteOption
	inside          []func(*Scope)
}

// settingsOf applies the options of a definition.
func settingsOf[O Option](what string, options []O) settings {
	s := settings{pathNames: make(map[string]string), wheres: make(map[string]*where)}
	for _, o := range options {
		if any(o) == nil {
			panic("resources: " + what + ": an option is nil: leave it out")
		}
		o.apply(&s)
	}
	for _, w := range s.wheres {
		w.what = what
	}
	return s
}

// As sets the name of a route, a scope or a [Scope.Resource]. The names of the scopes around it are
// added.
func As(name string) RouteOption { return option(func(s *settings) { s.as = &name }) }

// Path sets the path of a resource or namespace, by default its name.
func Path(path string) NamespaceOption { return option(func(s *settings) { s.path = &path }) }

// Param sets the parameter of a resource, by default "id". In nested routes it follows the
// singular, as in post_slug.
func Param(name string) Option { return option(func(s *settings) { s.param = &name }) }

// Only limits a resource to the given actions: index, new, create, show, edit, update or destroy.
func Only(actions ...string) ResourceOption {
	checkActions("Only", actions)
	return option(func(s *settings) { s.only, s.hasOnly = append(s.only, actions...), true })
}

// Except leaves out the given actions of a resource.
func Except(actions ...string) ResourceOption {
	checkActions("Except", actions)
	return option(func(s *settings) { s.except = append(s.except, actions...) })
}

// Shallow gives the members of nested [Scope.Resources] paths without their parents, such as
// /comments/:id.
func Shallow() ScopeOption { return option(func(s *settings) { s.shallow = true }) }

// PathName sets the segment of the action new or edit, here and in nested resources.
func PathName(action, segment string) ScopeOption {
	if action != "new" && action != "edit" {
		panic(fmt.Sprintf("resources: PathName(%q): only new and edit have a segment of their own", action))
	}
	return option(func(s *settings) { s.pathNames[action] = segment })
}

// Where is [routing.Where] for all routes of a definition that have the parameter. The Where of a
// resource also applies in nested routes: "id" to post_id. An inner Where replaces an outer one.
func Where(param, expression string) RouteOption {
	return option(func(s *settings) { s.wheres[param] = &where{param: param, expression: expression} })
}

// NoFormat leaves out the format of [routing.WithFormatSuffix], in nested routes too.
func NoFormat() RouteOption { return option(func(s *settings) { s.noFormat = true }) }

// Route adds options of package routing to all routes of a definition.
func Route(options ...routing.RouteOption) RouteOption {
	return option(func(s *settings) { s.routes = append(s.routes, options...) })
}

// Inside draws more routes inside a resource.
func Inside(draw func(*Scope)) ResourceOption {
	if draw == nil {
		panic("resources: Inside: pass a function, not nil")
	}
	return option(func(s *settings) { s.inside = append(s.inside, draw) })
}
