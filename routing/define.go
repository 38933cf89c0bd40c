package routing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file has the methods that define routes and filters, in an app or in a group.

// Get adds a route for GET requests, and for HEAD requests, which try HEAD routes first. If several
// routes match a request, the route defined last runs, or with [WithFirstMatch] the first.
//
// Get panics if the pattern is invalid, or if the action or an option is nil. A pattern must start
// with a slash or a wildcard. It must not be percent-encoded, such as "/caf%C3%A9", or have the
// syntax of another router, such as "/files/{path...}"; write "\{" for a literal brace.
//
// In a [Group] the pattern is below the prefix: "/" matches the prefix with and without a trailing
// slash, the empty pattern only the prefix without a slash. A pattern that matches paths outside
// the prefix panics: "/?:page?" in a group "/list" would match "/listing".
func (s *scope) Get(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodGet, pattern, action, options)
}

// Post adds a route for POST requests; see [App.Get].
func (s *scope) Post(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodPost, pattern, action, options)
}

// Put adds a route for PUT requests; see [App.Get].
func (s *scope) Put(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodPut, pattern, action, options)
}

// Delete adds a route for DELETE requests; see [App.Get].
func (s *scope) Delete(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodDelete, pattern, action, options)
}

// Patch adds a route for PATCH requests; see [App.Get].
func (s *scope) Patch(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodPatch, pattern, action, options)
}

// Query adds a route for QUERY requests, which are safe like GET and have the query in the body
// (RFC 10008); see [App.Get] and [AcceptQuery].
func (s *scope) Query(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(method.Query, pattern, action, options)
}

// Head adds a route for HEAD requests, which is tried before all GET routes; see [App.Get].
func (s *scope) Head(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodHead, pattern, action, options)
}

// Options adds a route for OPTIONS requests; see [App.Get].
func (s *scope) Options(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodOptions, pattern, action, options)
}

// Match adds a route for each of several methods; see [App.Get]. It panics without a method.
func (s *scope) Match(methods []string, pattern string, action Action, options ...RouteOption) []*Route {
	if len(methods) == 0 {
		panic(fmt.Sprintf("routing: Match %q: pass a method, such as GET", pattern))
	}
	var routes []*Route
	for _, method := range methods {
		routes = append(routes, s.add(method, pattern, action, options))
	}
	return routes
}

// Any is the method of a route for every method, in [App.Route], [App.Handle] and [App.Match].
const Any = ""

// Route adds a route with a [Pattern]. The method is a token (RFC 9110, 5.6.2), and [Any] means
// every method. A route with the zero Pattern matches every path; its conditions still apply. Route
// panics as [App.Get] does, except that the pattern may be percent-encoded or look like the syntax
// of another router. It also panics for the method "*", and for a known method that is not in upper
// case, such as "get".
//
// In a [Group] with a prefix, the pattern, of any syntax, is below the prefix; the zero Pattern
// matches the prefix and everything below. A regular expression matches the rest of the path: it
// must come from [WholeRegexp], have no anchors and begin with a slash, or Route panics. Its
// parameter "captures" includes the parameters of the prefix.
func (s *scope) Route(method string, pattern Pattern, action Action, options ...RouteOption) *Route {
	return s.define(&Route{method: method, action: action}, pattern.p, options)
}

// Handle adds a route that lets handler write the response. The method is as in [App.Route], the
// pattern as in [App.Get]. The handler runs after the after filters. An [http.FileServer] cleans
// paths itself, past filters of the app: use [App.Mount] for it. Handle panics if handler is nil,
// or an [App] that would call this app again or ignores more of a path than this app.
//
// The handler gets a copy of the request and reads parameters with [http.Request.PathValue]. The
// parameters of the pattern replace path values of the same name, also if they have no value. All
// other path values stay. If handler is an [http.ServeMux], its handlers can read the parameters
// too. A ServeMux inside another handler replaces them by its own.
func (s *scope) Handle(method, pattern string, handler http.Handler, options ...RouteOption) *Route {
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: route %s %s: pass a handler, not nil", method, pattern))
	}
	if s.mustApp().isBehind(handler) {
		panic(fmt.Sprintf("routing: route %s %s: %s", method, pattern, errLoop))
	}
	s.app.mustMatchAlike(fmt.Sprintf("route %s %s", method, pattern), handler)
	mark := routeOption(func(s *routeSettings) { s.handler = handler })
	return s.add(method, pattern, Handler(handler), append(slices.Clip(options), mark))
}

