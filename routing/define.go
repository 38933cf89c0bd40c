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

// Get adds a route for GET and HEAD requests. It panics for an invalid pattern, and for a nil
// action or option.
func (s *scope) Get(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodGet, pattern, action, options)
}

// Post adds a route for POST requests.
func (s *scope) Post(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodPost, pattern, action, options)
}

// Put adds a route for PUT requests.
func (s *scope) Put(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodPut, pattern, action, options)
}

// Delete adds a route for DELETE requests.
func (s *scope) Delete(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodDelete, pattern, action, options)
}

// Patch adds a route for PATCH requests.
func (s *scope) Patch(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodPatch, pattern, action, options)
}

// Query adds a route for QUERY requests, which have the query in the body (RFC 10008). See
// [AcceptQuery].
func (s *scope) Query(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(method.Query, pattern, action, options)
}

// Head adds a route for HEAD requests, which is tried before routes of [App.Get] and [Any].
func (s *scope) Head(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodHead, pattern, action, options)
}

// Options adds a route for OPTIONS requests.
func (s *scope) Options(pattern string, action Action, options ...RouteOption) *Route {
	return s.add(http.MethodOptions, pattern, action, options)
}

// Match adds a route for each of the methods.
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

// Any as the method of a route means every method.
const Any = ""

// Route adds a route with a [Pattern], such as a regular expression. The method may be [Any].
func (s *scope) Route(method string, pattern Pattern, action Action, options ...RouteOption) *Route {
	return s.define(&Route{method: method, action: action}, pattern.p, options)
}

// Handle adds a route that lets handler write the response, after the after filters. It reads path
// parameters with [http.Request.PathValue]. For an [http.FileServer], which cleans paths past the
// app's filters, use [App.Mount].
func (s *scope) Handle(method, pattern string, handler http.Handler, options ...RouteOption) *Route {
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: route %s %s: pass a handler, not nil", method, pattern))
	}
	if s.mustApp().isBehind(handler) {
		panic(fmt.Sprintf("routing: route %s %s: %s", method, pattern, loopAdvice))
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

// Before adds a filter that runs before the routes are tried, for every method and path of the app
// or group, unless options limit it.
func (s *scope) Before(f Filter, options ...FilterOption) { s.filter("before", f, options) }

// After adds a filter that runs before the [Result] is sent, also after an error or if no route
// matches. It cannot change the status of a default 500 without a [Problem]. If it returns an
// error, the response to it replaces the Result, without [App.OnError], and later after filters do
// not run.
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
		f.on = append(f.on, nil)                  // every path; in a group, every path below its prefix
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

// Group calls define with a group of routes and filters below prefix. The options are for all its
// routes.
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

// Group defines routes and filters of an app below a prefix. [App.Group] creates it.
type Group struct {
	scope
}

// parse parses a pattern in the app's syntax.
func (s *scope) parse(text string) *pattern.Pattern {
	if s.mustApp().settings.loose && !strings.HasSuffix(text, `\/`) { // a backslash alone would be literal
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
