package routing

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// A request passes through these functions: serve removes the base path, dispatch runs the before
// filters and finds the route, run checks its conditions and calls its action, and respond sends
// the result. Rarer steps are in other files: override.go (overridden methods), middleware.go,
// render.go (streams, handlers and mounted apps), error_response.go (errors), error_body.go (bodies
// of error responses) and next.go (the next handler). The state of a request is in call.go.

// ServeHTTP serves the request, or passes it to the handler of [WithNext].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.direct.enter(w, r, nil)
}

// current returns the index of the current definitions. It is immutable, so a request
// needs no lock, and never sees a part of a definition.
func (p *mountPoint) current() *index {
	if ix := p.index.Load(); ix != nil && ix.builtFrom == p.app.definitions.Load() {
		return ix
	}
	return p.build()
}

// errNoRoute means that no route matches, or that all have passed.
var errNoRoute = errors.New("routing: no route")

// enter passes a request into the app. Outer is nil for a request that no outer app passes on.
func (p *mountPoint) enter(w http.ResponseWriter, r *http.Request, outer *outerCall) {
	ix := p.current()
	if len(ix.middleware) > 0 {
		ix.callMiddleware(w, r, outer)
		return
	}
	ix.serve(w, r, outer)
}

// serve handles one request behind the app's middleware.
func (ix *index) serve(w http.ResponseWriter, r *http.Request, outer *outerCall) {
	// The URL keeps its path: handlers and logs need the path that the client sent. Filters and
	// routes both match the path that net/url decoded. If they matched different forms of it, a
	// client could bypass a filter (RFC 3986, 6.2.2.2).
	path := r.URL.Path
	if r.URL.Opaque != "" { // such as "http:a/b", which has no path, but a proxy behind the app finds one
		ix.Error(w, r, http.StatusBadRequest)
		return
	}
	isUntidy := (ix.loose || ix.optionalSlash) && !pattern.IsTidy(path)
	// The path is empty for CONNECT, whose target is a host (RFC 9112, 3.2.3), and for a target in
	// absolute form without a path, where it means "/" (RFC 9110, 4.2.3).
	if ix.base != "" || path == "" || isUntidy {
		rest, inside := ix.cutBaseAfter(path, outer)
		if !inside {
			ix.serveOutside(w, r, outer)
			return
		}
		path = rest
	}
	var c call // assigned below, because a composite literal would be copied
	c.index, c.w, c.r, c.header = ix, w, r, w.Header()
	c.urlPath, c.path, c.muxPattern = r.URL.Path, path, r.Pattern
	c.encoded = len(c.header) > 0 && outer.encoded(c.header)
	if outer != nil {
		c.fallback, c.received = outer.status, outer.received
	}
	if c.recorder, _ = r.Context().Value(recordKey{}).(*recorder); c.recorder != nil {
		c.recordedBefore = c.recorder.Load()
	}
	// If the base path of the outer app varies, each Context would compute the path again.
	if isUntidy || ix.parent != nil && ix.parent.varies {
		c.keepPath()
	}
	// Without an index each lookup reads the whole query, which may be 1 MiB long
	// (http.DefaultMaxHeaderBytes), so many lookups would take quadratic time.
	if len(r.URL.RawQuery) > urlencoded.Short {
		c.keepPath()
		c.matchedURL.query = urlencoded.NewIndex(r.URL.RawQuery)
	}
	// Servers set a length of 0 for no body, and -1 if the length is not known (RFC 9112, 6.3). The
	// method may also be overridden by a header, without a body.
	if form.MayBeIn(r) || ix.override != nil {
		c.serveBody()
		return
	}
	c.respond(c.dispatch())
}

// keepPath stores the path for later Contexts, which otherwise read it from the URL.
func (c *call) keepPath() {
	if c.matchedURL == nil {
		c.matchedURL = &matchedURL{urlPath: c.tidy(c.urlPath), path: c.path}
	}
}

// serveBody serves a request that may have a body, or whose method may be overridden. It serves a
// copy, since the request that was received keeps its method and the server's body.
func (c *call) serveBody() {
	given := c.r
	defer func() { request.End(c.r, given) }() // also after a panic
	c.copyRequest()
	method, err := c.overridden()
	if method != "" {
		if c.r == given {
			c.r = request.Copy(given, given.Context())
		}
		c.r.Method = method
	}
	if c.received == nil && c.r != given {
		c.received = given
	}
	if err == nil {
		err = c.dispatch()
	}
	c.respond(err)
}

