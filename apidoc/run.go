package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// A typed operation handles a request in these steps: authorize, read and validate, intercept,
// call, write, fail. The steps authorize, intercept, write and fail are in authorize.go,
// intercept.go, output.go and failure.go; the others begin here.

// plan is a typed operation, ready to run. It is immutable once its route is defined. It has no
// type parameters, because generic code would be compiled for each operation.
type plan struct {
	op            *Operation
	about         Call     // for interceptors, without the fields of a request
	mountParams   []string // path parameters that are in the prefixes of mounts
	input         *inputPlan
	around        []Interceptor
	apiCount      int // number of the API's interceptors, which come first
	conditions    conditions
	newInvocation func() invocation
	output        *outputPlan
	failures      *failurePlan
}

// bind completes the plan from the pattern of the route.
func (p *plan) bind(r *routing.Route) error {
	p.about.Pattern = r.Pattern().String()
	for _, described := range p.op.doc.Parameters {
		if described.In == "path" && !slices.Contains(r.Pattern().Names(), described.Name) {
			p.mountParams = append(p.mountParams, described.Name)
		}
	}
	return nil
}

// serve is the action of the route. An error becomes a response of the operation
// or is handled by the app.
func (p *plan) serve(c routing.Context) (routing.Result, error) {
	result, err := p.run(c)
	if err != nil {
		return p.failures.respondTo(c, err)
	}
	return result, nil
}

// run runs the steps until one fails.
func (p *plan) run(c routing.Context) (none routing.Result, _ error) {
	if p.mountParams != nil {
		if err := p.checkMountParams(c); err != nil {
			return none, err
		}
	}
	// Authorize before the input is read: clients without access get no input errors, and need not
	// send the body.
	if p.op.security != nil {
		if err := authorize(c, p.op.security); err != nil {
			return none, err
		}
	}
	call := p.newInvocation()
	if _, err := p.input.read(c, call.input(), call.body()); err != nil {
		if refused, _ := err.(*Problem); refused != nil && refused.Status == http.StatusUnsupportedMediaType && p.about.Method == method.Query {
			c.Header().Set("Accept-Query", method.AcceptQuery(p.op.doc.Consumes...)) // RFC 10008, 2.1
		}
		return none, err
	}
	if p.output.described.Events != nil && c.Request().Method == http.MethodHead {
		// Don't call the function: it may subscribe to events, and would not unsubscribe, since a
		// HEAD does not iterate the sequence.
		return p.output.write(c, call.output())
	}
	version, err := p.call(c, call)
	if p.input.isStreamed { // the WriteTimeout of the server may have passed
		p.output.timeouts.response(c).Next()
	}
	if err != nil {
		if errors.Is(err, outdated) {
			version.set(c.Header()) // send the current version to the client whose condition failed
		}
		return none, err
	}
	result, err := p.output.write(c, call.output())
	// The version was read before the call, so only reads send it: a change makes it out of date.
	if err == nil && method.IsRead(p.about.Method) && c.Status() < http.StatusBadRequest {
		version.set(c.Header())
	}
	return result, err
}

// read decodes the request into v, and returns the values of the request. The error is a [Problem]
// if the request is refused.
func (p *inputPlan) read(c routing.Context, v reflect.Value, body *bufferedBody) (from incoming, err error) {
	if from, err = p.incoming(c); err != nil {
		return incoming{}, err
	}
	from.buffered = body
	var errs []InputError
	var failed [][]int // the fields with errors
	for _, part := range p.parts {
		invalid, err := part.read(from, part.field(v))
		switch {
		case err != nil:
			return incoming{}, err
		case len(invalid) == 0:
			continue
		case errs == nil: // the common case
			errs = invalid
		default:
			errs = append(errs, invalid...)
		}
		if p.validatorPaths != nil {
			failed = append(failed, part.index)
		}
	}
	if p.validatorPaths != nil {
		if errs, err = p.validate(from.request.Context(), v, failed, errs); err != nil {
			return incoming{}, err
		}
	}
	return from, invalid(errs)
}

// field returns the field of an input that the part sets.
func (p fieldPart) field(input reflect.Value) reflect.Value {
	if p.index == nil {
		return input
	}
	return input.FieldByIndex(p.index)
}

