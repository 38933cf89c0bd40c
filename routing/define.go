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

// Get adds a route for GET requests, and for HEAD requests that no HEAD route matches. Of the
// routes that match a request, the one defined last runs, or with [WithFirstMatch] the first.
//
// An invalid pattern panics with its text and the offset of the mistake. So does one that does not
// start with a slash, or has the syntax of another router, such as "/files/{path...}"; write "\{"
// for a literal brace. A nil action and a nil option panic too.
//
// In a [Group] the pattern is below the prefix: "/" matches the prefix with and without a trailing
// slash, the empty pattern the prefix alone. A pattern that matches paths beyond the prefix panics:
// "/?:page?" in a group "/list" would match "/listing".
func (d *definer) Get(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodGet, pattern, action, options)
}

// Post adds a route for POST requests; see [App.Get].
func (d *definer) Post(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodPost, pattern, action, options)
}

// Put adds a route for PUT requests; see [App.Get].
func (d *definer) Put(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodPut, pattern, action, options)
}

// Delete adds a route for DELETE requests; see [App.Get].
func (d *definer) Delete(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodDelete, pattern, action, options)
}

// Patch adds a route for PATCH requests; see [App.Get].
func (d *definer) Patch(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodPatch, pattern, action, options)
}

// Query adds a route for QUERY requests, which read like GET, with a body that says what to read
// (RFC 10008); see [App.Get] and [AcceptQuery].
func (d *definer) Query(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(method.Query, pattern, action, options)
}

// Head adds a route for HEAD requests, which is tried before all GET routes; see [App.Get].
func (d *definer) Head(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodHead, pattern, action, options)
}

// Options adds a route for OPTIONS requests; see [App.Get].
func (d *definer) Options(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodOptions, pattern, action, options)
}

// Match adds a route for each of several methods; see [App.Get]. It panics without a method.
func (d *definer) Match(methods []string, pattern string, action Action, options ...RouteOption) []*Route {
	if len(methods) == 0 {
		panic(fmt.Sprintf("routing: Match %q: pass a method, such as GET", pattern))
	}
	var routes []*Route
	for _, method := range methods {
		routes = append(routes, d.add(method, pattern, action, options))
	}
	return routes
}

// Route adds a route with a [Pattern]. The method is any token (RFC 9110, 5.6.2) and is
// case-sensitive; empty means every method. The zero Pattern matches every path, so that only the
// conditions decide. For mistakes, see [App.Get].
//
// In a [Group] the pattern, of any syntax, is below the prefix; the zero Pattern matches the prefix
// and everything below. A regular expression must match the whole rest of the path: it must be made
// by [WholeRegexp], have no anchors and begin with a slash, or Route panics. Parameters of the
// prefix are then "captures" too.
func (d *definer) Route(method string, pattern Pattern, action Action, options ...RouteOption) *Route {
	return d.define(&Route{method: method, action: action}, pattern.p, options)
}

// Handle adds a route that lets handler write the response. The method is as in [App.Route], the
// pattern as in [App.Get]. The handler runs after the after filters. A nil handler and the app
// itself panic.
//
// The handler reads parameters with [http.Request.PathValue]. They are set on the request that the
// app received, as by [http.ServeMux], or on a copy if that has path values. A ServeMux in other
// handlers or in middleware replaces them by its own, except for those of mounts.
func (d *definer) Handle(method, pattern string, handler http.Handler, options ...RouteOption) *Route {
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: route %s %s: pass a handler, not nil", method, pattern))
	}
	if app, ok := handler.(*App); ok && app == d.app {
		panic(fmt.Sprintf("routing: route %s %s: the app would be called by itself: pass another handler", method, pattern))
	}
	return d.add(method, pattern, Handler(handler), options)
}

// add adds a route with a pattern in the app's syntax.
func (d *definer) add(method, text string, action Action, options []RouteOption) *Route {
	return d.define(&Route{method: method, action: action}, d.read(text), options)
}

// define completes a route and adds it.
func (d *definer) define(r *Route, p *pattern.Pattern, options []RouteOption) *Route {
	a := d.made()
	r.special, r.source = &a.plain, a.sources.Here()
	if err := r.complete(d.prefix, p, slices.Concat(d.options, options)); err != nil {
		panic(fmt.Sprintf("routing: route %s: %v", nameOf(r.method, d.prefix.String()+p.String()), err))
	}
	a.change(func(d *definitions) { d.routes = append(d.routes, r) })
	return r
}

// Before adds a filter that runs before the routes are tried, on every request and for every
// method, unless options limit it. Filters run in order of definition. In a [Group] the filter is
// for the prefix and everything below; patterns of [On] are below the prefix too.
func (d *definer) Before(f Filter, options ...FilterOption) { d.filter("before", f, options) }

// After adds a filter that runs before the response is rendered, also after a halt or an error, or
// if no route matches. Otherwise it is like that of [App.Before]. It can change the status and the
// headers, but not the status of a plain 500.
//
// If it returns a [HaltError], the Body replaces the result, also if it is empty, and a Status
// replaces even that of a plain 500. Any other error replaces the response by the default one of
// its status, without the error handler. In both cases the later after filters do not run.
func (d *definer) After(f Filter, options ...FilterOption) { d.filter("after", f, options) }

