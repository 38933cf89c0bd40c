package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"sync/atomic"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file runs an app or a route inside middleware of the form func(http.Handler) http.Handler.
// Middleware may respond itself, replace the writer or the request, call the next handler several
// times, and call it in a goroutine that outlives the middleware, as [http.TimeoutHandler] does.
// Each run of the next handler gets a copy of the request's state.
//
// A middleware function is called at definition, once for the app or for each route, with a next
// handler for all requests. So the request that middleware gets has a middlewareCall as its
// context, in which the next handler finds the state of the request. For an app, callMiddleware
// calls the middleware, and appNext.ServeHTTP continues with serve. For a route, runMiddleware
// calls it, and serveRest continues with resume.

// Middleware returns a handler that runs the app in front of next. Requests that no route matches
// go to next after the after filters, but with an [App.NotFound] action only if that returns
// [Pass]. Requests outside of the base path go to next without filters. Mount an [http.FileServer]
// instead: see [App.Handle].
//
// To layer apps, write plugin.Middleware(core): the plugin's routes are tried first. To mount the
// layers, set the whole prefix as the base path of both apps.
func (a *App) Middleware(next http.Handler) http.Handler {
	a.mustApp()
	checkNext("Middleware", next)
	app, _ := appOf(next)
	a.mustMatchAlike("Middleware", next)
	if n, ok := next.(*appNext); app == a || ok && n.app == a {
		panic("routing: Middleware: the app would be in front of itself: pass another app's Middleware, or another handler")
	}
	f := new(inFront)
	f.init(a, next, nil, nil)
	return f
}

// inFront is an app in front of a next handler.
type inFront struct{ mountPoint }

func (f *inFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.enter(w, r, nil)
}

// Use adds middleware around the whole app, including the not-found action and the next handler.
// The first is the outermost. Each function is called immediately.
//
// Middleware must pass on the context of its request, or one derived from it; otherwise its next
// handler sends a 500. If middleware panics, the response is a 500 or aborted.
func (a *App) Use(middleware ...func(http.Handler) http.Handler) {
	var inner []*appNext
	var handlers []http.Handler
	for i := range middleware {
		n := &appNext{app: a}
		inner, handlers = append(inner, n), append(handlers, wrap(middleware[i:i+1], n))
	}
	a.change(func(d *definitions) {
		for i, n := range inner {
			n.next = len(d.middleware) + i + 1
		}
		d.middleware = append(slices.Clip(d.middleware), handlers...)
	})
}

// Use adds middleware to a route; the first is the outermost. Each function is called when the
// route is defined.
//
// Middleware runs after the before filters and reads path parameters with [http.Request.PathValue].
// Its next handler is the rest of the request, with error handling and after filters. It must pass
// on the context of its request, as with [App.Use].
//
//   - It may respond itself. The after filters then run when it returns.
//   - It may call next several times, or in a goroutine with a copy of the request, as
//     [http.TimeoutHandler] does. The first call must begin before the middleware returns.
//   - A panic is handled like one of an action, or aborts a response that has begun.
func Use(middleware ...func(http.Handler) http.Handler) RouteOption {
	checkMiddleware(middleware)
	return routeOption(func(s *routeSettings) { s.middleware = append(s.middleware, middleware...) })
}

// wrap wraps handler in middleware.
func wrap(middleware []func(http.Handler) http.Handler, handler http.Handler) http.Handler {
	checkMiddleware(middleware)
	for _, m := range slices.Backward(middleware) {
		if handler = m(handler); nilvalue.In(handler) {
			panic("routing: middleware returned nil: return a handler")
		}
	}
	return handler
}

// checkMiddleware panics if a function is nil.
func checkMiddleware(middleware []func(http.Handler) http.Handler) {
	for _, m := range middleware {
		if m == nil {
			panic("routing: middleware: pass a function, not nil")
		}
	}
}

// appNext is the next handler of an app's middleware.
type appNext struct {
	app  *App
	next int // the number of the next middleware
}

