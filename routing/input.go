package routing

import (
	"context"
	"mime/multipart"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/routing/internal/form"
)

// This file prepares requests that may have a body. Package form reads it, for parameters and for
// the method override.

// limits say how much of a request is read for parameters.
type limits = form.Limits

// receive prepares a request with something that few have: a body, a long query, a method to
// override, or an unusual base path. It returns the body, if that may hold parameters.
func (x *call) receive() (in *form.Body) {
	received, settings := x.r, &x.app.settings
	if hasBody(received) {
		in = form.New(received, settings.multipart, &settings.limits)
	}
	if in != nil {
		x.r = in.Request()
	}
	if settings.override {
		x.override(in, received)
	}
	kept := in
	if in == nil && !form.Pairs(received.URL.RawQuery).Within(settings.limits.Params) {
		kept = new(form.Body) // an empty one, to record the refusal
	}
	if kept != nil || len(x.Base) != len(x.usual) {
		x.extras = &extras{base: x.Base, path: x.path, input: kept, outer: x.entry.outer}
	}
	return in
}

// leave ends what receive began. The request was served as r; files is the form that the received
// one had before.
func leave(in *form.Body, r, received *http.Request, files *multipart.Form) {
	if in != nil {
		in.Leave() // before the received request is changed
	}
	if r != received {
		endCopy(r, received)
	} else {
		removeFiles(received, files)
	}
}

func hasBody(r *http.Request) bool { return r.Body != nil && !sameType(r.Body, http.NoBody) }

// sameType reports whether a has the type of b. The type of http.NoBody has no exported name, and
// comparing interface values is slower.
func sameType[T any](a any, _ T) bool {
	_, same := a.(T)
	return same
}

// override sets the method that the client asks for. Only a POST changes, and only to PUT or
// DELETE: by the first value of _method in a form, or else by the header. A body that cannot be
// read is ignored.
func (x *call) override(in *form.Body, received *http.Request) {
	if received.Method != http.MethodPost {
		return
	}
	method := ""
	if in != nil && in.IsForm() {
		if fields, err := in.URLEncoded(x.r, x.app.settings.limits.Body); err == nil {
			value, _ := fields.First("_method")
			method = overriding(value)
		}
	}
	if method == "" {
		method = overriding(received.Header.Get(overrideHeader))
	}
	if method == "" {
		return
	}
	if x.r == received {
		x.r = new(http.Request)
		*x.r = *received
	}
	x.r.Method = method
}

const overrideHeader = "X-HTTP-Method-Override"

// overriding returns the method for the value of an override, or the empty text.
func overriding(value string) string {
	switch {
	case strings.EqualFold(value, http.MethodPut):
		return http.MethodPut
	case strings.EqualFold(value, http.MethodDelete):
		return http.MethodDelete
	}
	return ""
}

// endCopy is called after a copy of r was served. It sets the Pattern and context of r, and
// removes files.
func endCopy(copied, r *http.Request) {
	if ctx := copied.Context(); !sameContext(ctx, r.Context()) {
		*r = *r.WithContext(ctx)
	}
	r.Pattern = copied.Pattern
	removeFiles(copied, r.MultipartForm)
}

// sameContext reports whether two contexts are the same. Contexts that cannot be compared count as
// different. The check for that allocates for structs, but not for pointers, which a server's
// contexts are.
func sameContext(a, b context.Context) bool {
	if background := context.Background(); a == background || b == background {
		return a == b // safe: context.Background can be compared
	}
	return reflect.ValueOf(a).Comparable() && a == b
}

// removeFiles removes the temporary files of a multipart form that was parsed while r had no form
// or another one. The server only removes those of its own request: if a copy was parsed, for
// example by http.StripPrefix, they would stay forever (golang/go#58809).
func removeFiles(r *http.Request, other *multipart.Form) {
	if f := r.MultipartForm; f != nil && f != other {
		f.RemoveAll() // as the server does, which ignores errors too
	}
}
