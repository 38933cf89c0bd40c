package routing

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/routing/internal/response"
	"example.com/flowercafe/routing/internal/source"
)

// App holds routes, filters and handlers, and serves requests as an [http.Handler]. All methods
// are safe for concurrent use. Definitions may be added while requests are served: each request
// sees all of a definition or none of it.
type App struct {
	definer
	settings settings
	front    mountPoint // for requests that come to the app directly
	plain    special    // for routes without options

	mu          sync.Mutex // guards what follows
	definitions definitions
	mounts      []*mount     // of this app in others
	version     atomic.Int64 // of the definitions; indexes of older ones are built again
	sources     source.Finder

	warnedUnindexed atomic.Bool
}

// definitions holds everything that was defined, in order.
type definitions struct {
	routes []*Route
	before []filter
	after  []filter
	layers []http.Handler // middleware; each continues with the next

	notFound, methodNotAllowed Action
	onError                    func(Context, error) (Result, error)
	pages                      map[int]Action // by status; immutable
	answers405                 bool           // respond with 405 if only routes of other methods match
}

// numbered returns f with its number among the definitions.
func (d *definitions) numbered(f filter) filter {
	f.number, f.routes = len(d.before)+len(d.after), len(d.routes)
	return f
}

// definer defines routes and filters below a prefix and with shared options. An [App] is one
// without either. It is immutable.
type definer struct {
	app     *App
	prefix  Pattern // the zero Pattern for none
	options []RouteOption
	filters []FilterOption // the options that are for filters too
}

// with returns the shared options, then those of a route.
func (d *definer) with(options []RouteOption) []RouteOption {
	if len(d.options) == 0 {
		return options
	}
	return append([]RouteOption{shared(d.options)}, options...)
}

// made returns the app. It panics if New did not make it.
func (d *definer) made() *App {
	if d.app == nil {
		panic(zeroApp)
	}
	return d.app
}

const zeroApp = "routing: the zero App: make one with New"

// New returns an App without routes. Invalid options panic.
func New(options ...Option) *App {
	a := new(App)
	a.definer.app = a
	a.settings = defaultSettings()
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: New: option %d is nil: leave it out", i))
		}
		o.apply(&a.settings)
	}
	if a.settings.format && Must(a.settings.syntax("/")).Syntax() != "rails" {
		panic("routing: New: WithFormat is for patterns of Rails: add WithSyntax(Rails)")
	}
	a.front.init(a, a.settings.next)
	a.plain = special{app: a, base: a.settings.base, limits: &a.settings.limits}
	return a
}

// Route adds a route with a [Pattern]. The method is any token (RFC 9110, 5.6.2) and is
// case-sensitive; empty means every method. The zero Pattern matches every path, so that only the
// conditions decide.
func (a *App) Route(method string, pattern Pattern, action Action, options ...RouteOption) *Route {
	if action == nil {
		panic(fmt.Sprintf("routing: route %s %s: pass an action, not nil", method, pattern))
	}
	return a.define(&Route{method: method, pattern: pattern, action: action}, options)
}

// NotFound sets the action that runs if no route matches or all have passed. The status is 404
// unless the action sets another. If there is a next handler, the action replaces it. A second
// call replaces the first. Nil restores the default: the action of the app that this one is
// mounted in, or else a short HTML page.
func (a *App) NotFound(action Action) {
	a.change(func(d *definitions) { d.notFound = action })
}

// MethodNotAllowed responds with 405 and an Allow header, instead of 404, if a path matches under
// other methods only, and to OPTIONS with 204 and Allow. It is off until the first call. The action
// runs with the status and the header set; with nil, the default, there is a short page. A second
// call replaces the action.
//
// Conditions are not checked for this. It also applies to mounted apps. A next handler still gets
// these requests.
func (a *App) MethodNotAllowed(action Action) {
	a.change(func(d *definitions) { d.methodNotAllowed, d.answers405 = action, true })
}

// OnError sets the function that responds when a before filter, an action, a condition or the
// not-found action fails or panics. The status is [StatusOf] of the error, unless one was set
// before or f sets one.
//
// A second call replaces the first. Nil restores the default: the function of the app that this one
// is mounted in, or else a response with the text of the status only. If f returns the error that
// it received, or a [Problem], that is the response too. Any other error and a panic are a 500.
func (a *App) OnError(f func(Context, error) (Result, error)) {
	a.change(func(d *definitions) { d.onError = f })
}