// copyRequest replaces the request by a copy with a form.Body, if it may have a body. A request
// inside middleware or another app has a form.Body already.
func (c *call) copyRequest() {
	if c.body = form.Again(c.r); c.body == nil && form.MayBeIn(c.r) {
		c.r = request.Copy(c.r, c.r.Context())
		c.body = form.Front(c.r)
	}
}

// dispatch runs the before filters, and then the routes that match, until one does not pass. A
// panic becomes an error.
func (c *call) dispatch() (err error) {
	defer contain(&err)
	// The filters run before the search for a route, so that they also refuse requests that no
	// route matches. Otherwise clients could find out which routes exist.
	if len(c.before) > 0 {
		err := c.filter(c.before)
		// If a filter could not read a parameter, no route runs: the filter may have allowed the
		// request because the parameter seemed to be missing.
		if err == nil {
			err = c.unreadable()
		}
		if err != nil {
			c.keepType()
			c.recordHalted()
			return err
		}
	}
	c.keepType()
	c.line.set(c.r)
	l := c.Index.First(c.line.method, c.path)
	if l == nil {
		return errNoRoute
	}
	if err := c.run(l, false); err == nil || !passed(err) {
		return err // nearly all requests end here
	}
	return c.runNext(l)
}

// keepType stores the Content-Type that filters have set, here or in an outer app.
func (c *call) keepType() {
	if len(c.header) > 0 {
		c.typeBefore = c.header["Content-Type"]
	}
}

// resume continues a request inside a route's middleware, beginning with the action. If the action
// passes, resume restores the path values that the route has replaced: outside is the request
// before the middleware, which still has them.
func (c *call) resume(outside *http.Request) (err error) {
	defer contain(&err)
	c.copyRequest()
	if err := c.run(c.ran, true); err == nil || !passed(err) {
		return err
	}
	values := request.PathValues{Request: c.r}
	for key := range c.ran.Value.prepared.variant.All(c.path) {
		values.Set(key, outside.PathValue(key))
	}
	c.r = values.Request
	return c.runNext(c.ran)
}

// filter runs filters in order until one returns an error or panics.
func (c *call) filter(filters []filter) (err error) {
	defer contain(&err)
	for i := range filters {
		f := &filters[i]
		// Most filters of groups match all paths with a prefix, such as "/admin/". Other filters
		// and paths, such as "/admin" itself, need the pattern.
		s := &f.prepared[0]
		if f.prefix == "" || !strings.HasPrefix(c.path, f.prefix) {
			s = f.match(c.path)
		}
		if s == nil || len(f.conditions) > 0 && falseCondition(f.conditions, c.contextFor(s), &c.accepts) != nil {
			continue
		}
		// After filters can also read the parameters of the route; their own take precedence.
		if c.ran != nil {
			s = c.ran.Value.preparedAfter(s.variant)
		}
		// Pass only ends the filter. The next filter runs.
		err := f.run(c.contextFor(s))
		c.keepStatus()
		if err != nil && !passed(err) {
			return err
		}
	}
	return nil
}

// contextFor returns the Context made of a prepared one. If user code has changed the URL in place,
// or removed it, contextFor stores the path that was matched, from which the captures are cut.
func (c *call) contextFor(s *preparedContext) Context {
	if c.r.URL == nil || c.r.URL.Path != c.urlPath {
		c.keepPath()
	}
	if c.matchedURL != nil {
		with := *s
		with.matchedURL = c.matchedURL
		s = &with
	}
	return Context{c.w, c.r, s}
}

// run runs a route whose method and pattern match. It returns Pass if a condition is false. With
// insideMiddleware it only calls the action: the conditions were checked before the middleware ran.
func (c *call) run(l *indexedRoute, insideMiddleware bool) error {
	v := &l.Value
	// Conditions are checked here, not in the search: they are user code and may be slow, so they
	// run only for routes that are tried.
	plain := v.uncommonRoute == nil || insideMiddleware
	if !plain {
		c.ran = nil // if a condition panics, the error handler must not see the captures of a route that has passed
		if len(v.route.conditions) > 0 {
			if falseCondition(v.route.conditions, c.contextFor(&v.prepared), &c.accepts) != nil {
				return Pass
			}
		}
	}
	c.ran = l
	c.setPattern(v.name)
	if c.recorder != nil {
		c.recorder.Store(v)
	}
	if !plain && v.route.around != nil {
		c.runMiddleware(c.contextFor(&v.prepared))
		return nil
	}
	result, err := v.action(c.contextFor(&v.prepared))
	c.keepStatus()
	if err != nil {
		if result.body.Kind != nil {
			result.body.Drop() // closes its stream
		}
		return err
	}
	c.result = result
	return nil
}

