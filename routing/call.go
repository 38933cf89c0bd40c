package routing

import (
	"net/http"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/response"
)

// call is one request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response headers
// (internal/response/status.go).
type call struct {
	*index // the definitions, as they were when the request came
	*entry // how the request reached the app

	w      http.ResponseWriter
	r      *http.Request
	path   string     // the part of the path that patterns match
	outer  string     // the request's original Pattern, set by a ServeMux for example
	ran    *candidate // the route that ran
	result Result
	extras *extras // what few requests have
}

// entry describes how requests reach an app: directly, or through a mount. It is immutable.
type entry struct {
	response.Sender
	named string       // the base path in the names of routes, if it differs; else empty
	next  http.Handler // gets requests that no route matches; may be nil
	outer *outer       // captures of the mount prefixes
	up    *entry       // of the app that this one is mounted in; nil for none
	from  *index       // of the same app
}

// name returns the base path as it appears in the names of routes.
func (e *entry) name() string {
	if e.named != "" {
		return e.named
	}
	return e.Base
}

// outside responds to a request outside of the base path.
func (e *entry) outside(w http.ResponseWriter, r *http.Request) {
	if e.next != nil {
		e.next.ServeHTTP(w, r)
		return
	}
	s := e.Sender
	s.Base = "" // the page links to the root
	s.Error(w, r, http.StatusNotFound)
}

// context returns the Context at a site.
func (x *call) context(s *site) Context {
	if x.extras != nil {
		own := *s
		own.extras = x.extras
		s = &own
	}
	return Context{x.w, x.r, s}
}

// level is the app of a request, or one around it.
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
			return x.context(x.ran.behind(nil))
		}
		return x.context(&x.appSite)
	}
	// The path is the one that the outer app matches.
	s := at.appSite
	path, _ := basepath.Cut(x.r.URL.Path, at.Base)
	s.base, s.extras = len(at.Base), &extras{base: at.Base, path: path, outer: at.entry.outer}
	if x.extras != nil {
		s.extras.input = x.extras.input
	}
	return Context{x.w, x.r, &s}
}

// setPattern makes the name of the route known, in the request and to NameRoutes.
func (x *call) setPattern(name string) {
	x.r.Pattern = name
	tellRouteName(x.r.Context(), name)
}

// replace sets the result of the response.
func (x *call) replace(result Result) {
	if x.result.body.Kind != result.body.Kind {
		x.result.drop()
	}
	x.result = result
}