// filter adds a filter with the shared options, then its own.
func (d *definer) filter(kind string, run Filter, options []FilterOption) {
	a := d.made()
	if run == nil {
		panic("routing: " + kind + " filter: pass a function, not nil")
	}
	s := &filterSettings{filter: &filter{kind: kind, run: run, source: a.sources.Here()}, read: d.read}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: %s filter: option %d is nil: leave it out", kind, i))
		}
		o.applyFilter(s)
	}
	own := s.conditions
	s.conditions = d.shared(nil).conditions
	s.conditions = slices.DeleteFunc(s.conditions, func(c Condition) bool { return c.offers != nil }) // those of routes
	s.conditions = append(s.conditions, own...)
	if len(s.on) == 0 && d.prefix != nil {
		s.patterns = append(s.patterns, Pattern{d.prefix.Everything()})
		if a.settings.format { // "/admin.json" may be a route of the group "/admin"
			s.on = append(s.on, d.read(""))
		}
	}
	for _, on := range s.on {
		p, err := on.Define(d.prefix, a.settings.rules(d.shared(on.NamesBelow(d.prefix)).where))
		if err != nil { // a filter that checks access must not be one that never runs
			panic(fmt.Sprintf("routing: %s filter on %s: %v", kind, d.prefix.String()+on.String(), err))
		}
		s.patterns = append(s.patterns, Pattern{p})
	}
	a.change(func(all *definitions) {
		s.filter.routes = len(all.routes)
		all.filters = append(all.filters, *s.filter)
	})
}

// shared returns what the options of the group say about a pattern with these parameters.
func (d *definer) shared(names []string) routeSettings {
	s := routeSettings{special: d.app.plain, names: names}
	Combine(d.options...).applyRoute(&s)
	return s
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
// filters too. It sees the parameters of the prefix alone, so that the filters run where the routes
// do: one that needs a parameter of a route is an option of that. A nested group has the prefixes
// and options of both.
//
// The prefix is a pattern in the app's syntax without wildcards, such as "/users/:user" or
// "(/:locale)?", which may be left out. A slash at its end is ignored; with an empty prefix the
// group only shares options. A nil define panics.
//
// Filters, conditions and routes read the prefix alike: optional parts take what they match. Below
// "(/:locale)?" the path "/books/7" has the locale "books", unless a [Where] says which locales
// there are. A route that the group would never run panics. A Where limits the filters too, and no
// route of the group can change it. No pattern of the group may repeat a parameter of the prefix.
func (d *definer) Group(prefix string, define func(*Group), options ...RouteOption) {
	group := &ofGroup{options: options}
	inner := definer{d.made(), d.prefix, slices.Concat(d.options, []RouteOption{group})}
	if define == nil {
		panic(fmt.Sprintf("routing: group %q: pass a function, not nil", prefix))
	}
	if prefix != "" {
		inner.prefix = inner.within("group", prefix, d.app.settings.format)
		if inner.prefix.HasWildcard() {
			panic(fmt.Sprintf("routing: group %q: a wildcard does not tell where the prefix ends: write a parameter, or a pattern for each route", inner.prefix))
		}
	}
	group.names = append([]string{}, inner.prefix.Names()...)
	define(&Group{inner})
	for _, o := range options {
		if w, ok := o.(*where); ok && !w.used.Load() {
			panic(fmt.Sprintf("routing: group %q: no route has the parameter %q of Where", inner.prefix, w.name))
		}
	}
}

// Group defines routes and filters below a prefix and with shared options. [App.Group] makes one.
// Its definitions belong to the app, in the same order as all others. It is safe for concurrent
// use, also after the define function has returned.
type Group struct {
	definer
}

// parse parses a pattern in the app's syntax.
func (d *definer) parse(text string) *pattern.Pattern {
	p := Must(d.made().settings.syntax(text)).p
	if err := p.Foreign(); err != nil {
		panic(fmt.Sprintf("routing: pattern %q: %v", text, err))
	}
	return p
}

// read is parse for the pattern of a route or filter, with the format of [WithFormat].
func (d *definer) read(text string) *pattern.Pattern {
	p := d.parse(text)
	endsInSlash := strings.HasSuffix(text, "/") && (text != "/" || d.prefix == nil) // that is optional in a group
	if d.app.settings.format && !endsInSlash && !strings.HasSuffix(strings.TrimRight(text, ")"), ".:format") {
		p = p.WithFormat()
	}
	return p
}

// within returns a prefix below that of d, with what the options say about it, whose path a format
// may follow. What it is of is for its errors.
func (d *definer) within(what, text string, format bool) *pattern.Prefix {
	p := d.parse(text)
	rules := d.app.settings.rules(d.shared(p.NamesBelow(d.prefix)).where)
	rules.Format = format
	prefix, err := p.Prefix(d.prefix, rules)
	if err != nil {
		panic(fmt.Sprintf("routing: %s %q: %v", what, d.prefix.String()+text, err))
	}
	return prefix
}
