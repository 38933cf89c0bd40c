// Package request copies requests, gives them path values, and ends the copies.
package request

import (
	"context"
	"mime/multipart"
	"net/http"
	"net/url"
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

// hasPathValues reports whether r may have path values, set by a ServeMux or with SetPathValue.
func hasPathValues(r *http.Request) bool {
	fields := reflect.ValueOf(r).Elem()
	for _, index := range pathValues {
		if index < 0 || !fields.Field(index).IsNil() {
			return true
		}
	}
	return false
}

// pathValues are the fields of a request that hold them, or -1 if net/http names them differently.
var pathValues = func() (indexes [2]int) {
	for i, name := range [...]string{"matches", "otherValues"} {
		indexes[i] = -1
		if f, ok := reflect.TypeFor[http.Request]().FieldByName(name); ok && (f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map) {
			indexes[i] = f.Index[0]
		}
	}
	return indexes
}()

// Slots makes room for the path values of one pattern. A request has room for those of the pattern
// of a [http.ServeMux], 16 bytes each. Any other is in a map, which takes 336 bytes at least: more
// than a copy of the request. So a mux with that pattern alone matches a request before. What it
// takes for the values does not count, since all are set afterwards.
type Slots struct {
	mux    *http.ServeMux
	sample *http.Request // has room, and nothing else
}

// Segment is one segment of a path: a text, or a parameter with a name.
type Segment struct{ Text, Name string }

// NewSlots returns slots for paths of segments. It returns nil, which makes no room, if there is no
// parameter, or if a mux does not take such a pattern.
func NewSlots(segments []Segment) *Slots {
	s := &Slots{http.NewServeMux(), &http.Request{URL: new(url.URL)}}
	pattern := ""
	names := make(map[string]bool)
	for _, part := range segments {
		isText := isWord(part.Text, ".-~")
		isName := isWord(part.Name, "") && (part.Name[0] < '0' || '9' < part.Name[0]) && part.Name != "_" && !names[part.Name]
		switch {
		case isText:
			pattern += "/" + part.Text
			s.sample.URL.Path += "/" + part.Text
		case isName:
			pattern += "/{" + part.Name + "}"
			s.sample.URL.Path += "/value"
			names[part.Name] = true
		default:
			return nil
		}
	}
	if len(names) == 0 {
		return nil
	}
	s.mux.Handle(pattern, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if !s.In(s.sample) { // a mux removes dot segments
		return nil
	}
	for name := range names {
		s.sample.SetPathValue(name, "")
	}
	s.sample.URL = nil
	return s
}

// isWord reports whether text consists of letters, digits, underscores and the other bytes.
func isWord(text, others string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	return text != "" && strings.Trim(text, letters+others) == ""
}

// In makes room in r, in place. It returns false, and changes nothing, if r has path values or no
// URL, or if the mux does not match its path.
func (s *Slots) In(r *http.Request) bool {
	if s == nil || r.URL == nil || hasPathValues(r) {
		return false
	}
	before := r.Pattern
	s.mux.ServeHTTP(nowhere{}, r)
	r.Pattern = before
	return hasPathValues(r)
}

// nowhere is for the responses of a mux to paths that it does not match.
type nowhere struct{}

func (nowhere) Header() http.Header         { return make(http.Header) }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}

// Copy is the function [Copy], and makes room in the copy. If r has path values, the copy has them,
// and no room.
func (s *Slots) Copy(r *http.Request, ctx context.Context) *http.Request {
	if s == nil || hasPathValues(r) {
		return Copy(r, ctx)
	}
	ShareTrailer(r)
	c := s.sample.Clone(ctx)
	c.Method, c.URL, c.Pattern, c.Host, c.RequestURI = r.Method, r.URL, r.Pattern, r.Host, r.RequestURI
	c.Proto, c.ProtoMajor, c.ProtoMinor, c.RemoteAddr, c.TLS = r.Proto, r.ProtoMajor, r.ProtoMinor, r.RemoteAddr, r.TLS
	c.Header, c.Trailer, c.TransferEncoding, c.Close = r.Header, r.Trailer, r.TransferEncoding, r.Close
	c.Body, c.GetBody, c.ContentLength, c.Response = r.Body, r.GetBody, r.ContentLength, r.Response
	c.Cancel = r.Cancel //nolint:staticcheck // deprecated, but in use
	c.Form, c.PostForm, c.MultipartForm = r.Form, r.PostForm, r.MultipartForm
	return c
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