// OnStatus sets the action that makes the response if its status is one of those given, as "error
// 403" and "not_found" do in Sinatra: of halts, of errors, of requests without a route, and if an
// action or filter has set the status.
//
//	app.OnStatus(sorryPage, 403, 404, 500)
//
// It runs last, behind the after filters, since these may set the status too. Its result replaces
// the body, and headers that describe that are removed before. The status and other headers stay
// unless it sets them. If it returns [Pass], the response stays as it was; a [HaltError] is
// applied, and any other error is a default response.
//
// [App.OnError], [App.NotFound] and [App.MethodNotAllowed] come first: it does not run if their
// result is not empty. Nor does it for responses that a handler, middleware or the next handler
// writes. In a mounted app without an action for the status, that of the app around runs.
//
// A second call for a status replaces its action; nil removes it. A status outside of 400 to 599
// and no status panic.
func (a *App) OnStatus(action Action, statuses ...int) {
	if len(statuses) == 0 {
		panic("routing: OnStatus: pass a status, such as 404")
	}
	for _, status := range statuses {
		if !isErrorStatus(status) {
			panic(fmt.Sprintf("routing: OnStatus: pass statuses of 400 to 599, not %d", status))
		}
	}
	a.change(func(d *definitions) {
		pages := make(map[int]Action)
		maps.Copy(pages, d.pages)
		for _, status := range statuses {
			if pages[status] = action; action == nil {
				delete(pages, status)
			}
		}
		d.pages = pages
	})
}

// parse parses a pattern in the app's syntax.
func (a *App) parse(text string) Pattern {
	p := Must(a.settings.syntax(text))
	if err := p.p.Foreign(); err != nil {
		panic(fmt.Sprintf("routing: pattern %q: %v", text, err))
	}
	return p
}

// formatAfter returns what WithFormat adds to a pattern.
func (a *App) formatAfter(text string) string {
	if !a.settings.format || strings.HasSuffix(text, "/") || strings.HasSuffix(strings.TrimRight(text, ")"), ".:format") {
		return ""
	}
	return "(.:format)"
}

// define completes a route and adds it.
func (a *App) define(r *Route, options []RouteOption) *Route {
	if r.method != "" && !response.IsToken(r.method) {
		panic(fmt.Sprintf("routing: route %q %s: the method must be a token, such as GET", r.method, r.pattern))
	}
	if upper := strings.ToUpper(r.method); upper != r.method && slices.Contains(standardMethods, upper) {
		panic(fmt.Sprintf("routing: route %s %s: methods are case-sensitive: write %s", r.method, r.pattern, upper))
	}
	if err := r.pattern.p.Reachable(); err != nil {
		panic(fmt.Sprintf("routing: route %s %s: %v", r.method, r.pattern, err))
	}
	r.special = &a.plain
	r.source = a.sources.Here()
	r.apply(options)
	a.change(func(d *definitions) {
		d.routes = append(d.routes, r)
	})
	return r
}

// standardMethods are those of RFC 9110, 9.3, and RFC 5789.
var standardMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect,
	http.MethodOptions, http.MethodTrace,
}

// ruled returns a pattern with the rules of the app and those of [Where] in options.
func (a *App) ruled(p Pattern, options []RouteOption) Pattern {
	r := Route{pattern: p, special: &a.plain}
	return p.with(a.settings.rules(r.settings(options).where))
}

// filter returns a filter with its settings applied.
func (a *App) filter(kind string, f Filter, s filterSettings) filter {
	if f == nil {
		panic("routing: " + kind + " filter: pass a function, not nil")
	}
	rules := a.settings.rules(nil)
	for i, p := range s.patterns {
		s.patterns[i] = p.with(rules)
		if err := p.p.Reachable(); err != nil { // otherwise a filter that checks access would never run
			panic(fmt.Sprintf("routing: %s filter on %s: %v", kind, p, err))
		}
	}
	return filter{kind: kind, run: f, patterns: s.patterns, conditions: s.conditions, source: a.sources.Here()}
}

// change applies f to the definitions. The next request builds a new index.
func (a *App) change(f func(*definitions)) {
	a.made()
	a.mu.Lock()
	defer a.mu.Unlock()
	f(&a.definitions)
	a.version.Add(1)
}

// defined returns the current definitions and their version.
func (a *App) defined() (definitions, int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.definitions, a.version.Load()
}

// Unindexed returns the routes whose patterns are tried on every request for their method, in
// order of definition: regular expressions that are not anchored or do not start with literal
// text, such as `\.png$` or `^/(\w+)-(\d+)$`, and patterns such as "/:name.:format". Each costs
// some hundred nanoseconds on requests that it does not match; all other patterns are indexed. If
// there are more than 100, the app logs a warning once.
func (a *App) Unindexed() []*Route {
	d, _ := a.made().defined()
	isIndexed := func(r *Route) bool { return !r.pattern.p.Unindexed() }
	return slices.DeleteFunc(slices.Clone(d.routes), isIndexed)
}
