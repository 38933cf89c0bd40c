package routing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
)

// This file lets requests into an app, and puts middleware of the form func(http.Handler) http.Handler around an app or a route. Such
// middleware may respond by itself, replace the writer or the request, call what it wraps several times, and run it in a goroutine
// that outlives it, as [http.TimeoutHandler] does. Each time it calls what it wraps, the request goes on in a call of its own.

// entry is how requests come into an app: directly, or through an app that it is mounted in.
type entry struct {
	base  string       // cut off the path for matching
	named string       // base as in the names of routes, if that is another; else empty
	next  http.Handler // gets what the app does not respond to; nil for nobody
	outer *outer       // parameters in the prefixes that led here

	problems bool // whether responses that no handler makes are problem details

	up   *entry // how they came into the app that this one is mounted in; nil for none
	from *index // of that app
}

// name returns the base path as in the names of routes.
func (e *entry) name() string {
	if e.named != "" {
		return e.named
	}
	return e.base
}

// outside responds to a request for a path outside of the app.
func (e *entry) outside(w http.ResponseWriter, r *http.Request) {
	if e.next != nil {
		e.next.ServeHTTP(w, r)
		return
	}
	writeError(w, r, &entry{problems: e.problems}, http.StatusNotFound)
}

// Middleware returns the app as a filter in front of next: what no route responds to goes to next, after the after filters, with
// the original writer and URL and the whole body. An action set by [App.NotFound] runs in place of next. A nil next is no
// next handler.
func (a *App) Middleware(next http.Handler) http.Handler {
	a.mustBeMade()
	e := &entry{base: a.front.base, next: next, problems: a.front.problems}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.enter(e, w, r) })
}

// Use adds middleware around the whole app: around filters, routes and the not-found action, and around the next handler. The first
// is the outermost. Each function is called once, now. One that is nil or returns nil panics. The request that middleware
// passes on must have the context of the one that it got, or one derived from it; another one ends in a 500.
func (a *App) Use(middleware ...func(http.Handler) http.Handler) {
	layers := make([]*layer, len(middleware))
	for i := range middleware {
		layers[i] = &layer{app: a}
		layers[i].handler = chainOf(middleware[i:i+1], layers[i])
	}
	a.change(func(d *definitions) {
		for _, l := range layers {
			l.depth = len(d.layers)
			d.layers = append(d.layers[:l.depth:l.depth], l)
		}
	})
}

// Use puts middleware around one route; the first is the outermost. Each function is called once, now; nil panics.
//
// Middleware runs where the action would, behind the before filters, and reads the route's parameters by [http.Request.PathValue].
// The handler that it wraps is the rest of the request: action, further routes after [Pass], errors, after filters, rendering.
// If it responds without calling that, the after filters run when it returns, and what they set is too late to be sent.
// Each further call runs the rest again. A call that first comes when the middleware has returned does nothing.
// A call in a goroutine that the middleware does not wait for goes on by itself, with the writer and the request it was given.
// A panic before anything was sent is an error like others; later it cuts the connection. Contexts are passed on as in [App.Use].
func Use(middleware ...func(http.Handler) http.Handler) RouteOption {
	chainOf(middleware, http.NotFoundHandler()) // panics now
	return routeOption(func(s *routeSettings) { s.middleware = append(s.middleware, middleware...) })
}

// chainOf puts middleware around handler.
func chainOf(middleware []func(http.Handler) http.Handler, handler http.Handler) http.Handler {
	for i := len(middleware) - 1; i >= 0; i-- {
		if middleware[i] == nil {
			panic("routing: middleware: pass a function, not nil")
		}
		if handler = middleware[i](handler); handler == nil {
			panic("routing: middleware returned nil: return a handler")
		}
	}
	return handler
}

// layer is one middleware of an app.
type layer struct {
	app     *App
	depth   int
	handler http.Handler // the middleware around this layer
}

// passage is one way of a request through middleware. It tells those in front what happens behind, where they have another request.
type passage struct {
	state   atomic.Int32
	pattern atomic.Pointer[string] // of the route that ran
}

// The states of a passage.
const (
	notCalled = iota // the middleware has not called what it wraps
	called           // it has
	tooLate          // it has returned without calling
)

// through runs middleware with the request inner, and tells r which route ran. It reports whether what the middleware wraps was called.
func (p *passage) through(handler http.Handler, w http.ResponseWriter, r, inner *http.Request) bool {
	defer removeFiles(inner, inner.MultipartForm)
	handler.ServeHTTP(w, inner)
	if p.state.CompareAndSwap(notCalled, tooLate) {
		return false
	}
	if pattern := p.pattern.Load(); pattern != nil {
		r.Pattern = *pattern
	}
	return true
}

