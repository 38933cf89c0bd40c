package apidoc

import (
	"cmp"
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
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file makes routes from functions.

// API defines typed operations on an app, with [Get], [Post] and so on. [API.Serve] publishes their
// description. It is safe for concurrent use.
type API struct {
	*scope
	app  *routing.App
	info Info

	mu     sync.Mutex // guards the fields below, and additions to registry.added
	size   int        // the number of definitions when the description was built
	latest *Document
}

// NewAPI returns an API for an app. The options apply to all its operations. The app may have other
// routes, and other APIs with their own descriptions. The operations of an API with the zero [Info]
// appear in the descriptions of the app's other APIs.
func NewAPI(app *routing.App, info Info, options ...Option) *API {
	if app == nil {
		panic("apidoc: NewAPI: pass an app, not nil")
	}
	d := newDefinition("")
	if err := d.applyShared(options); err != nil {
		panic(fmt.Sprintf("apidoc: NewAPI: %v", err))
	}
	shared := &registry{app: app, tags: info.Tags, hasInfo: info.Title != "", isSecured: d.security != nil, isPublic: d.isPublic}
	return &API{scope: &scope{registry: shared, routes: app, options: [][]Option{options}}, app: app, info: info}
}

// Tag describes a group of operations and returns the option that adds one to it. Another
// description of the same name in the same API panics.
func (a *API) Tag(name, description string) Tag {
	t := Tag{Name: name, Description: description}
	tags, _ := a.registry.content()
	for _, other := range tags {
		if other.Name == name && description != "" && other.Description != "" && other.Description != description {
			panic(fmt.Sprintf("apidoc: Tag %s: it is described as %q and %q: write one description", name, other.Description, description))
		}
	}
	a.registry.add([]Tag{t})
	return t
}

// Intercept adds an interceptor to all operations of the API, also to earlier ones. It runs inside
// the interceptors of [NewAPI] and outside the groups' own. The first one added is the outermost.
//
// The options describe what the interceptor returns, or what a filter of a plugin does if f is nil.
func (a *API) Intercept(f Interceptor, options ...ResponseOption) {
	if f == nil && options == nil {
		panic("apidoc: Intercept: pass a function, not nil")
	}
	responses, types, err := describedBy(options)
	if err != nil {
		panic(fmt.Sprintf("apidoc: Intercept: %v", err))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var all additions
	if before := a.registry.added.Load(); before != nil {
		all = *before
	}
	if f != nil {
		all.interceptors = append(slices.Clip(all.interceptors), f)
	}
	all.responses, all.types = slices.Concat(all.responses, responses), slices.Concat(all.types, types)
	slices.SortStableFunc(all.responses, func(a, b openapi.Response) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Description, b.Description), cmp.Compare(fmt.Sprint(a.GoType), fmt.Sprint(b.GoType)))
	})
	a.registry.added.Store(&all)
}

// describedBy returns the responses that options describe, and their types.
func describedBy(options []ResponseOption) (all []openapi.Response, types []*schema.Schema, err error) {
	d := newDefinition("")
	if err := d.apply(asOptions(options)); err != nil {
		return nil, nil, err
	}
	for _, r := range d.moreResponses {
		if r.GoType != nil {
			if r, err = describeAdded(r, d); err != nil {
				return nil, nil, err
			}
		}
		all = append(all, r)
	}
	return all, d.types.List, nil
}

// Get defines an operation for GET, in an API or a group. The pattern is in the app's syntax, the
// summary is a line of documentation, and the package comment has the rules for inputs and outputs.
// The function may return a [Problem], [routing.Pass], a [routing.HaltError] or a
// [routing.Redirect].
func Get[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodGet, pattern, nil, summary, f, options)
}

// Post is [Get] for POST.
func Post[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPost, pattern, nil, summary, f, options)
}

// Put is [Get] for PUT.
func Put[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPut, pattern, nil, summary, f, options)
}

// Patch is [Get] for PATCH.
func Patch[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodPatch, pattern, nil, summary, f, options)
}

// Delete is [Get] for DELETE.
func Delete[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, http.MethodDelete, pattern, nil, summary, f, options)
}

// Query is [Get] for QUERY (RFC 10008), a safe method whose body is the query. Its input needs a
// body.
func Query[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, method.Query, pattern, nil, summary, f, options)
}

// Route is [Get] for a method, such as OPTIONS, and a [routing.Pattern], such as one in another
// syntax.
func Route[I, O any](
	d Registrar, method string, pattern routing.Pattern, summary string, f func(context.Context, I) (O, error), options ...Option,
) *routing.Route {
	return define(d, method, pattern.String(), &pattern, summary, f, options)
}

// define defines an operation. If parsed is nil, the pattern is in the app's syntax.
func define[I, O any](
	in Registrar, method, pattern string, parsed *routing.Pattern, summary string, f func(context.Context, I) (O, error), options []Option,
) *routing.Route {
	newInvocation := func() invocation { return &typedInvocation[I, O]{f: f} }
	return defineTyped(in, method, pattern, parsed, summary, reflect.ValueOf(f), newInvocation, options)
}

// defineTyped is the part of define that needs no type parameters: generic code is compiled for
// each operation.
func defineTyped(
	in Registrar, method, pattern string, parsed *routing.Pattern, summary string, f reflect.Value, newInvocation func() invocation, options []Option,
) (route *routing.Route) {
	s := scopeOf(in)
	if f.IsNil() {
		panic(fmt.Sprintf("apidoc: %s %s: pass a function, not nil", method, s.prefix+pattern))
	}
	d := newDefinition(method)
	d.doc.ID, d.doc.Summary, d.registry = nameOf(f, method, s.prefix+pattern), summary, s.registry
	err := d.apply(s.options[0])
	p := &plan{newInvocation: newInvocation, apiCount: len(d.around)}
	if err == nil {
		err = d.apply(s.options[1:]...)
	}
	if s.grouped {
		d.routing = nil // the routing.Group applies these options
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
	all := append([]routing.RouteOption{routing.Meta(private.ErrorBody{}, p.failures.send), attach(p.op), guarded(true), routing.Check(p.bind)}, d.routing...)
	if parsed != nil {
		route = s.routes.Route(method, *parsed, p.serve, all...)
	} else {
		route = s.routes.Match([]string{method}, pattern, p.serve, all...)[0]
	}
	return route
}

// nameOf returns the last part of a function's name. For a function literal or a generic function,
// which may serve several operations, it makes a name from the method and the pattern.
func nameOf(f reflect.Value, method, pattern string) string {
	name := strings.ReplaceAll(runtime.FuncForPC(f.Pointer()).Name(), "[...]", "[]")
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm")
	rest := strings.TrimLeft(strings.TrimPrefix(name, "func"), "0123456789") // empty for a literal, such as func1
	if rest != "" && name != "" && !unicode.IsDigit(rune(name[0])) && !strings.Contains(name, "[") {
		return name
	}
	words := strings.FieldsFunc(pattern, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	id := strings.ToLower(method)
	for _, word := range words {
		id += capital(word)
	}
	return id
}
