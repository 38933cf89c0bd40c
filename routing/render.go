package routing

import (
	"errors"
	"fmt"
	"net/http"

	"example.com/flowercafe/routing/internal/response"
)

// This file renders the result, the last step of a request.

// check removes the status from the headers and returns it. If the status or a header is not
// valid, the result becomes the plain 500.
func (x *call) check(header http.Header) int {
	status, reason := response.TakeStatus(header), ""
	if len(header) > 0 {
		reason = response.TakeReason(header, status)
		if name, illegal := response.Illegal(header); illegal {
			x.app.Report(x.r, fmt.Errorf("header %q is not valid", name))
			x.replace(failure)
		}
	}
	if status != 0 && (status < 200 || status > 999) {
		x.app.Report(x.r, errIllegalStatus)
		x.replace(failure)
	}
	if reason != "" && x.result.body.Kind != failure.body.Kind {
		sendReason(x.r.Context(), status, reason)
	}
	return status
}

var errIllegalStatus = errors.New("the status must be 200 to 999")

// renderOther renders everything but texts and bytes. A panic here comes too late for another
// response, and closes the connection.
func (x *call) renderOther(header http.Header, status int) {
	defer func() {
		if v := recover(); v != nil {
			x.Cut(x.r, v)
		}
	}()
	if kind := x.result.body.Kind; kind != nil && kind.Handler != nil {
		x.renderHandler(kind.Handler, status)
		return
	}
	x.Send(x.w, x.r, header, status, x.result.body)
}

// inner is a handler that continues the request of an outer app: a mounted app. Path and own are
// what the outer route has matched. The call itself would escape to the heap through an interface.
type inner interface {
	enter(outer level, path string, own *shape, w http.ResponseWriter, r *http.Request)
}

// renderHandler runs a handler that writes the response.
func (x *call) renderHandler(handler http.Handler, status int) {
	app, isApp := handler.(inner)
	if isApp && status == 0 { // an app checks its response itself
		app.enter(level{x.index, x.entry}, x.path, x.ran.site.own, x.w, x.r)
		return
	}
	w := response.NewWriter(x.w, x.r, &x.Sender, status)
	defer w.End()
	if isApp {
		app.enter(level{x.index, x.entry}, x.path, x.ran.site.own, w.Full(), x.r)
		return
	}
	r := x.r
	if x.hasPathValues() {
		r = x.withPathValues(r.Context())
		defer endCopy(r, x.r)
	}
	handler.ServeHTTP(w.Full(), r)
}
