package apidoc

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file makes the responses to requests that are refused and to errors of operations.

// ErrorBody sets the body of the responses to errors of operations, unless a halt or
// [routing.App.OnError] has one. For errors other than a [Problem], f gets a problem without the
// error's text. The default is problem details. T is described and sent like an output, but has no
// status. The problem must not be changed.
func ErrorBody[T any](f func(routing.Context, *Problem) T) DescribeOption {
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

// failurePlan is the plan to respond to the errors of an operation.
type failurePlan struct {
	op       *Operation // set when the operation is complete
	statuses []int      // the described statuses; 0 means all
	out      *outputPlan
	body     func(routing.Context, *Problem) reflect.Value // nil for problem details
	warned   sync.Map                                      // the undescribed statuses that were logged
}

// planFailures plans the error responses, and describes all responses in d but the output's.
func planFailures(d *definition) (*failurePlan, error) {
	p := &failurePlan{body: d.errorBody}
	shape := openapi.Response{IsProblem: true, Sent: []string{message.Problem}, Media: []string{message.Problem}}
	var err error
	if p.body == nil {
		shape.Body, err = d.types.Read(problemType)
	} else if p.out, err = planResponse(d.errorType, d); err == nil {
		shape = p.out.describeResponse()
		shape.IsProblem = true
	}
	d.problem = shape
	if err != nil {
		return nil, fmt.Errorf("error body %s: %w", d.errorType, err)
	}
	for i := range d.doc.Responses {
		if r := &d.doc.Responses[i]; r.Problems != nil && p.out != nil && p.out.schema != nil {
			r.Problems = shape.Body
		}
	}
	for _, r := range d.moreResponses {
		if r.GoType == nil {
			problem := shape
			problem.Headers = slices.Concat(r.Headers, shape.Headers)
			d.addResponse(r.Status, r.Description, problem)
			continue
		}
		described, err := describeAdded(r, d)
		if err != nil {
			return nil, err
		}
		d.addResponse(r.Status, r.Description, described)
	}
	for _, r := range d.doc.Responses {
		p.statuses = append(p.statuses, r.Status)
	}
	return p, nil
}

// describeAdded describes the response of the option [Response], by its type.
func describeAdded(r openapi.Response, d *definition) (described openapi.Response, err error) {
	out, err := planResponse(r.GoType, d)
	if err == nil && r.Status != 0 && out.send != nil && !bodyAllowed(r.Status) {
		err = fmt.Errorf("a %d has no body: write struct{}", r.Status)
	}
	if err != nil {
		return described, fmt.Errorf("response %d, %s: %w", r.Status, r.GoType, err)
	}
	described = out.describeResponse()
	described.Status, described.Description = r.Status, r.Description
	return described, nil
}

// planResponse plans a response of a type with a fixed status, by the rules of outputs.
func planResponse(t reflect.Type, d *definition) (*outputPlan, error) {
	response := newDefinition("")
	response.doc.ID, response.status, response.types = d.doc.ID, http.StatusOK, d.types
	out, err := planOutput(t, response)
	if err == nil && out.statusAt != nil {
		err = errors.New("the response has a fixed status: leave out the tag status")
	}
	return out, err
}

// respondTo responds to an error. A problem with a status below 500 becomes the response here. All
// other errors are handled like errors of any action: they go to [routing.App.OnError] and are
// logged, and the router calls send for the body. The first error with each undescribed status is
// logged as a warning.
func (f *failurePlan) respondTo(c routing.Context, err error) (routing.Result, error) {
	p, _ := err.(*Problem) // nearly always; errors.As allocates
	status := 0
	if p != nil && p.Status >= 400 && p.Status < 600 {
		status = p.Status
	} else {
		p, status, err = f.problemIn(c, err)
	}
	isProblem := p != nil && status == p.Status
	if isDescribed := slices.Contains(f.statuses, status) || slices.Contains(f.statuses, 0); !isDescribed && status != 0 {
		f.warn(c, status, isProblem, err)
	}
	if isProblem && status < http.StatusInternalServerError {
		c.SetStatus(status)
		delete(c.Header(), "Content-Type") // routing.Provides has set it for the output
		return f.send(c, p)
	}
	return routing.Result{}, err
}

// problemIn returns the problem in an error, or nil, and the status, which is 0 if another route
// responds.
func (f *failurePlan) problemIn(c routing.Context, err error) (p *Problem, status int, _ error) {
	err = repanicAbort(err)
	var long *http.MaxBytesError // of a body that is passed on as a stream
	if errors.As(err, &long) {
		err = longerThan(long.Limit)
	}
	var halt *routing.HaltError
	switch isProblem := errors.As(err, &p); {
	case isProblem && p == nil:
		err = fmt.Errorf("apidoc: operation %s failed with a nil *Problem: return nil instead", f.op.ID())
		return nil, http.StatusInternalServerError, err
	case errors.Is(err, routing.Pass):
		return nil, 0, err
	case errors.As(err, &halt) && halt != nil:
		return nil, cmp.Or(halt.Status, c.Status(), http.StatusOK), err
	}
	return p, routing.StatusOf(c.Request(), err), err
}

// send makes the body of the response to a problem. The router calls it for errors and panics of
// the operation, and of functions that wrap it, to which [routing.App.OnError] does not respond.
func (f *failurePlan) send(c routing.Context, p *Problem) (routing.Result, error) {
	if f.body != nil {
		return f.out.write(c, f.body(c, p), nil)
	}
	body, err := p.MarshalJSON() // json.Marshal would scan its result again
	if err != nil {
		return routing.Result{}, fmt.Errorf("apidoc: encode the problem: %w", err)
	}
	return routing.Bytes(message.Problem, body), nil
}

// inEvents returns the data of the event for an error of a sequence of events: the body of its
// error response, or problem details if that body is not JSON. It logs errors with a status of 500
// and above.
func (f *failurePlan) inEvents(c routing.Context, err error) ([]byte, error) {
	var p *Problem
	status := routing.StatusOf(c.Request(), err)
	if !errors.As(err, &p) || p == nil {
		p = &Problem{Title: http.StatusText(status), Status: status}
	}
	if status >= http.StatusInternalServerError {
		c.Logger().ErrorContext(c.Request().Context(), "apidoc: the events of an operation failed", "operation", f.op.ID(), "error", err)
	}
	if f.body == nil || f.out.schema == nil {
		return p.MarshalJSON()
	}
	return value.Encode(nil, f.out.schema, f.out.body(f.body(c, p)), schema.InResponses)
}

// warn logs the first error with each undescribed status, except for the 500 of an error without a
// problem, which the router logs.
func (f *failurePlan) warn(c routing.Context, status int, isProblem bool, err error) {
	if f.op.isHidden || status == http.StatusInternalServerError && !isProblem || c.Request().Context().Err() != nil || f.op.hasAdded(status) {
		return
	}
	if _, warned := f.warned.LoadOrStore(status, true); !warned {
		const text = "apidoc: an operation responds with a status that it does not describe: give it the problem as an option, or Response"
		c.Logger().WarnContext(c.Request().Context(), text, "operation", f.op.ID(), "status", status, "error", err)
	}
}
