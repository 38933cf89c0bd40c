// Package request copies requests, and sets their path values.
package request

import (
	"context"
	"mime/multipart"
	"net/http"
	"reflect"
)

// Copy returns a copy of r with its own path values. It is http.Request.Clone, without copies of
// data that can be shared.
func Copy(r *http.Request, ctx context.Context) *http.Request {
	shareTrailer(r)
	private := *r
	private.URL, private.Header, private.Trailer, private.TransferEncoding = nil, nil, nil, nil
	private.Form, private.PostForm, private.MultipartForm = nil, nil, nil
	copied := private.Clone(ctx)
	copied.URL, copied.Header, copied.Trailer, copied.TransferEncoding = r.URL, r.Header, r.Trailer, r.TransferEncoding
	copied.Form, copied.PostForm, copied.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	return copied
}

// shareTrailer lets copies of r see trailers that the client has not announced (RFC 9112, 7.1.2).
// At the end of a chunked body, net/http adds them to the map of its own request, or to a new map,
// which copies would not have.
func shareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = make(http.Header)
	}
}

// PathValues sets path values of a request. The first one that the request lacks makes a copy: a
// request with all of them, for example from outer middleware, stays as it is.
type PathValues struct {
	Request *http.Request // with the values
	copied  bool
}

// Set sets a path value.
func (p *PathValues) Set(key, value string) {
	switch {
	case p.copied:
	case p.Request.PathValue(key) == value:
		return
	default:
		p.Request, p.copied = Copy(p.Request, p.Request.Context()), true
	}
	p.Request.SetPathValue(key, value)
}

// End is called after a copy of r was served. It sets the Pattern, context and parsed form of r to
// the copy's, and removes the files of a form that only the copy has. Copied may be r itself.
func End(copied, r *http.Request) {
	if copied == r {
		return
	}
	if ctx := copied.Context(); !SameContext(ctx, r.Context()) {
		*r = *r.WithContext(ctx)
	}
	r.Pattern = copied.Pattern
	if copied.MultipartForm != r.MultipartForm {
		RemoveFiles(copied.MultipartForm)
	}
	ShareForm(copied, r)
}

// ShareForm gives r the form of its copy, if only the copy's body was parsed.
func ShareForm(copied, r *http.Request) {
	hasForm := len(copied.PostForm) > 0 || copied.MultipartForm != nil // not only a query's
	if copied.Form != nil && hasForm && r.Form == nil {
		r.Form, r.PostForm, r.MultipartForm = copied.Form, copied.PostForm, copied.MultipartForm
	}
}

// SameContext reports whether two contexts are the same. Contexts that cannot be compared count as
// different. The check allocates for structs, but not for pointers such as the contexts of a
// server.
func SameContext(a, b context.Context) bool {
	if background := context.Background(); a == background || b == background {
		return a == b // safe: context.Background can be compared
	}
	return (reflect.TypeOf(a).Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable()) && a == b
}

// RemoveFiles removes the temporary files of a form, which may be nil. The server only removes the
// files of its own request: if a copy was parsed, for example by http.StripPrefix, they would stay
// forever (golang/go#58809).
func RemoveFiles(f *multipart.Form) {
	if f != nil {
		f.RemoveAll() // as the server does, which ignores errors too
	}
}
