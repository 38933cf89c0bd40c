package apidoc

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file makes the responses to requests that are refused and to errors of operations.

// ErrorBody sets the body of all error responses of operations: of refused requests, of their
// problems, and of other errors and panics. These get a problem with their status alone, so that
// the client does not see their text. The default body are the problem details.
//
// T is described and sent like an output. It may have headers and a body with a media type, but no
// status. Halts keep their own body. [routing.App.OnError] still gets the errors that the
// operation does not describe, and this body is sent if it returns the error that it got. A nil f
// panics. The problem must not be changed.
func ErrorBody[T any](f func(routing.Context, *Problem) T) Option {
	if f == nil {
		panic("apidoc: ErrorBody: pass a function, not nil")
	}
	return option(func(d *definition) {
		d.errorType = reflect.TypeFor[T]()
		d.errorBody = func(c routing.Context, p *Problem) reflect.Value {
			body := f(c, p)
			return reflect.ValueOf(&body).Elem()
		}
	})
}

// ShapeErrors gives all error responses of the API's app the body that errors of its operations have:
// that of [ErrorBody], or problem details. These are responses to what is not found, to other methods,
// and to errors of other routes, filters and mounted apps that have no page; see the package comment
// of routing and [routing.App.ErrorBody], whose function it sets.
func (a *API) ShapeErrors() {
	d := new(definition)
	err := d.applyAll(a.options)
	var plan *failurePlan
	if err == nil {
		plan, err = planFailures(d)
	}
	if err != nil {
		panic(fmt.Sprintf("apidoc: ShapeErrors: %v", err))
	}
	a.app.ErrorBody(plan.send)
}

// failurePlan is the plan to respond to the errors of one operation.
type failurePlan struct {
	op   *Operation
	tell bool // every error goes to App.OnError
	out  *outputPlan
	body func(routing.Context, *Problem) reflect.Value // nil for problem details
	told sync.Map                                      // the undescribed statuses that were logged
}

// planFailures plans the error responses, and sets the body of those that are described in d.
func planFailures(d *definition) (*failurePlan, error) {
	p := &failurePlan{op: &d.op, tell: d.tell, body: d.errorBody}
	if p.body == nil {
		return p, nil
	}
	like := &definition{op: Operation{ID: d.op.ID}, status: http.StatusOK}
	var err error
	if p.out, err = planOutput(d.errorType, nil, like); err != nil {
		return nil, err
	}
	if p.out.statusAt != nil {
		return nil, errors.New("the status is that of the problem: leave out the tag status")
	}
	shape := like.op.Responses[0]
	for i := range d.op.Responses {
		r := &d.op.Responses[i]
		if r.isProblem {
			r.Body, r.ContentType, r.rules, r.Headers = shape.Body, shape.ContentType, shape.rules, append(r.Headers, shape.Headers...)
		}
		if !r.problems.none() && p.out.schema != nil {
			r.problems = shape.Body
		}
	}
	return p, nil
}

// respondTo responds to an error. A described problem becomes the response here. All other errors
// are handled like those of any action, whose body shape makes. The first of each status that is not described is logged as a warning.
func (f *failurePlan) respondTo(c routing.Context, err error) (routing.Result, error) {
	if p, is := err.(*Problem); is && p != nil { // nearly always; errors.As allocates
		return f.respond(c, routing.StatusOf(c.Request(), p), p, err)
	}
	err = aborted(err)
	var long *http.MaxBytesError // of a body that is passed on as a stream
	if errors.As(err, &long) {
		err = longerThan(long.Limit)
	}
	var p *Problem
	var halt *routing.HaltError
	status := 0
	switch isProblem := errors.As(err, &p); {
	case isProblem && p == nil:
		err = fmt.Errorf("apidoc: operation %s failed with a nil *Problem: return nil instead", f.op.ID)
		status = http.StatusInternalServerError
	case errors.Is(err, routing.Pass):
		return failed(err)
	case errors.As(err, &halt) && halt != nil:
		if status = cmp.Or(halt.Status, c.Status(), http.StatusOK); !f.describes(status) {
			f.warn(c, status, err)
		}
		return failed(err)
	default:
		status = routing.StatusOf(c.Request(), err)
	}
	return f.respond(c, status, p, err)
}

func (f *failurePlan) describes(status int) bool {
	return f.op.response(status) != nil || f.op.response(0) != nil
}

// respond responds to an error with its status and the problem in it, or nil.
func (f *failurePlan) respond(c routing.Context, status int, p *Problem, err error) (routing.Result, error) {
	described := f.describes(status)
	if !described {
		f.warn(c, status, err)
	}
	if described && p != nil && status == p.Status && !f.tell {
		c.SetStatus(status)
		return f.send(c, p)
	}
	return failed(err)
}

// shape makes the body of an error that [routing.App.OnError] leaves to the operation, whoever has
// returned it: the operation, a function around it, or a panic.
func (f *failurePlan) shape(c routing.Context, p *Problem) (routing.Result, error) {
	if f.body == nil {
		r := cmp.Or(f.op.response(p.Status), f.op.response(0))
		if r == nil || !r.isProblem {
			return failed(routing.Pass)
		}
	}
	return f.send(c, p)
}

// send makes the body of a problem's response.
func (f *failurePlan) send(c routing.Context, p *Problem) (routing.Result, error) {
	if f.body == nil {
		return encodeProblem(p)
	}
	return f.out.write(c, f.body(c, p))
}

// inEvents returns the data of the event that tells of an error in mid-stream: the body that its
// response would have, if that is JSON. It logs all errors but problems of clients.
func (f *failurePlan) inEvents(c routing.Context, err error) ([]byte, error) {
	var p *Problem
	status := routing.StatusOf(c.Request(), err)
	if !errors.As(err, &p) || p == nil {
		p = &Problem{Title: http.StatusText(status), Status: status}
	}
	if status >= http.StatusInternalServerError {
		c.Logger().ErrorContext(c.Request().Context(), "apidoc: the events of an operation failed", "operation", f.op.ID, "error", err)
	}
	if f.body == nil || f.out.schema == nil {
		return p.MarshalJSON()
	}
	v := f.body(c, p)
	if f.out.bodyAt != nil {
		v = v.FieldByIndex(f.out.bodyAt)
	}
	return value.Encode(nil, f.out.schema, v, value.InResponses)
}

// warn logs the first error with a status. Errors without a status of their own are logged anyway.
func (f *failurePlan) warn(c routing.Context, status int, err error) {
	if status == http.StatusInternalServerError || c.Request().Context().Err() != nil {
		return
	}
	if _, told := f.told.LoadOrStore(status, true); !told {
		const text = "apidoc: an operation responds with a status that it does not describe: give it the problem as an option, or Responds"
		c.Logger().WarnContext(c.Request().Context(), text, "operation", f.op.ID, "status", status, "error", err)
	}
}
