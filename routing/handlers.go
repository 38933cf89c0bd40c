package routing

import (
	"net/http"

	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file renders the results that are no texts and bytes: streams, default responses, and what
// handlers and mounted apps write.

// renderOther renders results other than texts and bytes. A panic here may come too late for
// another response. So it closes the connection: a client must not take a part for the whole (RFC
// 9112, 8).
func (x *call) renderOther(status int) {
	defer func() {
		if v := recover(); v != nil {
			x.Cut(x.w, x.r, v)
		}
	}()
	if x.result.body.IsOwn() {
		err := x.render(status)
		if err == nil {
			return
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

// render renders any result. It returns an error if nothing was sent.
func (x *call) render(status int) error {
	switch kind := x.result.body.Kind; {
	case kind != nil && kind.Handler != nil:
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
	// An app checks its response itself. But its middleware may respond in its place, and then has
	// to send the status that was set here.
	w, r := x.w, x.r
	var checked *response.Writer
	if !isApp || status != 0 {
		checked = new(response.Writer)
		w = checked.Wrap(x.w, x.r, &x.Sender, status, x.encoded)
		defer checked.End()
		if !isApp {
			r = x.withPathValues()
		}
	}
	if x.multipart && !isMounted && r.ContentLength != 0 {
		if r == x.r { // net/http must find its own body in its request
			r = request.Copy(r, r.Context())
		}
		form.Keep(r, true) // what the handler parses is read from the server once
		form.Limit(r, x.contextAt(x.index).site.limits)
	}
	if r != x.r {
		defer request.End(r, x.r)
	}
	if isApp {
		inner := x.ran.Value.inner.current()
		filtered := !x.encoded && x.header["Content-Encoding"] != nil
		inner.enter(w, r, origin{status, x.onward(inner, status, checked), filtered})
		return
	}
	handler.ServeHTTP(w, r)
}

// withPathValues returns a copy of the request with the captures as path values, if there are any.
func (x *call) withPathValues() *http.Request {
	if _, none := x.result.body.Kind.Handler.(interface{ NoPathValues() }); none { // of package respond
		return x.r
	}
	var room *request.Template
	if x.ran != nil {
		room = x.ran.Value.route.room
	}
	// This is request.WithPathValues, which allocates twice even if there are no values.
	r := x.r
	x.contextAt(x.index).captures(nil, func(key, value string) {
		if r == x.r {
			if r.PathValue(key) == value { // middleware has passed it on
				return
			}
			r = room.Copy(r, r.Context())
		}
		r.SetPathValue(key, value)
	})
	return r
}

// onward returns a copy of the call, for an app that goes on in this one. It is nil if there is no
// action that could pass.
func (x *call) onward(inner *index, status int, checked *response.Writer) *call {
	canPass := func(d *definitions) bool { return d.notFound != nil || d.methodNotAllowed != nil }
	if inner.nearest(canPass) == nil {
		return nil
	}
	rest := *x
	rest.status, rest.result, rest.late, rest.checked = status, Result{}, true, checked
	return &rest
}

// beyond returns the handler that gets the request if the action of an app for what was not found
// passes: the app's next handler, or the rest of the outer app. It returns nil without either.
func (x *call) beyond(of *index) http.Handler {
	if next := of.nextHandler(); next != nil {
		return next
	}
	outer := x.outer
	left := []*response.Writer{x.checked} // of the apps that are left, whose statuses do not count
	for ix := x.index; outer != nil && ix.mountPoint != of.mountPoint; ix = ix.parent.current() {
		left, outer = append(left, outer.checked), outer.outer
	}
	if outer == nil {
		return nil
	}
	next := x.outside(outer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, writer := range left {
			if writer != nil {
				writer.Forget()
			}
		}
		next.ServeHTTP(w, r)
	})
}

// outside returns a handler that goes on in an outer app, without the captures of x and with the
// method that the outer app has: it may allow no override.
func (x *call) outside(outer *call) http.Handler {
	at, path := x.mountPoint, x.contextFor(&x.site).urlPath() // if the function had x, each call would be on the heap
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Middleware of x has seen its captures.
		restored := request.Restored(r, outer.r, func(f func(key, value string)) { at.captures(path, f) })
		if method := outer.r.Method; restored.Method != method {
			if restored == r {
				restored = request.Copy(r, r.Context())
			}
			restored.Method = method
		}
		defer request.End(restored, r)
		outer.goOn(w, restored)
	})
}

// goOn runs the routes after the mount of an app that has passed.
func (x *call) goOn(w http.ResponseWriter, r *http.Request) {
	rest := *x
	rest.receiveAgain(w, r, rest.status)
	if p, ok := x.r.Context().Value(routeKey{x.ran.Value.route}).(*routeMiddlewareCall); ok { // of the mount
		rest.r = rest.restored(p.outer)
		defer request.End(rest.r, r)
	}
	rest.respond(rest.skip())
}

// skip runs the routes after the one that ran.
func (x *call) skip() (err error) {
	defer contain(&err)
	return x.further(x.ran)
}
