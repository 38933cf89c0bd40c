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

	header    http.Header // of w
	encoded   bool        // by outer middleware, which has set Content-Encoding before
	responded bool        // by the middleware of a route

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

// errNoRoute says that no route matches, or that all have passed.
var errNoRoute = errors.New("routing: no route")

// contextFor returns the Context at a site.
func (x *call) contextFor(s *site) Context {
	if x.matched != nil {
		own := *s
		own.matched = x.matched
		s = &own
	}
	return Context{x.w, x.r, s}
}