// setPattern sets Pattern, like ServeMux also on the request that was received, so that outer
// middleware can read it while the response is written (golang/go#66405).
func (c *call) setPattern(pattern string) {
	c.r.Pattern = pattern
	if c.received != nil {
		c.received.Pattern = pattern
	}
}

// keepStatus is called after each function of a user: the status stays if the function has removed
// all headers.
func (c *call) keepStatus() {
	if len(c.header) > 0 || c.kept != 0 {
		c.kept = response.Keep(c.header, c.kept)
	}
}

// ensureStatus sets the status unless one is set.
func (c *call) ensureStatus(status int) {
	c.kept = response.Keep(c.header, cmp.Or(c.kept, status))
}

// setStatus sets the status of the response.
func (c *call) setStatus(status int) {
	response.SetStatus(c.header, status)
	c.kept = status
}

// takeStatus removes and returns the status.
func (c *call) takeStatus() int {
	c.kept = 0
	return response.TakeStatus(c.header)
}

// contain turns a panic of the function that defers it into an error. [http.ErrAbortHandler] stays
// a panic, so that the server closes the connection.
func contain(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		panic(v)
	default:
		*err = newPanicError(v)
	}
}

// passed reports whether an error is Pass, perhaps wrapped. Pass that is joined with another error
// counts as the other error, which may be a refusal. A type assertion is faster than errors.Is.
func passed(err error) bool {
	_, plain := err.(passError)
	return plain || wrapsPass(err)
}

func wrapsPass(err error) (is bool) {
	defer func() { recover() }() // a method of the error has panicked
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		return inner != nil && passed(inner)
	case interface{ Unwrap() []error }:
		errs := e.Unwrap()
		return len(errs) > 0 && !slices.ContainsFunc(errs, func(err error) bool { return !passed(err) })
	}
	return false
}

// requestLine is the method and the URL of a request after the before filters. Routes that pass may
// change them, in place or with middleware. Then [call.restore] resets them.
type requestLine struct {
	method string
	url    *url.URL
	value  url.URL // of url, which may be changed in place
}

// set copies the method and URL of r. The URL is nil only if user code has removed it.
func (l *requestLine) set(r *http.Request) {
	l.method, l.url = r.Method, r.URL
	if r.URL != nil {
		l.value = *r.URL
	}
}

// routeSlices is a pool of the slices that runNext uses.
var routeSlices = sync.Pool{New: func() any { return new([]*indexedRoute) }}

// runNext runs the other routes that match, after the route l has passed. The first call
// collects them all, since a search for each would take quadratic time.
func (c *call) runNext(l *indexedRoute) error {
	if c.remaining != nil {
		return c.runRemaining()
	}
	slice := routeSlices.Get().(*[]*indexedRoute)
	*slice = c.Index.All((*slice)[:0], c.line.method, c.path, l)
	c.remaining = *slice
	err := c.runRemaining()
	// Middleware that responded may still use the slice, in a goroutine that outlives this call.
	if !c.responded {
		clear(*slice) // it would keep the index alive
		routeSlices.Put(slice)
	}
	return err
}

// runRemaining runs the remaining routes, until one does not pass.
func (c *call) runRemaining() error {
	for {
		c.restore()
		// If a route could not read a parameter, no later route runs.
		if err := c.unreadable(); err != nil {
			return err
		}
		if len(c.remaining) == 0 {
			break
		}
		l := c.remaining[0]
		c.remaining = c.remaining[1:]
		if err := c.run(l, false); err == nil || !passed(err) {
			return err
		}
	}
	// If all routes have passed, the request is handled as if no route had matched. For logs,
	// Pattern is reset to the pattern of the mount or the ServeMux.
	c.ran = nil
	c.setPattern(c.muxPattern)
	if c.recorder != nil {
		c.recorder.Store(c.recordedBefore)
	}
	return errNoRoute
}

// restore resets the request's method and URL after a route has passed. Inside middleware it
// changes a copy, since the middleware may still use its request.
func (c *call) restore() {
	var now requestLine
	if now.set(c.r); now == c.line {
		return
	}
	if c.routeWriter != nil {
		c.r = request.Copy(c.r, c.r.Context())
	}
	c.r.Method, c.r.URL = c.line.method, c.line.url
	if c.line.url != nil {
		u := c.line.value
		c.r.URL = &u
	}
	c.line.url = c.r.URL
}

