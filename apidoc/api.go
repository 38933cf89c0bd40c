package apidoc

import (
	"cmp"
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
// routes, and other APIs with their own descriptions. An API with the zero [Info] has no
// description; its operations appear in the descriptions of the app's other APIs. NewAPI panics if
// app is nil, for an invalid option, and for the option [ID].
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

// Tag describes a group of operations and returns the option that adds an operation to it.
func (a *API) Tag(name, description string) Tag {
	t := Tag{Name: name, Description: description}
	a.registry.add([]Tag{t})
	return t
}

// Intercept adds an interceptor to all operations of the API, including operations that are defined
// already, so that a plugin can add one. It runs for requests that begin afterwards, inside the
// interceptors of [NewAPI] and outside the interceptors of groups. The first one added is the
// outermost.
//
// The options, each a *[Problem] or a [Response], describe what the interceptor returns, for all
// these operations. For a filter of a plugin, f is nil. Other options panic, as does a nil f
// without options.
func (a *API) Intercept(f Interceptor, options ...DescribeOption) {
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
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Description, b.Description))
	})
	a.registry.added.Store(&all)
}

// describedBy returns the responses that options describe, and their types.
func describedBy(options []DescribeOption) (all []openapi.Response, types []*schema.Schema, err error) {
	d := newDefinition("")
	if err := d.apply(asOptions(options)); err != nil {
		return nil, nil, err
	}
	more := d.moreResponses
	if d.moreResponses = nil; !reflect.DeepEqual(d, newDefinition("")) {
		return nil, nil, errors.New("an option is neither a problem nor a Response: pass it to NewAPI")
	}
	for _, r := range more {
		if r.GoType != nil {
			out, err := planResponse(r.GoType, d)
			if err != nil {
				return nil, nil, fmt.Errorf("response %d, %s: %w", r.Status, r.GoType, err)
			}
			described := out.describeResponse()
			described.Status, described.Description = r.Status, r.Description
			r = described
		}
		all = append(all, r)
	}
	return all, d.types.List, nil
}

