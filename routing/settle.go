package routing

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
)

// This file makes an answer of what no action has answered: what was not found, halts, requests that cannot be read, and errors.

// notFound answers what no route has answered.
func (x *exchange) notFound() error {
	status, page := http.StatusNotFound, notFoundPage
	if x.app.settings.methodNotAllowed {
		if methods := x.index.allowed(x.r.Method, x.path); len(methods) > 0 {
			x.w.Header().Set("Allow", strings.Join(methods, ", "))
			status, page = http.StatusMethodNotAllowed, methodNotAllowedPage
		}
	}
	x.setStatus(0)
	if x.index.notFound == nil {
		x.setStatus(status)
		x.w.Header()["X-Content-Type-Options"] = noSniffValue
		x.result = page
		return nil
	}
	result, err := x.runNotFound()
	var halt *HaltError
	if err == nil || errors.As(err, &halt) {
		x.defaultStatus(status)
	}
	if err != nil {
		x.drop(result)
		return err
	}
	x.result = result
	return nil
}

// runNotFound runs the not-found action.
func (x *exchange) runNotFound() (result Result, err error) {
	defer contain(&err)
	return x.index.notFound(x.context(nil, 0))
}

// settle makes an answer of the error that a filter, an action or the not-found action ended with.
func (x *exchange) settle(err error) {
	x.settled, x.unusual = true, true
	if x.end(err) {
		return
	}
	if x.index.onError == nil {
		x.fail(err)
		return
	}
	result, failure := x.handle(err)
	switch {
	case failure == nil:
		x.defaultStatus(http.StatusInternalServerError)
		x.replace(result)
	case x.end(failure):
		x.drop(result)
		x.defaultStatus(http.StatusInternalServerError)
	default:
		x.drop(result)
		x.fail(errors.Join(failure, err))
	}
}

// settleLate makes an answer of the error that an after filter ended with. The error handler is not asked.
func (x *exchange) settleLate(err error) {
	if !x.end(err) {
		x.fail(err)
	}
}

// handle asks the error handler.
func (x *exchange) handle(cause error) (result Result, err error) {
	defer contain(&err)
	return x.index.onError(x.context(nil, ticketLate), cause)
}

// end makes the answer of a halt, or of a request that cannot be read. It reports false for any other error.
func (x *exchange) end(err error) bool {
	var halt *HaltError
	if errors.As(err, &halt) && halt != nil {
		x.halt(halt)
		return true
	}
	var refused *RequestError
	if errors.As(err, &refused) && refused != nil {
		x.refuse(refused)
		return true
	}
	return false
}

// halt applies the parts of a halt that are given.
func (x *exchange) halt(halt *HaltError) {
	x.failed = false
	if halt.Status != 0 {
		x.setStatus(halt.Status)
		if halt.Reason != "" && !x.setReason(halt.Status, halt.Reason) {
			return
		}
	}
	if len(halt.Header) > 0 {
		header := x.w.Header()
		for name, values := range halt.Header {
			name = http.CanonicalHeaderKey(name)
			header[name] = append([]string(nil), values...)
		}
		x.touch()
	}
	x.replace(halt.Body)
}

// replace makes result the answer's.
func (x *exchange) replace(result Result) {
	if !same(x.result, result) {
		x.drop(x.result)
	}
	x.result = result
}

// same reports whether two results are one. A host's own type that embeds Result may be one whose values cannot be compared.
func same(a, b Result) bool {
	return a == nil && b == nil || a != nil && reflect.ValueOf(a).Comparable() && a == b
}

// fail makes the answer the plain 500, and logs why.
func (x *exchange) fail(err error) {
	x.report(err)
	x.replace(nil)
	x.failed = true
	x.setStatus(http.StatusInternalServerError)
}

// refuse makes the answer tell the client what about its request cannot be read.
func (x *exchange) refuse(err *RequestError) {
	x.failed = false
	status := err.Status
	if status < 400 || status > 499 {
		status = http.StatusBadRequest
	}
	x.setStatus(status)
	header := x.w.Header()
	undescribe(header)
	header["X-Content-Type-Options"] = noSniffValue
	x.replace(Text(http.StatusText(status)))
}

// refusal returns why parameters that were asked for could not be read. It decides the answer unless the request has ended with
// an error of its own.
func (x *exchange) refusal() error {
	if x.settled || !x.refused.Load() {
		return nil
	}
	x.guard.take(x.ticket)
	defer x.guard.give()
	return x.input.refused
}

// drop lets go of a result that is not the answer's.
func (x *exchange) drop(result Result) {
	switch {
	case result == nil:
	case result == Result(&x.room):
		x.had = true
	default:
		result.drop()
	}
}