// respond sends the result, or the response to err, unless the middleware of a route has responded.
func (c *call) respond(err error) {
	if c.responded {
		return
	}
	_, hasForm := c.r.Body.(*form.Body) // reading parameters from it, or from the first body, may have failed
	if err != nil || hasForm || c.body != nil || len(c.after) > 0 {
		if !c.conclude(err) {
			return
		}
	}
	// Most responses have no headers yet: a text's headers are set when it is written.
	status := 0
	if len(c.header) > 0 {
		status = c.checkHeader()
	}
	if status == 0 {
		status = c.fallback
	}
	w, isDirect := c.w, c.routeWriter != nil && c.routeWriter.IsDirect(c.w, c.result.body)
	if isDirect {
		w = c.routeWriter.ResponseWriter // this response needs no check by routeWriter
	}
	if !c.result.body.Write(w, c.r, c.header, status) {
		c.renderOther(status)
	}
	if isDirect {
		c.routeWriter.Sent = true
	}
}

// checkHeader removes the status from the headers and returns it. If the status or a header is not
// valid, the result becomes the plain 500.
func (c *call) checkHeader() int {
	// net/http would replace CR and LF by spaces. Respond with a 500 instead, since such a value
	// usually comes from the request (RFC 9110, 5.5).
	status := c.takeStatus()
	if len(c.header) > 0 {
		if name, illegal := response.Illegal(c.header); illegal {
			c.Report(c.r, fmt.Errorf("header %q is not valid", name))
			c.replace(failure)
		}
	}
	if status == response.InvalidStatus {
		c.Report(c.r, errIllegalStatus)
		c.replace(failure)
	}
	// The client may still be sending the body (RFC 9110, 15.5.14).
	if status == http.StatusRequestEntityTooLarge {
		response.CloseAfter(c.header, c.r)
	}
	if halt := c.halt; halt != nil && halt.Status == status && c.result.body.Kind != failure.body.Kind {
		response.SendReason(c.r.Context(), status, halt.Reason)
	}
	c.halt = nil // the reason is sent once
	return status
}

var errIllegalStatus = errors.New("the status must be 200 to 999")

// conclude handles errors, runs the after filters, and calls the next handler, if any. It
// reports whether the result must still be rendered.
func (c *call) conclude(err error) bool {
	// The next handler may respond to requests without a route. It runs after the after filters,
	// since it writes the response.
	goesNext := err == errNoRoute && c.next != nil && c.notFound == nil
	switch {
	case goesNext:
		err = nil
	case err == errNoRoute:
		goesNext, err = c.respondNotFound()
	}
	if err = c.orUnreadable(err); err != nil {
		goesNext = false
		c.respondTo(err, false)
	}
	if err = c.runAfterFor(err); err != nil {
		goesNext = false
		c.respondTo(err, true)
	}
	if goesNext {
		// Drop the status that filters have set: an app as the next handler would take it for the
		// status of its own filters.
		c.takeStatus()
		status := c.fallback
		// Inside a route's middleware, the writer also has the filters' status, and would send it.
		if c.routeWriter != nil && c.routeWriter.Status != 0 {
			status = cmp.Or(status, http.StatusOK)
		}
		c.serveNext(c.w, c.r, status, c.encoded)
	}
	return !goesNext
}

// runAfterFor runs the after filters of a request that has ended with err, which may be nil, and
// returns their error.
//
// They run after errors too: they release resources that before filters acquired, and set headers,
// for example for caches. Their errors do not go to the error handler, which may have made the
// response already.
func (c *call) runAfterFor(err error) error {
	if c.afterRan || len(c.after) == 0 {
		return nil
	}
	c.ensureStatus(c.fallback) // they may read it
	filterErr := c.runAfter()
	if IsFailure(err) {
		return filterErr
	}
	return c.orUnreadable(filterErr)
}

// unreadable returns the error of a parameter that could not be read, or nil.
func (c *call) unreadable() error {
	if problem := c.body.Refused(c.r); problem != nil {
		return &RequestError{problem.Status, problem.Err}
	}
	return nil
}

// orUnreadable returns err or, if that is not a failure, the error of a parameter that could not be
// read, for example in a body over the limit: the action may have responded, perhaps with a
// redirect, as if the client had not sent the parameter.
func (c *call) orUnreadable(err error) error {
	unreadable := c.unreadable()
	if unreadable == nil || IsFailure(err) {
		return err
	}
	dropHalt(err)
	return unreadable
}

// runAfter runs the after filters.
func (c *call) runAfter() (err error) {
	defer func() {
		if v := recover(); v != nil { // http.ErrAbortHandler, after which nothing is sent
			c.result.body.Drop()
			panic(v)
		}
	}()
	return c.filter(c.after)
}
