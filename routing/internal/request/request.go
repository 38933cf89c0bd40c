// Package request copies requests, and ends the copies.
package request

import (
	"context"
	"mime/multipart"
	"net/http"
	"reflect"
)

// HasBody reports whether r may have a body.
func HasBody(r *http.Request) bool { return r.Body != nil && !sameType(r.Body, http.NoBody) }

// sameType reports whether a has the type of b. The type of http.NoBody has no exported name, and
// comparing interface values is slower.
func sameType[T any](a any, _ T) bool {
	_, same := a.(T)
	return same
}

// Copy returns a copy of r with path values of its own. Clone copies these, but also all that
// is better shared.
func Copy(r *http.Request, ctx context.Context) *http.Request {
	private := *r
	private.URL, private.Header, private.Trailer, private.TransferEncoding = nil, nil, nil, nil
	private.Form, private.PostForm, private.MultipartForm = nil, nil, nil
	copied := private.Clone(ctx)
	copied.URL, copied.Header, copied.Trailer, copied.TransferEncoding = r.URL, r.Header, r.Trailer, r.TransferEncoding
	copied.Form, copied.PostForm, copied.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	return copied
}

// End is called after a copy of r was served. It sets the Pattern and context of r, and
// removes files.
func End(copied, r *http.Request) {
	if ctx := copied.Context(); !sameContext(ctx, r.Context()) {
		*r = *r.WithContext(ctx)
	}
	r.Pattern = copied.Pattern
	RemoveFiles(copied, r.MultipartForm)
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

// RemoveFiles removes the temporary files of a multipart form that was parsed while r had no form
// or another one. The server only removes those of its own request: if a copy was parsed, for
// example by http.StripPrefix, they would stay forever (golang/go#58809).
func RemoveFiles(r *http.Request, other *multipart.Form) {
	if f := r.MultipartForm; f != nil && f != other {
		f.RemoveAll() // as the server does, which ignores errors too
	}
}
