package routing

import (
	"cmp"
	"net/http"

	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file renders results other than texts and bytes: streams, default responses, handlers and
// mounted apps.

// renderOther renders results other than texts and bytes. A panic here may occur after the status
// was sent, so it closes the connection: the client detects the incomplete response (RFC 9112, 8).
func (x *call) renderOther(status int) {
	defer func() {
		if v := recover(); v != nil {
			x.Cut(x.w, x.r, v)
		}
	}()
	for isFirst := true; x.result.body.IsOwn(); isFirst = false {
		err := x.render(status)
		if err == nil {
			return
		}
		if late, ok := err.(lateError); ok && isFirst { // a second error is from the response to the first
			x.respondTo(late.error, false)
			status = cmp.Or(x.checkHeader(), x.status)
			continue
		}
		x.Report(x.r, err)
		x.result = failure
	}
	status = x.showPage(status)
	if err := x.render(status); err != nil {
		x.Report(x.r, err)
		x.InternalError(x.w, x.r, x.encoded)
	}
}

// render renders any result. If it returns an error, nothing was sent.
func (x *call) render(status int) error {
	switch kind := x.result.body.Kind; {
	case kind != nil && kind.Handler != nil:
		if body, ok := kind.Handler.(lateBody); ok {
			return x.serveLate(body, status)
		}
		x.serveHandler(kind.Handler, status)
	case !x.result.body.Write(x.w, x.r, x.header, status):
		return x.Send(x.w, x.r, x.header, status, x.result.body, x.encoded)
	}
	return nil
}

// serveHandler lets a handler or a mounted app write the response.
func (x *call) serveHandler(handler http.Handler, status int) {
	m, isMounted := handler.(*mount)
	isApp := isMounted && m.app != nil
	// A mounted app checks its response itself. But if a status was set here, and middleware of the
	// mounted app responds instead, the response must have that status.
	w, r := x.w, x.r
	if !isApp || status != 0 {
		checked := new(response.Writer)
		w = checked.Wrap(x.w, x.r, &x.Sender, status, x.encoded)
		defer checked.End()
		if !isApp {
			r = x.withPathValues()
		}
	}
	if r != x.r {
		defer request.End(r, x.r)
	}
	if isApp {
		inner := x.leaf.Value.inner.current()
		appEncoded := !x.encoded && x.header["Content-Encoding"] != nil
		inner.enter(w, r, &origin{status, appEncoded, x.received, x.urlPath, x.path})
		return
	}
	handler.ServeHTTP(w, r)
}

// lateBody is a handler of this module that may fail before or after its first byte.
type lateBody interface {
	ServeResult(http.ResponseWriter, *http.Request) error
}

// lateError is an error of a lateBody before its first byte. It is handled like an error of the
// action.
type lateError struct{ error }

// serveLate returns the error of body, or of parameters that body reads. An error after the first
// byte is logged and closes the connection.
func (x *call) serveLate(body lateBody, status int) error {
	before := x.unreadable()
	checked := new(response.Writer)
	w := checked.Wrap(x.w, x.r, &x.Sender, status, x.encoded)
	defer checked.End()
	err := body.ServeResult(w, x.r)
	if err == nil && before == nil {
		err = x.unreadable()
	}
	switch {
	case err == nil:
		return nil
	case checked.Sent:
		x.Report(x.r, err)
		panic(http.ErrAbortHandler)
	}
	checked.Sent = true // so that End writes nothing before the response to the error
	return lateError{err}
}

// withPathValues returns a copy of the request with the captures as path values, if there are any.
func (x *call) withPathValues() *http.Request {
	if _, none := x.result.body.Kind.Handler.(interface{ NoPathValues() }); none { // such as the files of package respond
		return x.r
	}
	// request.WithPathValues would do the same, but allocates twice even if there are no values.
	r := x.r
	x.contextAt(x.index).captures(nil, func(key, value string) {
		if r == x.r {
			if r.PathValue(key) == value { // set for the route's middleware
				return
			}
			r = request.Copy(r, r.Context())
		}
		r.SetPathValue(key, value)
	})
	return r
}
