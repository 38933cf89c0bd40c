package routing

import (
	"encoding/json"
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
func (x *call) contextAt(ix *index) Context {
	if ix.mountPoint == x.mountPoint && x.leaf != nil {
		return x.contextFor(&x.leaf.Value.site)
	}
	return x.contextFor(&ix.site)
}

// contextOfRoute returns the Context for a route that ran, or that would have run in a mounted app.
func (x *call) contextOfRoute(c *candidate) Context {
	s := c.site
	if s.at != x.mountPoint {
		below, _ := s.at.cut(x.urlPath)
		s.matched = &matched{path: x.urlPath, below: below}
		return Context{x.w, x.r, &s}
	}
	return x.contextFor(&c.site)
}

// respondTo responds to an error of a filter, an action or the not-found action. A halt is
// applied; all other errors go to the error handler, with the default status set. The errors of
// after filters don't go to the error handler.
func (x *call) respondTo(err error, fromAfter bool) {
	// The error's methods and the error handler are user code. If they panic, the client must still
	// get a response.
	defer x.failOnPanic()
	if x.halted(err) {
		return
	}
	app := x.nearest(func(d *definitions) bool { return d.onError != nil })
	if app == nil || fromAfter {
		x.fail(err)
		return
	}
	response.SetDefaultStatus(x.header, StatusOf(x.r, err))
	x.keepStatus()
	x.clearAction()
	result, failed := runHandler(func(c Context) (Result, error) { return app.onError(c, err) }, x.contextAt(app))
	x.keepStatus()
	switch {
	case failed == nil:
		x.replace(result)
		x.log(x.r, response.Status(x.header), err) // the handler may have set another status
	case x.halted(failed):
	default:
		// If the handler returns the error that it got, or a problem, the response has the status
		// of the returned error. Any other error is a failure of the handler: a 500.
		status := http.StatusInternalServerError
		var problem *Problem
		if _, panicked := failed.(*PanicError); !panicked && (wrapped.In(failed, err) || find(failed, &problem)) {
			status = StatusOf(x.r, failed)
		}
		x.failWith(status, failed, err)
	}
}

// clearAction removes the headers that describe the body of an action that has failed or passed.
// The Content-Type of before filters stays.
func (x *call) clearAction() {
	response.ClearBody(x.header, x.encoded)
	if x.typeBefore != nil {
		x.header["Content-Type"] = x.typeBefore
	}
}

// halted applies a halt. It reports whether err is a halt.
func (x *call) halted(err error) bool {
	var halt *HaltError
	if !errors.As(err, &halt) || halt == nil { // a nil pointer is an error without a status: a 500
		return false
	}
	x.replace(halt.Body) // first, so that fail closes the stream of halt.Body
	x.problem = nil      // of an earlier error
	if halt.Status != 0 {
		x.setStatus(halt.Status)
		if !response.IsFieldValue(halt.Reason) { // a line break would begin a header (RFC 9112, 4)
			x.fail(fmt.Errorf("reason %q is not a valid header value", halt.Reason))
			return true
		}
		if halt.Reason != "" {
			x.halt = halt
		}
	}
	// An entry :status would set the status: see internal/response/status.go.
	for name, values := range halt.Header.Clone() { // several requests may return the same halt
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

// failWith responds with a status, and with the problem in err, if any. It logs err and cause, the
// error that the error handler got. A plain 500 is final: after filters cannot change its status
// with SetStatus.
func (x *call) failWith(status int, err, cause error) {
	if wrapped.In(err, cause) {
		x.log(x.r, status, err)
	} else {
		x.log(x.r, status, errors.Join(err, cause))
	}
	x.problem = problemIn(err)
	var own *Problem
	if status == http.StatusInternalServerError && !find(err, &own) {
		x.problem = nil // a ParamError of the error handler is not the client's mistake
	}
	details, bad := x.detailsOf(status)
	if bad != nil {
		x.Report(x.r, bad)
		status = http.StatusInternalServerError
	}
	x.setStatus(status)
	if status == http.StatusInternalServerError && details == nil {
		x.replace(failure)
		return
	}
	// The headers still describe the response that failed: its length, ETag or Location. A cache
	// must not store the error for the lifetime of that response (RFC 9111, 4.2.1).
	response.ClearBody(x.header, x.encoded)
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
		again, _ := json.Marshal(problem.at(sent)) // without an error above, only the status differs
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
func (x *call) replace(result Result) {
	if before := x.result.body.Kind; before != nil && before != result.body.Kind {
		x.result.body.Drop()
	}
	x.result, x.defaultStatus = result, 0
}

// checkHeader removes the status from the headers and returns it. If the status or a header is not
// valid, the result becomes the plain 500.
func (x *call) checkHeader() int {
	// net/http would replace CR and LF by spaces. Respond with a 500 instead, since such a value
	// usually comes from the request (RFC 9110, 5.5).
	status := x.takeStatus()
	if len(x.header) > 0 {
		if name, illegal := response.Illegal(x.header); illegal {
			x.Report(x.r, fmt.Errorf("header %q is not valid", name))
			x.replace(failure)
		}
	}
	if status != 0 && isIllegalStatus(status) {
		x.Report(x.r, errIllegalStatus)
		x.replace(failure)
	}
	// The client may still be sending the body (RFC 9110, 15.5.14).
	if status == http.StatusRequestEntityTooLarge {
		response.CloseAfter(x.header, x.r)
	}
	if halt := x.halt; halt != nil && halt.Status == status && x.result.body.Kind != failure.body.Kind {
		response.SendReason(x.r.Context(), status, halt.Reason)
	}
	x.halt = nil // the reason is sent once
	return status
}

// isIllegalStatus reports whether a response cannot have the status. A 1xx response is not final:
// the client would wait for another response (RFC 9110, 15.2).
func isIllegalStatus(status int) bool { return status < 200 || status > 999 }

var errIllegalStatus = errors.New("the status must be 200 to 999")
