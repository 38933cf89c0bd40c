package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

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
// other routes, and other APIs, each with a description of its own. Without an [Info], which is
// Info{}, the operations are in the descriptions of the app's other APIs. A nil app panics, and so
// do options that contradict each other.
func NewAPI(app *routing.App, info Info, options ...Option) *API {
	if app == nil {
		panic("apidoc: NewAPI: pass an app, not nil")
	}
	if err := checkList(options); err != nil {
		panic(fmt.Sprintf("apidoc: NewAPI: %v", err))
	}
	frame := &frame{tags: info.Tags, isWhole: info.Title != ""}
	return &API{scope: &scope{frame: frame, links: &links{}, routes: app, options: options}, app: app, info: info}
}

// Tag describes a group of operations and returns the option that adds an operation to it.
func (a *API) Tag(name, description string) Tag {
	t := Tag{Name: name, Description: description}
	a.frame.add(t, nil)
	return t
}

// Webhook describes a request that subscribers of the API receive: a POST with a T as JSON. OpenAPI
// 3.0 and Swagger 2.0 omit it.
func Webhook[T any](a *API, name, summary string) {
	w, err := newChecked(outgoing[T](name, summary))
	if err != nil {
		panic(fmt.Sprintf("apidoc: webhook %s: %v", name, err))
	}
	a.frame.add(Tag{}, w)
}

// Get defines an operation for GET, in an API or a group. The pattern is in the app's syntax, the
// summary is one line for people. For the types I and O see the package documentation. Invalid
// definitions panic, with a message that says what to write instead.
func Get[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodGet, pattern, routes.Get, summary, f, options)
}

// Post is [Get] for POST.
func Post[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPost, pattern, routes.Post, summary, f, options)
}

// Put is [Get] for PUT.
func Put[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPut, pattern, routes.Put, summary, f, options)
}

// Patch is [Get] for PATCH.
func Patch[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPatch, pattern, routes.Patch, summary, f, options)
}

// Delete is [Get] for DELETE.
func Delete[I, O any](d Definer, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodDelete, pattern, routes.Delete, summary, f, options)
}

// Route is [Get] for any method that OpenAPI has, and for a [routing.Pattern] of any syntax. In a
// group the pattern is below the prefix; see [routing.Group.Route].
func Route[I, O any](
	d Definer, method string, pattern routing.Pattern, summary string, f func(context.Context, I) (O, error), options ...Option,
) *routing.Route {
	add := func(to routes, _ string, action routing.Action, o ...routing.RouteOption) *routing.Route {
		return to.Route(method, pattern, action, o...)
	}
	return define(d, method, pattern.String(), add, summary, f, options)
}

// URL returns the address of the operation with an ID, for an input of its type; see the function
// [URL].
func (a *API) URL(c routing.Context, id string, input any) (string, error) {
	return a.links.url(c, input, fmt.Sprintf("the ID %q", id), func(l *link) bool { return l.id == id })
}

// URL returns the address of the operation of a function, for an input: the path, below the base
// path of the request as in [routing.Context.URL], and the query. Other parts of the input do not
// count. A zero value is left out of the query if reading none gives it too, or if the rules refuse
// it.
//
//	location, err := apidoc.URL(c, api, getTree, ByID{ID: 2}) // "/trees/2"
//
// It returns an error for values that the operation would refuse, and if no operation of the API or
// group has the function, or several have it, as with groups that share their functions: pass the
// group that is meant, or call [API.URL] with an ID. That is also for function literals in loops
// and for generic functions. The zero Context is for an address outside of a request.
func URL[I, O any](c routing.Context, d Definer, f func(context.Context, I) (O, error), input I) (string, error) {
	if f == nil {
		return "", errors.New("apidoc: address of an operation: pass its function, not nil")
	}
	pointer, t := reflect.ValueOf(f).Pointer(), reflect.TypeFor[I]()
	isMeant := func(l *link) bool { return l.function == pointer && l.input.goType == t }
	return scopeOf(d).links.url(c, input, "the function "+runtime.FuncForPC(pointer).Name(), isMeant)
}

// adder adds a route to an app.
type adder func(to routes, pattern string, action routing.Action, options ...routing.RouteOption) *routing.Route

