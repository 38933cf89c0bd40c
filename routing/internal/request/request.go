// Package request copies requests, and ends the copies. It also tells what is the server's own.
package request

import (
	"context"
	"mime/multipart"
	"net/http"
	"reflect"
	"strings"
	"sync"
)

// Copy returns a copy of r with its own path values.
func Copy(r *http.Request, ctx context.Context) *http.Request {
	copied := new(http.Request)
	CopyTo(copied, r, ctx)
	return copied
}

// CopyTo is Copy to a given place, which may be a part of a larger allocation.
func CopyTo(copied, r *http.Request, ctx context.Context) {
	ShareTrailer(r)
	if hasPathValues(r) {
		*copied = *clone(r, ctx)
	} else {
		*copied = *r.WithContext(ctx) // with none, there are none to share
	}
}

// clone is http.Request.Clone, without copies of data that can be shared.
func clone(r *http.Request, ctx context.Context) *http.Request {
	private := *r
	private.URL, private.Header, private.Trailer, private.TransferEncoding = nil, nil, nil, nil
	private.Form, private.PostForm, private.MultipartForm = nil, nil, nil
	copied := private.Clone(ctx)
	copied.URL, copied.Header, copied.Trailer, copied.TransferEncoding = r.URL, r.Header, r.Trailer, r.TransferEncoding
	copied.Form, copied.PostForm, copied.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	return copied
}

// ShareTrailer lets copies of r see trailers that the client has not announced. At the end of a
// chunked body, net/http sets those of its own request alone if that has none (RFC 9112, 7.1.2).
func ShareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = make(http.Header)
	}
}

// IsServers reports whether a writer or a body is one of net/http, and not of middleware.
func IsServers(v any) bool {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), "net/http")
}

// End is called after a copy of r was served. It sets the Pattern and context of r, and its form if
// the body was parsed, and removes files. If r was not copied, there is nothing to do.
func End(copied, r *http.Request) {
	if copied == r {
		return
	}
	if ctx := copied.Context(); !SameContext(ctx, r.Context()) {
		*r = *r.WithContext(ctx)
	}
	r.Pattern = copied.Pattern
	RemoveFiles(copied, r.MultipartForm)
	ShareForm(copied, r)
}

// ShareForm gives r the form of its copy, if that alone was parsed.
func ShareForm(copied, r *http.Request) {
	hasForm := len(copied.PostForm) > 0 || copied.MultipartForm != nil // not that of a query alone
	if copied.Form != nil && hasForm && r.Form == nil {
		r.Form, r.PostForm, r.MultipartForm = copied.Form, copied.PostForm, copied.MultipartForm
	}
}

// SameContext reports whether two contexts are the same. Contexts that cannot be compared count as
// different. The check for that allocates for structs, but not for pointers, which a server's
// contexts are.
func SameContext(a, b context.Context) bool {
	if background := context.Background(); a == background || b == background {
		return a == b // safe: context.Background can be compared
	}
	return (reflect.TypeOf(a).Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable()) && a == b
}

// RemoveFiles removes the temporary files of a multipart form that was parsed while r had no form
// or another one. The server only removes those of its own request: if a copy was parsed, for
// example by http.StripPrefix, they would stay forever (golang/go#58809). In middleware, they are
// removed when the outermost one returns; see [Files].
func RemoveFiles(r *http.Request, other *multipart.Form) {
	f := r.MultipartForm
	if f == nil || f == other {
		return
	}
	if files := FilesIn(r.Context()); files != nil {
		files.keep(f)
	} else {
		f.RemoveAll() // as the server does, which ignores errors too
	}
}

// Files are the forms that were parsed in middleware, which may serve a request several times.
type Files struct {
	mu      sync.Mutex
	forms   []*multipart.Form
	removed bool
}

// FilesKey is the key of Files in the context of a request.
type FilesKey struct{}

// FilesIn returns the Files in a context, or nil.
func FilesIn(ctx context.Context) *Files {
	files, _ := ctx.Value(FilesKey{}).(*Files)
	return files
}

// keep keeps the files of f until Remove. If that was called before, it removes them.
func (fs *Files) keep(f *multipart.Form) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.removed {
		f.RemoveAll()
	} else {
		fs.forms = append(fs.forms, f)
	}
}

// Remove removes all files.
func (fs *Files) Remove() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.removed = true
	for _, f := range fs.forms {
		f.RemoveAll()
	}
}
