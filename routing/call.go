package routing

import (
	"errors"
	"net/http"

	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/response"
)

// This file has what is known of one request in an app, and what all steps of serve.go use.

// current returns the index of the current definitions. It is immutable, so a request sees all of a
// definition or none of it, without a lock.
func (p *mountPoint) current() *index {
	if ix := p.index.Load(); ix != nil && ix.of == p.app.definitions.Load() {
		return ix
	}
	return p.build()
}

// call is one request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response headers
// (internal/response/status.go).
type call struct {
	arrival
	w       http.ResponseWriter
	r       *http.Request
	result  Result
	problem *Problem       // of the error that made the result
	slot    *ranSlot       // receives the route that ran; nil if not yet known
	accepts *accept.Header // read once for all routes; nil if none has a format

	checked *response.Writer // of a mounted app, after which this call may go on; nil for none
}

// arrival is the part of a call that goes on behind the middleware of a route.
type arrival struct {
	*index               // the definitions, as they were when the request came
	path       string    // the part of the path that patterns match
	muxPattern string    // the request's original Pattern, set by a ServeMux for example
	status     int       // of the response if nothing sets another; 0 for none
	ran        *leaf     // the route that ran
	outer      *call     // of the outer app, if that may go on after this one; else nil
	matched    *matched  // nil for most requests
	named      *ranRoute // what NameRoutes knew before this app ran a route
	noType     bool      // the client accepts no format of a route that matches
	late       bool      // the after filters have run
}

// Outcomes of the routes that are not failures.
var (
	// errNoRoute says that no route matches, or that all have passed.
	errNoRoute = errors.New("routing: no route")

	// errResponded says that the middleware of a route has taken over the response.
	errResponded = errors.New("routing: the middleware of a route has responded")
)

// contextFor returns the Context at a site.
func (x *call) contextFor(s *site) Context {
	if x.matched != nil {
		own := *s
		own.matched = x.matched
		s = &own
	}
	return Context{x.w, x.r, s}
}

// pin keeps the URL's path that was matched, from which captures are cut. Filters and middleware may
// have changed the URL since.
func (x *call) pin(path string) {
	if x.matched == nil && x.r.URL.Path != path {
		x.matched = &matched{path: path, below: x.path}
	}
}

// nearest returns the current index of the nearest app for which has is true, beginning with this
// one, or nil.
func (ix *index) nearest(has func(*definitions) bool) *index {
	for !has(&ix.definitions) {
		if ix.parent == nil {
			return nil
		}
		ix = ix.parent.current()
	}
	return ix
}

// contextAt returns the Context of a handler of this app or of an outer one, with the captures of
// the route if one of this app ran.
func (x *call) contextAt(ix *index) Context {
	if ix.mountPoint == x.mountPoint && x.ran != nil {
		return x.contextFor(&x.ran.Value.site)
	}
	return x.contextFor(&ix.site)
}

// contextOfMount returns the Context of an option of the mount by which the request came from an
// outer app.
func (x *call) contextOfMount(outer *index, mount *Route) Context {
	s, m := outer.site, matched{path: x.contextFor(&x.site).urlPath()}
	m.below, _ = outer.cut(m.path)
	s.own, s.matched = mount.pattern.p.Find(m.below), &m
	return Context{x.w, x.r, &s}
}

// contain is deferred by functions whose panics become errors. [http.ErrAbortHandler] is passed
// on, since it asks the server to close the connection.
func contain(err *error) {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		panic(v)
	default:
		*err = newPanicError(v)
	}
}
