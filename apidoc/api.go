package apidoc

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing"
)

// This file makes routes from functions.

// API defines typed operations on an app, with [Get], [Post] and so on. [API.Serve] publishes their
// description. It is safe for concurrent use.
type API struct {
	*scope
	app  *routing.App
	info Info

	mu     sync.Mutex // guards what follows
	size   int        // the number of definitions when the description was built
	latest *Document
}

// NewAPI returns an API for an app. The options apply to all its operations. The app may also have
// other routes, and other APIs, each with another description. With the zero [Info] it has no
// description: its operations are in those of the app's other APIs. A nil app panics, and so do
// the option [ID] and options that exclude each other.
func NewAPI(app *routing.App, info Info, options ...Option) *API {
	if app == nil {
		panic("apidoc: NewAPI: pass an app, not nil")
	}
	d := newDefinition("")
	if err := d.applyShared(options); err != nil {
		panic(fmt.Sprintf("apidoc: NewAPI: %v", err))
	}
	frame := &frame{tags: info.Tags, isWhole: info.Title != "", isSecured: d.security != nil, isPublic: d.isPublic}
	return &API{scope: &scope{frame: frame, routes: app, options: [][]Option{options}}, app: app, info: info}
}

// Tag describes a group of operations and returns the option that adds an operation to it.
func (a *API) Tag(name, description string) Tag {
	t := Tag{Name: name, Description: description}
	a.frame.add([]Tag{t})
	return t
}

// Intercept adds an interceptor to all operations of the API, also to those that are defined
// already, so that a plugin can add one. It runs for requests that begin afterwards, within the
// interceptors that [NewAPI] got and around those of groups; of several, the first is the outermost.
// Nil panics.
func (a *API) Intercept(f Interceptor) {
	if f == nil {
		panic("apidoc: Intercept: pass a function, not nil")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []Interceptor
	if before := a.frame.added.Load(); before != nil {
		all = *before
	}
	all = append(slices.Clip(all), f)
	a.frame.added.Store(&all)
}

// Webhook describes a request that subscribers of the API receive: a POST with a T as JSON. OpenAPI
// 3.0 and Swagger 2.0 omit it.
func Webhook[T any](a *API, name, summary string) {
	a.frame.add(nil, outgoing("webhook", name, summary, reflect.TypeFor[T]()))
}

// Callback describes a request that the operation's client will receive: a POST with a T as JSON.
// Its URL is a runtime expression of OpenAPI, such as {$request.body#/callbackUrl}. Swagger 2.0
// omits it.
func Callback[T any](name, expression, summary string) DescribeOption {
	sent := outgoing("callback", name, summary, reflect.TypeFor[T]())
	return option(func(d *definition) {
		d.doc.Callbacks = append(d.doc.Callbacks, openapi.Callback{Name: name, Expression: expression, Operation: &sent.doc})
		d.sentTypes = append(d.sentTypes, sent.types...)
	})
}

// ShapeErrors gives all error responses of the API's app the body that errors of its operations
// have: that of [ErrorBody], or problem details. These are the responses to unknown paths, to other
// methods, and to errors of other routes, filters and mounted apps, unless they have a page; see
// the package comment of routing. It sets the function of [routing.App.ErrorBody].
func (a *API) ShapeErrors() {
	d := newDefinition("")
	err := d.apply(a.options...)
	var plan *failurePlan
	if err == nil {
		plan, err = planFailures(d)
	}
	if err != nil {
		panic(fmt.Sprintf("apidoc: ShapeErrors: %v", err))
	}
	a.app.ErrorBody(plan.send)
}

// Get defines an operation for GET, in an API or a group. The pattern is in the app's syntax, the
// summary is one line for people. For the types I and O see the package comment. Invalid
// definitions panic, with a message that says what to write instead.
func Get[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodGet, pattern, nil, summary, f, options)
}

// Post is [Get] for POST.
func Post[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPost, pattern, nil, summary, f, options)
}

// Put is [Get] for PUT.
func Put[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPut, pattern, nil, summary, f, options)
}

// Patch is [Get] for PATCH.
func Patch[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPatch, pattern, nil, summary, f, options)
}

// Delete is [Get] for DELETE.
func Delete[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodDelete, pattern, nil, summary, f, options)
}

// Query is [Get] for QUERY: a safe method whose body says what is asked for, such as a filter that
// is too large for a URL (RFC 10008). Conditions and ranges are those of a GET. A request without a
// Content-Type is refused with 415. An input without a body panics. To redirect, return
// [routing.SeeOther] if a GET of another URL has the result, and otherwise a halt with 307.
func Query[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, method.Query, pattern, nil, summary, f, options)
}

