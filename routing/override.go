package routing

import (
	"mime/multipart"
	"net/http"
	"strings"

	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/request"
)

// This file serves requests with a body, and those whose method may be overridden: browsers send
// forms by GET and POST only (HTML Standard, 4.10.18.6), so a form that updates or deletes has a
// field _method, as in Rails and Sinatra.

const overrideHeader = "X-HTTP-Method-Override"

// receive returns the request to serve: r, or a copy if a POST becomes another method, since outer
// handlers keep the one that the client sent.
func (ix *index) receive(r *http.Request) *http.Request {
	form.Forget(r)
	if ix.override == nil || r.Method != http.MethodPost {
		return r
	}
	// The query is not read: a link of another site could contain a method, and a POST of its form
	// would follow it.
	method := ix.overridden(r)
	if method == "" {
		return r
	}
	copied := request.Copy(r, r.Context())
	form.Keep(copied, ix.multipart) // a form stays one, also of a DELETE
	copied.Method = method
	return copied
}

// leave ends what receive began. A server removes the files of its own request only, not those of
// a copy (golang/go#58809), and a handler may be called without a server.
//
// The request was served as served; files is the form that the received one had before. The files of
// later ones are removed.
func leave(served, received *http.Request, files *multipart.Form) {
	if served != received {
		request.End(served, received)
	} else {
		request.RemoveFiles(received, files)
	}
}

// overridden returns the method that the client asks for, or the empty text: by the first value of
// _method in a form, or else by the header. A body that cannot be read is ignored.
func (ix *index) overridden(r *http.Request) (method string) {
	if body := form.Of(r, true); body != nil {
		method = ix.overriding(body.Field(r, "_method", &ix.app.settings.limits))
	}
	if method == "" {
		method = ix.overriding(r.Header.Get(overrideHeader))
	}
	return method
}

// overriding returns the method for the value of an override, or the empty text.
func (ix *index) overriding(value string) string {
	for _, method := range ix.override {
		if strings.EqualFold(value, method) {
			return method
		}
	}
	return ""
}

// callLimited calls an action that may read a multipart form by itself.
func (x *call) callLimited(c *candidate) (Result, error) {
	defer form.Limit(x.r, c.site.limits)()
	return c.action(x.contextFor(&c.site))
}
