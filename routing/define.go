package routing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/nilvalue"
)

// This file has the methods that define routes and filters, in an app or in a group.

// Get adds a route for GET requests, and for HEAD requests that no HEAD route matches. Of the
// routes that match a request, the one defined last runs, or with [WithFirstMatch] the first.
//
// An invalid pattern panics with its text and the offset of the mistake. So does one that does not
// start with a slash, and one in the syntax of another router, such as "/files/{path...}"; write
// "\{" for a literal brace. A nil action and a nil option panic too.
//
// In a [Group] the pattern is below the prefix: "/" matches the prefix with and without a trailing
// slash, the empty pattern the prefix alone. One that also matches other paths panics: "/?:page?"
// in a group "/list" would match "/listing".
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

// Head adds a route for HEAD requests, which is tried before all GET routes; see [App.Get].
func (d *definer) Head(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodHead, pattern, action, options)
}

// Options adds a route for OPTIONS requests; see [App.Get].
func (d *definer) Options(pattern string, action Action, options ...RouteOption) *Route {
	return d.add(http.MethodOptions, pattern, action, options)
}

// Match adds a route for each of several methods; see [App.Get]. No method panics.
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
	return d.made().define(&Route{method: method, pattern: d.below(pattern, ""), action: action}, d.with(options))
}

// Handle adds a route whose response handler writes, with a method as in [App.Route] and a pattern
// as in [App.Get]. The handler runs after the after filters, and reads parameters with
// [http.Request.PathValue]. A nil handler and the app itself panic.
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
	return d.made().define(&Route{method: method, pattern: d.read(text), action: action}, d.with(options))
}

// with returns the shared options, then those of a route.
func (d *definer) with(options []RouteOption) []RouteOption {
	if len(d.options) == 0 {
		return options
	}
	return append([]RouteOption{shared(d.options)}, options...)
}

// define completes a route and adds it.
func (a *App) define(r *Route, options []RouteOption) *Route {
	r.special, r.source = &a.plain, a.sources.Here()
	if err := r.complete(options); err != nil {
		panic(fmt.Sprintf("routing: route %s: %v", r, err))
	}
	a.change(func(d *definitions) { d.routes = append(d.routes, r) })
	return r
}

// Before adds a filter that runs before the routes are tried, on every request and for every
// method, unless options limit it. Filters run in order of definition. In a [Group] the filter is
// for the prefix and everything below; patterns of [On] are below the prefix too.
func (d *definer) Before(f Filter, options ...FilterOption) { d.filter("before", f, options) }

// After adds a filter that runs after the action and before the response is rendered, also after a
// halt, an error, or if no route matches; otherwise it is as in [App.Before]. It can change the
// status and the headers, but not the status of a plain 500.
//
// A [HaltError] in it replaces the result by its Body, also if that is none, and a Status replaces
// even that of a plain 500. Any other error replaces the response by the default one of its status,
// without the error handler. In both cases the later after filters do not run.
func (d *definer) After(f Filter, options ...FilterOption) { d.filter("after", f, options) }