// Route is [Get] for any method that OpenAPI has, and for a [routing.Pattern] of any syntax. In a
// group the pattern is below the prefix; see [routing.Group.Route].
func Route[I, O any](
	d Definer, method string, pattern routing.Pattern, summary string, f func(context.Context, I) (O, error), options ...Option,
) *routing.Route {
	return define(d, method, pattern.String(), &pattern, summary, f, options)
}

// define defines an operation. The pattern is in the app's syntax unless it is parsed.
func define[I, O any](
	in Definer, method, pattern string, parsed *routing.Pattern, summary string, f func(context.Context, I) (O, error), options []Option,
) *routing.Route {
	begin := func() invocation { return &invoked[I, O]{f: f} }
	return defineTyped(in, method, pattern, parsed, summary, reflect.ValueOf(f), begin, options)
}

// defineTyped defines the operation of a function whose calls begin makes. It is no part of define,
// which is compiled for each operation.
func defineTyped(
	in Definer, method, pattern string, parsed *routing.Pattern, summary string, f reflect.Value, begin func() invocation, options []Option,
) (route *routing.Route) {
	s := scopeOf(in)
	if f.IsNil() {
		panic(fmt.Sprintf("apidoc: %s %s: pass a function, not nil", method, s.prefix+pattern))
	}
	d := newDefinition(method)
	d.doc.ID, d.doc.Summary = nameOf(f, method, s.prefix+pattern), summary
	err := d.apply(s.options[0])
	p := &plan{begin: begin, ofAPI: len(d.around)}
	if err == nil {
		err = d.apply(s.options[1:]...)
	}
	if s.grouped {
		d.routing = nil // the group of routes has them
	}
	if err == nil {
		err = d.apply(options)
	}
	if err == nil {
		err = p.make(d, f.Type().In(1), f.Type().Out(0))
	}
	if err != nil {
		panic(fmt.Sprintf("apidoc: %s %s: %v", method, s.prefix+pattern, err))
	}
	p.op.frame = s.frame
	all := append([]routing.RouteOption{routing.ErrorBody(p.failures.send), attach(p.op), guarded(true), routing.Check(p.place)}, d.routing...)
	if parsed != nil {
		route = s.routes.Route(method, *parsed, p.serve, all...)
	} else {
		route = s.routes.Match([]string{method}, pattern, p.serve, all...)[0]
	}
	return route
}

// make plans an operation and describes it in d. Without a function that runs, no request is
// refused.
func (p *plan) make(d *definition, input, output reflect.Type) (err error) {
	d.doc.ID = joinID(d.idPrefix, d.doc.ID)
	if d.security, err = joined(d.security); err != nil {
		return err
	}
	if err = checkFormOrJSON(input); err == nil {
		p.input, err = planInput(input, d)
	}
	if err != nil {
		return fmt.Errorf("input %s: %w", input, err)
	}
	if p.output, err = planOutput(output, p.input, d); err != nil {
		return fmt.Errorf("output %s: %w", output, err)
	}
	if p.begin != nil {
		d.further = append(securityResponses(d.security), d.further...)
		for _, refusal := range p.input.refusals() {
			d.further = append(d.further, further{problem: refusal})
		}
	}
	if p.failures, err = planFailures(d); err != nil {
		return err
	}
	if p.op, err = d.operation(); err != nil {
		return err
	}
	p.output.problem, p.output.failed = p.failures.inEvents, p.failures.respondTo
	p.around, p.conditions = d.around, d.conditions
	p.about = Call{ID: p.op.ID(), Method: d.method, Tags: p.op.doc.Tags}
	return nil
}

// NewOperation describes a route whose action is written by hand, for [Describe]. The types I and O
// are those of a typed operation, and are only described: nothing is read, checked or sent by them.
// The options are those that describe, such as [Tag], [Responds] and [Status]; a [Security] is not
// checked. Invalid options and types panic.
//
//	apidoc.Describe(apidoc.NewOperation[ByID, Tree]("getTree", "Read a tree", notFound))
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

// nameOf returns the last part of a function's name. For a function literal or a generic function,
// which may serve several operations, it makes a name from the method and the pattern.
func nameOf(f reflect.Value, method, pattern string) string {
	name := strings.ReplaceAll(runtime.FuncForPC(f.Pointer()).Name(), "[...]", "[]")
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm")
	number := strings.TrimLeft(strings.TrimPrefix(name, "func"), "0123456789")
	if number != "" && name != "" && !unicode.IsDigit(rune(name[0])) && !strings.Contains(name, "[") {
		return name
	}
	words := strings.FieldsFunc(pattern, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	id := strings.ToLower(method)
	for _, word := range words {
		id += capital(word)
	}
	return id
}