func define[I, O any](
	in Definer, method, pattern string, add adder, summary string, f func(context.Context, I) (O, error), options []Option,
) *routing.Route {
	s := scopeOf(in)
	if f == nil {
		panic(fmt.Sprintf("apidoc: %s %s: pass a function, not nil", method, s.prefix+pattern))
	}
	d := &definition{method: method, limit: DefaultBodyLimit}
	d.op.ID, d.op.Summary = nameOf(f, method, s.prefix+pattern), summary
	input, out, failures, err := d.plan(s, reflect.TypeFor[I](), reflect.TypeFor[O](), options)
	if err != nil {
		panic(fmt.Sprintf("apidoc: %s %s: %v", method, s.prefix+pattern, err))
	}
	op, around := &d.op, d.around
	call := Call{ID: op.ID, Method: method, Tags: op.Tags}
	var outer []string // parameters of mount prefixes
	findOuter := routing.Check(func(r *routing.Route) error {
		call.Pattern = r.Pattern().String()
		for _, p := range op.Parameters {
			if p.In == InPath && !slices.Contains(r.Pattern().Names(), p.Name) {
				outer = append(outer, p.Name)
			}
		}
		return nil
	})
	run := func(c routing.Context) (none routing.Result, err error) {
		for _, name := range outer {
			if _, ok := c.Params().Get(name); !ok {
				return none, fmt.Errorf("apidoc: operation %s: the path parameter %q is neither in the pattern nor in the prefix of a mount: "+
					"write it there, or remove the field", op.ID, name)
			}
		}
		if err := authorize(c, op.Security); err != nil {
			return none, err
		}
		var values struct { // in one allocation
			input  I
			output O
		}
		if err := input.read(c, reflect.ValueOf(&values.input).Elem()); err != nil {
			return none, err
		}
		if input.form != nil {
			defer input.release(c)
		}
		operation := f
		if d.conditions.find != nil {
			operation = func(ctx context.Context, in I) (output O, err error) {
				if err = d.conditions.check(ctx, c, reflect.ValueOf(&in).Elem()); err != nil {
					return output, err
				}
				return f(ctx, in)
			}
		}
		if len(around) == 0 {
			values.output, err = operation(c.Request().Context(), values.input)
		} else {
			this := call
			this.Context = c
			values.output, err = intercept(around, this, &values.input, operation, out.discard)
		}
		if err != nil {
			return none, err
		}
		return out.write(c, reflect.ValueOf(&values.output).Elem())
	}
	action := func(c routing.Context) (routing.Result, error) {
		result, err := run(c)
		if err != nil {
			return failures.respondTo(c, err)
		}
		return result, nil
	}
	out.problem = failures.inEvents
	route := add(s.routes, pattern, action, append([]routing.RouteOption{routing.ErrorBody(failures.shape), attach(op, s.frame), findOuter}, d.routing...)...)
	s.links.add(&link{op.ID, reflect.ValueOf(f).Pointer(), input, route})
	return route
}

// plan reads the types and the options.
func (d *definition) plan(s *scope, input, output reflect.Type, options []Option) (*inputPlan, *outputPlan, *failurePlan, error) {
	if err := checkList(options); err != nil {
		return nil, nil, nil, err
	}
	if err := d.applyAll(s.options); err != nil {
		return nil, nil, nil, err
	}
	if s.grouped {
		d.routing = nil
	}
	if err := d.applyAll(options); err != nil {
		return nil, nil, nil, err
	}
	d.op.ID = joinID(d.idPrefix, d.op.ID)
	problems := d.op.Responses
	d.op.Responses = nil
	in, err := planInput(input, d)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("input %s: %w", input, err)
	}
	out, err := planOutput(output, in, d)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("output %s: %w", output, err)
	}
	if d.op.Security, err = joined(d.op.Security); err != nil {
		return nil, nil, nil, err
	}
	d.op.responds(securityResponses(d.op.Security)...)
	d.op.responds(problems...)
	for _, p := range in.refusals() {
		d.op.responds(responseOf(p))
	}
	failing, err := planFailures(d)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("error body %s: %w", d.errorType, err)
	}
	return in, out, failing, d.addExamples()
}

// nameOf returns the last part of a function's name. For a function literal or a generic function,
// which may serve several operations, it makes a name from the method and the pattern.
func nameOf(f any, method, pattern string) string {
	name := strings.ReplaceAll(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name(), "[...]", "[]")
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm")
	number := strings.TrimLeft(strings.TrimPrefix(name, "func"), "0123456789")
	if number != "" && name != "" && !unicode.IsDigit(rune(name[0])) && !strings.Contains(name, "[") {
		return name
	}
	words := strings.FieldsFunc(pattern, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	id := strings.ToLower(method)
	for _, word := range words {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id
}

// addExamples adds the examples to the bodies.
func (d *definition) addExamples() error {
	for status, v := range d.examples {
		place := d.op.response(status)
		i := slices.IndexFunc(d.op.Parameters, func(p Parameter) bool { return p.In == InBody })
		switch {
		case status == 0 && i >= 0:
			d.op.Parameters[i].Example = v
		case status != 0 && place != nil:
			place.Example = v
		default:
			return fmt.Errorf("example of %d: there is no such body: write the status of a response that the operation describes", status)
		}
	}
	return nil
}