// begin reports whether a call of what the middleware wraps comes in time.
func (p *passage) begin() bool {
	return p.state.CompareAndSwap(notCalled, called) || p.state.Load() == called
}

// name tells which route runs.
func (p *passage) name(pattern string) { p.pattern.Store(&pattern) }

// appPassage is the way of a request through the middleware of an app. The request's context has it under an appKey.
type appPassage struct {
	passage
	index *index
	entry *entry
}

type appKey struct{ app *App }

// enter lets a request into the app, through its middleware.
func (a *App) enter(e *entry, w http.ResponseWriter, r *http.Request) {
	ix := a.current()
	if len(ix.layers) == 0 {
		ix.serve(e, w, r)
		return
	}
	p := &appPassage{index: ix, entry: e}
	p.through(ix.layers[0].handler, w, r, r.WithContext(context.WithValue(r.Context(), appKey{a}, p)))
}

// ServeHTTP goes on with the next layer, or with the app itself.
func (l *layer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := r.Context().Value(appKey{l.app}).(*appPassage)
	switch {
	case !ok:
		lost(w, r)
	case l.depth+1 < len(p.index.layers):
		p.index.layers[l.depth+1].handler.ServeHTTP(w, r)
	case p.begin():
		form := r.MultipartForm
		defer func() {
			p.name(r.Pattern)
			removeFiles(r, form)
		}()
		p.index.serve(p.entry, w, r)
	}
}

// routePassage is the way of a request through the middleware of a route. The request's context has it under a routeKey.
type routePassage struct {
	passage
	call   call   // as it was in front
	path   string // of the URL
	status int    // that was set in front
}

type routeKey struct{ route *Route }

// errAnswered says that the middleware of a route has the request.
var errAnswered = errors.New("routing: answered")

// around runs the middleware of a route.
func (x *call) around(route *Route) error {
	p := &routePassage{call: *x, path: x.r.URL.Path, status: takeStatus(x.w.Header())}
	p.name(x.r.Pattern)
	inner := withPathValues(x.r, context.WithValue(x.r.Context(), routeKey{route}, p), x.pathValues())
	w := &responseWriter{ResponseWriter: x.w, app: x.app, r: x.r}
	defer func() {
		if v := recover(); v != nil {
			if w.sent {
				cut(x.app, x.r, v)
			}
			setStatus(x.w.Header(), p.status)
			panic(v)
		}
	}()
	if !p.through(route.chain, w.full(), x.r, inner) {
		if err := x.runAfter(); err != nil {
			x.app.report(x.r, err)
		}
		takeStatus(x.w.Header())
	}
	return errAnswered
}

// goOn is what the middleware of a route wraps: the rest of the request.
func (route *Route) goOn(w http.ResponseWriter, r *http.Request) {
	p, ok := r.Context().Value(routeKey{route}).(*routePassage)
	if !ok {
		lost(w, r)
		return
	}
	if !p.begin() {
		return
	}
	form := r.MultipartForm
	defer func() {
		p.name(r.Pattern)
		removeFiles(r, form)
	}()
	setStatus(w.Header(), p.status)
	x := p.call
	x.w, x.r = w, r
	if x.extras == nil && r.URL.Path != p.path {
		x.extras = &extras{base: x.base, path: x.path}
	}
	x.finish(x.resume())
}

// resume is dispatch from the action on.
func (x *call) resume() (err error) {
	defer contain(&err)
	if err := x.try(x.ran, true); err == nil || !passed(err) {
		return err
	}
	return x.further(x.ran.route)
}

// lost responds to a request that middleware has passed on without the context of the one it got.
func lost(w http.ResponseWriter, r *http.Request) {
	slog.Error("middleware must pass on a request with the context of the one that it got", "path", r.URL.Path)
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

// withPathValues returns a copy of the request with path values, for handlers and middleware, which have no Params. Copies made by
// WithContext share the values of a ServeMux outside with the request; this one has its own.
func withPathValues(r *http.Request, ctx context.Context, values []field) *http.Request {
	if len(values) == 0 {
		return r.WithContext(ctx)
	}
	// Clone copies path values, but also all that is worth sharing.
	private := *r
	private.URL, private.Header, private.Trailer, private.TransferEncoding = nil, nil, nil, nil
	private.Form, private.PostForm, private.MultipartForm = nil, nil, nil
	copied := private.Clone(ctx)
	copied.URL, copied.Header, copied.Trailer, copied.TransferEncoding = r.URL, r.Header, r.Trailer, r.TransferEncoding
	copied.Form, copied.PostForm, copied.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	for _, value := range values {
		copied.SetPathValue(value.key, value.value)
	}
	return copied
}