// validate calls the Validators in an input, and appends their errors to errs. It skips structs
// with invalid fields: failed has the index paths of these fields.
func (p *inputPlan) validate(ctx context.Context, input reflect.Value, failed [][]int, errs []InputError) ([]InputError, error) {
	for _, path := range p.validatorPaths {
		isWithin := func(index []int) bool { return len(index) >= len(path) && slices.Equal(index[:len(path)], path) }
		if len(path) == 0 && errs != nil || slices.ContainsFunc(failed, isWithin) {
			continue
		}
		more, err := value.PointerTo(input.FieldByIndex(path)).(Validator).Validate(ctx)
		if err != nil {
			return errs, err
		}
		for _, e := range more {
			if e.In == "" {
				e.In = p.locationOf(e.Name)
			}
			errs = append(errs, e)
		}
	}
	return errs, nil
}

// incoming returns the request with its values. It reads the form, if any.
func (p *inputPlan) incoming(c routing.Context) (incoming, error) {
	r := c.Request()
	from := incoming{Context: c, request: r, query: urlencoded.NewIndex(r.URL.RawQuery)}
	if p.body.part == nil && p.form == nil {
		return from, nil
	}
	if r.Method == method.Query && r.Header.Get("Content-Type") == "" { // RFC 10008, 2.1
		return from, unsupportedType.Detailf("Send the content type of the body")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		c.Header().Set("Accept-Encoding", "identity") // RFC 9110, 15.5.16
		return from, unsupportedType.Detailf("Send the body without the header Content-Encoding")
	}
	if p.form == nil {
		return from, nil
	}
	form, err := p.form.parse(r)
	if err == nil {
		from.form = *form
	}
	return from, err
}

// locationOf returns the location of a parameter, or of the body.
func (p *inputPlan) locationOf(name string) routing.Location {
	for _, f := range p.fields {
		if f.Name == name {
			return routing.Location(f.In)
		}
	}
	return InBody
}

// call calls the operation's function. The interceptors wrap it; within them the conditions
// of the request (RFC 9110, 13) are checked, so that the version is read in their transaction.
func (p *plan) call(c routing.Context, call invocation) (version Version, err error) {
	around := p.interceptors()
	if around == nil && p.conditions.find == nil {
		return version, call.run(c.Request().Context())
	}
	return p.callWithin(c, around, call)
}

// interceptors returns the operation's interceptors, including those added to the API later.
func (p *plan) interceptors() []Interceptor {
	added := p.op.registry.added.Load()
	if added == nil {
		return p.around
	}
	return slices.Concat(p.around[:p.apiCount], *added, p.around[p.apiCount:])
}

func (p *plan) callWithin(c routing.Context, around []Interceptor, call invocation) (version Version, err error) {
	run := func(within routing.Context, ctx context.Context) (err error) {
		for _, f := range p.input.parts {
			if part, ok := f.part.(contextual); ok {
				part.enter(within, f.field(call.input()))
			}
		}
		if p.conditions.find != nil {
			if version, err = p.conditions.evaluate(ctx, c.Request(), call.input()); err != nil {
				return err
			}
		}
		body := call.body()
		if p.input.isStreamed && body.isTaken {
			return fmt.Errorf("apidoc: operation %s: an interceptor called next again, but the first call may have read the body: "+
				"call it once, or read the body into a slice", p.op.ID())
		}
		body.isTaken = true
		return call.run(ctx)
	}
	if around == nil {
		err = run(c, c.Request().Context())
		return version, err
	}
	about := p.about
	about.Context, about.Input = c, call.input().Addr().Interface()
	err = intercept(around, about, call.output(), run, p.output.discard)
	return version, err
}

// invocation is a call of an operation's function.
type invocation interface {
	input() reflect.Value // settable, as is the output
	output() reflect.Value
	body() *bufferedBody
	run(context.Context) error // sets the output
}

// typedInvocation is the invocation of a function, in one allocation.
type typedInvocation[I, O any] struct {
	f        func(context.Context, I) (O, error)
	in       I
	out      O
	buffered bufferedBody
}

func (i *typedInvocation[I, O]) input() reflect.Value  { return reflect.ValueOf(&i.in).Elem() }
func (i *typedInvocation[I, O]) output() reflect.Value { return reflect.ValueOf(&i.out).Elem() }

func (i *typedInvocation[I, O]) body() *bufferedBody { return &i.buffered }

func (i *typedInvocation[I, O]) run(ctx context.Context) (err error) {
	i.out, err = i.f(ctx, i.in)
	return err
}

// checkMountParams returns an error if a path parameter of the input is neither in the pattern nor
// in the prefix of a mount.
func (p *plan) checkMountParams(c routing.Context) error {
	for _, name := range p.mountParams {
		if _, ok := c.Params().Path(name); !ok {
			return fmt.Errorf("apidoc: operation %s: the path parameter %q is neither in the pattern nor in the prefix of a mount: "+
				"write it there, or remove the field", p.op.ID(), name)
		}
	}
	return nil
}
