package apidoc

import (
	"fmt"
	"net/http"
	"slices"

	"example.com/flowercafe/routing"
)

// Describe attaches a copy of an operation to a route, for [Build].
//
// The definition of the route panics if the operation is invalid, if the pattern cannot be
// described (see the package documentation), or if pattern and operation have different path
// parameters.
//
// A nil operation is the mistake of a package variable that is set after its route is defined. The
// route is not described, responds to every request with 503, and logs its name.
func Describe(op *Operation) routing.RouteOption {
	return attach(op, nil, false)
}

// Enforce is [Describe], and makes the route check each request before its action runs: that it is
// authorized, that required parameters are present, and that all are as described. Invalid values
// are refused with 422, invalid JSON with 400, and other media types with 415. The response is a
// [Problem] that lists all errors and repeats no value of the request. These responses are
// described, unless the operation describes its own.
//
// Parameters in a path, query or form are read like [routing.Params] does. All values are checked,
// even if the action only reads the first. A body is checked against its described type; unknown
// members are allowed. A body that passes can be decoded by encoding/json: integers are only
// digits, times are as in RFC 3339, and booleans are "true" or "false".
func Enforce(op *Operation) routing.RouteOption {
	return attach(op, nil, true)
}

// operationKey is the key of a *checked in a route's metadata.
type operationKey struct{}

func attach(op *Operation, f *frame, enforced bool) routing.RouteOption {
	if op == nil {
		return routing.Wrap(func(routing.Action) routing.Action { return notInitialised })
	}
	op = op.clone()
	if enforced && op.Responses != nil {
		op.responds(securityResponses(op.Security)...)
		op.responds(refusals(op)...)
	}
	d, err := newChecked(op)
	if err == nil {
		d.frame = f
	}
	options := []routing.RouteOption{
		routing.Meta(operationKey{}, d),
		routing.Check(func(r *routing.Route) error {
			if err != nil {
				return fmt.Errorf("apidoc: %w", err)
			}
			if err := d.fits(r); err != nil {
				return fmt.Errorf("apidoc: operation %s: %w", op.ID, err)
			}
			return nil
		}),
	}
	if enforced && err == nil {
		options = append(options, routing.Wrap(newEnforcer(d).around))
	}
	return routing.Combine(options...)
}

// checkedOf returns the operation of r, or nil.
func checkedOf(r *routing.Route) *checked {
	if r == nil {
		return nil
	}
	d, _ := r.Meta(operationKey{}).(*checked)
	return d
}

// OperationOf returns a copy of the operation of a route, or nil if it has none.
func OperationOf(r *routing.Route) *Operation {
	d := checkedOf(r)
	if d == nil {
		return nil
	}
	return d.op.clone()
}

// methods are the methods that all formats can describe.
var methods = []string{
	http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodHead, http.MethodPatch,
}

// fits returns an error if the operation cannot describe r.
func (d *checked) fits(r *routing.Route) error {
	if !slices.Contains(methods, r.Method()) {
		if r.Method() == "" {
			return fmt.Errorf("a route for every method cannot be described: define one for each method")
		}
		return fmt.Errorf("OpenAPI does not have the method %s: do not describe this route", r.Method())
	}
	_, names, err := pathOf(r.Pattern())
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(d.op.Parameters, func(p Parameter) bool { return p.In == InPath && p.Name == name }) {
			return fmt.Errorf("the pattern's parameter %q is not described: add it to Parameters in apidoc.InPath, "+
				"or as a field with a path tag", name)
		}
	}
	return nil
}

// notInitialised is the action of a route with a nil operation.
func notInitialised(c routing.Context) (routing.Result, error) {
	r := c.Request()
	const mistake = "route described with a nil operation: initialise the operation before its route is defined"
	c.Logger().ErrorContext(r.Context(), mistake, "route", r.Pattern)
	return failed(&routing.HaltError{
		Status: http.StatusServiceUnavailable,
		Body:   routing.Text(http.StatusText(http.StatusServiceUnavailable)),
	})
}
