package routing

import (
	"net/http"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file handles one request, from top to bottom. The steps that it names are in dispatch.go
// (filters and routes), call.go (request bodies), middleware.go, and response.go (errors, results).

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
	path, inside := basepath.Cut(r.URL.Path, e.Base)
	if !inside {
		e.outside(w, r)
		return
	}
	var x call // assigned below, because a composite literal would be copied
	x.index, x.entry, x.w, x.r, x.path, x.muxPattern = ix, e, w, r, path, r.Pattern
	if request.HasBody(r) || len(r.URL.RawQuery) >= ix.longQuery || len(e.Base) != len(ix.usual) {
		x.serveUnusual()
		return
	}
	x.finish(x.dispatch())
}

// serveUnusual serves a request with a body, a long query, a method to override, or an unusual base
// path.
func (x *call) serveUnusual() {
	received, files := x.r, x.r.MultipartForm
	in := x.receive()
	defer leave(in, x.r, received, files)
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
	return x.further(&l.Value)
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
		status = x.checkHeader(header)
	}
	if status == 0 {
		status = x.status
	}
	body := x.result.body
	if !body.IsWhole() {
		x.renderOther(header, status)
		return
	}
	response.SetType(header, body.Kind.ContentType)
	body.Write(x.w, x.r, header, status)
}

// conclude handles errors, runs the after filters, and calls the next handler if there is one. It
// reports whether a response is left to render.
func (x *call) conclude(err error, header http.Header) bool {
	if err == errResponded {
		return false
	}

	toNext := err == errNoRoute && x.next != nil && x.notFound == nil
	var page Result
	if err == errNoRoute && !toNext {
		page, err = x.respondNotFound(header)
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

	if page != (Result{}) && x.result == page {
		response.ClearContent(x.w, header) // of filters, and of routes that have passed
	}
	if toNext {
		response.TakeStatus(header)
		if x.extras != nil {
			x.extras.admit(&limits{}) // no limit on uploads to the next handler
		}
		x.next.ServeHTTP(x.w, x.r)
	}
	return !toNext
}