// middlewareCall is the state of a request in middleware, and its context, where the next handler
// finds it. It also carries the route's name and the values of keys back to the request outside,
// since the middleware may pass on a different request.
type middlewareCall struct {
	context.Context
	state   atomic.Int32
	pattern atomic.Pointer[string]        // of the route that ran; nil if it is unchanged
	values  atomic.Pointer[valuesContext] // the values of keys; nil if they are unchanged
}

// The states of a middlewareCall: whether the middleware has called its next handler.
const (
	notCalled = iota
	called
	tooLate // the middleware has returned without a call
)

// appMiddlewareCall is a request in the middleware of an app.
type appMiddlewareCall struct {
	middlewareCall
	index      *index
	muxPattern string // the Pattern before the middleware
	outer      *outerCall
	depth      int // how many calls of the same app are around this one
	writer     response.Writer
}

// routeMiddlewareCall is a request in the middleware of a route.
type routeMiddlewareCall struct {
	middlewareCall
	outside      call // before the middleware, for the calls inside it
	statusBefore int  // the status in the headers, before the middleware
	hadEncoding  bool // Content-Encoding was set before
	writer       response.Writer
}

type (
	appKey   struct{ app *App }
	routeKey struct{ route *Route }
)

// Value returns p for the key of its app, or else the value of the request's context.
func (p *appMiddlewareCall) Value(key any) any {
	if key == (appKey{p.index.app}) {
		return p
	}
	return p.Context.Value(key)
}

// Value returns p for the key of its route, or else the value of the request's context.
func (p *routeMiddlewareCall) Value(key any) any {
	switch key {
	case routeKey{p.outside.ran.Value.route}:
		return p
	case recordKey{}: // in a chain of routes that pass, a search through all contexts would take quadratic time
		if p.outside.recorder == nil {
			return nil
		}
		return p.outside.recorder
	}
	return p.Context.Value(key)
}

// run runs middleware with the request inner, and sets the Pattern of r and the values of keys. It
// reports whether the middleware has called its next handler.
func (p *middlewareCall) run(handler http.Handler, w http.ResponseWriter, r, inner *http.Request) (hasCalled bool) {
	before := inner.MultipartForm
	if form.IsMissing(inner) { // since the middleware may run its next handler twice
		form.Front(inner)
	}
	defer func() { // also after a panic
		hasCalled = !p.state.CompareAndSwap(notCalled, tooLate)
		if inner.MultipartForm != before {
			request.RemoveFiles(inner.MultipartForm)
		}
		if pattern := p.pattern.Load(); pattern != nil {
			r.Pattern = *pattern
		}
		if set := p.values.Load(); set != nil {
			*r = *r.WithContext(withValues(r.Context(), set.values...))
		}
	}()
	handler.ServeHTTP(w, inner)
	return
}

// begin records that the middleware has called its next handler. It reports false if the middleware
// has returned without calling it. Then the next handler must do nothing.
func (p *middlewareCall) begin() bool {
	return p.state.CompareAndSwap(notCalled, called) || p.state.Load() != tooLate
}

// end ends a call of the next handler. before is the Pattern that r keeps unless the call changes
// it; ctx and form are the context and form of r when the call began.
func (p *middlewareCall) end(r *http.Request, before string, ctx context.Context, form *multipart.Form) {
	if set, ok := r.Context().(*valuesContext); ok && !request.SameContext(set, ctx) {
		p.values.Store(set)
	}
	if r.Pattern != before || p.pattern.Load() != nil {
		ran := r.Pattern // a copy, since the middleware may still use its request in another goroutine
		p.pattern.Store(&ran)
	}
	if r.MultipartForm != form {
		request.RemoveFiles(r.MultipartForm)
	}
}

// callMiddleware runs the app's middleware.
func (ix *index) callMiddleware(w http.ResponseWriter, r *http.Request, outer *outerCall) {
	p := &appMiddlewareCall{index: ix, muxPattern: r.Pattern}
	status := 0
	if outer != nil {
		status = outer.status
		copied := *outer      // else each request to a mounted app would allocate it
		copied.received = nil // a goroutine of the middleware must not change it
		p.outer = &copied
	}
	p.Context = r.Context()
	if enclosing, ok := p.Context.Value(appKey{ix.app}).(*appMiddlewareCall); ok {
		p.depth = enclosing.depth + 1
	}
	if p.depth > response.MaxDepth {
		ix.refuse(w, r, leadsBack)
		return
	}
	inner := request.Copy(r, p)
	ix.captures(r.URL.Path, inner.SetPathValue)
	w = p.writer.Wrap(w, r, &ix.Sender, status, outer.encoded(w.Header()))
	defer p.writer.End()
	p.run(ix.middleware[0], w, r, inner)
}

