package routing

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file ends a request. From top to bottom: responses to what was not found, to halts and to
// errors, the app's pages for a status, the check of the headers, and what handlers write.

// respondNotFound responds if no route matches, or only routes of other methods.
func (x *call) respondNotFound(header http.Header) error {
	// A server may respond with 406 if it has no format that the client accepts, or with any other
	// one (RFC 9110, 15.5.7 and 12.4.1). So it is an option.
	if x.noType && x.answers406 {
		return &Problem{Status: http.StatusNotAcceptable}
	}
	// A 405 must have an Allow header (RFC 9110, 15.5.6). OPTIONS asks for it (RFC 9110, 9.3.7), so
	// that the header alone is the answer.
	status, own := http.StatusNotFound, func(d *definitions) Action { return d.notFound }
	if methods := x.otherMethods(); len(methods) > 0 {
		header.Set("Allow", strings.Join(methods, ", "))
		if x.r.Method == http.MethodOptions {
			response.SetStatus(header, http.StatusNoContent)
			return nil
		}
		status, own = http.StatusMethodNotAllowed, func(d *definitions) Action { return d.methodNotAllowed }
	}
	at := x.nearest(func(d *definitions) bool { return own(d) != nil })
	// A status that a route has set before it passed is not that of the response. The action's own
	// comes first, also that of a halt.
	response.SetStatus(header, 0)
	if at == nil {
		// The header would be one allocation more, and nobody asks for the status here.
		if x.result.body, x.status = response.Default(status, nil), status; len(x.after) > 0 {
			response.SetStatus(header, status) // they may ask for it
		}
		return nil
	}
	result, err := runHandler(own(&at.definitions), x.contextAt(at))
	if err == nil {
		x.result, x.handled = result, result != Result{}
	}
	// Any other error has a status of its own.
	var halt *HaltError
	if err == nil || find(err, &halt) {
		response.SetDefaultStatus(header, status)
	}
	return err
}

// otherMethods returns the other methods under which the path matches, and OPTIONS. It returns
// none if the method matches, or if the app does not use 405.
func (x *call) otherMethods() []string {
	if x.nearest(func(d *definitions) bool { return d.answers405 }) == nil {
		return nil
	}
	methods := x.Allowed(x.r.Method, x.path)
	if len(methods) > 0 && !slices.Contains(methods, http.MethodOptions) {
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
	}
	return methods
}

// respondTo responds to an error of a filter, an action or the not-found action. A halt is
// applied; all other errors go to the error handler, with the default status set. Late is true for
// errors of after filters, which do not reach the error handler.
func (x *call) respondTo(err error, header http.Header, late bool) {
	// The error's methods and the error handler are the user's: a panic of theirs must not leave
	// the client without a response.
	defer x.failOnPanic(header)
	x.handled = false // the error of an after filter replaces a handler's result
	if x.halted(err, header) {
		return
	}
	at := x.nearest(func(d *definitions) bool { return d.onError != nil })
	if at == nil || late {
		x.fail(err, header)
		return
	}
	response.SetDefaultStatus(header, StatusOf(x.r, err))
	result, failed := runHandler(func(c Context) (Result, error) { return at.onError(c, err) }, x.contextAt(at))
	switch {
	case failed == nil:
		x.replace(result)
		x.handled = result != Result{}
		x.log(x.r, response.Status(header), err) // the handler may have set another status
	case x.halted(failed, header):
	default:
		// A handler that returns its error, or problem details, leaves the response to the app. Any
		// other error means that the handler itself has failed, whatever status was the client's.
		status := http.StatusInternalServerError
		var problem *Problem
		if _, panicked := failed.(*PanicError); !panicked && (errors.Is(failed, err) || find(failed, &problem)) {
			status = StatusOf(x.r, failed)
		}
		x.failWith(status, failed, err, header)
	}
}

// halted applies a halt. It reports false if err is not one.
func (x *call) halted(err error, header http.Header) bool {
	var halt *HaltError
	if !errors.As(err, &halt) || halt == nil { // a nil pointer is an error without a status: a 500
		return false
	}
	x.replace(halt.Body) // first, since failing closes its stream
	if halt.Status != 0 {
		response.SetStatus(header, halt.Status)
		switch {
		case halt.Reason == "":
		case !response.IsFieldValue(halt.Reason): // a line break would begin a header (RFC 9112, 4)
			x.fail(fmt.Errorf("reason %q is not a valid header value", halt.Reason), header)
			return true
		default:
			response.SetReason(header, halt.Reason)
		}
	}
	// A reserved name would set another status than the one that is checked.
	for name, values := range halt.Header.Clone() { // a halt may be the answer to many requests
		if response.IsReserved(name) {
			x.fail(fmt.Errorf("header %q is not valid", name), header)
			return true
		}
		header[http.CanonicalHeaderKey(name)] = values
	}
	return true
}

