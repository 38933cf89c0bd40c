package routing

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// The steps of a request, in their order: serve cuts the path, dispatch runs the before filters and
// finds the route, run checks its conditions and calls its action, and respond sends the result.
// Rarer steps are in other files: override.go (bodies and overridden methods), middleware.go,
// handlers.go (results that handlers write), call.go (errors) and pages.go (error pages).

// ServeHTTP serves the request, or passes it to the handler of [WithNext].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.front.current().enter(w, r, nil)
}

// current returns the index of the current definitions. It is immutable, so a request sees all of a
// definition completely or not at all, without a lock.
func (p *mountPoint) current() *index {
	if ix := p.index.Load(); ix != nil && ix.source == p.app.definitions.Load() {
		return ix
	}
	return p.build()
}

// call is a request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response headers
// (internal/response/status.go).
type call struct {
	arrival
	w        http.ResponseWriter
	r        *http.Request
	result   Result
	problem  *Problem       // of the error that made the result
	halt     *HaltError     // with a reason phrase; may be nil
	recorder *recorder      // of RecordRoute, receives the route that runs; may be nil
	accepts  *accept.Header // read once for all routes; nil if no route has a format

	header      http.Header // of w
	responded   bool        // by the middleware of a route
	absent      int         // 404 or 405 if the result is the default response to that; else 0
	pagesPassed int         // how many of the early pages have passed

	routeWriter *response.Writer // of the middleware of a route, inside of which this call is; may be nil
}

// arrival is the part of a call that goes on behind the middleware of a route.
type arrival struct {
	*index                  // the definitions, as they were when the request came
	urlPath        string   // of the request when it came; middleware and actions may change that
	path           string   // the part of it that patterns match
	muxPattern     string   // the request's original Pattern, set by a ServeMux for example
	status         int      // the response's status if nothing sets another, or 0
	leaf           *leaf    // of the route that runs or ran; may be nil
	matched        *matched // nil for most requests
	line           requestLine
	recordedBefore *recorded // by RecordRoute, before this app
	remaining      []*leaf   // the routes to try next; nil until one has passed
	late           bool      // the after filters have run
	encoded        bool      // by outer middleware, which has set Content-Encoding
}

// requestLine is the method and the URL of a request, as the before filters have left them. Routes
// that pass may change them, in place or with middleware, and [call.restore] undoes that.
type requestLine struct {
	method                  string
	url                     *url.URL
	path, rawPath, rawQuery string // of the URL, which may be changed in place
}

// set takes the line from a request. Only a filter may have removed its URL.
func (l *requestLine) set(r *http.Request) {
	l.method, l.url = r.Method, r.URL
	if u := r.URL; u != nil {
		l.path, l.rawPath, l.rawQuery = u.Path, u.RawPath, u.RawQuery
	}
}

// origin is the outer app's state of a request that it passes on.
type origin struct {
	status   int  // that was set, or 0
	filtered bool // the outer app has set Content-Encoding

	urlPath, below string // the path in the outer app, and the part of it that patterns match; empty without an outer app
}

// errNoRoute means that no route matches, or that all have passed.
var errNoRoute = errors.New("routing: no route")

// enter passes a request into the app.
func (ix *index) enter(w http.ResponseWriter, r *http.Request, from *origin) {
	if len(ix.middleware) > 0 {
		ix.callMiddleware(w, r, from)
		return
	}
	ix.serve(w, r, from)
}

