package routing

import (
	"context"
	"mime/multipart"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/routing/internal/form"
)

// This file receives requests with a body. Package form reads it: for parameters, and for the
// method override.

// limits say how much of a request is read for parameters.
type limits = form.Limits

// receive serves a request that has what few have: a body, a long query, a method to override, or
// an app that it was mounted in.
func (x *call) receive() {
	received, settings := x.r, &x.app.settings
	var in *form.Body
	if hasBody(received) {
		in = form.New(received, settings.multipart, &settings.limits)
	}
	if in != nil {
		x.r = in.Request()
		defer in.Remove()
	}
	if settings.override {
		x.override(in, received)
	}
	if x.r != received {
		defer endCopy(x.r, received)
	} else {
		defer removeFiles(received, received.MultipartForm)
	}
	if in == nil && !form.Pairs(received.URL.RawQuery).Within(settings.limits.Params) {
		in = new(form.Body) // it has nothing, and can be refused
	}
	if in != nil || len(x.base) != len(x.usual) {
		x.extras = &extras{base: x.base, path: x.path, input: in, outer: x.entry.outer}
	}
	x.finish(x.dispatch())
}

func hasBody(r *http.Request) bool { return r.Body != nil && !sameType(r.Body, http.NoBody) }

// sameType reports whether a is of the type of b. The type of http.NoBody has no name outside of
// its package, and comparing values in interfaces takes longer.
func sameType[T any](a any, _ T) bool {
	_, same := a.(T)
	return same
}

// override changes the method to the one that the client asks for, if that is allowed: only a POST
// changes, only to PUT or DELETE, by the first value of _method in a form, or else by the header. A
// body that cannot be read has no say.
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

// overriding returns the method that value asks for, or nothing.
func overriding(value string) string {
	switch {
	case strings.EqualFold(value, http.MethodPut):
		return http.MethodPut
	case strings.EqualFold(value, http.MethodDelete):
		return http.MethodDelete
	}
	return ""
}

// endCopy is for who has served a copy of r: it tells r which route ran and the values of keys, and
// removes files.
func endCopy(copied, r *http.Request) {
	if ctx := copied.Context(); !sameContext(ctx, r.Context()) {
		*r = *r.WithContext(ctx)
	}
	r.Pattern = copied.Pattern
	removeFiles(copied, r.MultipartForm)
}

// sameContext reports whether two contexts are one. Contexts that cannot be compared count as two.
// To find out which those are takes allocations for structs, such as the background of tests, but
// not for pointers, which contexts of a server are.
func sameContext(a, b context.Context) bool {
	if background := context.Background(); a == background || b == background {
		return a == b // of one type, which can be compared, or of two
	}
	return reflect.ValueOf(a).Comparable() && a == b
}

// removeFiles removes the files of a form that was parsed since r had another one. A handler or an
// action that parses a multipart form itself may leave temporary files. The server removes them
// when the request ends, but only those of its own request: where a host or the engine has copied
// that, as http.StripPrefix does, they would stay for ever (golang/go#58809).
func removeFiles(r *http.Request, other *multipart.Form) {
	if f := r.MultipartForm; f != nil && f != other {
		f.RemoveAll() // a file that cannot be removed is the system's to clean up, as with the server's own
	}
}
