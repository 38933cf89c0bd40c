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

// receive prepares the body of the request for reading, and overrides the method. An overridden
// request is a copy, since outer handlers keep the method that the client sent.
func (x *call) receive() (err error) {
	defer contain(&err) // middleware may have replaced the body by one that panics
	r := x.r
	if x.override != nil && r.Method == http.MethodPost {
		// The query is not read: another site could link to a page with _method in its URL, and a
		// form of that page without an action attribute is posted to the same URL.
		if method, body := x.overridden(r); method != "" {
			x.r = request.Copy(r, r.Context())
			x.r.Method = method
			if body != nil {
				x.r.Body = body // it was read as the form of a POST, and can be read after a DELETE too
			}
		}
	}
	form.Watch(x.r)
	return nil
}

// removeFiles removes the temporary files of forms that were parsed in the app. A server removes
// only the files of its own request, not the files of a copy (golang/go#58809), and a handler may
// be called without a server. Before is the form of the received request when the app got it.
func (x *call) removeFiles(received *http.Request, before *multipart.Form) {
	if x.r != received {
		request.End(x.r, received)
	} else if received.MultipartForm != before {
		request.RemoveFiles(received.MultipartForm)
	}
}

// overridden returns the new method, or the empty string, and the body if it may hold a form. The
// method is the first value of _method in the form, or else the header's. A body that cannot be
// read is ignored.
func (ix *index) overridden(r *http.Request) (method string, body *form.Body) {
	body = form.Of(r)
	method = ix.allowedOverride(body.Field(r, "_method", ix.app.settings.bodyLimit))
	if method == "" {
		method = ix.allowedOverride(r.Header.Get(overrideHeader))
	}
	return method, body
}

// allowedOverride returns the method that value names if the app allows it, or the empty string.
func (ix *index) allowedOverride(value string) string {
	for _, method := range ix.override {
		if strings.EqualFold(value, method) {
			return method
		}
	}
	return ""
}