// serve handles one request behind the app's middleware.
func (ix *index) serve(w http.ResponseWriter, r *http.Request, from *origin) {
	// The path is cut, but not changed: handlers and logs need the one that the client sent.
	// Package net/url has decoded it once, and filters and routes match that same text. Of two
	// texts, a client could choose one that a filter does not know (RFC 3986, 6.2.2.2).
	//
	// The path is empty for CONNECT, whose target is a host (RFC 9112, 3.2.3), and for a whole
	// address without a path, where it stands for "/" (RFC 9110, 4.2.3).
	path := r.URL.Path
	if ix.site.base != 0 || path == "" {
		below, inside := ix.belowFrom(path, from)
		if !inside {
			ix.serveOutside(w, r, from)
			return
		}
		path = below
	}
	var x call // assigned below, because a composite literal would be copied
	x.index, x.w, x.r, x.header = ix, w, r, w.Header()
	x.urlPath, x.path, x.muxPattern = r.URL.Path, path, r.Pattern
	x.encoded = len(x.header) > 0 && x.header["Content-Encoding"] != nil
	if from != nil {
		x.status, x.encoded = from.status, x.encoded && !from.filtered
	}
	if x.recorder, _ = r.Context().Value(recordKey{}).(*recorder); x.recorder != nil {
		x.recordedBefore = x.recorder.Load()
	}
	if ix.site.base < 0 || ix.loose || ix.slashEnds {
		x.tidyPath()
	}
	// Many lookups in a long query would take quadratic time: a request line may have 1 MiB
	// (http.DefaultMaxHeaderBytes).
	if len(r.URL.RawQuery) > urlencoded.Short {
		x.keepPath()
		x.matched.query = urlencoded.NewIndex(r.URL.RawQuery)
	}
	// Servers set a length of 0 for no body, and -1 if the length is not known (RFC 9112, 6.3). The
	// method may also be overridden by a header, without a body.
	if r.ContentLength != 0 || ix.override != nil {
		x.serveBody()
		return
	}
	x.respond(x.dispatch())
}

// tidyPath removes the slashes that do not count from the path that patterns match, once for the
// whole request. The URL keeps them: handlers and logs see it as the client sent it.
func (x *call) tidyPath() {
	isTidy := pattern.IsTidy(x.urlPath)
	if !isTidy {
		x.path = x.tidy(x.path)
	}
	if !isTidy || x.parent != nil && x.parent.varies { // each Context would cut it again
		x.keepPath()
	}
}

// keepPath keeps the path for each Context, which otherwise takes it from the URL.
func (x *call) keepPath() {
	if x.matched == nil {
		x.matched = &matched{path: x.urlPath, below: x.path}
	}
}

// serveBody serves a request that may have a body.
func (x *call) serveBody() {
	received, files := x.r, x.r.MultipartForm
	defer func() { x.leave(received, files) }() // also after a panic
	err := x.receive()
	if err == nil {
		err = x.dispatch()
	}
	x.respond(err)
}

// dispatch runs the before filters, and then the newest route that matches. If it passes, the next
// one runs. A panic is an error from here on.
func (x *call) dispatch() (err error) {
	defer contain(&err)
	// The filters run before any route is searched for, so that a request without a route is
	// refused like any other, and nobody learns which routes exist.
	if len(x.before) > 0 {
		if err := x.filter(x.before); err != nil {
			x.nameHalted()
			return err
		}
		// Nothing runs on a value that a filter could not read: the filter may have allowed the
		// request because of that.
		if err := x.unreadable(); err != nil {
			return err
		}
	}
	x.line.set(x.r)
	l := x.Table(x.line.method).Newest(x.path, match.NoBound)
	if l == nil {
		return errNoRoute
	}
	if err := x.run(l, false); err == nil || !passed(err) {
		return err // nearly all requests end here
	}
	return x.runNext(l)
}

// resume is dispatch, beginning with the action. If that passes, the next route sees the path
// values of the request outside of the middleware in place of the captures.
func (x *call) resume(outside *http.Request) (err error) {
	defer contain(&err)
	if err := x.run(x.leaf, true); err == nil || !passed(err) {
		return err
	}
	x.r = request.WithPathValues(x.r, func(set func(key, value string)) {
		for key := range x.leaf.Value.site.shape.All(x.path) {
			set(key, outside.PathValue(key))
		}
	})
	return x.runNext(x.leaf)
}

// filter runs filters in order until one returns an error or panics.
func (x *call) filter(filters []filter) (err error) {
	defer contain(&err)
	for i := range filters {
		f := &filters[i]
		// A filter of a group has a prefix, which is compared without the pattern.
		s := &f.sites[0]
		if f.prefix == "" || !strings.HasPrefix(x.path, f.prefix) {
			s = f.at(x.path) // also for "/admin" itself, which "/admin/" does not begin
		}
		if s == nil || len(f.conditions) > 0 && firstRefusal(f.conditions, x.contextFor(s), &x.accepts) != nil {
			continue
		}
		// After the action its parameters are there too, behind the filter's parameters.
		if x.leaf != nil {
			s = x.leaf.Value.lateSite(s.shape)
		}
		// A filter has nothing to pass to, so Pass only ends the filter itself.
		if err := f.run(x.contextFor(s)); err != nil && !passed(err) {
			return err
		}
	}
	return nil
}

