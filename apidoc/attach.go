package apidoc

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing"
)

// This file attaches operations to routes, and refuses routes that they cannot describe.

// Describe attaches an operation to a route, for the description; see [Document] for the patterns.
// Requests are not checked: for that, write a typed operation.
func Describe(op *Operation) routing.RouteOption {
	if op == nil {
		return routing.Wrap(func(routing.Action) routing.Action { return notInitialized })
	}
	own := *op // Build refuses two operations with the same ID, unless they are the same pointer
	own.registry = nil
	return attach(&own)
}

// attach attaches an operation to a route.
func attach(op *Operation) routing.RouteOption {
	return routing.Combine(
		routing.Meta(operationKey{}, op),
		routing.AcceptQuery(op.doc.Consumes...),
		routing.Check(func(r *routing.Route) error {
			if err := op.fits(r); err != nil {
				return fmt.Errorf("apidoc: operation %s: %w", op.ID(), err)
			}
			return nil
		}),
	)
}

// fits returns an error if the operation cannot describe r.
func (op *Operation) fits(r *routing.Route) error {
	if !slices.Contains(method.Known, r.Method()) || r.Method() == http.MethodConnect {
		if r.Method() == "" {
			return fmt.Errorf("a route for every method cannot be described: define one for each method")
		}
		return fmt.Errorf("OpenAPI does not have the method %s: do not describe this route", r.Method())
	}
	switch hasBody := op.doc.Consumes != nil; {
	case hasBody && (r.Method() == http.MethodGet || r.Method() == http.MethodHead): // RFC 9110, 9.3.1
		return fmt.Errorf("a %s has no body: write the tag path, query, header or cookie on each field of the input", r.Method())
	case !hasBody && r.Method() == method.Query: // RFC 10008, 2
		return errors.New("the body of a QUERY holds the query: write the tag body or form on fields of the input, or define a GET")
	}
	_, names, err := pathOf(r.Pattern())
	if err != nil {
		return err
	}
	for _, name := range names {
		if !op.hasPathParam(name) {
			return fmt.Errorf("the pattern's parameter %q is not described: write a field of the input with the tag path:%q", name, name)
		}
	}
	return nil
}

// notInitialized is the action of a route with a nil operation.
func notInitialized(c routing.Context) (routing.Result, error) {
	r := c.Request()
	const mistake = "route described with a nil operation: initialize the operation before its route is defined"
	c.Logger().ErrorContext(r.Context(), mistake, "route", r.Pattern)
	return routing.Result{}, &routing.HaltError{
		Status: http.StatusServiceUnavailable,
		Body:   routing.Text(http.StatusText(http.StatusServiceUnavailable)),
	}
}

// NewOperation describes a route whose action is written by hand, for [Describe]. The types I and O
// describe the input and output, as for a typed operation, but nothing is read, checked or sent.
func NewOperation[I, O any](id, summary string, options ...DescribeOption) *Operation {
	return newOperation(id, summary, reflect.TypeFor[I](), reflect.TypeFor[O](), options)
}

func newOperation(id, summary string, input, output reflect.Type, options []DescribeOption) *Operation {
	d := newDefinition("")
	d.doc.ID, d.doc.Summary = id, summary
	err := d.apply(asOptions(options))
	var p plan
	if err == nil {
		err = p.make(d, input, output)
	}
	if err != nil {
		panic(fmt.Sprintf("apidoc: operation %s: %v", id, err))
	}
	return p.op
}
