// Package request copies requests, gives them path values, and ends the copies.
package request

import (
	"context"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"unsafe"
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

// WithPathValues returns a copy of r with the path values that set sets. If r has all of them
// already, for example from middleware around, it returns r itself.
func WithPathValues(r *http.Request, set func(f func(key, value string))) *http.Request {
	copied := r
	set(func(key, value string) {
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

// Restored returns r with the path values of another request outside of it, in place of those that
// captures sets.
func Restored(r, outside *http.Request, captures func(f func(key, value string))) *http.Request {
	return WithPathValues(r, func(f func(key, value string)) {
		captures(func(key, _ string) { f(key, outside.PathValue(key)) })
	})
}

// values are the fields of a request that hold its path values, as net/http declares them. It gives
// a request room for values only in a [http.ServeMux], or in a map of 336 bytes. So they are
// written here: a handler takes 302 ns, with a mux in front of each 453; a route with middleware
// 367, with copies of a sample 474.
type values struct {
	pat         unsafe.Pointer // the pattern of a mux, which has the names of matches
	matches     []string
	otherValues map[string]string
}

// valuesAt is the offset of values in a request, or 0 if net/http declares other fields. Then
// copies are made in the usual way, and nothing has room.
var valuesAt = offsetOfValues(reflect.TypeFor[http.Request]())

func offsetOfValues(declared reflect.Type) uintptr {
	own := reflect.TypeFor[values]()
	first, _ := declared.FieldByName(own.Field(0).Name)
	for i := range own.NumField() {
		want := own.Field(i)
		got, ok := declared.FieldByName(want.Name)
		if !ok || got.Offset != first.Offset+want.Offset || got.Type != want.Type && (i > 0 || got.Type.Kind() != reflect.Pointer) {
			return 0
		}
	}
	return first.Offset
}

// valuesOf returns the path values of r, or nil if they are elsewhere.
func valuesOf(r *http.Request) *values {
	if valuesAt == 0 {
		return nil
	}
	return (*values)(unsafe.Add(unsafe.Pointer(r), valuesAt))
}

// hasPathValues reports whether r may have path values, set by a ServeMux or with SetPathValue.
func hasPathValues(r *http.Request) bool {
	v := valuesOf(r)
	return v == nil || v.matches != nil || v.otherValues != nil
}

// Slots are room for path values with some names.
type Slots struct {
	pat   unsafe.Pointer // has these names, and no other part that is used
	count int
}

// NewSlots returns slots for values with these names. There are none, which make no room, without
// names, or if a mux does not take such names.
func NewSlots(names []string) *Slots {
	pattern, path := "", ""
	for i, name := range names {
		if !isName(name) || slices.Contains(names[:i], name) {
			return new(Slots)
		}
		pattern, path = pattern+"/{"+name+"}", path+"/-"
	}
	if path == "" {
		return new(Slots)
	}
	mux, sample := http.NewServeMux(), &http.Request{URL: &url.URL{Path: path}}
	mux.Handle(pattern, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if _, matched := mux.Handler(sample); valuesAt == 0 || matched != pattern { // as with GODEBUG=httpmuxgo121=1
		return new(Slots)
	}
	mux.ServeHTTP(nil, sample)
	return &Slots{valuesOf(sample).pat, len(names)}
}

var isName = regexp.MustCompile(`^[a-zA-Z]\w*$`).MatchString

// In makes room in r, in place, of the given memory if that is enough. It returns false, and
// changes nothing, if r has path values.
func (s *Slots) In(r *http.Request, memory []string) bool {
	if s.count == 0 || hasPathValues(r) {
		return false
	}
	v := valuesOf(r)
	if len(memory) < s.count {
		memory = make([]string, s.count)
	}
	v.pat, v.matches = s.pat, memory[:s.count:s.count]
	return true
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
