package routing

import (
	"cmp"
	"errors"
	"mime/multipart"
	"net/http"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// call is one request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response headers
// (internal/response/status.go).
type call struct {
	*index // the definitions, as they were when the request came
	*entry // how the request reached the app

	w          http.ResponseWriter
	r          *http.Request
	path       string     // the part of the path that patterns match
	muxPattern string     // the request's original Pattern, set by a ServeMux for example
	ran        *candidate // the route that ran
	result     Result
	extras     *extras   // nil for most requests
	slot       *nameSlot // receives the name of the route; nil if not yet known
}

// Outcomes of the routes that are not failures.
var (
	// errNoRoute says that no route matches, or that all have passed.
	errNoRoute = errors.New("routing: no route")

	// errResponded says that the middleware of a route has taken over the response.
	errResponded = errors.New("routing: the middleware of a route has responded")
)

// entry describes how requests reach an app: directly, or through a mount. It is immutable.
type entry struct {
	response.Sender
	named  string       // the base path in the names of routes, if it differs; else empty
	next   http.Handler // gets requests that no route matches; may be nil
	outer  *outer       // captures of the mount prefixes
	status int          // set by the outer app; 0 for none
	up     *entry       // of the app that this one is mounted in; nil for none
	from   *index       // of the same app
}

// name returns the base path as it appears in the names of routes.
func (e *entry) name() string { return cmp.Or(e.named, e.Base) }

// outside responds to a request outside of the base path.
func (e *entry) outside(w http.ResponseWriter, r *http.Request) {
	if e.next != nil {
		e.next.ServeHTTP(w, r)
		return
	}
	e.Error(w, r, http.StatusNotFound)
}

// contextFor returns the Context at a site.
func (x *call) contextFor(s *site) Context {
	if x.extras != nil {
		own := *s
		own.extras = x.extras
		s = &own
	}
	return Context{x.w, x.r, s}
}

// level is the app of a request, or an outer app.
type level struct {
	*index
	*entry
}

// nearest returns the nearest level for which has is true, starting with the app itself, or the
// zero level.
func (x *call) nearest(has func(*definitions) bool) level {
	at := level{x.index, x.entry}
	for !has(&at.definitions) {
		if at.up == nil {
			return level{}
		}
		at = level{at.from, at.up}
	}
	return at
}

// contextAt returns the Context of a handler of that level, with the captures of the route if one
// ran.
func (x *call) contextAt(at level) Context {
	if at.entry == x.entry {
		if x.ran != nil {
			return x.contextFor(x.ran.lateSite(nil))
		}
		return x.contextFor(&x.appSite)
	}
	// The path is the one that the outer app matches.
	s := at.appSite
	path, _ := basepath.Cut(x.r.URL.Path, at.Base)
	s.base, s.extras = len(at.Base), &extras{base: at.Base, path: path, outer: at.entry.outer}
	if x.extras != nil {
		s.extras.input, s.extras.query = x.extras.input, x.extras.query
	}
	return Context{x.w, x.r, &s}
}

// replace sets the result of the response.
func (x *call) replace(result Result) {
	if x.result.body.Kind != result.body.Kind {
		x.result.drop()
	}
	x.result = result
}

// receive prepares a request with a body, a long query, a method to override, or an unusual base
// path. It returns the body, if that may hold parameters and does not belong to an outer app.
func (x *call) receive() (in *form.Body) {
	received, settings := x.r, &x.app.settings
	if request.HasBody(received) {
		in = form.New(received, settings.multipart, &settings.limits)
	}
	kept := in
	if in != nil && received.Body == in {
		in.Refused.Store(nil) // middleware may have called before, for another route
		in = nil
	}
	if in != nil {
		x.r = in.Request()
	}
	if settings.override {
		x.overrideMethod(kept, received)
	}
	if kept != nil || len(x.Base) != len(x.usual) || len(received.URL.RawQuery) > urlencoded.Short {
		x.extras = x.newExtras()
		x.extras.input = kept
	}
	return in
}

func (x *call) newExtras() *extras {
	return &extras{base: x.Base, path: x.path, outer: x.entry.outer, query: urlencoded.NewIndex(x.r.URL.RawQuery)}
}

// receiveAgain prepares a request whose body the middleware of a route has replaced, for example by
// a decoded or limited one. It returns the new body, or nil.
func (x *call) receiveAgain() *form.Body {
	in := x.app.bodyOf(x.r)
	if in == nil {
		return nil
	}
	own := x.newExtras()
	if x.extras != nil {
		*own = *x.extras
	}
	own.input = in
	x.extras, x.r = own, in.Request()
	return in
}

// bodyOf returns the body of a request, if that may hold parameters and does not belong to an outer
// app.
func (c *core) bodyOf(r *http.Request) *form.Body {
	if _, ours := r.Body.(*form.Body); ours || !request.HasBody(r) {
		return nil
	}
	return form.New(r, c.settings.multipart, &c.settings.limits)
}

// leave ends what receive began. The request was served as r; files is the form that the received
// one had before.
func leave(in *form.Body, r, received *http.Request, files *multipart.Form) {
	if in != nil {
		in.Leave() // before the received request is changed
	}
	if r != received {
		request.End(r, received)
	} else {
		request.RemoveFiles(received, files)
	}
}

// overrideMethod sets the method that the client asks for. Only a POST changes, and only to PUT or
// DELETE: by the first value of _method in a form, or else by the header. A body that cannot be
// read is ignored.
func (x *call) overrideMethod(in *form.Body, received *http.Request) {
	if received.Method != http.MethodPost {
		return
	}
	method := ""
	if in != nil && in.IsForm() {
		if fields, err := in.URLEncoded(x.r, x.app.settings.limits.Body); err == nil {
			fields.Each("_method", func(value string) bool {
				method = overriding(value)
				return false
			})
		}
	}
	if method == "" {
		method = overriding(received.Header.Get(overrideHeader))
	}
	if method == "" {
		return
	}
	if x.r == received {
		x.r = new(http.Request)
		*x.r = *received
	}
	x.r.Method = method
}

const overrideHeader = "X-HTTP-Method-Override"

// overriding returns the method for the value of an override, or the empty text.
func overriding(value string) string {
	switch {
	case strings.EqualFold(value, http.MethodPut):
		return http.MethodPut
	case strings.EqualFold(value, http.MethodDelete):
		return http.MethodDelete
	}
	return ""
}
