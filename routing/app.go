package routing

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/source"
)

// App holds routes, filters and handlers, and serves requests as an [http.Handler]. Create one with
// [New]. Its methods are safe for concurrent use, also while requests are served.
type App struct {
	scope
	settings settings
	direct   mountPoint // for requests that come to the app directly

	definitions atomic.Pointer[definitions] // to an immutable value
	mu          sync.Mutex                  // guards changes of the definitions
	sources     source.Finder
	warned      sync.Map // names of routes for which warnOfJSON has logged its warning
}

// definitions holds everything that was defined, in order. It may share slices with later values,
// so a change appends to a slice or copies it, and never changes its elements in place.
type definitions struct {
	routes     []*Route
	filters    []filter
	middleware []http.Handler // each continues with the next
	mounts     []*mount       // of this app in outer apps

	notFound  Action
	onError   func(Context, error) (Result, error)
	errorBody errorBody
}

// scope defines routes and filters below a prefix and with the options of groups. The scope of an
// [App] has no prefix and no such options. A scope is immutable.
type scope struct {
	app    *App
	prefix *pattern.Prefix // may be nil
	shared *routeSettings  // from the options of groups; their conditions apply to filters too
}

const zeroAppText = "routing: the zero App: make one with New"

// mustApp returns the app. It panics if New did not make it.
func (s *scope) mustApp() *App {
	if s.app == nil {
		panic(zeroAppText)
	}
	return s.app
}

// appOf returns the app behind handler: handler itself, or the app of an apidoc.API.
func appOf(handler http.Handler) (*App, bool) {
	if app, ok := private.ServedApp(handler).(*App); ok {
		return app, true
	}
	app, ok := handler.(*App)
	return app, ok
}

// New returns an App without routes. It panics if an option is nil.
func New(options ...Option) *App {
	a := &App{settings: settings{syntax: Sinatra, bodyLimit: 1 << 20}}
	a.app = a
	a.definitions.Store(new(definitions))
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: New: option %d is nil: leave it out", i))
		}
		o.apply(&a.settings)
	}
	if a.settings.format && Must(a.settings.syntax("/")).Syntax() != "rails" {
		panic("routing: New: WithFormatSuffix is for patterns of Rails: add WithSyntax(Rails)")
	}
	if a.settings.loose && a.settings.optionalSlash {
		panic("routing: New: WithLooseSlashes also ignores the slash of WithOptionalSlash: leave one of them out")
	}
	a.mustMatchAlike("WithNext", a.settings.next)
	a.direct.init(a, a.settings.next, nil, nil)
	a.shared = &routeSettings{routeExtra: routeExtra{app: a, bodyLimit: a.settings.bodyLimit}}
	return a
}

// OnError sets the function that responds to errors and panics, as the package comment says. The
// status is [StatusOf] of the error, unless f or the app that failed sets another.
//
// If f returns the error that it received, or a [Problem], the response has the status of that
// error and a body as described in the package comment. If f returns a HaltError, that is the
// response. Any other error is a 500. If a mounted app has no such function, the outer app's is
// called.
func (a *App) OnError(f func(Context, error) (Result, error)) {
	a.change(func(d *definitions) { d.onError = f })
}

// change applies f to the definitions. The next request builds a new index.
func (a *App) change(f func(*definitions)) {
	a.mustApp()
	a.mu.Lock()
	defer a.mu.Unlock()
	d := *a.definitions.Load()
	f(&d)
	a.definitions.Store(&d)
}

// add adds a route to the definitions.
func (a *App) add(r *Route) *Route {
	a.change(func(d *definitions) { d.routes = append(d.routes, r) })
	return r
}

// mounts returns the mounts of the app in outer apps, in order.
func (a *App) mounts() []*mount { return a.definitions.Load().mounts }
