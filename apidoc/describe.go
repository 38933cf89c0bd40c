package apidoc

import (
	"fmt"
	"net/http"
	"slices"

	"example.com/flowercafe/routing"
)

// Describe attaches an operation to a route, so that [Build] finds it. The operation is copied.
//
// Defining the route panics if the operation is wrong in itself, or if the route has no described path (see the package's text),
// and if the parameters in the path are not those of the route's pattern, in either direction.
//
// A nil operation is one that was not initialised before its route, in a package variable say. The route is then not described,
// answers every request with 503, and logs each time which route it is: an API that works but is missing from its description
// would be noticed much later.
func Describe(op *Operation) routing.RouteOption {
	return describe(op, false)
}

// Enforce is [Describe], and makes the route check the described parameters before its action runs: those that are required
// must be there, and all must be of their type. A request that is wrong is answered with 400 and a problem of RFC 9457 as JSON,
// which names each parameter that is wrong in its member errors, and never repeats a value. Unless the operation describes
// its own answer for 400, the description gets this one.
//
// A parameter in a query, form or path is checked as the action will read it, by [routing.Params]: all its values are,
// though the action may read only the first. A body is checked against the type it is described with; members that this
// does not list are let through, and so is a body that was described by [Ref], as long as it is JSON. Numbers must be written
// as in JSON, without a plus sign, and integers without a fraction or exponent, since Go reads them so; times as in RFC 3339; and
// booleans as "true" or "false".
//
// What the request's limits refuse is answered as the app does otherwise.
func Enforce(op *Operation) routing.RouteOption {
	return describe(op, true)
}

// descriptionKey is the key of a *description in a route's metadata.
type descriptionKey struct{}

// description is what a route carries.
type description struct {
	op       *Operation // a copy; never changed
	enforced bool
}

func describe(op *Operation, enforced bool) routing.RouteOption {
	if op == nil {
		return routing.Wrap(func(routing.Action) routing.Action { return notInitialised })
	}
	d := &description{op: op.clone(), enforced: enforced}
	err := d.op.check()
	if err == nil && enforced && d.op.response(http.StatusBadRequest) == nil {
		d.op.Responses = append(d.op.Responses, problemResponse)
	}
	options := []routing.RouteOption{
		routing.Meta(descriptionKey{}, d),
		routing.Check(func(r *routing.Route) error {
			if err != nil {
				return fmt.Errorf("apidoc: %w", err)
			}
			if err := d.fits(r); err != nil {
				return fmt.Errorf("apidoc: operation %s: %w", d.op.ID, err)
			}
			return nil
		}),
	}
	if enforced && err == nil {
		options = append(options, routing.Wrap(newChecker(d.op).around))
	}
	return routing.Combine(options...)
}

// descriptionOf returns what r carries, or nil.
func descriptionOf(r *routing.Route) *description {
	if r == nil {
		return nil
	}
	d, _ := r.Meta(descriptionKey{}).(*description)
	return d
}

// methods are those that both formats describe.
var methods = []string{
	http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodHead, http.MethodPatch,
}

// fits tells why the operation cannot describe r.
func (d *description) fits(r *routing.Route) error {
	if !slices.Contains(methods, r.Method()) {
		if r.Method() == "" {
			return fmt.Errorf("a route for every method has no described form: define one for each method")
		}
		return fmt.Errorf("descriptions don't know the method %s: leave this route without one", r.Method())
	}
	_, names, err := describedPath(r.Pattern())
	if err != nil {
		return err
	}
	var described []string
	for _, p := range d.op.Parameters {
		if p.In != InPath {
			continue
		}
		if !slices.Contains(names, p.Name) {
			return fmt.Errorf("path parameter %q is described, and the pattern has none of that name: write it there, or take it out of Parameters", p.Name)
		}
		described = append(described, p.Name)
	}
	for _, name := range names {
		if !slices.Contains(described, name) {
			return fmt.Errorf("the pattern's parameter %q is not described: add it to Parameters, in apidoc.InPath", name)
		}
	}
	return nil
}

// notInitialised is the action of a route that was described with nil.
func notInitialised(c routing.Context) (routing.Result, error) {
	r := c.Request()
	c.Logger().ErrorContext(r.Context(), "route described with a nil operation: initialise the operation before its route is defined", "route", r.Pattern)
	return nil, &routing.HaltError{
		Status: http.StatusServiceUnavailable,
		Body:   routing.Text(http.StatusText(http.StatusServiceUnavailable)),
	}
}