// filter adds a filter with the shared options, then its own.
func (d *definer) filter(kind string, run Filter, options []FilterOption) {
	a := d.made()
	if run == nil {
		panic("routing: " + kind + " filter: pass a function, not nil")
	}
	f := filter{kind: kind, run: run, source: a.sources.Here()}
	s := filterSettings{&f, d.read, d.below}
	for _, o := range d.options {
		if condition, ok := o.(FilterOption); ok {
			condition.applyFilter(s)
		}
	}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: %s filter: option %d is nil: leave it out", kind, i))
		}
		o.applyFilter(s)
	}
	if len(f.patterns) == 0 && d.prefix.p != nil {
		f.patterns = append(f.patterns, d.below(Pattern{}, ""))
		if a.settings.format { // "/admin.json" may be a route of the group "/admin"
			f.patterns = append(f.patterns, d.read(""))
		}
	}
	for i, p := range f.patterns {
		f.patterns[i] = p.with(a.settings.rules(nil))
		if err := p.p.Reachable(); err != nil { // otherwise a filter that checks access would never run
			panic(fmt.Sprintf("routing: %s filter on %s: %v", kind, p, err))
		}
	}
	a.change(func(all *definitions) {
		f.routes = len(all.routes)
		all.filters = append(all.filters, f)
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
// filters too. A nested group has the prefixes and options of both.
//
// The prefix is any pattern in the app's syntax that does not end in a wildcard, such as
// "/users/:user" or "(/:locale)?", which may be left out. A slash at its end is ignored; with an
// empty prefix the group only shares options. A [Where] for a parameter of the prefix limits the
// filters too, and no route of the group can change it. A nil define panics.
func (d *definer) Group(prefix string, define func(*Group), options ...RouteOption) {
	if prefix == "" || prefix == "/" {
		d.group(d.prefix, define, options)
		return
	}
	d.GroupPattern(d.parse(prefix), define, options...)
}

// GroupPattern is [App.Group] with a [Pattern] of any syntax as its prefix:
//
//	locale := routing.WholeRegexp(regexp.MustCompile("/(?P<locale>de|fr)"))
//	app.GroupPattern(locale, func(g *routing.Group) {
//		g.Get("/books/:id", showBook) // GET /de/books/7
//	})
//
// A regular expression must be made by [WholeRegexp] and have no anchors, or GroupPattern panics.
// All patterns of its group become regular expressions: they have no URL, their parameters are
// "captures" too, and in them [Where] and [App.Mount] panic. The zero Pattern panics.
func (d *definer) GroupPattern(prefix Pattern, define func(*Group), options ...RouteOption) {
	within := d.within("group", prefix)
	if within != d.prefix {
		within = d.app.ruled(within, []RouteOption{shared(options)})
	}
	d.group(within, define, options)
}

func (d *definer) group(prefix Pattern, define func(*Group), options []RouteOption) {
	if define == nil {
		panic(fmt.Sprintf("routing: group %q: pass a function, not nil", prefix))
	}
	define(&Group{definer{d.made(), prefix, slices.Concat(d.options, options)}})
	for _, o := range options {
		if w, ok := o.(*where); ok && !w.used.Load() {
			panic(fmt.Sprintf("routing: group %q: no route has the parameter %q of Where", prefix, w.name))
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
func (d *definer) parse(text string) Pattern {
	p := Must(d.made().settings.syntax(text))
	if err := p.p.Foreign(); err != nil {
		panic(fmt.Sprintf("routing: pattern %q: %v", text, err))
	}
	return p
}

// read parses a pattern in the app's syntax, and returns it below the prefix, with the format of
// WithFormat.
func (d *definer) read(text string) Pattern {
	p, format := d.parse(text), ""
	endsInSlash := strings.HasSuffix(text, "/") && (text != "/" || d.prefix.p == nil) // that is optional in a group
	if d.app.settings.format && !endsInSlash && !strings.HasSuffix(strings.TrimRight(text, ")"), ".:format") {
		format = "(.:format)"
	}
	return d.below(p, format)
}

// within returns a prefix below that of the group. What it is of is for its errors.
func (d *definer) within(what string, prefix Pattern) Pattern {
	d.made()
	clean, err := prefix.p.Prefix()
	if err != nil {
		panic(fmt.Sprintf("routing: %s %q: %v", what, prefix, err))
	}
	if clean == nil {
		return d.prefix
	}
	return d.below(Pattern{clean}, "")
}

// below returns a pattern of any syntax below the prefix, with more text in its syntax.
func (d *definer) below(p Pattern, more string) Pattern {
	below, err := p.p.Below(d.prefix.p, more)
	if err != nil {
		panic(fmt.Sprintf("routing: group %q: %v", d.prefix, err))
	}
	return Pattern{below}
}

// ruled returns a pattern with the rules of the app and those of [Where] in options.
func (a *App) ruled(p Pattern, options []RouteOption) Pattern {
	r := Route{pattern: p, special: &a.plain}
	return p.with(a.settings.rules(r.settings(options).where))
}
