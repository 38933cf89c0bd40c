package routing

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

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

	definitions atomic.Pointer[definitions] // immutable
	sources     source.Finder

	mu     sync.Mutex // guards changes of the definitions, and what follows
	mounts []*mount   // of this app in others

	warnedUnindexed atomic.Bool
}

// definitions holds everything that was defined, in order. Later ones share its slices, which only
// ever grow at their end.
type definitions struct {
	routes  []*Route
	filters []filter
	layers  []http.Handler // middleware; each continues with the next

	notFound, methodNotAllowed Action
	onError                    func(Context, error) (Result, error)
	pages                      map[int]Action // by status; immutable
	answers405                 bool           // respond with 405 if only routes of other methods match
}

// definer defines routes and filters below a prefix and with shared options. An [App] is one
// without either. It is immutable.
type definer struct {
	app     *App
	prefix  Pattern       // the zero Pattern for none
	options []RouteOption // conditions are for filters too
}

const zeroApp = "routing: the zero App: make one with New"

// made returns the app. It panics if New did not make it.
func (d *definer) made() *App {
	if d.app == nil {
		panic(zeroApp)
	}
	return d.app
}

// New returns an App without routes. Invalid options panic.
func New(options ...Option) *App {
	a := &App{settings: settings{syntax: Sinatra, limits: limits{Body: 1 << 20, Upload: 32 << 20}, pathLimit: 8 << 10}}
	a.app = a
	a.definitions.Store(new(definitions))
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: New: option %d is nil: leave it out", i))
		}
		o(&a.settings)
	}
	if a.settings.format && Must(a.settings.syntax("/")).Syntax() != "rails" {
		panic("routing: New: WithFormat is for patterns of Rails: add WithSyntax(Rails)")
	}
	a.front.init(a, a.settings.next)
	a.plain = special{app: a, limits: a.settings.limits}
	return a
}

// NotFound sets the action that runs if no route matches or all have passed, with the status 404
// unless it sets another. It replaces a next handler. A second call replaces the action. Nil
// restores the default: the action of the app around this one, or else a short HTML page.
func (a *App) NotFound(action Action) {
	a.change(func(d *definitions) { d.notFound = action })
}

// MethodNotAllowed responds with 405 and an Allow header, instead of 404, if a path matches under
// other methods only, and to OPTIONS with 204 and Allow. It is off until the first call. The action
// runs with the status and the header set; with nil, there is a short page. A second call replaces
// the action. Conditions are not checked for this. It also applies to mounted apps. A next handler
// still gets these requests.
func (a *App) MethodNotAllowed(action Action) {
	a.change(func(d *definitions) { d.methodNotAllowed, d.answers405 = action, true })
}

// OnError sets the function that responds when a before filter, an action, a condition or the
// not-found action fails or panics. The status is [StatusOf] of the error, unless one was set
// before or f sets one. If f returns the error that it received, or a [Problem], that is the
// response. Any other error and a panic of f are a 500.
//
// A second call replaces the function. Nil restores the default: that of the app around this one,
// or else a response with the text of the status only.
func (a *App) OnError(f func(Context, error) (Result, error)) {
	a.change(func(d *definitions) { d.onError = f })
}

// OnStatus sets the action that makes the response if its status is one of those given, as "error
// 403" and "not_found" do in Sinatra, whatever has set the status.
//
//	app.OnStatus(sorryPage, 403, 404, 500)
//
// It runs after the after filters. Its result replaces the body and the headers that describe that;
// the status and other headers stay unless it sets them. If it returns [Pass], the response stays
// as it was; a [HaltError] is applied, and any other error is a default response.
//
// It does not run if [App.OnError], [App.NotFound] or [App.MethodNotAllowed] returned a result that
// is not empty, nor for responses that a handler, middleware or the next handler writes. In a
// mounted app without an action for the status, that of the app around runs.
//
// A second call for a status replaces its action; nil removes it. A status outside of 400 to 599
// and no status panic.
func (a *App) OnStatus(action Action, statuses ...int) {
	isOther := func(status int) bool { return !isErrorStatus(status) }
	if len(statuses) == 0 || slices.ContainsFunc(statuses, isOther) {
		panic(fmt.Sprintf("routing: OnStatus for %v: pass statuses of 400 to 599", statuses))
	}
	a.change(func(d *definitions) {
		pages := make(map[int]Action)
		maps.Copy(pages, d.pages)
		for _, status := range statuses {
			pages[status] = action // nil is none
		}
		d.pages = pages
	})
}

// change applies f to the definitions. The next request builds a new index.
func (a *App) change(f func(*definitions)) {
	a.made()
	a.mu.Lock()
	defer a.mu.Unlock()
	d := *a.definitions.Load()
	f(&d)
	a.definitions.Store(&d)
}

// Unindexed returns the routes whose patterns are tried on every request for their method, in
// order of definition: regular expressions that are not anchored or do not start with literal
// text, such as `\.png$` or `^/(\w+)-(\d+)$`, and patterns such as "/:name.:format". Each costs
// some hundred nanoseconds on requests that it does not match. If there are more than 100, the app
// logs a warning once.
func (a *App) Unindexed() []*Route {
	routes := slices.Clone(a.made().definitions.Load().routes)
	return slices.DeleteFunc(routes, func(r *Route) bool { return !r.pattern.p.Unindexed() })
}
