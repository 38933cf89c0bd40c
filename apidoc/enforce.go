package apidoc

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/document"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file checks the requests of hand-written routes, for [Enforce].

// enforcer checks the requests of one operation. It is immutable.
type enforcer struct {
	op     *Operation
	fields []fieldPlan
	body   *document.Parameter
}

func newEnforcer(d *checked) *enforcer {
	e := &enforcer{op: d.op}
	for i, p := range d.op.Parameters {
		described := &d.doc.Parameters[i]
		if p.In == InBody {
			e.body = described
			continue
		}
		e.fields = append(e.fields, newCheck(p, described.Schema))
	}
	return e
}

// refusals describes the error responses to invalid requests.
func refusals(op *Operation) []Response {
	list := []Response{invalidInput.response()}
	if slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.In == InBody }) {
		list = append(list, badRequest.response(), tooLarge.response(), unsupportedType.response())
	}
	return list
}

// around runs the check before action.
func (e *enforcer) around(action routing.Action) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		if err := authorize(c, e.op.Security); err != nil {
			return respondTo(c, e.op, err)
		}
		var problem *Problem
		if err := e.check(c); errors.As(err, &problem) {
			return problem.write(c)
		} else if err != nil {
			return failed(err)
		}
		return action(c)
	}
}

// check returns the problem of an invalid request, or why its parameters cannot be read.
func (e *enforcer) check(c routing.Context) error {
	var errs []InputError
	params := c.Params()
	for i := range e.fields {
		f := &e.fields[i]
		var values []string
		switch f.In {
		case InHeader, InCookie:
			values = sentIn(c.Request(), f.In, f.Name, nil, false, nil)
		default: // as the action will read it
			values = params.Values(f.Name)
		}
		if detail := f.fill(reflect.Value{}, values); detail != "" {
			errs = append(errs, InputError{In: f.In, Name: f.Name, Detail: detail})
		}
	}
	if len(errs) > 0 || e.body != nil {
		if err := params.Err(); err != nil { // parameters that cannot be read are not missing
			return refusal(err)
		}
	}
	if e.body != nil {
		more, err := e.checkBody(c)
		if err != nil {
			return err
		}
		errs = append(errs, more...)
	}
	return invalid(errs)
}

// checkBody checks the JSON body. The action reads it as the parameter with the empty name, so the
// query must not have such a parameter.
func (e *enforcer) checkBody(c routing.Context) ([]InputError, error) {
	r := c.Request()
	if len(urlencoded.Of(r.URL.RawQuery).Append(nil, "")) > 0 {
		return []InputError{{In: InQuery, Detail: "must not have a value without a name"}}, nil
	}
	text, ok := c.Params().Get("")
	if !ok {
		if message.HasBody(r) {
			if err := checkMedia(r, e.body.Media); err != nil {
				return nil, err
			}
		}
		if e.body.Required {
			return []InputError{{In: InBody, Detail: "is required, with the content type " + message.JSON}}, nil
		}
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, badRequest.With("The body is not JSON")
	}
	return inBody(value.Check(e.body.Schema, text, value.Strict)), nil
}
