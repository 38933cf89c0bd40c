package routing

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
)

// This file holds how an action or a filter can end other than with a result: by passing, by a halt, or by an error. All of
// them are returned as errors, and found through wrapping.

// Pass is returned by an action to go on with the next route that matches, and by a filter to leave that filter alone. The
// status and the headers set so far stay; a result returned beside it is dropped. In a not-found or error handler it is an
// ordinary error.
var Pass error = passError{}

type passError struct{}

func (passError) Error() string { return "routing: pass" }

// HaltError ends the request at once with the given parts: no further filter before the action, no action, no handler for
// what is not found. The after filters still run. Parts that are not given stay as they were set so far, but without a Body
// the answer has none.
type HaltError struct {
	// Status is the status, 200 to 999; 0 leaves it as it is. Any other is answered with 500.
	Status int

	// Reason is the text behind the status on the status line of HTTP/1.x. It is sent only with a Status and where the
	// server uses package routing/reason; elsewhere it is for filters and logs.
	Reason string

	// Header replaces the headers of the same names. One with a name or value that is not legal is answered with 500.
	Header http.Header

	// Body is the answer's body, nil for none.
	Body Result
}

// Error tells the status and the reason.
func (e *HaltError) Error() string {
	if e == nil {
		return "routing: nil HaltError"
	}
	return strings.TrimRight(fmt.Sprintf("routing: halt %d %s", e.Status, e.Reason), " ")
}

// Redirect returns a halt with status 302 and location, as it is given, in the Location header. It never comes back as a
// failure: return it unchanged. For a location that comes from the user, see [LocalRedirect]; for another status, return a
// [HaltError] with a Location.
func Redirect(location string) error {
	return &HaltError{Status: http.StatusFound, Header: http.Header{"Location": {location}}}
}

// LocalRedirect is [Redirect] to a target that comes from the user, such as the page to return to after a login. A target
// that is not a path on this site is replaced by fallback. Such targets are ones that don't begin with a slash, that a
// browser reads as another host (//evil, /\evil, also with tabs or line breaks in between), and that hold control characters.
func LocalRedirect(target, fallback string) error {
	if !isLocal(target) {
		target = fallback
	}
	return Redirect(target)
}

// isLocal follows the URL parser of browsers (URL Standard, "relative slash state"): after the first slash, a slash or
// backslash begins a host; tabs and line breaks are removed before anything is read.
func isLocal(target string) bool {
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.HasPrefix(target, `/\`) {
		return false
	}
	for i := range len(target) {
		if c := target[i]; c < ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// PanicError is the error of an action, filter, condition or handler that panicked. Its text is that of the value.
type PanicError struct {
	Value any    // what was panicked with
	Stack []byte // the stack of the goroutine, as debug.Stack prints it
}

// Error returns the text of the value.
func (e *PanicError) Error() string { return fmt.Sprint(e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// RequestError is what the client sent that cannot be read: more than a limit admits, or a body that breaks off. A request
// whose action doesn't return another error is answered with its status.
type RequestError struct {
	Status int   // 400, 413 or 414
	Err    error // what was wrong
}

// Error tells what was wrong.
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

// contain turns a panic of the function that defers it into an error. [http.ErrAbortHandler] goes on: it is how a handler asks
// the server to cut the connection.
func contain(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		panic(v)
	default:
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// passed reports whether an error is Pass. The plain value is told by its type, which takes less time than comparing errors.
func passed(err error) bool {
	_, plain := err.(passError)
	return plain || errors.Is(err, Pass)
}
