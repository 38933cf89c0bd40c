package routing

import (
	"errors"
	"fmt"
	"net/http"

	"example.com/flowercafe/internal/wrapped"
	"example.com/flowercafe/routing/internal/response"
)

// This file responds to errors, halts and panics.

// nearest returns the index of the nearest app whose definitions satisfy has, beginning with this
// app, or nil.
func (ix *index) nearest(has func(*definitions) bool) *index {
	for !has(&ix.definitions) {
		if ix.parent == nil {
			return nil
		}
		ix = ix.parent.current()
	}
	return ix
}

// contextAt returns the Context for a handler of ix, which is this app or an outer app. In this app
// it has the captures of the route that ran, if any.
func (c *call) contextAt(ix *index) Context {
	if ix.mountPoint == c.mountPoint && c.ran != nil {
		return c.contextFor(&c.ran.Value.prepared)
	}
	return c.contextFor(&ix.prepared)
}

// contextOfRoute returns the Context for a route that ran, or that would have run in a mounted app.
func (c *call) contextOfRoute(v *routeVariant) Context {
	s := v.prepared
	if s.mountPoint != c.mountPoint {
		below, _ := s.mountPoint.cutBase(c.urlPath)
		s.matchedURL = &matchedURL{urlPath: c.tidy(c.urlPath), path: below}
		return Context{c.w, c.r, &s}
	}
	return c.contextFor(&v.prepared)
}

// respondTo responds to an error of a filter, an action or the not-found action. A halt is
// applied; all other errors go to the error handler, with the default status set. The errors of
// after filters don't go to the error handler.
func (c *call) respondTo(err error, fromAfter bool) {
	// The error's methods and the error handler are user code. If they panic, the client must still
	// get a response.
	defer c.failOnPanic()
	if c.halted(err) {
		return
	}
	app := c.nearest(func(d *definitions) bool { return d.onError != nil })
	if app == nil || fromAfter {
		c.fail(err)
		return
	}
	c.ensureStatus(StatusOf(c.r, err))
	c.clearAction()
	result, failed := runHandler(func(c Context) (Result, error) { return app.onError(c, err) }, c.contextAt(app))
	c.keepStatus()
	switch {
	case failed == nil:
		c.replace(result)
		c.log(c.r, c.kept, err) // the handler may have set another status
	case c.halted(failed):
	default:
		// If the handler returns the error that it got, or a problem, the response has the status
		// of the returned error. Any other error is a failure of the handler: a 500.
		status := http.StatusInternalServerError
		_, isProblem := find[*Problem](failed)
		panicked, isPanic := failed.(*PanicError)
		isOwn := isPanic && error(panicked) != err // of the handler, not the one that it got
		if !isOwn && (wrapped.In(failed, err) || isProblem) {
			status = StatusOf(c.r, failed)
		}
		c.failWith(status, failed, err)
	}
}

// clearAction removes the headers that describe the body of an action that has failed or passed.
// The Content-Type of before filters stays.
func (c *call) clearAction() {
	response.ClearBody(c.header, c.encoded)
	if c.typeBefore != nil {
		c.header["Content-Type"] = c.typeBefore
	}
}

// halted applies a halt. It reports whether err is a halt.
func (c *call) halted(err error) bool {
	halt, _ := errors.AsType[*HaltError](err)
	if halt == nil { // a nil pointer is an error without a status: a 500
		return false
	}
	c.replace(halt.Body) // first, so that fail closes the stream of halt.Body
	c.problem = nil      // of an earlier error
	if halt.Status != 0 {
		c.setStatus(halt.Status)
		if !response.IsFieldValue(halt.Reason) { // a line break would begin a header (RFC 9112, 4)
			c.fail(fmt.Errorf("reason %q is not a valid header value", halt.Reason))
			return true
		}
		if halt.Reason != "" {
			c.halt = halt
		}
	}
	// An entry :status would set the status: see internal/response/status.go.
	for name, values := range halt.Header.Clone() { // several requests may return the same halt
		if response.IsReserved(name) {
			c.fail(fmt.Errorf("header %q is not valid", name))
			return true
		}
		c.header[http.CanonicalHeaderKey(name)] = values
	}
	return true
}

// dropHalt closes the stream of a halt in err, which is not sent.
func dropHalt(err error) {
	if halt, _ := find[*HaltError](err); halt != nil {
		halt.Body.body.Drop()
	}
}

// settle applies a halt, and responds to any other error with its status.
func (c *call) settle(err error) {
	defer c.failOnPanic()
	if !c.halted(err) {
		c.fail(err)
	}
}

// fail responds with the status of err, and logs err.
func (c *call) fail(err error) { c.failWith(StatusOf(c.r, err), err, err) }

// failWith responds with a status, and with the problem in err, if any. It logs err and cause, the
// error that the error handler got. A plain 500 is final: after filters cannot change its status
// with SetStatus.
func (c *call) failWith(status int, err, cause error) {
	if wrapped.In(err, cause) {
		c.log(c.r, status, err)
	} else {
		c.log(c.r, status, errors.Join(err, cause))
	}
	c.problem = problemIn(err)
	if _, isOwn := find[*Problem](err); !isOwn && status == http.StatusInternalServerError {
		c.problem = nil // a ParamError of the error handler is not the client's mistake
	}
	details, bad := c.detailsOf(status)
	if bad != nil {
		c.Report(c.r, bad)
		status = http.StatusInternalServerError
	}
	c.setStatus(status)
	if status == http.StatusInternalServerError && details == nil {
		c.replace(failure)
		return
	}
	// The headers still describe the response that failed: its length, ETag or Location. A cache
	// must not store the error for the lifetime of that response (RFC 9111, 4.2.1).
	response.ClearBody(c.header, c.encoded)
	c.replace(Result{response.Default(status, details)})
}

// detailsOf returns the problem for a default response, or nil for the status alone. It returns an
// error if the problem cannot be encoded, also if a member panics.
func (c *call) detailsOf(status int) (_ *response.Details, err error) {
	defer contain(&err)
	problem := c.problem
	if problem == nil {
		return nil, nil
	}
	body, err := problem.at(status).MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode problem: %w", err)
	}
	sentWith := func(sent int) []byte {
		if sent == status {
			return body
		}
		again, _ := problem.at(sent).MarshalJSON() // without an error above, only the status differs
		return again
	}
	return &response.Details{Title: problem.Title, Text: problem.Detail, Problem: sentWith}, nil
}

// failOnPanic is deferred around calls of an error's methods, which may panic.
func (c *call) failOnPanic() {
	if v := recover(); v == http.ErrAbortHandler {
		c.result.body.Drop()
		panic(v)
	} else if v != nil {
		c.fail(newPanicError(v))
	}
}

// runHandler runs a not-found action, an error handler or an ErrorBody function. With an error it
// returns no result.
func runHandler(action Action, c Context) (result Result, err error) {
	defer contain(&err)
	result, err = action(c)
	if err != nil {
		result.body.Drop()
		return Result{}, err
	}
	return result, nil
}

// replace sets the result, and closes the stream of the previous result.
func (c *call) replace(result Result) {
	if before := c.result.body.Kind; before != nil && before != result.body.Kind {
		c.result.body.Drop()
	}
	c.result, c.noRoute = result, 0
}