// Get defines an operation for GET, in an API or a group. The pattern is in the app's syntax, and
// the summary is a line of documentation. The function may return [routing.Pass], a
// [routing.HaltError] or a [routing.Redirect]; after a pass the next route reads the body again,
// except for lines and streams. Invalid definitions panic, with a message that describes what to
// write.
//
// # Input
//
// The input of an operation is a struct. The tags of its fields name the parts of the request:
//
//	path:"id"             a parameter of the pattern, or of the prefix at which the app is mounted
//	query:"limit"         a value of the query; a slice gets all values
//	query:"tag,commas"    a slice gets the values between commas, as in ?tag=a,b; a comma in
//	                      a value is encoded as %2C
//	header:"X-Trace"      a header; a slice gets the values between commas
//	cookie:"session"      a cookie
//	form:"title"          a field of a form, urlencoded or multipart; a [File] is an upload, and a
//	                      struct or map a part with JSON
//	body:""               the body as JSON; with media types in the tag, JSON of these types,
//	                      or the raw body
//
// Parameters are strings, numbers, booleans, times and types with UnmarshalText. Outside of the
// path they are optional, unless ",required" follows the name. Without a value and a default, a
// pointer is nil. Browsers send an empty value for an empty field. In queries and forms, an empty
// value is treated as missing if the field's type or rules do not allow it, and "on" is true for a
// boolean, as is the name alone in a query: ?dryRun. An integer in a path has no leading zeros.
// Times have the format of RFC 3339, or, with the tag format:"date", of a day, which is read as
// midnight UTC. In headers of requests and responses, they are HTTP dates (RFC 9110, 5.6.7), but
// not in slices or with one of the tags format:"date-time" and format:"date".
//
// A struct without such tags, and any other type, is read from the body as JSON; struct{} reads
// nothing. A type with form tags is read as a form: to read it as JSON, make it a field with
// body:"". A []byte or [io.Reader] gets the raw body, as application/octet-stream or with the media
// types of its tag, which are then the only ones, and a string with media types in its tag too, if
// it is UTF-8. With a JSON media type, only a reader gets the raw body. Except for readers and
// sequences, a body is required unless its type is a pointer. A field header:"Content-Type" has the
// request's header, parameters included.
//
// An [iter.Seq2] of a T and an error gets a body of JSON Lines (application/jsonl or
// application/x-ndjson). Each line is read and checked when the loop reaches it. If it does not
// match T, the error is a [Problem] with the line's number: the operation may return it, or
// continue with the next line. It may send lines or events meanwhile. [LineLimit] and [BodyLimit]
// limit the size of a line and of the body.
//
// If one field has a tag of the table above, each exported field needs one, or json:"-". Three
// kinds of fields need no tag: an embedded struct, and a field whose type is a struct with such
// tags, add their fields to the input; a field of type [routing.Context] is set to the action's
// Context. A GET or HEAD has no body, a QUERY needs one. Query parameters cannot be objects: write
// fields such as query:"size[min]", or define a [Query], whose body is JSON.
//
// # Refused requests
//
// A body must match its type and the rules. A member must not occur twice, or have a name that
// differs from a known one only in letter case. In a map, names that decode to the same key, such
// as "1" and "01", are duplicates. An integer may be written as 1.0. The response to an invalid
// request is a [Problem]. The status is 422 for invalid values, which it lists, 400 for invalid
// JSON, 415 for another media type or an encoded body, and 413 for a body over the limit. For a
// QUERY, the 415 lists the media types in Accept-Query (RFC 10008, 3). So do the 405 and the
// response to OPTIONS with [routing.WithMethodNotAllowed].
//
// # Output
//
// The output is the body of the response. A string is sent as text, a []byte as bytes, an
// [io.Reader] as a stream, an [iter.Seq] as server-sent events, and any other type as JSON. A
// func(io.Writer) error in a field with a media type, such as body:"text/csv", writes the body
// itself; its writer is an [http.Flusher]. An iter.Seq in a field with body:"application/jsonl" is
// sent as JSON Lines, each line immediately. An [iter.Seq2] of a T and an error can end with an
// error: for events see [Event]. With struct{} there is no body.
//
// Readers are read, and functions that write and sequences of lines are called, when the response
// is sent. By then the after filters have run, and functions of [routing.Wrap] and interceptors
// have returned and released their resources. An error before the first byte is handled like one
// returned by the operation's function, except that after filters do not see its status, and
// [routing.Pass] is a 500. A later error is logged, and the connection is closed, so that the
// client knows that the body is incomplete. Writes to the [io.Writer] return the cause of the
// request's context once that has ended, and an error after the func has returned. For HEAD and for
// a 304, readers are closed and functions are not called. For a HEAD of events, the operation's
// function is not called either. A reader that can seek is sent with its Content-Length.
//
// A struct with tags also sets headers and the status:
//
//	header:"Location"     a header, in place of a filter's; a zero value is not sent, but a pointer
//	                      to zero is; Set-Cookie is an http.Cookie, and is added, as is Vary
//	status:"200,201"      an int, one of these successes; 0 means the option [Status], or the first
//	body:"image/png"      the body; a Content-Type field selects one of several media types, as a
//	                      filter or [routing.Provides] may
//
// A GET or QUERY whose output has a header ETag or Last-Modified responds with 304 if the client
// has this version; see also [Versioned]. An ETag may be any text, as in a [Version].
//
// In JSON, nil slices are sent as [], nil maps as {} and nil bytes as "". A member with a default
// is sent even with omitempty, since clients would read the default. If the function returns a
// [Problem] with a status below 500, that becomes the response. Other errors go to
// [routing.App.OnError] first, like errors of any action, and are logged. Those other than a
// [Problem] become one with their status, 500 by default, without their text.
// The first error with each status that the operation does not describe is logged as a warning,
// unless it is the 500 of an unexpected error; see also [CheckResponses]. [ErrorBody] sets another
// body for errors, also for those of before filters; for errors of the app's other routes see
// [routing.WithProblemDetails] and [routing.App.ErrorBody].
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

// Query is [Get] for QUERY: a safe method whose body is the query, such as a filter that is too
// large for a URL (RFC 10008). Conditional requests work as for GET. A request without a
// Content-Type is refused with 415. An input without a body panics. To redirect, return
// [routing.SeeOther] if a GET of another URL has the result, and otherwise a halt with 307.
func Query[I, O any](d Registrar, pattern, summary string, f func(context.Context, I) (O, error), options ...Option) *routing.Route {
	return define(d, method.Query, pattern, nil, summary, f, options)
}

// Route is [Get] for any method that OpenAPI has, and for a [routing.Pattern] of any syntax. In a
// group the pattern is below the prefix; see [routing.Group.Route].
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
	d.doc.ID, d.doc.Summary = nameOf(f, method, s.prefix+pattern), summary
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
	p.op.registry, p.op.hasOwn, p.failures.op = s.registry, decidesAccess(options), p.op
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
