package routing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/basepath"
)

// This file makes the responses that no action made: for requests that were not found, for halts
// and for errors.

// respondNotFound responds if no route matches, or only routes of other methods.
func (x *call) respondNotFound(header http.Header) error {
	status, own := http.StatusNotFound, func(d *definitions) Action { return d.notFound }
	if methods := x.otherMethods(); len(methods) > 0 {
		header.Set("Allow", strings.Join(methods, ", "))
		if x.r.Method == http.MethodOptions {
			setStatus(header, http.StatusNoContent)
			return nil
		}
		status, own = http.StatusMethodNotAllowed, func(d *definitions) Action { return d.methodNotAllowed }
	}
	at := x.nearest(func(d *definitions) bool { return own(d) != nil })
	if at.index == nil {
		setStatus(header, status)
		header["X-Content-Type-Options"] = x.value(&noSniff)
		x.result = errorBody(x.r, header, x.entry, status, nil)
		return nil
	}
	setStatus(header, 0)
	err := x.run(own(&at.definitions), x.contextAt(at))
	var halt *HaltError
	if err == nil || errors.As(err, &halt) {
		setDefaultStatus(header, status)
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

// level is the app of a request, or one around it.
type level struct {
	*index
	*entry
}

// nearest returns the nearest level for which has is true, starting with the app itself, or the
// zero level.
func (x *call) nearest(has func(*definitions) bool) level {
	at := level{x.index, x.entry}
	for !has(&at.definitions) {
		if at.up == nil {
			return level{}
		}
		at = level{at.from, at.up}
	}
	return at
}

// contextAt returns the Context of a handler of that level, with the captures of the route if one
// ran.
func (x *call) contextAt(at level) Context {
	if at.entry == x.entry {
		if x.ran != nil {
			return x.context(x.ran.behind(nil))
		}
		return x.context(&x.appSite)
	}
	// The path is the one that the outer app matches.
	s := at.appSite
	path, _ := basepath.Cut(x.r.URL.Path, at.base)
	s.base, s.extras = len(at.base), &extras{base: at.base, path: path, outer: at.outer}
	if x.extras != nil {
		s.extras.input = x.extras.input
	}
	return Context{x.w, x.r, &s}
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
	setDefaultStatus(header, StatusOf(x.r, err))
	result, failed := x.handle(err, at)
	switch {
	case failed == nil:
		x.replace(result)
		x.app.log(x.r, statusIn(header), err)
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
		setStatus(header, halt.Status)
		switch {
		case halt.Reason == "":
		case !isFieldValue(halt.Reason):
			x.fail(fmt.Errorf("reason %q is not a valid header value", halt.Reason), header)
			return true
		default:
			setReason(header, halt.Reason)
		}
	}
	for name, values := range halt.Header {
		if name == statusKey || name == reasonKey {
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
	p := x.problemOf(err)
	if _, bad := json.Marshal(p); bad != nil {
		x.app.report(x.r, fmt.Errorf("encode problem: %w", bad))
		status, p = http.StatusInternalServerError, nil
	}
	setStatus(header, status)
	if status == http.StatusInternalServerError && p == nil {
		x.replace(failure)
		return
	}
	clearBodyHeaders(header)
	header["X-Content-Type-Options"] = x.value(&noSniff)
	if status == http.StatusRequestEntityTooLarge {
		closeAfter(header)
	}
	x.replace(errorBody(x.r, header, x.entry, status, p))
}

// textOf returns the text of a status. An unknown status has the text of the first one of its
// class (RFC 9110, 15).
func textOf(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return http.StatusText(status / 100 * 100)
}

// closeAfter closes the connection after the response, so that the server does not read the rest
// of a body that is too long.
func closeAfter(header http.Header) {
	if header["Connection"] == nil {
		header["Connection"] = []string{"close"}
	}
}

// replace sets the result of the response.
func (x *call) replace(result Result) {
	if x.result.kind != result.kind {
		x.result.drop()
	}
	x.result = result
}

// log logs an error: at level error for a status of 500 and above, else at level debug.
func (a *App) log(r *http.Request, status int, err error) {
	level := slog.LevelDebug
	if status >= 500 {
		level = slog.LevelError
	}
	logger := a.logger()
	if !logger.Enabled(r.Context(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("route", r.Pattern),
		slog.Int("status", status), slog.String("error", errorText(err)),
	}
	var panicked *PanicError
	if find(err, &panicked) {
		attributes = append(attributes, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(context.WithoutCancel(r.Context()), level, "request failed", attributes...)
}

// find is errors.As, for errors whose methods may panic.
func find[E error](err error, target *E) (found bool) {
	defer func() { recover() }()
	return errors.As(err, target)
}

// report logs a failure that ends in a 500 or a closed connection.
func (a *App) report(r *http.Request, err error) { a.log(r, http.StatusInternalServerError, err) }
