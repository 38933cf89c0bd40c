package routing

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file has the state of a request in an app, and the handling of errors, halts and panics.

// current returns the index of the current definitions. It is immutable, so a request sees all of a
// definition completely or not at all, without a lock.
func (p *mountPoint) current() *index {
	if ix := p.index.Load(); ix != nil && ix.of == p.app.definitions.Load() {
		return ix
	}
	return p.build()
}

// call is a request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response headers
// (internal/response/status.go).
type call struct {
	arrival
	w       http.ResponseWriter
	r       *http.Request
	result  Result
	problem *Problem       // of the error that made the result
	halt    *HaltError     // with a reason phrase; may be nil
	slot    *ranSlot       // of RecordRoute, receives the route that runs; may be nil
	accepts *accept.Header // read once for all routes; nil if no route has a format

	header    http.Header // of w
	responded bool        // by the middleware of a route
	absent    int         // 404 or 405 if the result is the default response to that; else 0
	passed    int         // how many of the early pages have passed

	given *response.Writer // to the middleware of a route, inside of which this call is; may be nil
}

// arrival is the part of a call that goes on behind the middleware of a route.
type arrival struct {
	*index               // the definitions, as they were when the request came
	urlPath    string    // of the request when it came; middleware and actions may change that
	path       string    // the part of it that patterns match
	muxPattern string    // the request's original Pattern, set by a ServeMux for example
	status     int       // the response's status if nothing sets another, or 0
	ran        *leaf     // the route that ran
	matched    *matched  // nil for most requests
	asked      asked     // since the routes are tried
	named      *ranRoute // what RecordRoute knew before this app
	left       []*leaf   // the routes below the one that ran, if collected
	collected  bool      // a route has passed
	late       bool      // the after filters have run
	encoded    bool      // by outer middleware, which has set Content-Encoding
}

// asked is the request in an app, as the before filters have seen it. Routes change
// requests, in place or with middleware, and [call.restore] gives the next handler this request.
type asked struct {
	method               string
	url                  *url.URL
	path, rawPath, query string // of the URL, which may be changed in place
}

// set makes a the asked of a request. Only a filter may have removed its URL.
func (a *asked) set(r *http.Request) {
	a.method, a.url = r.Method, r.URL
	if u := r.URL; u != nil {
		a.path, a.rawPath, a.query = u.Path, u.RawPath, u.RawQuery
	}
}

// restore gives the request its method and its URL after a route has passed. Middleware keeps the
// request that it has passed on.
func (x *call) restore() {
	var now asked
	if now.set(x.r); now == x.asked {
		return
	}
	if x.given != nil {
		x.r = request.Copy(x.r, x.r.Context())
	}
	x.r.Method, x.r.URL = x.asked.method, x.asked.url
	if x.asked.url != nil {
		u := *x.asked.url
		u.Path, u.RawPath, u.RawQuery = x.asked.path, x.asked.rawPath, x.asked.query
		x.r.URL = &u
	}
	x.asked.url = x.r.URL
}

// origin is the outer app's state of a request that it passes on.
type origin struct {
	status   int  // that was set, or 0
	filtered bool // the outer app has set Content-Encoding

	urlPath, below string // the path in the outer app, and the part of it that patterns match; empty without an outer app
}

// errNoRoute means that no route matches, or that all have passed.
var errNoRoute = errors.New("routing: no route")

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

// nearest returns the current index of the nearest app for which has is true, beginning with this
// one, or nil.
func (ix *index) nearest(has func(*definitions) bool) *index {
	for !has(&ix.definitions) {
		if ix.parent == nil {
			return nil
		}
		ix = ix.parent.current()
	}
	return ix
}

// contextAt returns the Context of a handler of this app or of an outer one, with the captures of
// the route if one of this app ran.
func (x *call) contextAt(ix *index) Context {
	if ix.mountPoint == x.mountPoint && x.ran != nil {
		return x.contextFor(&x.ran.Value.site)
	}
	return x.contextFor(&ix.site)
}

