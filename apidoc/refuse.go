package apidoc

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file makes the responses to invalid requests and to errors of operations.

// The problems of invalid requests.
var (
	badRequest      = Fail(http.StatusBadRequest, "The request cannot be read")
	tooLarge        = Fail(http.StatusRequestEntityTooLarge, "The request is too large")
	unsupportedType = Fail(http.StatusUnsupportedMediaType, "The request has another media type than described")
	invalidInput    = Fail(http.StatusUnprocessableEntity, "The request is not as described")
)

// invalid returns the problem of a request with errors, or nil if there are none.
func invalid(errs []InputError) error {
	if len(errs) == 0 {
		return nil
	}
	p := invalidInput.With("")
	p.Detail, p.Errors = summary(errs), errs
	return p
}

// summary returns a sentence for each of the first errors.
func summary(errs []InputError) string {
	const most = 3
	var b strings.Builder
	b.Grow(256) // usually enough
	for i, e := range errs {
		if i == most {
			fmt.Fprintf(&b, "; and %d more", len(errs)-most)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(string(e.In))
		if e.Name != "" {
			fmt.Fprintf(&b, " %q", e.Name)
		}
		if e.Pointer != "" {
			b.WriteByte(' ')
			b.WriteString(e.Pointer)
		}
		b.WriteByte(' ')
		b.WriteString(e.Detail)
	}
	return b.String()
}

// refusal returns the problem for an error of reading a request, and other errors unchanged.
func refusal(err error) error {
	var limit *http.MaxBytesError
	var refused *routing.RequestError
	switch {
	case errors.As(err, &limit):
		return longerThan(limit.Limit)
	case errors.As(err, &refused) && refused.Status == http.StatusRequestEntityTooLarge:
		return tooLarge
	case errors.As(err, &refused):
		return badRequest
	}
	return err
}

// unreadable returns the problem for an error of reading a body; detail is the default text.
func unreadable(err error, detail string) error {
	if p := (*Problem)(nil); errors.As(refusal(err), &p) {
		return p
	}
	return badRequest.With("%s", detail)
}

func longerThan(limit int64) *Problem {
	return tooLarge.With("The body is larger than %d bytes", limit)
}

// inBody converts problems of the body.
func inBody(problems []value.Problem) []InputError {
	errs := make([]InputError, len(problems))
	for i, p := range problems {
		errs[i] = InputError{In: InBody, Pointer: p.Pointer, Detail: p.Detail}
	}
	return errs
}

// checkMedia refuses a body with another media type.
func checkMedia(r *http.Request, media []string) error {
	header := r.Header.Get("Content-Type")
	if header == media[0] || message.Accepts(media, header) || header == "" && slices.Contains(media, message.Bytes) {
		return nil
	}
	return unsupportedType.With("Send the body with the content type %s", strings.Join(media, " or "))
}

// unexpected records the statuses of errors that an operation has returned and does not describe.
type unexpected struct{ sync.Map }

// respondTo responds to an error of an operation. A described problem becomes the response here. All
// other errors are handled like those of any action. The first of each status that is not described
// is logged as a warning.
func (u *unexpected) respondTo(c routing.Context, op *Operation, err error) (routing.Result, error) {
	if p, is := err.(*Problem); is && p != nil { // nearly always; errors.As allocates
		return u.respond(c, op, routing.StatusOf(c.Request(), p), p, err)
	}
	var long *http.MaxBytesError // of a body that is passed on as a stream
	if errors.As(err, &long) {
		err = longerThan(long.Limit)
	}
	var p *Problem
	var halt *routing.HaltError
	status := 0
	switch isProblem := errors.As(err, &p); {
	case isProblem && p == nil:
		return failed(fmt.Errorf("apidoc: operation %s failed with a nil *Problem: return nil instead", op.ID))
	case errors.Is(err, routing.Pass):
		return failed(err)
	case errors.As(err, &halt) && halt != nil:
		status = cmp.Or(halt.Status, c.Status(), http.StatusOK)
	default:
		status = routing.StatusOf(c.Request(), err)
	}
	return u.respond(c, op, status, p, err)
}

// respond responds to an error with its status and the problem in it, or nil.
func (u *unexpected) respond(c routing.Context, op *Operation, status int, p *Problem, err error) (routing.Result, error) {
	switch {
	case op.response(status) == nil && op.response(0) == nil:
		u.warn(c, op, status, err)
	case p != nil && status == p.Status:
		return send(c, p)
	}
	return failed(err)
}

// warn logs the first error with a status. Errors without a status of their own are logged anyway.
func (u *unexpected) warn(c routing.Context, op *Operation, status int, err error) {
	if status == http.StatusInternalServerError || c.Request().Context().Err() != nil {
		return
	}
	if _, told := u.LoadOrStore(status, true); !told {
		const text = "apidoc: an operation responds with a status that it does not describe: give it the problem as an option, or Responds"
		c.Logger().WarnContext(c.Request().Context(), text, "operation", op.ID, "status", status, "error", err)
	}
}
