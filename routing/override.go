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
		// The query is not read: a link of another site could contain a method, and a POST of its
		// form would follow it.
		if method, body := x.overridden(r); method != "" {
			x.r = request.Copy(r, r.Context())
			x.r.Method = method
			if body != nil {
				x.r.Body = body // the body of a DELETE stays a form
			}
		}
	}
	form.Watch(x.r)
	return nil
}

// leave removes the temporary files of forms. A server removes only the files of its own request,
// not the files of a copy (golang/go#58809), and a handler may be called without a server. Files of
// a form that was parsed before the request was received stay.
func (x *call) leave(received *http.Request, files *multipart.Form) {
	if x.r != received {
		request.End(x.r, received)
	} else if received.MultipartForm != files { // an action or a filter has parsed the form
		request.RemoveFiles(received.MultipartForm)
	}
}

// overridden returns the method that the client asks for, or the empty text: by the first value of
// _method in a form, or else by the header. A body that cannot be read is ignored.
func (ix *index) overridden(r *http.Request) (method string, body *form.Body) {
	body = form.Of(r)
	method = ix.overriding(body.Field(r, "_method", ix.app.settings.bodyLimit))
	if method == "" {
		method = ix.overriding(r.Header.Get(overrideHeader))
	}
	return method, body
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