// ServeHTTP continues with the next middleware, or with the app itself.
func (n *appNext) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := r.Context().Value(appKey{n.app}).(*appMiddlewareCall)
	switch {
	case !ok:
		n.app.direct.refuse(w, r, lostContext)
	case n.next < len(p.index.middleware):
		p.index.middleware[n.next].ServeHTTP(w, r)
	case p.begin():
		defer p.end(r, p.muxPattern, r.Context(), r.MultipartForm)
		p.index.serve(w, r, p.outer)
	}
}

// runMiddleware runs the middleware of the route. Ctx is the Context of its action.
func (c *call) runMiddleware(ctx Context) {
	p := new(routeMiddlewareCall)
	p.Context, p.outside = c.r.Context(), *c
	p.outside.accepts, p.outside.received = nil, nil // for one goroutine
	if len(c.header) > 0 {
		p.hadEncoding = c.header["Content-Encoding"] != nil
		p.statusBefore = c.takeStatus() // middleware sees no status; serveRest sets it again
	}
	inner := request.Copy(c.r, p)
	ctx.captures(nil, inner.SetPathValue)
	status := cmp.Or(p.statusBefore, c.fallback)
	w := p.writer.Wrap(c.w, c.r, &c.Sender, status, c.encoded)
	// Middleware of routes that pass is nested too, but in one call of the app.
	if c.routeWriter == nil && !p.writer.Enter() {
		c.refuse(c.w, c.r, leadsBack)
		c.responded = true
		return
	}
	defer func() {
		if v := recover(); v != nil {
			if p.writer.Sent {
				c.Cut(c.w, c.r, v)
			}
			if p.statusBefore != 0 { // for the error handler
				c.setStatus(p.statusBefore)
			}
			panic(v)
		}
	}()
	if !p.run(c.ran.Value.route.around, w, c.r, inner) {
		// The middleware has responded itself, and may have sent the headers already.
		c.ensureStatus(status)
		if err := c.runAfter(); err != nil {
			dropHalt(err)
			c.Report(c.r, err)
		}
		p.writer.Status = c.takeStatus()
		p.writer.Begin()
	}
	c.responded = true
}

// serveRest is the next handler of a route's middleware. It runs the rest of the request, beginning
// with the action, and may run several times at once.
func (route *Route) serveRest(w http.ResponseWriter, r *http.Request) {
	p, ok := r.Context().Value(routeKey{route}).(*routeMiddlewareCall)
	if !ok {
		route.app.direct.refuse(w, r, lostContext)
		return
	}
	if !p.begin() {
		return
	}
	defer p.end(r, p.outside.ran.Value.name, r.Context(), r.MultipartForm)
	c := p.outside
	c.w, c.r, c.header, c.routeWriter = w, r, w.Header(), &p.writer
	c.recorder, _ = r.Context().Value(recordKey{}).(*recorder)
	c.encoded = c.encoded || !p.hadEncoding && c.header["Content-Encoding"] != nil
	if c.kept = 0; p.statusBefore != 0 {
		c.setStatus(p.statusBefore)
	}
	defer func() { request.End(c.r, r) }()
	c.respond(c.resume(p.outside.r))
}

// What refuse logs.
var (
	lostContext = "middleware must pass on the context of the request that it received"
	leadsBack   = fmt.Sprintf("more than %d handlers or middleware are nested: one of them leads back to the app", response.MaxDepth)
)

// refuse logs a problem of middleware or of a handler, and responds with a 500.
func (p *mountPoint) refuse(w http.ResponseWriter, r *http.Request, problem string) {
	p.Report(r, errors.New(problem))
	p.InternalError(w, r, true) // middleware may encode the body
}
