// Package request copies requests, and sets their path values.
package request

import (
	"context"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
)

// Copy returns a copy of r with its own path values.
func Copy(r *http.Request, ctx context.Context) *http.Request {
	copied := new(http.Request)
	CopyTo(copied, r, ctx)
	return copied
}

// CopyTo is Copy to *copied, which may be a field of a larger struct.
func CopyTo(copied, r *http.Request, ctx context.Context) {
	ShareTrailer(r)
	if hasPathValues(r) {
		*copied = *clone(r, ctx)
	} else {
		*copied = *r.WithContext(ctx) // without path values, there is nothing to share
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

// ShareTrailer lets copies of r see trailers that the client has not announced (RFC 9112, 7.1.2).
// At the end of a chunked body, net/http adds them to the map of its own request, or to a new map,
// which copies would not have.
func ShareTrailer(r *http.Request) {
	if r.Trailer == nil && len(r.TransferEncoding) > 0 {
		r.Trailer = make(http.Header)
	}
}

// WithPathValues returns a copy of r with the path values for which each calls set. If r has all of
// them already, for example from outer middleware, it returns r itself.
func WithPathValues(r *http.Request, each func(set func(key, value string))) *http.Request {
	copied := r
	each(func(key, value string) {
		if copied == r {
			if r.PathValue(key) == value {
				return
			}
			copied = Copy(r, r.Context())
		}
		copied.SetPathValue(key, value)
	})
	return copied
}

// valueFields are the fields of http.Request for path values: of a ServeMux, and of SetPathValue.
var valueFields = [...]string{"matches", "otherValues"}

// valueIndexes are the indexes of valueFields, or nil if net/http declares other fields. Then every
// request may have path values, and takes more time to copy.
var valueIndexes = func() (at []int) {
	declared := reflect.TypeFor[http.Request]()
	for _, name := range valueFields {
		f, ok := declared.FieldByName(name)
		if !ok || f.Type.Kind() != reflect.Slice && f.Type.Kind() != reflect.Map {
			return nil
		}
		at = append(at, f.Index[0])
	}
	return at
}()

// hasPathValues reports whether r may have path values, set by a ServeMux or with SetPathValue.
func hasPathValues(r *http.Request) bool {
	fields := reflect.ValueOf(r).Elem()
	for _, i := range valueIndexes {
		if !fields.Field(i).IsNil() {
			return true
		}
	}
	return valueIndexes == nil
}

// Template copies requests with preallocated path values. Only a [http.ServeMux] that matches a
// request preallocates them; otherwise net/http allocates a map of 336 bytes.
type Template struct {
	matched *http.Request // an empty request that a mux with the names has matched; may be nil
}

// NewTemplate returns a Template for values with these names. Nothing is preallocated without
// names, or if a mux refuses the names.
func NewTemplate(names []string) *Template {
	pattern, path := "", ""
	for i, name := range names {
		if !isName(name) || slices.Contains(names[:i], name) {
			return new(Template)
		}
		pattern, path = pattern+"/{"+name+"}", path+"/-"
	}
	if path == "" {
		return new(Template)
	}
	mux, r := http.NewServeMux(), &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}
	mux.Handle(pattern, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	mux.ServeHTTP(nil, r)
	if r.Pattern != pattern || r.PathValue(names[0]) == "" { // as with GODEBUG=httpmuxgo121=1
		return new(Template)
	}
	r.Method, r.URL, r.Pattern = "", nil, ""
	for _, name := range names {
		r.SetPathValue(name, "")
	}
	return &Template{r}
}

var isName = regexp.MustCompile(`^[a-zA-Z]\w*$`).MatchString

// Copy is like the function Copy, with preallocated path values. A nil Template preallocates
// nothing.
func (t *Template) Copy(r *http.Request, ctx context.Context) *http.Request {
	if t == nil || t.matched == nil || hasPathValues(r) {
		return Copy(r, ctx)
	}
	ShareTrailer(r)
	c := t.matched.Clone(ctx)
	c.Method, c.URL, c.Proto, c.ProtoMajor, c.ProtoMinor = r.Method, r.URL, r.Proto, r.ProtoMajor, r.ProtoMinor
	c.Header, c.Body, c.GetBody, c.ContentLength = r.Header, r.Body, r.GetBody, r.ContentLength
	c.TransferEncoding, c.Close, c.Host = r.TransferEncoding, r.Close, r.Host
	c.Form, c.PostForm, c.MultipartForm, c.Trailer = r.Form, r.PostForm, r.MultipartForm, r.Trailer
	c.RemoteAddr, c.RequestURI, c.TLS, c.Response, c.Pattern = r.RemoteAddr, r.RequestURI, r.TLS, r.Response, r.Pattern
	c.Cancel = r.Cancel //nolint:staticcheck // deprecated, but handlers may read it
	return c
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
