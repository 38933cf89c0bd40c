package routing

import (
	"context"
	"net/http"
	"sync/atomic"
)

// This file lets middleware of the form func(http.Handler) http.Handler go around an app or, with visit.go, a route. Such middleware
// may answer by itself, replace the writer or the request, and run what it wraps in a goroutine that outlives it, as
// http.TimeoutHandler does.

// Use adds middleware around the whole app: around filters, routes and the not-found answer, and around the next handler. Of several,
// the first is the outermost. One that is nil or returns nil panics. The functions are called several times, for each way into the app
// and again after definitions, perhaps at once: what they keep for all requests belongs outside of them.
func (a *App) Use(middleware ...func(http.Handler) http.Handler) {
	checkMiddleware(middleware)
	chainOf(middleware, http.NotFoundHandler()) // panics now, not in a request
	a.change(func(d *definitions) {
		d.middleware = append(d.middleware[:len(d.middleware):len(d.middleware)], middleware...)
	})
}

// Use puts middleware around one route; of several, the first is the outermost. It runs where the action would, after the before
// filters. What it wraps is the rest of the request: the action, the error handler, the after filters and the rendering, so that
// it sees the answer as it is sent. If the action passes, what it wraps returns without an answer, and the next route is tried.
// Middleware that answers without calling what it wraps does so at once; the after filters then run behind it. The parameters of
// the route are in [http.Request.PathValue]. The request that middleware passes on has the context of the one it got, or one made of it;
// calls of what it wraps behind the first do nothing.
func Use(middleware ...func(http.Handler) http.Handler) RouteOption {
	checkMiddleware(middleware)
	return routeOption(func(s *routeSettings) { s.middleware = append(s.middleware, middleware...) })
}

func checkMiddleware(middleware []func(http.Handler) http.Handler) {
	for _, m := range middleware {
		if m == nil {
			panic("routing: middleware: pass a function, not nil")
		}
	}
}

// chainOf puts middleware around handler.
func chainOf(middleware []func(http.Handler) http.Handler, handler http.Handler) http.Handler {
	for i := len(middleware) - 1; i >= 0; i-- {
		if handler = middleware[i](handler); handler == nil {
			panic("routing: middleware returned nil: return a handler")
		}
	}
	return handler
}

// Middleware returns the app as a filter in front of next: what no route answers goes to next, after the after filters, with
// the original writer and URL and the whole body. A handler set by [App.NotFound] is asked in place of next. A nil next is no
// next handler.
func (a *App) Middleware(next http.Handler) http.Handler {
	return &entrance{app: a, base: a.settings.base, next: next}
}

// entrance is a way into an app.
type entrance struct {
	app     *App
	base    string       // what is cut from the path: the app's base path, behind what leads to an app that is mounted
	mounted bool         // the app is mounted in another one
	next    http.Handler // answers what the app does not; nil for nobody
	chain   atomic.Pointer[chain]
}

// chain is the middleware of an index around what is behind an entrance.
type chain struct {
	index   *index
	handler http.Handler
}

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ix := e.app.current()
	if len(ix.middleware) == 0 {
		e.serve(ix, w, r)
		return
	}
	c := e.chain.Load()
	if c == nil || c.index != ix {
		c = &chain{ix, chainOf(ix.middleware, &inside{e, ix})}
		e.chain.Store(c)
	}
	throughChain(c.handler, w, r)
}

// inside is what an app's middleware goes around.
type inside struct {
	entrance *entrance
	index    *index
}

func (i *inside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.entrance.serve(i.index, w, r)
	if v, ok := r.Context().Value(outsideKey{}).(*outside); ok {
		v.pattern.Store(&r.Pattern)
	}
}

// outside carries the name of the route from the request that middleware has made to the one that the app received.
type outside struct {
	pattern atomic.Pointer[string]
}

type outsideKey struct{}

func throughChain(handler http.Handler, w http.ResponseWriter, received *http.Request) {
	v := new(outside)
	r := received.WithContext(context.WithValue(received.Context(), outsideKey{}, v))
	defer removeFiles(r, hasForm(r))
	handler.ServeHTTP(w, r)
	if pattern := v.pattern.Load(); pattern != nil {
		received.Pattern = *pattern
	}
}