// add adds a route with a pattern in the app's syntax.
func (s *scope) add(method, text string, action Action, options []RouteOption) *Route {
	return s.define(&Route{method: method, action: action}, s.read(text), options)
}

// define completes a route and adds it.
func (s *scope) define(r *Route, p *pattern.Pattern, options []RouteOption) *Route {
	s.complete(r, p, options)
	return s.app.add(r)
}

// complete checks a route and applies the shared options and the options of the route.
func (s *scope) complete(r *Route, p *pattern.Pattern, options []RouteOption) {
	a := s.mustApp()
	r.routeExtra, r.source = &s.shared.routeExtra, a.sources.Here()
	if err := r.complete(s.prefix, s.shared, p, options); err != nil {
		panic(fmt.Sprintf("routing: route %s: %v", nameOf(r.method, s.prefix.String()+p.String()), err))
	}
}

// Before adds a filter that runs before the routes are tried, for all paths and methods unless
// options limit it. Filters run in order of definition. In a [Group] the filter is for the prefix
// and everything below; patterns of [On] are below the prefix too. It panics if f is nil.
func (s *scope) Before(f Filter, options ...FilterOption) { s.filter("before", f, options) }

// After adds a filter that runs before the response is rendered, even after a halt or an error, or
// if no route matches. Otherwise it is like a filter of [App.Before]. The filter can change the
// headers and the status; [Context.SetStatus] describes an exception.
//
// If the filter returns a [HaltError], the Body replaces the result, even if the Body is empty, and
// a Status always replaces the status. Any other error except [Pass] replaces the response by an
// error response with the status that [StatusOf] returns; the [App.OnError] function does not run.
// In both cases the later after filters do not run.
func (s *scope) After(f Filter, options ...FilterOption) { s.filter("after", f, options) }

// filter adds a filter with the shared options, then its own.
func (s *scope) filter(kind string, run Filter, options []FilterOption) {
	a := s.mustApp()
	if run == nil {
		panic("routing: " + kind + " filter: pass a function, not nil")
	}
	f := &filterSettings{filter: &filter{kind: kind, run: run, source: a.sources.Here()}, read: s.read}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: %s filter: option %d is nil: leave it out", kind, i))
		}
		o.applyFilter(f)
	}
	isOfRoutes := func(c Condition) bool { return c.offers != nil }
	f.conditions = append(slices.DeleteFunc(slices.Clone(s.shared.conditions), isOfRoutes), f.conditions...)
	if len(f.on) == 0 {
		f.on = append(f.on, nil)                  // every path; in a group, those of the group
		if s.prefix != nil && a.settings.format { // "/admin.json" may be a route of the group "/admin"
			f.on = append(f.on, s.read(""))
		}
	}
	for _, on := range f.on {
		rules := a.settings.rules(s.shared.classes(on, s.prefix))
		rules.AnyFormat = a.settings.format
		p, err := on.Define(s.prefix, rules)
		if err == nil {
			err = a.settings.checkSlashes(p)
		}
		if err != nil { // without the filter, requests could bypass an access check
			panic(fmt.Sprintf("routing: %s filter on %s: %v", kind, s.prefix.String()+on.String(), err))
		}
		f.patterns = append(f.patterns, Pattern{p})
	}
	a.change(func(all *definitions) {
		f.filter.routes = len(all.routes)
		all.filters = append(all.filters, *f.filter)
	})
}

