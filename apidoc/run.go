package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
)

// A typed operation handles a request in these steps: authorize, read and validate, intercept,
// call, write, fail. The steps authorize, intercept, write and fail are in authorize.go,
// intercept.go, output.go and failure.go; the others begin here.

// plan is a typed operation, ready to run. Once its route is defined, only warned changes. It has no
// type parameters, because generic code would be compiled for each operation.
type plan struct {
	op            *Operation
	about         Call     // for interceptors, without the fields of a request
	mountParams   []string // path parameters that are in the prefixes of mounts
	input         *inputPlan
	around        []Interceptor
	apiCount      int  // number of the API's interceptors, which come first
	streams       bool // reads its body or sends its output piece by piece
	conditions    conditions
	sendsVersion  bool // only reads do: a change makes the version, which was read before it, out of date
	newInvocation func() invocation
	output        *outputPlan
	failures      *failurePlan
	warned        sync.Once // that the timeouts of streams have no effect
}

// make plans an operation and describes it in d. It describes the responses to refused requests,
// unless the operation has no function, as for NewOperation.
func (p *plan) make(d *definition, input, output reflect.Type) (err error) {
	d.doc.ID = joinID(d.idPrefix, d.doc.ID)
	if d.security, err = merged(d.security); err != nil {
		return err
	}
	if err = checkFormOrJSON(input); err == nil {
		p.input, err = planInput(input, d)
	}
	if err != nil {
		return fmt.Errorf("input %s: %w", input, err)
	}
	if p.output, err = planOutput(output, d); err != nil {
		return fmt.Errorf("output %s: %w", output, err)
	}
	if p.newInvocation != nil {
		d.moreResponses = append(securityResponses(d.security), d.moreResponses...)
		for _, refusal := range p.input.problems() {
			d.moreResponses = append(d.moreResponses, problemResponse(refusal))
		}
	}
	if p.failures, err = planFailures(d); err != nil {
		return err
	}
	if p.op, err = d.operation(); err != nil {
		return err
	}
	p.failures.op = p.op
	p.output.problem, p.output.respondTo = p.failures.inEvents, p.failures.respondTo
	p.around, p.streams = d.around, p.input.isStreamed || p.output.isSentLate
	p.conditions, p.sendsVersion = d.conditions, d.conditions.find != nil && method.IsRead(d.method)
	p.about = Call{ID: p.op.ID(), Method: d.method, Tags: p.op.doc.Tags}
	return nil
}

// bind completes the plan from the pattern of the route.
func (p *plan) bind(r *routing.Route) error {
	p.about.Pattern = r.Pattern().String()
	for _, described := range p.op.doc.Parameters {
		if described.In == "path" && !slices.Contains(r.Pattern().Names(), described.Name) {
			p.mountParams = append(p.mountParams, described.Name)
		}
	}
	if p.op.replaces {
		return p.op.checkReplaced(r)
	}
	return nil
}

// serve is the action of the route. An error becomes a response of the operation or is handled by
// the app.
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
	if p.streams {
		p.warnWithoutDeadlines(c)
	}
	inv := p.newInvocation()
	if err := p.input.read(c, inv.input(), inv.body()); err != nil {
		p.offerQueryTypes(c, err)
		return none, err
	}
	version, replaced, err := p.invoke(c, inv)
	if err != nil {
		if errors.Is(err, outdated) {
			version.set(c.Header()) // send the current version to the client whose condition failed
		}
		return none, err
	}
	result, err := p.output.write(c, inv.output(), replaced)
	if p.sendsVersion && err == nil && c.Status() < http.StatusBadRequest {
		version.set(c.Header())
	}
	return result, err
}

// offerQueryTypes sends the media types of a QUERY to a client that has sent another (RFC 10008,
// 2.1).
func (p *plan) offerQueryTypes(c routing.Context, err error) {
	refused, _ := err.(*Problem)
	if p.about.Method == method.Query && refused != nil && refused.Status == http.StatusUnsupportedMediaType {
		c.Header().Set("Accept-Query", method.AcceptQuery(p.op.doc.Consumes...))
	}
}

