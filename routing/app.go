package routing

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Action is what a route does. It returns the body of the response, or an error: [Pass], a [HaltError], or any other, which goes to
// the error handler. The zero Result is no body; a Result beside an error is dropped.
type Action func(Context) (Result, error)

// Filter runs before or after the action. It may set the status and headers, and end the request by returning an error as an
// action does.
type Filter func(Context) error

// App is routes, filters and handlers; as an [http.Handler] it answers requests by them. All methods are safe for concurrent
// use: definitions may be added while requests are served, and each request sees all of a definition or nothing of it.
type App struct {
	settings   settings
	front      entry // of requests that come to the app directly
	lastWriter atomic.Pointer[writerType]
	plain      special // of routes without options

	mu          sync.Mutex // guards the definitions, the building of the index, and outside
	definitions definitions
	index       atomic.Pointer[index]      // nil after a definition, until the next request
	ways        atomic.Pointer[[]*mounted] // where this app is mounted in others
	outside     map[uintptr]bool           // which program counters are of callers; see here

	toldUnindexed atomic.Bool
}

// definitions is all that has been defined, in order.
type definitions struct {
	routes []*Route
	before []filter
	after  []filter
	layers []*layer   // middleware
	mounts []*mounted // apps that are mounted in this one

	notFound, methodNotAllowed Action
	onError                    func(Context, error) (Result, error)
	tellsMethods               bool // whether to respond with 405 where routes of other methods match
}

// New makes an App without routes. Options that cannot be right panic.
func New(options ...Option) *App {
	a := &App{settings: defaultSettings()}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: New: option %d is nil: leave it out", i))
		}
		o.apply(&a.settings)
	}
	a.front = entry{base: a.settings.base, next: a.settings.next, problems: a.settings.problems}
	a.plain = special{app: a, base: a.settings.base, limits: &a.settings.limits}
	a.definitions.tellsMethods = a.settings.methodNotAllowed
	return a
}

// Get adds a route for GET requests. It also answers HEAD requests for which there is no HEAD route.
//
// Of the routes that match a request, the one defined last runs. A pattern that is not right in the app's syntax panics with its text
// and the offset. So do one that no path matches, for want of a slash in front, one in the syntax of another router, such as
// "/items/{id}" (a backslash, "\{", says that the text is meant), a nil action and a nil option.
func (a *App) Get(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodGet, a.read(pattern), action, options...)
}

// Post adds a route for POST requests; see [App.Get].
func (a *App) Post(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodPost, a.read(pattern), action, options...)
}

// Put adds a route for PUT requests; see [App.Get].
func (a *App) Put(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodPut, a.read(pattern), action, options...)
}

// Delete adds a route for DELETE requests; see [App.Get].
func (a *App) Delete(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodDelete, a.read(pattern), action, options...)
}

// Patch adds a route for PATCH requests; see [App.Get].
func (a *App) Patch(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodPatch, a.read(pattern), action, options...)
}

// Head adds a route for HEAD requests; see [App.Get]. All HEAD routes go before all GET routes.
func (a *App) Head(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodHead, a.read(pattern), action, options...)
}

// Options adds a route for OPTIONS requests, which are not answered otherwise; see [App.Get].
func (a *App) Options(pattern string, action Action, options ...RouteOption) *Route {
	return a.Route(http.MethodOptions, a.read(pattern), action, options...)
}

// Route adds a route with a pattern of any syntax. The method is any token (RFC 9110, 5.6.2), in the letter case that requests
// have it in, or empty for every method. With the zero Pattern and conditions it is a route of conditions alone.
func (a *App) Route(method string, pattern Pattern, action Action, options ...RouteOption) *Route {
	if action == nil {
		panic(fmt.Sprintf("routing: route %s %s: pass an action, not nil", method, pattern))
	}
	return a.define(&Route{method: method, pattern: pattern, action: action}, options)
}

// Handle adds a route whose answer is handler's; the method and the pattern are as in [App.Route], in the app's syntax. The
// handler runs after the after filters, and sees the parameters by [http.Request.PathValue].
func (a *App) Handle(method, pattern string, handler http.Handler, options ...RouteOption) *Route {
	if handler == nil {
		panic(fmt.Sprintf("routing: route %s %s: pass a handler, not nil", method, pattern))
	}
	return a.define(&Route{method: method, pattern: a.read(pattern), action: Handler(handler)}, options)
}

