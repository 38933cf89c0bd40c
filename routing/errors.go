package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/response"
)

// This file declares the errors of requests, which may all be wrapped, and logs them.

// Pass is the error that an action returns to run the next route that matches. That route gets the
// status and the headers that were set. From a filter, Pass has no effect.
var Pass error = passError{}

type passError struct{}

func (passError) Error() string { return "routing: pass" }

// HaltError ends the request with this response. The after filters run as after other errors, but
// [App.OnError] does not.
type HaltError struct {
	// Status is the status of the response, 200 to 999; 0 leaves the current one.
	Status int

	// Reason is the reason phrase of HTTP/1.x. It is sent with the Status if the server uses
	// package routing/reason.
	Reason string

	// Header replaces the headers with the same names.
	Header http.Header

	// Body is the body of the response. The zero Result means none; for an error status see the
	// package comment.
	Body Result
}

func (e *HaltError) Error() string {
	return strings.TrimRight(fmt.Sprintf("routing: halt %d %s", e.Status, e.Reason), " ")
}

// Redirect returns a [HaltError] with status 302 and the given Location header. Non-ASCII
// characters are percent-encoded. Use [Context.Path] or [Context.URL] for a path in this app, and
// [LocalURL] for a location that comes from the user.
func Redirect(location string) error { return redirect(http.StatusFound, location) }

// SeeOther is [Redirect] with status 303: after a POST, clients request location with GET.
func SeeOther(location string) error { return redirect(http.StatusSeeOther, location) }