// invoke calls the operation's function, within the interceptors. A function that streams may run
// longer than the WriteTimeout of the server, after which HTTP/2 would reset the stream.
func (p *plan) invoke(c routing.Context, inv invocation) (version Version, replaced []reflect.Value, err error) {
	if p.streams {
		response := p.output.timeouts.response(c)
		response.Pause()
		defer response.Next()
	}
	if around := p.interceptors(); around != nil {
		return p.intercept(c, around, inv)
	}
	version, err = p.call(c, c.Request().Context(), inv)
	return version, nil, err
}

// interceptors returns the operation's interceptors, including those added to the API later.
func (p *plan) interceptors() []Interceptor {
	added := p.op.registry.added.Load()
	if added == nil || added.interceptors == nil {
		return p.around
	}
	return slices.Concat(p.around[:p.apiCount], added.interceptors, p.around[p.apiCount:])
}

// call calls the operation's function, within the context of the interceptors.
func (p *plan) call(c routing.Context, ctx context.Context, inv invocation) (Version, error) {
	if p.output.isSentLate {
		if whole := streaming.Whole(c.Request().Context()); whole != nil {
			return p.callLate(c, lateContext{whole, context.WithoutCancel(ctx)}, inv)
		}
	}
	return p.callFunction(c, ctx, inv)
}

// callLate calls a function whose output is sent after the interceptors have returned.
func (p *plan) callLate(c routing.Context, ctx lateContext, inv invocation) (Version, error) {
	c, end := c.WithContext(ctx)
	defer end()
	return p.callFunction(c, ctx, inv)
}

// callFunction checks the conditions of the request (RFC 9110, 13) and calls the function. The
// version is read here, inside the interceptors, so that it is read in their transaction.
func (p *plan) callFunction(c routing.Context, ctx context.Context, inv invocation) (version Version, err error) {
	for _, f := range p.input.contextual {
		f.part.(contextual).enter(c, f.field(inv.input()))
	}
	if p.conditions.find != nil {
		if version, err = p.conditions.evaluate(ctx, c.Request(), inv.input()); err != nil {
			return version, err
		}
	}
	if p.input.isStreamed && inv.wasRun() {
		return version, fmt.Errorf("apidoc: operation %s: an interceptor called next again, but the first call may have read the body: "+
			"call it once, or read the body into a slice", p.op.ID())
	}
	// The function of a HEAD of events is not called: it may subscribe to events, and would not
	// unsubscribe, since a HEAD does not iterate the sequence.
	if p.output.described.Events != nil && c.Request().Method == http.MethodHead {
		return version, nil
	}
	if err = inv.run(ctx); err != nil && p.output.isReader { // its reader, if any, is not read
		p.output.closeAll([]reflect.Value{inv.output()})
	}
	return version, err
}

// lateContext is the context of a function whose output is sent after the interceptors have
// returned, which may end their context. It has their values, and ends with the request.
type lateContext struct {
	context.Context // of the request
	values          context.Context
}

func (c lateContext) Value(key any) any {
	if v := c.values.Value(key); v != nil {
		return v
	}
	return c.Context.Value(key)
}

// invocation is a call of an operation's function.
type invocation interface {
	input() reflect.Value // settable, as is the output
	output() reflect.Value
	body() *bufferedBody
	run(context.Context) error // sets the output
	wasRun() bool
}

// typedInvocation is the invocation of a function, in one allocation.
type typedInvocation[I, O any] struct {
	f        func(context.Context, I) (O, error)
	in       I
	out      O
	buffered bufferedBody
	isRun    bool
}

func (i *typedInvocation[I, O]) input() reflect.Value  { return reflect.ValueOf(&i.in).Elem() }
func (i *typedInvocation[I, O]) output() reflect.Value { return reflect.ValueOf(&i.out).Elem() }

func (i *typedInvocation[I, O]) body() *bufferedBody { return &i.buffered }

func (i *typedInvocation[I, O]) wasRun() bool { return i.isRun }

func (i *typedInvocation[I, O]) run(ctx context.Context) (err error) {
	i.isRun = true
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
