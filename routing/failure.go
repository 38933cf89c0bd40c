package routing

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/response"
)

// This file makes the responses that no action made: for requests that were not found, for halts
// and for errors.

// respondNotFound responds if no route matches, or only routes of other methods.
func (x *call) respondNotFound(header http.Header) error {
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
	if at.index == nil {
		response.SetStatus(header, status)
		x.NoSniff(x.w, header)
		x.result.body = x.Default(x.r, header, status, nil)
		return nil
	}
	response.SetStatus(header, 0)
	err := x.run(own(&at.definitions), x.contextAt(at))
	var halt *HaltError
	if err == nil || errors.As(err, &halt) {
		response.SetDefaultStatus(header, status)
	}
	return err
}

// otherMethods returns the other methods under which the path matches, and OPTIONS. It returns
// none if the method matches, or if the app does not use 405.
func (x *call) otherMethods() []string {
	if x.nearest(func(d *definitions) bool { return d.tellsMethods }).index == nil {
		return nil
	}
	methods := x.Allowed(x.r.Method, x.path)
	if len(methods) > 0 && !slices.Contains(methods, http.MethodOptions) {
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
	}
	return methods
}

func (x *call) run(action Action, c Context) (err error) {
	defer contain(&err)
	result, err := action(c)
	if err != nil {
		result.drop()
		return err
	}
	x.result = result
	return nil
}

// respondTo responds to an error of a filter, an action or the not-found action. A halt is
// applied; all other errors go to the error handler, with the default status set. Late is true for
// errors of after filters, which do not reach the error handler.
func (x *call) respondTo(err error, header http.Header, late bool) {
	defer x.failOnPanic(header)
	if x.halted(err, header) {
		return
	}
	at := x.nearest(func(d *definitions) bool { return d.onError != nil })
	if at.index == nil || late {
		x.fail(err, header)
		return
	}
	response.SetDefaultStatus(header, StatusOf(x.r, err))
	result, failed := x.handle(err, at)
	switch {
	case failed == nil:
		x.replace(result)
		x.app.log(x.r, response.Status(header), err)
	case x.halted(failed, header):
		result.drop()
	default:
		result.drop()
		if !errors.Is(failed, err) {
			failed = errors.Join(failed, err)
		}
		x.failWith(StatusOf(x.r, err), failed, header)
	}
}

// failOnPanic is deferred around calls of an error's methods, which may panic.
func (x *call) failOnPanic(header http.Header) {
	if v := recover(); v == http.ErrAbortHandler {
		panic(v)
	} else if v != nil {
		x.fail(newPanicError(v), header)
	}
}

// handle calls the error handler of a level.
func (x *call) handle(cause error, at level) (result Result, err error) {
	defer contain(&err)
	return at.onError(x.contextAt(at), cause)
}

// halted applies a halt. It reports false if err is not one.
func (x *call) halted(err error, header http.Header) bool {
	var halt *HaltError
	if !errors.As(err, &halt) || halt == nil {
		return false
	}
	if halt.Status != 0 {
		response.SetStatus(header, halt.Status)
		switch {
		case halt.Reason == "":
		case !response.IsFieldValue(halt.Reason):
			x.fail(fmt.Errorf("reason %q is not a valid header value", halt.Reason), header)
			return true
		default:
			response.SetReason(header, halt.Reason)
		}
	}
	for name, values := range halt.Header {
		if response.IsReserved(name) {
			x.fail(fmt.Errorf("header %q is not valid", name), header)
			return true
		}
		header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	x.replace(halt.Body)
	return true
}

// unreadable returns the error of parameters that an action asked for and that could not be read.
func (x *call) unreadable() error {
	if x.extras == nil || x.extras.input == nil {
		return nil
	}
	if problem := x.extras.input.Refused(); problem != nil {
		return &RequestError{problem.Status, problem.Err}
	}
	return nil
}

// fail responds with the status of err, and logs err.
func (x *call) fail(err error, header http.Header) { x.failWith(StatusOf(x.r, err), err, header) }

// failWith responds with a status, and with the problem in err if there is one. A plain 500 is
// final: after filters cannot change its status.
func (x *call) failWith(status int, err error, header http.Header) {
	x.app.log(x.r, status, err)
	details, bad := x.detailsOf(err, status)
	if bad != nil {
		x.app.Report(x.r, bad)
		status = http.StatusInternalServerError
	}
	response.SetStatus(header, status)
	if status == http.StatusInternalServerError && details == nil {
		x.replace(failure)
		return
	}
	response.ClearBody(header)
	x.NoSniff(x.w, header)
	if status == http.StatusRequestEntityTooLarge {
		response.CloseAfter(header)
	}
	x.replace(Result{x.Default(x.r, header, status, details)})
}

// find is errors.As, for errors whose methods may panic.
func find[E error](err error, target *E) (found bool) {
	defer func() { recover() }()
	return errors.As(err, target)
}
