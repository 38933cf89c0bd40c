package routing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
)

// This file holds how an action or a filter can end other than with a result: by passing, by a
// halt, or by an error. All of them are returned as errors; wrapped ones work too.

// Pass is returned by an action to go on with the next route that matches, and by a filter to leave
// that filter alone. The status and the headers set so far stay; a result returned beside it is
// dropped. In a not-found or error handler it is an ordinary error.
var Pass error = passError{}

type passError struct{}

func (passError) Error() string { return "routing: pass" }

// passed reports whether an error is Pass. The plain value is told by its type, which takes less
// time than comparing errors.
func passed(err error) bool {
	_, plain := err.(passError)
	return plain || errors.Is(err, Pass)
}

// HaltError ends the request at once with the given parts: no further filter before the action, no
// action, no not-found handler. The after filters still run. Parts that are not given stay as they
// were set so far, but without a Body the response has none.
type HaltError struct {
	// Status is the status, 200 to 999; 0 leaves it as it is. Any other makes the response a 500.
	Status int

	// Reason is the text behind the status on the status line of HTTP/1.x. It is sent only with a
	// Status and where the server uses package routing/reason; elsewhere it is for filters and
	// logs.
	Reason string

	// Header replaces the headers of the same names. One with a name or value that is not legal
	// makes the response a 500.
	Header http.Header

	// Body is the body of the response. The zero Result is none.
	Body Result
}

// Error returns the status and the reason.
func (e *HaltError) Error() string {
	if e == nil {
		return "routing: nil HaltError"
	}
	return strings.TrimRight(fmt.Sprintf("routing: halt %d %s", e.Status, e.Reason), " ")
}

// Redirect returns a halt with status 302 and location, as it is given, in the Location header. For
// a location that comes from the user, see [LocalRedirect]; for a path of the app, [Context.Path]
// and [Context.URL] put the base path in front; for another status, return a [HaltError] with a
// Location.
func Redirect(location string) error { return redirect(http.StatusFound, location) }

// SeeOther is [Redirect] with status 303: the client asks for location by GET, as it should after a
// POST that has been done.
func SeeOther(location string) error { return redirect(http.StatusSeeOther, location) }

func redirect(status int, location string) error {
	return &HaltError{Status: status, Header: http.Header{"Location": {location}}}
}

// LocalRedirect is [Redirect] to a target that comes from the user, such as the page to return to
// after a login. A target that is not a path on this site is replaced by fallback: one that does
// not begin with a slash, one that a browser reads as another host (//evil, /\evil, also with tabs
// or line breaks in between), and one with control characters.
func LocalRedirect(target, fallback string) error {
	if !isLocal(target) {
		target = fallback
	}
	return Redirect(target)
}

// isLocal follows the URL parser of browsers (URL Standard, "relative slash state"): after the
// first slash, a slash or backslash begins a host; tabs and line breaks are removed before anything
// is read.
func isLocal(target string) bool {
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.HasPrefix(target, `/\`) {
		return false
	}
	return !strings.ContainsFunc(target, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// PanicError is the error of an action, filter, condition or handler that panicked. Its text is
// that of the value.
type PanicError struct {
	Value any    // what was panicked with
	Stack []byte // the stack of the goroutine, as debug.Stack prints it
}

func newPanicError(v any) *PanicError { return &PanicError{Value: v, Stack: debug.Stack()} }

// Error returns the text of the value.
func (e *PanicError) Error() string { return fmt.Sprint(e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// contain turns a panic of the function that defers it into an error. [http.ErrAbortHandler] goes
// on: it is how a handler asks the server to cut the connection.
func contain(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		panic(v)
	default:
		*err = newPanicError(v)
	}
}

// ErrNoParam is what [Params.Require] returns, within a [ParamError], for a parameter that the
// request does not have.
var ErrNoParam = errors.New("routing: no such parameter")

// ParamError says which parameter is missing. Its status is 400.
type ParamError struct {
	Key string
}

// Error names the key.
func (e *ParamError) Error() string { return "routing: no parameter " + strconv.Quote(e.Key) }

// Unwrap returns [ErrNoParam].
func (e *ParamError) Unwrap() error { return ErrNoParam }

// StatusCode returns 400.
func (e *ParamError) StatusCode() int { return http.StatusBadRequest }

// RequestError is a request that cannot be read: it has more than a limit admits, its body breaks
// off, or somebody has read the body before. An action that asks for parameters of such a request
// and returns no error of its own is answered with this one.
type RequestError struct {
	Status int   // 400, 413, 414 or 500
	Err    error // what is wrong
}

// Error says what is wrong.
func (e *RequestError) Error() string {
	if e == nil {
		return "routing: nil RequestError"
	}
	return fmt.Sprintf("routing: read request: %v", e.Err)
}

// Unwrap returns Err.
func (e *RequestError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// StatusCode returns Status, or 400 if that is no status of an error.
func (e *RequestError) StatusCode() int {
	switch {
	case e == nil:
		return http.StatusInternalServerError
	case !isErrorStatus(e.Status):
		return http.StatusBadRequest
	}
	return e.Status
}

func isErrorStatus(status int) bool { return status >= 400 && status <= 599 }

// statusClientGone is what access logs see of a request whose client has left. Nobody else does.
const statusClientGone = 499

// StatusOf returns the status of the response to an error of an action or filter, as the engine
// does where nobody else decides:
//
//   - what the error's StatusCode method returns, found by [errors.As], if that is 400 to 599;
//   - 413 for an [http.MaxBytesError], from a body that the action has read itself;
//   - 400 for [http.ErrMissingFile] and [http.ErrMissingBoundary], 415 for [http.ErrNotMultipart], as FormFile returns them;
//   - 503 if the deadline of the request's context has passed and the error says so;
//   - 499 if the client has left and the error says so; nobody receives it;
//   - 500 for all others.
func StatusOf(r *http.Request, err error) (status int) {
	defer func() {
		if recover() != nil { // of a method of the error
			status = http.StatusInternalServerError
		}
	}()
	var coded interface{ StatusCode() int }
	var tooLarge *http.MaxBytesError
	switch gone := r.Context().Err(); {
	case errors.As(err, &coded) && isErrorStatus(coded.StatusCode()):
		return coded.StatusCode()
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, http.ErrMissingFile), errors.Is(err, http.ErrMissingBoundary):
		return http.StatusBadRequest
	case errors.Is(err, http.ErrNotMultipart):
		return http.StatusUnsupportedMediaType
	case gone == nil || !errors.Is(err, gone):
		return http.StatusInternalServerError
	case gone == context.DeadlineExceeded:
		return http.StatusServiceUnavailable
	default:
		return statusClientGone
	}
}

// errorText returns the text of an error, or its type if its Error method panics, as that of a nil
// pointer may.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("an error of type %T, whose Error method panics", err)
		}
	}()
	return err.Error()
}