// Before adds a filter that runs before the routes are tried, on every request for the app, whatever its method, unless
// options limit it. Filters run in order of definition.
func (a *App) Before(f Filter, options ...FilterOption) {
	defined := a.filter("before", f, options)
	a.change(func(d *definitions) { d.before = append(d.before, d.numbered(defined)) })
}

// After adds a filter that runs after the action and before the answer is rendered, whatever happened before: a halt, an
// error, nothing found. It can change the status and the headers. Filters run in order of definition.
func (a *App) After(f Filter, options ...FilterOption) {
	defined := a.filter("after", f, options)
	a.change(func(d *definitions) { d.after = append(d.after, d.numbered(defined)) })
}

// NotFound sets the action that runs when no route matches or all have passed. The status is 404 unless it sets another. In the
// filter style it replaces the next handler. A second call replaces the first; nil restores the default: the action of the app that
// this one is mounted in, or else a short HTML page.
func (a *App) NotFound(action Action) {
	a.change(func(d *definitions) { d.notFound = action })
}

// MethodNotAllowed is [App.NotFound] for requests whose path matches under other methods only: the status is 405, and the Allow
// header is set before. It turns [WithMethodNotAllowed] on; nil restores the default page.
func (a *App) MethodNotAllowed(action Action) {
	a.change(func(d *definitions) { d.methodNotAllowed, d.tellsMethods = action, true })
}

// OnError sets what responds when a filter before the action, an action, a condition or the not-found action fails or panics.
// The status is that of [StatusOf], unless one was set before or by f. A second call replaces the first; nil restores the default:
// the function of the app that this one is mounted in, or else a page that tells the text of the status alone. So does a function
// that fails itself.
func (a *App) OnError(f func(Context, error) (Result, error)) {
	a.change(func(d *definitions) { d.onError = f })
}

// mustBeMade panics for the zero App.
func (a *App) mustBeMade() {
	if a.settings.syntax == nil {
		panic("routing: the zero App: make one with New")
	}
}

// read reads a pattern in the app's syntax.
func (a *App) read(text string) Pattern {
	a.mustBeMade()
	p := Must(a.settings.syntax(text))
	if err := p.p.Foreign(); err != nil {
		panic(fmt.Sprintf("routing: pattern %q: %v", text, err))
	}
	return p
}

// define completes a route and adds it.
func (a *App) define(r *Route, options []RouteOption) *Route {
	if r.method != "" && !isToken(r.method) {
		panic(fmt.Sprintf("routing: route %q %s: write a method that is a token, such as GET", r.method, r.pattern))
	}
	if upper := strings.ToUpper(r.method); upper != r.method && slices.Contains(standardMethods, upper) {
		panic(fmt.Sprintf("routing: route %s %s: methods are told apart by letter case: write %s", r.method, r.pattern, upper))
	}
	if err := r.pattern.p.Reachable(); err != nil {
		panic(fmt.Sprintf("routing: route %s %s: %v", r.method, r.pattern, err))
	}
	r.special = &a.plain
	r.name = r.nameBelow(r.base)
	r.source = a.here()
	if len(options) > 0 {
		r.apply(options)
	}
	a.change(func(d *definitions) {
		r.index = len(d.routes)
		d.routes = append(d.routes, r)
	})
	return r
}

// standardMethods are those that clients have (RFC 9110, 9.3, and RFC 5789).
var standardMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect,
	http.MethodOptions, http.MethodTrace,
}

// change changes the definitions; the next request builds a new index.
func (a *App) change(f func(*definitions)) {
	a.mustBeMade()
	a.mu.Lock()
	defer a.mu.Unlock()
	f(&a.definitions)
	a.index.Store(nil)
}

// defined returns what is defined now.
func (a *App) defined() definitions {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.definitions
}

// current returns the index of all that is defined.
func (a *App) current() *index {
	if ix := a.index.Load(); ix != nil {
		return ix
	}
	ix, built := a.build()
	if built {
		a.tellUnindexed()
	}
	return ix
}

// build builds the index, unless somebody else has done so meanwhile.
func (a *App) build() (ix *index, built bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ix := a.index.Load(); ix != nil {
		return ix, false
	}
	ix = newIndex(a, &a.definitions)
	a.index.Store(ix)
	return ix, true
}

// logger returns the app's logger, or that of the app around.
func (a *App) logger() *slog.Logger {
	for range mostMounts {
		if a.settings.logger != nil {
			return a.settings.logger
		}
		ways := a.reachedBy()
		if len(ways) == 0 {
			break
		}
		a = ways[0].parent
	}
	return slog.Default()
}