// LocalURL returns target if it is a path on this site, perhaps with a query, and otherwise
// fallback. For browsers, //evil and /\evil are on another host.
//
//	routing.SeeOther(routing.LocalURL(target, "/"))
func LocalURL(target, fallback string) string {
	// As the URL parser of browsers does (URL Standard, "relative slash state"): tabs and line
	// breaks are removed first, and a slash or backslash after the first slash starts a host.
	rest, isPath := strings.CutPrefix(target, "/")
	isControl := func(c rune) bool { return c < ' ' || c == 0x7f }
	if !isPath || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, `\`) || strings.ContainsFunc(rest, isControl) {
		return fallback
	}
	return target
}

// redirect returns a redirect to location, and percent-encodes its non-ASCII bytes (RFC 3986, 2.1).
func redirect(status int, location string) error {
	var ascii strings.Builder
	for _, c := range []byte(location) {
		if c < utf8.RuneSelf {
			ascii.WriteByte(c)
		} else {
			fmt.Fprintf(&ascii, "%%%02X", c)
		}
	}
	return &HaltError{Status: status, Header: http.Header{"Location": {ascii.String()}}}
}

// PanicError is the error of a panic, for example in an action or a filter.
type PanicError struct {
	Value any    // the value passed to panic
	Stack []byte // the stack of the goroutine, from debug.Stack
}

// newPanicError returns the error of a panic. A PanicError from another goroutine keeps its stack.
func newPanicError(v any) *PanicError {
	if err, ok := v.(error); ok {
		if first, _ := find[*PanicError](err); first != nil && first.Stack != nil {
			return &PanicError{Value: v, Stack: first.Stack}
		}
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

func (e *PanicError) Error() string { return fmt.Sprint(e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ErrNoParam is the error that a [ParamError] wraps.
var ErrNoParam = errors.New("routing: no such parameter")

// ParamError is the error of a missing parameter. The default response names the parameter.
type ParamError struct {
	Key string
}

func (e *ParamError) Error() string { return "routing: no parameter " + strconv.Quote(e.Key) }
func (e *ParamError) Unwrap() error { return ErrNoParam }

// StatusCode returns 400.
func (e *ParamError) StatusCode() int { return http.StatusBadRequest }

// RequestError is the error of a body that cannot be read for parameters: see [Params].
type RequestError struct {
	Status int   // 400, 413 or 500
	Err    error // the cause
}

func (e *RequestError) Error() string { return fmt.Sprintf("routing: read request: %v", e.Err) }
func (e *RequestError) Unwrap() error { return e.Err }

// StatusCode returns Status, or 400 if that is not an error status.
func (e *RequestError) StatusCode() int {
	if !isErrorStatus(e.Status) {
		return http.StatusBadRequest
	}
	return e.Status
}

func isErrorStatus(status int) bool { return status >= 400 && status <= 599 }

// statusDisconnected is logged if the client has disconnected, and does not receive a status.
const statusDisconnected = 499

// IsFailure reports whether an error of an action is a failure, for example for wrappers that roll
// back a transaction. It is false for nil, [Pass] and a halt whose Status is 0 or 200 to 399, such
// as a [Redirect].
func IsFailure(err error) (failed bool) {
	if err == nil {
		return false
	}
	defer func() { failed = recover() != nil || failed }() // a method of the error has panicked
	if halt, ok := errors.AsType[*HaltError](err); ok {
		return halt.status() >= http.StatusBadRequest
	}
	return !passed(err)
}

// status returns the status of the response: 200 if no status is set, or 500 if it is invalid or e
// is nil.
func (e *HaltError) status() int {
	switch {
	case e == nil:
		return http.StatusInternalServerError
	case e.Status == 0:
		return http.StatusOK
	case !response.IsFinal(e.Status):
		return http.StatusInternalServerError
	}
	return e.Status
}

// StatusOf returns the default status of the response to an error of an action or filter, by the
// first of these rules that applies:
//
//   - the status of a [HaltError]: 200 for 0, 500 if it is not valid;
//   - the result of the error's StatusCode method, found by [errors.As], if it is 400 to 599;
//   - 413 for an [http.MaxBytesError] and [multipart.ErrMessageTooLarge];
//   - 400 for [http.ErrMissingFile] and [http.ErrMissingBoundary], 415 for [http.ErrNotMultipart];
//   - for the error or cause of r's context, 503 after its deadline, 499 if it was canceled;
//   - 500.
func StatusOf(r *http.Request, err error) (status int) {
	defer func() {
		if recover() != nil { // a method of the error has panicked
			status = http.StatusInternalServerError
		}
	}()
	if halt, ok := errors.AsType[*HaltError](err); ok {
		return halt.status()
	}
	type coded interface {
		error
		StatusCode() int
	}
	if c, ok := errors.AsType[coded](err); ok {
		if status = c.StatusCode(); isErrorStatus(status) {
			return status
		}
	}
	_, isTooLarge := errors.AsType[*http.MaxBytesError](err)
	switch ended := r.Context().Err(); {
	case isTooLarge, errors.Is(err, multipart.ErrMessageTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, http.ErrMissingFile), errors.Is(err, http.ErrMissingBoundary):
		return http.StatusBadRequest
	case errors.Is(err, http.ErrNotMultipart):
		return http.StatusUnsupportedMediaType
	case ended == nil || !errors.Is(err, ended) && !errors.Is(err, context.Cause(r.Context())):
		return http.StatusInternalServerError
	case ended == context.DeadlineExceeded:
		return http.StatusServiceUnavailable
	default:
		return statusDisconnected
	}
}

// find is errors.AsType, but returns false if a method of the error panics.
func find[E error](err error) (target E, found bool) {
	defer func() { recover() }()
	return errors.AsType[E](err)
}

// log logs an error: at level error for a status of 500 and above, else at level debug.
func (p *mountPoint) log(r *http.Request, status int, err error) {
	severity := slog.LevelDebug
	if status >= 500 {
		severity = slog.LevelError
	}
	logger := cmp.Or(p.logger, slog.Default())
	if !logger.Enabled(r.Context(), severity) {
		return
	}
	path := ""
	if r.URL != nil { // an action may have removed it
		path = r.URL.Path
	}
	attributes := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", path), slog.String("route", r.Pattern),
		slog.Int("status", status), slog.String("error", errorText(err)),
	}
	if panicked, ok := find[*PanicError](err); ok {
		attributes = append(attributes, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(context.WithoutCancel(r.Context()), severity, "request failed", attributes...)
}

// errorText returns the text of an error. A nil pointer is an error too, mostly by mistake.
func errorText(err error) (text string) {
	const advice = "a nil pointer of type %T is an error: return nil, or declare the variable as an error"
	defer func() {
		switch {
		case recover() == nil:
		case nilvalue.In(err):
			text = fmt.Sprintf(advice, err)
		default:
			text = fmt.Sprintf("an error of type %T, whose Error method panics", err)
		}
	}()
	if halt, ok := find[*HaltError](err); ok && halt == nil {
		return fmt.Sprintf(advice, halt)
	}
	if problem, ok := find[*Problem](err); ok && problem == nil {
		return fmt.Sprintf(advice, problem)
	}
	return err.Error()
}

// Report logs a failure that ends in a 500 or a closed connection. It implements [response.Log].
func (p *mountPoint) Report(r *http.Request, err error) {
	p.log(r, http.StatusInternalServerError, err)
}

// Recovered returns the error of a panic. It implements [response.Log].
func (p *mountPoint) Recovered(value any) error { return newPanicError(value) }