// contextFor returns the Context at a site. It keeps the URL's path that was matched, from which
// captures are cut: filters, middleware and actions may change the URL in place, or remove it.
func (x *call) contextFor(s *site) Context {
	if x.r.URL == nil || x.r.URL.Path != x.urlPath {
		x.keepPath()
	}
	if x.matched != nil {
		with := *s
		with.matched = x.matched
		s = &with
	}
	return Context{x.w, x.r, s}
}

// run runs a route whose method and pattern match. It returns Pass if a condition is false. Inside
// the route's middleware, the conditions are checked and the middleware has run.
func (x *call) run(l *leaf, insideMiddleware bool) error {
	c := &l.Value
	// Conditions are checked here, not in the search: they are the user's and may be slow, so they
	// run only if no newer route has taken the request.
	plain := c.extra == nil || insideMiddleware
	if !plain {
		x.leaf = nil // if a condition panics, the error handler must not see the captures of a route that has passed
		if len(c.route.conditions) > 0 {
			if firstRefusal(c.route.conditions, x.contextFor(&c.site), &x.accepts) != nil {
				return Pass
			}
		}
	}
	x.leaf = l
	// ServeMux sets Pattern too (golang/go#66405), so logs and traces know where to look. It is set
	// on the request that was received: a copy would hide it from them.
	x.r.Pattern = c.name
	if x.recorder != nil {
		x.recorder.Store(&recorded{c.name, c.route})
	}
	if !plain && c.route.middleware != nil {
		x.runMiddleware(c.route)
		return nil
	}
	result, err := c.action(x.contextFor(&c.site))
	if err != nil {
		if result.body.Kind != nil {
			result.body.Drop() // nobody else closes its stream
		}
		return err
	}
	x.result = result
	return nil
}

// contain is deferred by functions whose panics become errors. [http.ErrAbortHandler] is passed
// on, since it asks the server to close the connection.
func contain(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		panic(v)
	default:
		*err = newPanicError(v)
	}
}

// passed reports whether an error is Pass. A type assertion is faster than errors.Is.
func passed(err error) bool {
	_, plain := err.(passError)
	return plain || errors.Is(err, Pass)
}

// leafSlices is a pool of the slices that runNext uses.
var leafSlices = sync.Pool{New: func() any { return new([]*leaf) }}

// runNext runs the other routes that match, after the route of a leaf has passed. The first time it
// collects all of them, since a search for each would take quadratic time.
func (x *call) runNext(l *leaf) error {
	if x.remaining != nil {
		return x.runRemaining()
	}
	slice := leafSlices.Get().(*[]*leaf)
	*slice = x.Table(x.line.method).All((*slice)[:0], x.path, l.Bound())
	x.remaining = *slice
	err := x.runRemaining()
	if !x.responded { // by middleware, which may keep the slice for a goroutine that outlives this call
		leafSlices.Put(slice)
	}
	return err
}

// runRemaining runs the remaining routes, until one does not pass.
func (x *call) runRemaining() error {
	for {
		x.restore()
		// No later route runs on a value that one has asked for and missed.
		if err := x.unreadable(); err != nil {
			return err
		}
		if len(x.remaining) == 0 {
			break
		}
		l := x.remaining[0]
		x.remaining = x.remaining[1:]
		if err := x.run(l, false); err == nil || !passed(err) {
			return err
		}
	}
	// All have passed, as if no route had matched. For logs too: the name is the mount's again, or
	// the mux's.
	x.leaf, x.r.Pattern = nil, x.muxPattern
	if x.recorder != nil {
		x.recorder.Store(x.recordedBefore)
	}
	return errNoRoute
}

// restore gives the request its method and its URL after a route has passed. Middleware keeps the
// request that it has passed on.
func (x *call) restore() {
	var now requestLine
	if now.set(x.r); now == x.line {
		return
	}
	if x.routeWriter != nil {
		x.r = request.Copy(x.r, x.r.Context())
	}
	x.r.Method, x.r.URL = x.line.method, x.line.url
	if x.line.url != nil {
		u := *x.line.url
		u.Path, u.RawPath, u.RawQuery = x.line.path, x.line.rawPath, x.line.rawQuery
		x.r.URL = &u
	}
	x.line.url = x.r.URL
}

