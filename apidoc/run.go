package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"example.com/flowercafe/routing"
)

// This file tells what happens to a request for a typed operation, from top to bottom: authorize,
// read, check, intercept, call, write, fail. Each step has a file of its own.

// plan is a typed operation, ready to run. It is immutable once its route is defined.
type plan[I, O any] struct {
	op         *Operation
	about      Call     // for interceptors, without what a request has
	outer      []string // path parameters that are in the prefixes of mounts
	input      *inputPlan
	around     []Interceptor
	conditions conditions
	call       func(context.Context, I) (O, error)
	output     *outputPlan
	failures   *failurePlan
}

// place remembers what only the route knows.
func (p *plan[I, O]) place(r *routing.Route) error {
	p.about.Pattern = r.Pattern().String()
	for _, described := range p.op.doc.Parameters {
		if described.In == string(InPath) && !slices.Contains(r.Pattern().Names(), described.Name) {
			p.outer = append(p.outer, described.Name)
		}
	}
	return nil
}

// serve is the action of the route. An error becomes the described response, or is one of the app.
func (p *plan[I, O]) serve(c routing.Context) (routing.Result, error) {
	result, err := p.run(c)
	if err != nil {
		return p.failures.respondTo(c, err)
	}
	return result, nil
}

// run takes the steps. The first that fails ends it.
func (p *plan[I, O]) run(c routing.Context) (none routing.Result, err error) {
	if p.outer != nil {
		if err := p.isMounted(c); err != nil {
			return none, err
		}
	}
	// Before the input is read: who may not call learns nothing of it, and sends no body for nothing.
	if p.op.security != nil {
		if err := authorize(c, p.op.security); err != nil {
			return none, err
		}
	}
	var values struct { // in one allocation
		input   I
		output  O
		version Version
	}
	if p.input.form != nil {
		defer p.input.release(c)
	}
	if err := p.input.read(c, reflect.ValueOf(&values.input).Elem()); err != nil {
		return none, err
	}
	// The conditions of the request (RFC 9110, 13) are checked within the interceptors, so that the
	// version is that of their transaction.
	call := p.call
	if p.conditions.find != nil {
		call = func(ctx context.Context, in I) (output O, err error) {
			if values.version, err = p.conditions.hold(ctx, c.Request(), reflect.ValueOf(&in).Elem()); err != nil {
				return output, err
			}
			return p.call(ctx, in)
		}
	}
	if p.around == nil {
		values.output, err = call(c.Request().Context(), values.input)
	} else {
		about := p.about
		about.Context = c
		values.output, err = intercept(p.around, about, &values.input, call, p.output.discard)
	}
	if err != nil {
		if errors.Is(err, outdated) {
			values.version.set(c.Header()) // a client that has lost learns which one is there
		}
		return none, err
	}
	result, err := p.output.write(c, reflect.ValueOf(&values.output).Elem())
	// The version is that before the call: a GET sends it, and a change has made another one.
	if err == nil && isSafe(p.about.Method) && c.Status() < http.StatusBadRequest {
		values.version.set(c.Header())
	}
	return result, err
}

// isMounted returns an error if the app is not mounted where its input needs it.
func (p *plan[I, O]) isMounted(c routing.Context) error {
	for _, name := range p.outer {
		if _, ok := c.Params().Get(name); !ok {
			return fmt.Errorf("apidoc: operation %s: the path parameter %q is neither in the pattern nor in the prefix of a mount: "+
				"write it there, or remove the field", p.op.ID(), name)
		}
	}
	return nil
}
