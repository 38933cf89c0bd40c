package routing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/pattern"
)

// Group defines routes and filters below a prefix and with shared options. [App.Group] makes one.
// Its definitions belong to the app and are ordered like all others. It is safe for concurrent
// use, also after the define function has returned.
type Group struct {
	app     *App
	prefix  string
	options []RouteOption
	filters []FilterOption // the options that are for filters too
}

// Group calls define with a group of routes and filters below prefix:
//
//	app.Group("/admin", func(g *routing.Group) {
//		g.Before(requireLogin)        // for /admin and everything below
//		g.Get("/", dashboard)         // GET /admin and /admin/
//		g.Get("/users/:name", showUser)
//	}, routing.Use(noStore))
//
// The options apply to every route of the group, before the route's own. A [Condition] also
// applies to the filters.
//
// The prefix consists of literal segments and parameters, as in "/users/:user". A trailing slash
// is ignored; with an empty prefix the group only shares options. Any other prefix panics, and so
// do a nil define and an app with another syntax than [Sinatra] or [Rails].
func (a *App) Group(prefix string, define func(*Group), options ...RouteOption) {
	(&Group{app: a}).Group(prefix, define, options...)
}

// Group makes a nested group, with both prefixes and the options of both.
func (g *Group) Group(prefix string, define func(*Group), options ...RouteOption) {
	prefix, err := groupPrefix(prefix)
	if err != nil {
		panic(fmt.Sprintf("routing: group %q: %v", g.prefix+prefix, err))
	}
	if define == nil {
		panic(fmt.Sprintf("routing: group %q: pass a function, not nil", g.prefix+prefix))
	}
	inner := &Group{g.app, g.prefix + prefix, append(slices.Clip(g.options), options...), slices.Clip(g.filters)}
	for _, o := range options {
		if condition, ok := o.(FilterOption); ok {
			inner.filters = append(inner.filters, condition)
		}
	}
	if inner.prefix != "" {
		inner.read("") // panics early if the syntax has no groups
	}
	define(inner)
}

// groupPrefix returns prefix without a trailing slash, or an error if it is not valid.
func groupPrefix(prefix string) (string, error) {
	clean, err := basepath.Prefix(prefix)
	if err != nil {
		return prefix, err
	}
	for segment := range strings.SplitSeq(clean, "/") {
		isParam := len(pattern.Mount("/"+segment).Names()) > 1 // one is the wildcard
		if !isParam && strings.ContainsAny(segment, `:*(){}<>\`) {
			return prefix, fmt.Errorf("segment %q is not allowed: use literal segments and parameters, such as /users/:user", segment)
		}
	}
	return clean, nil
}

// Get adds a route for GET requests below the prefix; see [App.Get]. The pattern "/" matches the
// prefix with and without a trailing slash, the empty pattern the prefix alone.
func (g *Group) Get(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodGet, pattern, action, options)
}

// Post adds a route for POST requests; see [Group.Get].
func (g *Group) Post(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodPost, pattern, action, options)
}

// Put adds a route for PUT requests; see [Group.Get].
func (g *Group) Put(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodPut, pattern, action, options)
}

// Delete adds a route for DELETE requests; see [Group.Get].
func (g *Group) Delete(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodDelete, pattern, action, options)
}

// Patch adds a route for PATCH requests; see [Group.Get].
func (g *Group) Patch(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodPatch, pattern, action, options)
}

// Head adds a route for HEAD requests; see [Group.Get].
func (g *Group) Head(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodHead, pattern, action, options)
}

// Options adds a route for OPTIONS requests; see [Group.Get].
func (g *Group) Options(pattern string, action Action, options ...RouteOption) *Route {
	return g.add(http.MethodOptions, pattern, action, options)
}

// Handle adds a route whose response handler writes; see [App.Handle] and [Group.Get].
func (g *Group) Handle(method, pattern string, handler http.Handler, options ...RouteOption) *Route {
	return g.app.Route(method, g.read(pattern), Handler(handler), g.with(options)...)
}

// Mount mounts handler at a prefix within the group; see [App.Mount].
func (g *Group) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	return g.app.Mount(g.prefix+prefix, handler, g.with(options)...)
}

// Before adds a filter that runs before the routes are tried, for the prefix and everything below;
// see [App.Before]. Patterns of [On] are below the prefix too; [OnPattern] panics.
func (g *Group) Before(f Filter, options ...FilterOption) { g.app.Before(f, g.limited(options)) }

// After adds a filter that runs after the action; see [App.After] and [Group.Before].
func (g *Group) After(f Filter, options ...FilterOption) { g.app.After(f, g.limited(options)) }

func (g *Group) add(method, text string, action Action, options []RouteOption) *Route {
	return g.app.Route(method, g.read(text), action, g.with(options)...)
}

func (g *Group) with(options []RouteOption) []RouteOption {
	return append(slices.Clip(g.options), options...)
}

// limited combines the options of the group and of a filter.
func (g *Group) limited(options []FilterOption) FilterOption {
	return filterOption(func(s *filterSettings) {
		s.read, s.group = g.read, g.prefix
		for i, o := range append(slices.Clip(g.filters), options...) {
			if o == nil {
				panic(fmt.Sprintf("routing: group %q: option %d of a filter is nil: leave it out", g.prefix, i-len(g.filters)))
			}
			o.applyFilter(s)
		}
		if len(s.patterns) == 0 && g.prefix != "" {
			s.patterns = append(s.patterns, Pattern{pattern.Mount(g.prefix)})
		}
	})
}

// read parses a pattern in the app's syntax, below the prefix.
func (g *Group) read(text string) Pattern {
	if g.prefix == "" {
		return g.app.read(text)
	}
	syntax := g.app.read(g.prefix).Syntax()
	switch {
	case syntax != "sinatra" && syntax != "rails":
		panic(fmt.Sprintf("routing: group %q: groups need the Sinatra or Rails syntax: write whole patterns, without a group", g.prefix))
	case text == "/" && syntax == "sinatra":
		text = "/?"
	case text == "/":
		text = "(/)"
	case text != "" && text[0] != '/' && (text[0] != '(' || syntax == "sinatra"):
		panic(fmt.Sprintf("routing: group %q: patterns must start with /: write %q", g.prefix, "/"+text))
	}
	return g.app.read(g.prefix + text)
}
