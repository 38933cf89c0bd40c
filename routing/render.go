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
func (c *call) renderOther(status int) {
	defer func() {
		if v := recover(); v != nil {
			c.Cut(c.w, c.r, v)
		}
	}()
	for isFirst := true; c.result.body.IsOwn(); isFirst = false {
		err := c.render(status)
		if err == nil {
			return
		}
		if late, ok := err.(lateError); ok && isFirst { // a second error is from the response to the first
			c.respondTo(late.error, false)
			status = cmp.Or(c.checkHeader(), c.fallback)
			continue
		}
		c.Report(c.r, err)
		c.result = failure
	}
	status = c.makeErrorBody(status)
	if err := c.render(status); err != nil {
		c.Report(c.r, err)
		c.InternalError(c.w, c.r, c.encoded)
	}
}

// render renders any result. If it returns an error, nothing was sent.
func (c *call) render(status int) error {
	switch kind := c.result.body.Kind; {
	case kind != nil && kind.Handler != nil:
		if body, ok := kind.Handler.(lateBody); ok {
			return c.serveLate(body, status)
		}
		c.serveHandler(kind.Handler, status)
	case !c.result.body.Write(c.w, c.r, c.header, status):
		return c.Send(c.w, c.r, c.header, status, c.result.body, c.encoded)
	}
	return nil
}

// serveHandler lets a handler or a mounted app write the response.
func (c *call) serveHandler(handler http.Handler, status int) {
	m, isMounted := handler.(*mount)
	isApp := isMounted && m.app != nil
	if isMounted {
		handler = m.Handler
	}
	w, r := c.w, c.r
	if !isApp { // a mounted app checks its response itself
		checked := new(response.Writer)
		w = checked.Wrap(c.w, c.r, &c.Sender, status, c.encoded)
		defer checked.End()
		if !checked.Enter() {
			c.refuse(w, r, leadsBack)
			return
		}
		if _, none := handler.(interface{ NoPathValues() }); !none { // such as respond's files
			r = c.contextAt(c.index).withPathValues(nil)
		}
	}
	if r != c.r {
		defer request.End(r, c.r)
	}
	if isApp {
		appEncoded := !c.encoded && c.header["Content-Encoding"] != nil
		c.ran.Value.inner.enter(w, r, &outerCall{
			status: status, appEncoded: appEncoded, received: c.received, urlPath: c.urlPath, path: c.path,
		})
		return
	}
	serveWith(status, handler, w, r)
}

// serveWith passes a request to a handler. An app writes its status itself, so it begins with the
// status that was set, if any, as a mounted app does.
func serveWith(status int, handler http.Handler, w http.ResponseWriter, r *http.Request) {
	if status != 0 {
		if app := mountPointIn(handler); app != nil {
			app.enter(w, r, &outerCall{status: status})
			return
		}
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
func (c *call) serveLate(body lateBody, status int) error {
	before := c.unreadable()
	checked := new(response.Writer)
	w := checked.Wrap(c.w, c.r, &c.Sender, status, c.encoded)
	defer checked.End()
	err := body.ServeResult(w, c.r)
	if err == nil && before == nil {
		err = c.unreadable()
	}
	switch {
	case err == nil:
		return nil
	case checked.Sent:
		c.Report(c.r, err)
		panic(http.ErrAbortHandler)
	}
	checked.Sent = true // so that End writes nothing before the response to the error
	return lateError{err}
}