// Group calls define with a group of routes and filters below prefix:
//
//	app.Group("/admin", func(g *routing.Group) {
//		g.Before(requireLogin)        // for /admin and everything below
//		g.Get("/", dashboard)         // GET /admin and /admin/
//		g.Get("/users/:name", showUser)
//	}, routing.Use(noStore))
//
// The options apply to every route of the group, before the route's own, and a [Condition] to the
// filters too. Such a Condition gets only the parameters of the prefix, so that its result is the
// same for filters and routes. If it needs a parameter of a route, make it an option of that route.
// A nested group adds its prefix and options to those of the outer group. Paths without a route get
// the error response of the app: for a separate one, mount an app instead.
//
// The prefix consists of literal text and of parameters that fill a segment, such as
// "/users/:user". A slash at its end is ignored; with an empty prefix the group only shares
// options. Optional groups, alternatives and wildcards panic: loop over the prefixes instead, as in
//
//	for _, prefix := range []string{"", "/:locale"} {
//		app.Group(prefix, pages)
//	}
//
// A [Where] for a parameter of the prefix limits the filters too, and no route of the group can
// change it. No pattern of the group may repeat a parameter of the prefix. Group panics if define
// is nil.
func (s *scope) Group(prefix string, define func(*Group), options ...RouteOption) {
	inner := scope{s.mustApp(), s.prefix, s.shared.with(options)}
	shared := inner.shared
	shared.ofGroups, shared.where = slices.Concat(shared.ofGroups, shared.where), nil
	if define == nil {
		panic(fmt.Sprintf("routing: group %q: pass a function, not nil", prefix))
	}
	if prefix != "" {
		inner.prefix = inner.within("group", prefix, shared)
	}
	names := append([]string{}, inner.prefix.Names()...) // nil would mean all parameters
	for i := len(s.shared.conditions); i < len(shared.conditions); i++ {
		shared.conditions[i].group = names
	}
	define(&Group{inner})
	for _, o := range options {
		if w, ok := o.(*where); ok && !w.used.Load() {
			panic(fmt.Sprintf("routing: group %q: no route has the parameter %q of Where", inner.prefix, w.name))
		}
	}
}

// Group defines routes and filters below a prefix and with shared options. [App.Group] creates a
// Group. Its definitions belong to the app, in the same order as all others. It is safe for
// concurrent use, even after the define function has returned.
type Group struct {
	scope
}

// parse parses a pattern in the app's syntax.
func (s *scope) parse(text string) *pattern.Pattern {
	if s.mustApp().settings.loose {
		text = pattern.Tidy(text)
	}
	p := Must(s.app.settings.syntax(text)).p
	if err := p.Foreign(); err != nil {
		panic(fmt.Sprintf("routing: pattern %q: %v", text, err))
	}
	return p
}

// read is like parse, and adds the format of [WithFormatSuffix]. It is for routes and filters.
func (s *scope) read(text string) *pattern.Pattern {
	p := s.parse(text)
	text = p.String()
	endsInSlash := strings.HasSuffix(text, "/") && (text != "/" || s.prefix == nil) // in a group, "/" is the prefix itself
	if s.app.settings.format && !endsInSlash && !strings.HasSuffix(strings.TrimRight(text, ")"), ".:format") {
		p = p.WithFormatSuffix()
	}
	return p
}

// within parses text as a prefix below the prefix of s; options restrict its parameters. It panics
// for an invalid prefix, with a message that begins with what, such as "group".
func (s *scope) within(what, text string, options *routeSettings) *pattern.Prefix {
	p := s.parse(text)
	prefix, err := p.Prefix(s.prefix, s.app.settings.rules(options.classes(p, s.prefix)))
	if err != nil {
		panic(fmt.Sprintf("routing: %s %q: %v", what, s.prefix.String()+text, err))
	}
	return prefix
}
