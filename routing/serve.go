package routing

import (
	"errors"
	"net/http"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/match"
)

// This file handles one request, from top to bottom. What few requests need is elsewhere: request
// bodies in input.go, filters in filter.go, errors in respond.go, middleware in middleware.go.

// call is one request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response
// headers (status.go).
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

// errNoRoute says that no route matches, or that all have passed.
var errNoRoute = errors.New("routing: no route")

// ServeHTTP serves the request, or passes it to the handler of [WithNext].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if ix := a.index.Load(); ix != nil && len(ix.layers) == 0 {
		ix.serve(&a.front, w, r)
		return
	}
	a.enter(&a.front, w, r)
}

// serve handles one request.
func (ix *index) serve(e *entry, w http.ResponseWriter, r *http.Request) {
	path, inside := basepath.Cut(r.URL.Path, e.base)
	if !inside {
		e.outside(w, r)
		return
	}
	var x call // a composite literal would be made elsewhere and copied
	x.index, x.entry, x.w, x.r, x.path, x.outer = ix, e, w, r, path, r.Pattern
	if hasBody(r) || len(r.URL.RawQuery) >= ix.longQuery || len(e.base) != len(ix.usual) {
		x.receive()
		return
	}
	x.finish(x.dispatch())
}

// dispatch runs the before filters, then the newest route that matches. If it passes, further runs
// the next one.
func (x *call) dispatch() (err error) {
	defer contain(&err)
	if len(x.path) > x.direct {
		if err := x.prepare(); err != nil {
			return err
		}
	}
	first, second := x.Tables(x.r.Method)
	l := first.Newest(x.path, match.NoBound)
	if l == nil && second != nil {
		l = second.Newest(x.path, match.NoBound)
	}
	if l == nil {
		return errNoRoute
	}
	if err := x.try(&l.Value, l.Value.simple); err == nil || !passed(err) {
		return err
	}
	return x.further(l.Value.route)
}

// try runs a route whose method and pattern match. It returns Pass if a condition is false. For a
// plain route, conditions and middleware are absent or done.
func (x *call) try(c *candidate, plain bool) error {
	if !plain && firstRefusal(c.route.conditions, x.r) != nil {
		return Pass
	}
	x.ran = c
	x.setPattern(x.nameOf(c))
	if x.extras != nil {
		x.extras.admit(c.route.limits)
	}
	if !plain && c.route.chain != nil {
		return x.around(c.route)
	}
	result, err := c.action(x.context(&c.site))
	if err != nil {
		result.drop()
		return err
	}
	x.result = result
	return nil
}

// finish turns the outcome of the routes into a response and sends it.
func (x *call) finish(err error) {
	header, status := x.w.Header(), 0
	if err != nil || x.extras != nil || len(x.after) > 0 {
		if !x.conclude(err, header) {
			return
		}
	}
	if len(header) > 0 {
		status = x.check(header)
	}
	kind := x.result.kind
	if kind == nil || !kind.isWhole {
		x.renderOther(header, status)
		return
	}
	x.setType(header, &kind.contentType)
	if kind.bytes != nil {
		writeBytes(x.w, x.r, header, status, kind.bytes)
	} else {
		writeText(x.w, x.r, header, status, x.result.text)
	}
}

// conclude handles errors, runs the after filters, and calls the next handler if there is one. It
// reports whether a response is left to render.
func (x *call) conclude(err error, header http.Header) bool {
	if err == errResponded {
		return false
	}

	toNext := err == errNoRoute && x.next != nil && x.notFound == nil
	if err == errNoRoute && !toNext {
		err = x.respondNotFound(header)
	}
	failed := err != nil && !toNext
	if bad := x.unreadable(); bad != nil && !failed {
		err, failed, toNext = bad, true, false
	}
	if failed {
		x.respondTo(err, header, false)
	}

	if len(x.after) > 0 {
		late := x.runAfter()
		if late == nil && !failed {
			late = x.unreadable()
		}
		if late != nil {
			toNext = false
			x.respondTo(late, header, true)
		}
	}

	if toNext {
		takeStatus(header)
		if x.extras != nil {
			x.extras.admit(&limits{}) // no limit on uploads to the next handler
		}
		x.next.ServeHTTP(x.w, x.r)
	}
	return !toNext
}

// setPattern makes the name of the route known, in the request and to NameRoutes.
func (x *call) setPattern(name string) {
	x.r.Pattern = name
	tellRouteName(x.r.Context(), name)
}