// unreadable returns the error of parameters that an action asked for and that could not be read.
func (x *call) unreadable() error {
	if problem := form.Refused(x.r); problem != nil {
		return &RequestError{problem.Status, problem.Err}
	}
	return nil
}

// fail responds with the status of err, and logs err.
func (x *call) fail(err error, header http.Header) { x.failWith(StatusOf(x.r, err), err, err, header) }

// failWith responds with a status, and with the problem in err if there is one. It also logs the
// cause that an error handler has failed to handle. A plain 500 is final: after filters cannot
// change its status.
func (x *call) failWith(status int, err, cause error, header http.Header) {
	if errors.Is(err, cause) {
		x.log(x.r, status, err)
	} else {
		x.log(x.r, status, errors.Join(err, cause))
	}
	// Package apidoc has made the response to its errors itself.
	var made *ErrorResult
	if find(err, &made) && made != nil {
		response.SetStatus(header, status)
		response.ClearBody(x.w, header)
		x.replace(made.Result)
		return
	}
	details, bad := x.detailsOf(err, status)
	if bad != nil {
		x.Report(x.r, bad)
		status = http.StatusInternalServerError
	}
	response.SetStatus(header, status)
	if status == http.StatusInternalServerError && details == nil {
		x.replace(failure)
		return
	}
	// The headers describe the response that failed: its length, its ETag, its redirect. A cache
	// must not keep the error as long as it (RFC 9111, 4.2.1).
	response.ClearBody(x.w, header)
	// The client may still be sending the body (RFC 9110, 15.5.14).
	if status == http.StatusRequestEntityTooLarge {
		response.CloseAfter(header, x.r)
	}
	x.replace(Result{response.Default(status, details)})
}

// detailsOf returns the part of an error that the client may see, or nil for none.
func (p *mountPoint) detailsOf(err error, status int) (*response.Details, error) {
	var problem *Problem
	if !find(err, &problem) || problem == nil {
		// The key is the action's. The texts of all other errors may tell what clients must not
		// know.
		var missing *ParamError
		if !p.Problems || !find(err, &missing) || missing == nil {
			return nil, nil
		}
		problem = &Problem{Detail: "The parameter " + strconv.Quote(missing.Key) + " is missing."}
	}
	whole := *problem
	whole.Status = status // must be that of the response (RFC 9457, 3.1.2)
	body, err := json.Marshal(&whole)
	if err != nil {
		return nil, fmt.Errorf("encode problem: %w", err)
	}
	sentWith := func(sent int) []byte {
		if sent == status {
			return body
		}
		whole.Status = sent              // as an after filter has set it
		again, _ := json.Marshal(&whole) // cannot fail: only a number has changed
		return again
	}
	return &response.Details{Title: problem.Title, Text: problem.Detail, Problem: sentWith}, nil
}

// failOnPanic is deferred around calls of an error's methods, which may panic.
func (x *call) failOnPanic(header http.Header) {
	if v := recover(); v == http.ErrAbortHandler {
		x.result.body.Drop()
		panic(v)
	} else if v != nil {
		x.fail(newPanicError(v), header)
	}
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

// contextAt returns the Context of a handler of this app or of one around it, with the captures of
// the route if one of this app ran.
func (x *call) contextAt(ix *index) Context {
	if ix.mountPoint == x.mountPoint && x.ran != nil {
		return x.contextFor(&x.ran.Value.site)
	}
	return x.contextFor(&ix.site)
}

// runHandler runs an action for what was not found, an error or a status. One that fails leaves no
// result.
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
	if kind := x.result.body.Kind; kind != nil && kind != result.body.Kind {
		x.result.body.Drop()
	}
	x.result = result
}