// respond turns the outcome of the routes into a response and sends it. Nothing is sent before.
func (x *call) respond(err error) {
	if x.responded {
		return
	}
	// A writer of the server has no status before WriteHeader, which sends the headers. So the
	// status of filters and actions waits among the headers until here.
	_, hasForm := x.r.Body.(*form.Body) // was read for parameters, perhaps in vain
	if err != nil || hasForm || len(x.after) > 0 {
		if !x.conclude(err) {
			return
		}
	}
	// Most responses have no headers yet: a text's headers are set when it is written.
	status := 0
	if len(x.header) > 0 {
		status = x.checkHeader()
	}
	if status == 0 {
		status = x.status
	}
	w, isDirect := x.w, x.routeWriter != nil && x.routeWriter.IsDirect(x.w, x.result.body, status)
	if isDirect {
		w = x.routeWriter.ResponseWriter // the router's own responses are checked
	}
	if !x.result.body.Write(w, x.r, x.header, status) {
		x.renderOther(status)
	}
	if isDirect {
		x.routeWriter.Sent = true
	}
}

// conclude handles errors, runs the after filters, and calls the next handler, if any. It
// reports whether a response is left to render.
func (x *call) conclude(err error) bool {
	// The next handler may respond to requests without a route. It comes after the after filters,
	// since it writes.
	var next http.Handler
	if err == errNoRoute {
		if next = x.nextHandler(); x.notFound != nil || next == nil {
			next, err = x.respondNotFound(next)
		}
	}
	failed := err != nil && next == nil
	// An action that ignores an absent parameter would otherwise answer as if the client had not
	// sent it, for example because the body was too long.
	if !failed {
		if unreadable := x.unreadable(); unreadable != nil {
			err, failed, next = unreadable, true, nil
		}
	}
	if failed {
		x.respondTo(err, false)
	}

	// The after filters run whatever has happened: they release what before filters have taken, and
	// set headers, for example for caches. Their errors do not go to the error handler, which may
	// have made the response already.
	if !x.late && len(x.after) > 0 {
		response.SetDefaultStatus(x.header, x.status) // they may ask for it
		late := x.runAfter()
		if late == nil && !failed {
			late = x.unreadable()
		}
		if late != nil {
			next = nil
			x.respondTo(late, true)
		}
	}

	// From here on something may be sent. Net/http handles an unread body.
	if body, ok := x.r.Body.(*form.Body); ok {
		body.Release(x.r)
	}
	if next != nil {
		// A status of filters would not be sent, and an app would take it for its own filters'
		// status.
		response.TakeStatus(x.header)
		next.ServeHTTP(x.w, x.r)
	}
	return next == nil
}

// unreadable returns the error of parameters that an action asked for and that could not be read.
func (x *call) unreadable() error {
	if problem := form.Refused(x.r); problem != nil {
		return &RequestError{problem.Status, problem.Err}
	}
	return nil
}

// runAfter runs the after filters.
func (x *call) runAfter() (err error) {
	defer func() {
		if v := recover(); v != nil { // http.ErrAbortHandler, after which nothing is sent
			x.result.body.Drop()
			panic(v)
		}
	}()
	return x.filter(x.after)
}

// serveOutside responds to a request outside of the base path. Filters and handlers do not see it,
// since it is not for this app.
func (ix *index) serveOutside(w http.ResponseWriter, r *http.Request, from *origin) {
	switch {
	case ix.next != nil:
		ix.nextHandler().ServeHTTP(w, r)
	case ix.parent == nil:
		ix.warnOutside(r.URL.Path)
		ix.Error(w, r, http.StatusNotFound)
	default: // then the outer app has nothing there; its after filters have run
		above := ix.parent.current()
		path, _ := above.cut(r.URL.Path)
		x := call{arrival: arrival{index: above, urlPath: r.URL.Path, path: path, status: from.status, late: true}, w: w, r: r, header: w.Header()}
		x.encoded = !from.filtered && x.header["Content-Encoding"] != nil
		x.respond(errNoRoute)
	}
}
