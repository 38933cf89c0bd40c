package apidoc

import (
	"encoding/json"
	"net/http"
	"slices"

	"example.com/flowercafe/apidoc/internal/document"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file checks the requests of routes that are written by hand, for [Enforce].

// enforcer checks the requests of one operation. It is immutable.
type enforcer struct {
	op     *Operation
	fields []fieldPlan
	body   *document.Parameter
}

func newEnforcer(d *description) *enforcer {
	e := &enforcer{op: d.op}
	for i, p := range d.op.Parameters {
		described := &d.doc.Parameters[i]
		if p.In == InBody {
			e.body = described
			continue
		}
		f := fieldPlan{Parameter: p, schema: described.Schema.Resolve()}
		if f.schema.Kind == "array" {
			f.list, f.schema = f.schema, f.schema.Items.Resolve()
		}
		e.fields = append(e.fields, f)
	}
	return e
}

// refusals describes what requests may be refused with.
func refusals(op *Operation) []Response {
	list := []Response{invalidInput.response()}
	if slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.In == InBody }) {
		list = append(list, badRequest.response(), tooLarge.response(), unsupportedType.response())
	}
	return list
}

// around puts the check before action.
func (e *enforcer) around(action routing.Action) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		if len(e.op.Security) > 0 {
			ctx, refused, err := authorize(c, e.op.Security)
			if err != nil {
				return respondTo(c, e.op, err)
			} else if refused != nil {
				return refused.write(c)
			}
			r := c.Request()
			*r = *r.WithContext(ctx) // the action has no other way to see who is asking
		}
		problem, err := e.check(c)
		switch {
		case err != nil:
			return failed(err)
		case problem != nil:
			return problem.write(c)
		}
		return action(c)
	}
}

// check returns what is wrong with a request, or why its parameters cannot be read.
func (e *enforcer) check(c routing.Context) (*Problem, error) {
	var errs []InputError
	params := c.Params()
	for i := range e.fields {
		f := &e.fields[i]
		var values []string
		switch f.In {
		case InHeader, InCookie:
			if value, ok := f.firstIn(c.Request()); ok {
				values = []string{value}
			}
		default: // as the action will read it
			values = params.Values(f.Name)
		}
		if detail := f.check(values); detail != "" {
			errs = append(errs, InputError{In: f.In, Name: f.Name, Detail: detail})
		}
	}
	if len(errs) > 0 || e.body != nil {
		if err := params.Err(); err != nil { // what could not be read is not missing
			if problem := readProblem(err); problem != nil {
				return problem, nil
			}
			return nil, err
		}
	}
	if e.body != nil {
		problem, more := e.checkBody(c)
		if problem != nil {
			return problem, nil
		}
		errs = append(errs, more...)
	}
	if len(errs) > 0 {
		return invalid(errs), nil
	}
	return nil, nil
}

// check returns what is wrong with the values, without a Go value to fill.
func (f *fieldPlan) check(values []string) string {
	if len(values) == 0 {
		if f.Required {
			return "is required"
		}
		return ""
	}
	if f.list != nil {
		if detail := f.list.RefuseLength(len(values), "item"); detail != "" {
			return detail
		}
	}
	for _, value := range values {
		if detail := f.schema.Refuse(value); detail != "" {
			return detail
		}
	}
	return ""
}

// checkBody checks the JSON body. The action reads it as the parameter of the empty name, in whose
// place a query must not put another.
func (e *enforcer) checkBody(c routing.Context) (*Problem, []InputError) {
	r := c.Request()
	if _, ok := firstOf(r.URL.RawQuery, ""); ok {
		return nil, []InputError{{In: InQuery, Detail: "must not have a value without a name"}}
	}
	text, ok := c.Params().Get("")
	if !ok {
		if r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody {
			if problem := checkMedia(r, e.body.Media); problem != nil {
				return problem, nil
			}
		}
		if e.body.Required {
			return nil, []InputError{{In: InBody, Detail: "is required, with the content type " + typeJSON}}
		}
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return badRequest.With("The body is not JSON"), nil
	}
	return nil, inBody(value.Check(e.body.Schema, []byte(text), value.Strict))
}