// page lets the action for the status make the response, if there is one. It comes after the after
// filters, which may set the status too.
func (x *call) page(header http.Header) {
	status := response.Status(header)
	switch {
	case x.result == failure:
		status = http.StatusInternalServerError // whatever an after filter has set
	case status == 0:
		status = x.status
	}
	// A handler has not written its status yet, and what a not-found action or error handler has made
	// is meant to be seen.
	isHandlers := x.result.body.Kind != nil && x.result.body.Kind.Handler != nil
	if x.handled || isHandlers || !isErrorStatus(status) {
		return
	}
	at := x.nearest(func(d *definitions) bool { return d.pages[status] != nil })
	if at == nil {
		return
	}
	defer x.failOnPanic(header)
	before := header.Clone() // for an action that passes, as if there were none
	response.SetStatus(header, status)
	response.ClearContent(x.w, header)
	result, err := runHandler(at.pages[status], x.contextAt(at))
	switch {
	case err == nil:
		x.replace(result)
	case passed(err):
		clear(header)
		maps.Copy(header, before)
	case !x.halted(err, header):
		x.fail(err, header)
	}
}

// checkHeader removes the status from the headers and returns it. If the status or a header is not
// valid, the result becomes the plain 500.
func (x *call) checkHeader(header http.Header) int {
	// net/http replaces a CR or LF by a space and sends the rest. Here the response is refused,
	// since the value comes from the request more often than not (RFC 9110, 5.5).
	status, reason := response.TakeStatus(header), ""
	if len(header) > 0 {
		reason = response.TakeReason(header, status)
		if name, illegal := response.Illegal(header); illegal {
			x.Report(x.r, fmt.Errorf("header %q is not valid", name))
			x.replace(failure)
		}
	}
	// A status of 1xx is not final: another response would have to follow (RFC 9110, 15.2).
	if status != 0 && (status < 200 || status > 999) {
		x.Report(x.r, errIllegalStatus)
		x.replace(failure)
	}
	if reason != "" && x.result.body.Kind != failure.body.Kind {
		sendReason(x.r.Context(), status, reason)
	}
	return status
}

var errIllegalStatus = errors.New("the status must be 200 to 999")

// renderOther renders results other than texts and bytes. A panic here may come too late for another
// response. So it closes the connection: a client must not take a part for the whole (RFC 9112, 8).
func (x *call) renderOther(header http.Header, status int) {
	defer func() {
		if v := recover(); v != nil {
			x.Cut(x.r, v)
		}
	}()
	kind := x.result.body.Kind
	if kind == nil || kind.Handler == nil {
		x.Send(x.w, x.r, header, status, x.result.body)
		return
	}
	m, isMounted := kind.Handler.(*mount)
	isApp := isMounted && m.app != nil
	// An app checks its response itself. But its middleware may respond in its place, and then has to
	// send the status that was set here.
	w := x.w
	if !isApp || status != 0 {
		checked := response.NewWriter(x.w, x.r, &x.Sender, status)
		defer checked.End()
		w = checked.Full()
	}
	r := x.r
	if isApp {
		if x.loose { // the inner app cuts its base path off the whole path
			r = x.tidied(r)
		}
	} else if copied := x.withPathValues(r.Context()); copied != nil {
		r = copied
	}
	if x.multipart && !isMounted && r.ContentLength != 0 {
		if r == x.r { // net/http must find its own body in its request
			r = request.Copy(r, r.Context())
		}
		form.Keep(r, true) // what the handler parses is read from the server once
		form.Limit(r, x.contextAt(x.index).site.limits)
	}
	if r != x.r {
		defer request.End(r, x.r)
	}
	if isApp {
		x.ran.Value.inner.enter(w, r, status)
		return
	}
	kind.Handler.ServeHTTP(w, r)
}

// tidied returns a request whose path has no slashes that do not count, since a mounted app finds its
// base path below that. It is a copy if the path has some.
func (ix *index) tidied(r *http.Request) *http.Request {
	path, _ := ix.cut(r.URL.Path)
	tidy := pattern.Tidy(path)
	if len(tidy) == len(path) {
		return r
	}
	copied, address := *r, *r.URL
	address.Path = strings.TrimSuffix(address.Path, path) + tidy
	address.RawPath = pattern.Tidy(address.RawPath)
	copied.URL = &address
	return &copied
}

// nameHalted tells NameRoutes which route a before filter has kept from running.
func (x *call) nameHalted() {
	slot := slotOf(x.r.Context())
	if slot == noSlot {
		return
	}
	defer func() { recover() }() // of a condition: the response is that of the filter
	for _, l := range x.Table(x.r.Method).All(nil, x.path, match.NoBound) {
		c := x.contextFor(&l.Value.site)
		c.w = nil // Provides would set Vary
		if firstRefusal(l.Value.route.conditions, c) == nil {
			slot.set(l.Value.name, l.Value.route)
			return
		}
	}
}