// contextOfMount returns the Context of an option of the mount by which the request came from an
// outer app.
func (x *call) contextOfMount(outer *index, mount *Route) Context {
	s, m := outer.site, matched{path: x.urlPath}
	if x.matched != nil {
		m = *x.matched
	}
	m.below, _ = outer.cut(m.path)
	s.shape, s.matched = mount.pattern.p.Find(m.below), &m
	return Context{x.w, x.r, &s}
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

// respondTo responds to an error of a filter, an action or the not-found action. A halt is
// applied; all other errors go to the error handler, with the default status set. Late is true for
// errors of after filters, which do not reach the error handler.
func (x *call) respondTo(err error, late bool) {
	// The error's methods and the error handler are the user's: a panic of theirs must not leave
	// the client without a response.
	defer x.failOnPanic()
	if x.halted(err) {
		return
	}
	at := x.nearest(func(d *definitions) bool { return d.onError != nil })
	if at == nil || late {
		x.fail(err)
		return
	}
	response.SetDefaultStatus(x.header, StatusOf(x.r, err))
	result, failed := runHandler(func(c Context) (Result, error) { return at.onError(c, err) }, x.contextAt(at))
	switch {
	case failed == nil:
		x.replace(result)
		x.log(x.r, response.Status(x.header), err) // the handler may have set another status
	case x.halted(failed):
	default:
		// A handler that returns its error, or problem details, leaves the response to the app. Any
		// other error means that the handler itself has failed, whatever status was the client's.
		status := http.StatusInternalServerError
		var problem *Problem
		if _, panicked := failed.(*PanicError); !panicked && (errors.Is(failed, err) || find(failed, &problem)) {
			status = StatusOf(x.r, failed)
		}
		x.failWith(status, failed, err)
	}
}

// halted applies a halt. It reports false if err is not one.
func (x *call) halted(err error) bool {
	var halt *HaltError
	if !errors.As(err, &halt) || halt == nil { // a nil pointer is an error without a status: a 500
		return false
	}
	x.replace(halt.Body) // first, since failing closes its stream
	x.problem = nil      // of an error before
	if halt.Status != 0 {
		response.SetStatus(x.header, halt.Status)
		if !response.IsFieldValue(halt.Reason) { // a line break would begin a header (RFC 9112, 4)
			x.fail(fmt.Errorf("reason %q is not a valid header value", halt.Reason))
			return true
		}
		if halt.Reason != "" {
			x.halt = halt
		}
	}
	// A reserved name would set another status than the one that is checked.
	for name, values := range halt.Header.Clone() { // a halt may be the answer to many requests
		if response.IsReserved(name) {
			x.fail(fmt.Errorf("header %q is not valid", name))
			return true
		}
		x.header[http.CanonicalHeaderKey(name)] = values
	}
	return true
}

// fail responds with the status of err, and logs err.
func (x *call) fail(err error) { x.failWith(StatusOf(x.r, err), err, err) }

// failWith responds with a status, and with the problem in err, if any. It also logs the
// cause that an error handler has failed to handle. A plain 500 is final: after filters cannot
// change its status.
func (x *call) failWith(status int, err, cause error) {
	if errors.Is(err, cause) {
		x.log(x.r, status, err)
	} else {
		x.log(x.r, status, errors.Join(err, cause))
	}
	x.problem = problemIn(err)
	var own *Problem
	if status == http.StatusInternalServerError && !find(err, &own) {
		x.problem = nil // the missing parameter is the error handler's mistake, not the client's
	}
	details, bad := x.detailsOf(status)
	if bad != nil {
		x.Report(x.r, bad)
		status = http.StatusInternalServerError
	}
	response.SetStatus(x.header, status)
	if status == http.StatusInternalServerError && details == nil {
		x.replace(failure)
		return
	}
	// The headers describe the response that failed: its length, its ETag, its redirect. A cache
	// must not keep the error as long as it (RFC 9111, 4.2.1).
	response.ClearBody(x.header, x.encoded)
	// The client may still be sending the body (RFC 9110, 15.5.14).
	if status == http.StatusRequestEntityTooLarge {
		response.CloseAfter(x.header, x.r)
	}
	x.replace(Result{response.Default(status, details)})
}

// detailsOf returns the problem for a default response, or nil for the status alone.
func (x *call) detailsOf(status int) (*response.Details, error) {
	problem := x.problem
	if problem == nil {
		return nil, nil
	}
	body, err := json.Marshal(problem.at(status))
	if err != nil {
		return nil, fmt.Errorf("encode problem: %w", err)
	}
	sentWith := func(sent int) []byte {
		if sent == status {
			return body
		}
		again, _ := json.Marshal(problem.at(sent)) // cannot fail: only a number has changed
		return again
	}
	return &response.Details{Title: problem.Title, Text: problem.Detail, Problem: sentWith}, nil
}

// failOnPanic is deferred around calls of an error's methods, which may panic.
func (x *call) failOnPanic() {
	if v := recover(); v == http.ErrAbortHandler {
		x.result.body.Drop()
		panic(v)
	} else if v != nil {
		x.fail(newPanicError(v))
	}
}

// runHandler runs a not-found action, an error handler or a page. If it fails, there is no result.
func runHandler(action Action, c Context) (result Result, err error) {
	defer contain(&err)
	result, err = action(c)
	if err != nil {
		result.body.Drop()
		return Result{}, err
	}
	return result, nil
}

// replace sets the result of the response.
func (x *call) replace(result Result) {
	if before := x.result.body.Kind; before != nil && before != result.body.Kind {
		x.result.body.Drop()
	}
	x.result, x.absent = result, 0
}

// checkHeader removes the status from the headers and returns it. If the status or a header is not
// valid, the result becomes the plain 500.
func (x *call) checkHeader() int {
	// net/http replaces a CR or LF by a space and sends the rest. Here the response is refused,
	// since the value comes from the request more often than not (RFC 9110, 5.5).
	status := response.TakeStatus(x.header)
	if len(x.header) > 0 {
		if name, illegal := response.Illegal(x.header); illegal {
			x.Report(x.r, fmt.Errorf("header %q is not valid", name))
			x.replace(failure)
		}
	}
	// A status of 1xx is not final: another response would have to follow (RFC 9110, 15.2).
	if status != 0 && (status < 200 || status > 999) {
		x.Report(x.r, errIllegalStatus)
		x.replace(failure)
	}
	if halt := x.halt; halt != nil && halt.Status == status && x.result.body.Kind != failure.body.Kind {
		sendReason(x.r.Context(), status, halt.Reason)
	}
	x.halt = nil // a phrase is sent once
	return status
}

var errIllegalStatus = errors.New("the status must be 200 to 999")
