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

// App holds routes, filters and handlers, and serves requests as an [http.Handler]. All methods
// are safe for concurrent use. Definitions may be added while requests are served: each request
// sees a definition completely or not at all.
type App struct {
	scope
	settings settings
	front    mountPoint // for requests that come to the app directly

	definitions atomic.Pointer[definitions] // immutable
	mu          sync.Mutex                  // guards changes of the definitions
	sources     source.Finder
	warned      sync.Map // the names of routes that have asked a JSON body for parameters
}

// definitions holds everything that was defined, in order. It may share slices with later values,
// so a change appends to a slice or copies it, and never changes its elements in place.
type definitions struct {
	routes     []*Route
	filters    []filter
	middleware []http.Handler // each continues with the next
	mounts     []*mount       // of this app in others

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

const zeroApp = "routing: the zero App: make one with New"

// mustApp returns the app. It panics if New did not make it.
func (s *scope) mustApp() *App {
	if s.app == nil {
		panic(zeroApp)
	}
	return s.app
}

// appOf returns the app behind handler: handler itself, or the app of an apidoc.API.
func appOf(handler http.Handler) (*App, bool) {
	if of, ok := handler.(interface{ ServedApp(private.Key) *App }); ok {
		return of.ServedApp(private.Key{}), true
	}
	app, ok := handler.(*App)
	return app, ok
}

// New returns an App without routes. Invalid options panic.
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
	a.front.init(a, a.settings.next, nil, nil)
	a.shared = &routeSettings{routeExtra: routeExtra{app: a, bodyLimit: a.settings.bodyLimit}}
	return a
}

// OnError sets the function that responds when a before filter, an action, a condition or the
// not-found action fails or panics. The status is [StatusOf] of the error, unless one was set
// before or f sets one. A result that is not empty is the body of the response. If f returns the
// error that it received, or a [Problem], the body is made as described in the package comment. Any
// other error and a panic of f are a 500.
//
// A second call replaces the function. Nil restores the default: the outer app's function, or else
// a response with only the text of the status.
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

// add adds a route that is complete.
func (a *App) add(r *Route) *Route {
	a.change(func(d *definitions) { d.routes = append(d.routes, r) })
	return r
}

// mounts returns the mounts of the app in others, in order.
func (a *App) mounts() []*mount { return a.definitions.Load().mounts }
