package routing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
)

// This file reads request bodies: for parameters, and for the method override. What was read is replayed for whoever reads the body
// later, the next handler for example.

// receive serves a request that has what few have: a body, a long query, a method to override, or an app that it was mounted in.
func (x *call) receive() {
	received, settings := x.r, &x.app.settings
	var in *input
	if hasBody(received) {
		in = newInput(received, settings)
	}
	if in != nil {
		// net/http asks the body of its own request how to end the connection, so the input goes into a copy.
		x.r = new(http.Request)
		*x.r = *received
		x.r.Body = in
		in.received, in.copied = received, x.r
		defer in.remove()
	}
	if settings.override {
		x.override(in, received)
	}
	if x.r != received {
		defer endCopy(x.r, received)
	} else {
		defer removeFiles(received, received.MultipartForm)
	}
	if in == nil && !pairs(received.URL.RawQuery).within(settings.limits.params) {
		in = new(input)
	}
	if in != nil || len(x.base) != len(x.usual) {
		x.extras = &extras{base: x.base, path: x.path, input: in, outer: x.entry.outer}
	}
	x.finish(x.dispatch())
}

func hasBody(r *http.Request) bool { return r.Body != nil && !sameType(r.Body, http.NoBody) }

// sameType reports whether a is of the type of b. The type of http.NoBody has no name outside of its package, and comparing values
// in interfaces takes longer.
func sameType[T any](a any, _ T) bool {
	_, same := a.(T)
	return same
}

// override changes the method to the one that the client asks for, if that is allowed: only a POST changes, only to PUT or DELETE, by
// the first value of _method in a form, or else by the header. A body that cannot be read has no say.
func (x *call) override(in *input, received *http.Request) {
	if received.Method != http.MethodPost {
		return
	}
	method := ""
	if in != nil && in.kind == urlencodedBody {
		if fields, err := in.urlencoded(x.r, x.app.settings.limits.body); err == nil {
			value, _ := fields.first("_method")
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

// limits say how much of a request is read for parameters.
type limits struct {
	body   int64 // bytes of a body without its files
	upload int64 // bytes of the files of a multipart form
	params int   // parameters
}

// total returns how long the body of a multipart form may be.
func (l *limits) total() int64 { return l.body + min(l.upload, maxLimit-l.body) }

// maxLimit leaves room to read one byte more.
const maxLimit = 1<<63 - 2

// bodyKind tells what a body is to the parameters.
type bodyKind uint8

const (
	otherBody bodyKind = iota
	urlencodedBody
	multipartBody
	jsonBody
)

// input is a request body that may hold parameters. A query with too many parameters has one without a body. An action may read
// parameters while a copy of its request is read elsewhere, so it is safe for concurrent use.
type input struct {
	kind   bodyKind
	method string // as the request was received
	length int64  // Content-Length; 0 if it is not known

	received, copied *http.Request // the server writes trailers into the former; only the latter is seen

	// refused is why parameters could not be read, as somebody was told who asked for them.
	refused atomic.Pointer[RequestError]

	mu    sync.Mutex
	body  io.ReadCloser
	kept  []byte   // what was read for parameters, and is replayed
	file  *os.File // what follows kept; nil for nothing
	filed int64    // size of file
	given int      // how much of kept was replayed
	taken int64    // how much somebody else has read
	total int64    // how much somebody else may read of a multipart form; 0 for all
	ended error    // what ended the reading: io.EOF if that is all
}

// newInput returns what reads r's body, or nil if that cannot hold parameters.
func newInput(r *http.Request, s *settings) *input {
	contentType := r.Header.Get("Content-Type")
	if contentType == "" {
		return nil
	}
	method := r.Method
	if outer, ok := r.Body.(*input); ok {
		method = outer.method // before it was overridden
	}
	kind := kindOf(method, contentType, s.multipart)
	if kind == otherBody {
		return nil
	}
	in := &input{kind: kind, method: method, body: r.Body}
	if r.Header["Content-Encoding"] == nil { // or somebody may have decoded it
		in.length = r.ContentLength
	}
	in.admit(s.limits.total())
	return in
}

// kindOf tells what a body of that type is in a request received with method.
func kindOf(method, contentType string, multipart bool) bodyKind {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	isForm := method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
	switch {
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"):
		return jsonBody
	case mediaType == "application/x-www-form-urlencoded" && isForm:
		return urlencodedBody
	case mediaType == "multipart/form-data" && isForm && multipart:
		if _, params, err := mime.ParseMediaType(contentType); err == nil && params["boundary"] != "" {
			return multipartBody
		}
	}
	return otherBody
}

// admit sets how much may be read of a multipart form; 0 is all of it.
func (in *input) admit(total int64) {
	if in.kind == multipartBody {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.total = total
	}
}

// Read replays what was read before, and then goes on with the body.
func (in *input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.given < len(in.kept) {
		n := copy(p, in.kept[in.given:])
		in.given += n
		return n, nil
	}
	if in.file != nil {
		if n, err := in.file.Read(p); err != io.EOF {
			return n, err
		}
	}
	if in.ended != nil {
		return 0, in.ended
	}
	if in.total > 0 && in.taken >= in.total {
		return 0, in.tooLong(p)
	}
	if in.total > 0 && int64(len(p)) > in.total-in.taken {
		p = p[:in.total-in.taken]
	}
	n, err := in.body.Read(p)
	in.taken += int64(n)
	if err == io.EOF {
		in.copyTrailer()
	}
	return n, err
}

// copyTrailer gives the copy of the request the trailers, which are there when the body has been read.
func (in *input) copyTrailer() {
	if in.copied.Trailer == nil {
		in.copied.Trailer = in.received.Trailer
	}
}

// tooLong returns the end of a multipart form that has reached its limit: an error if more follows.
func (in *input) tooLong(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	n, err := in.body.Read(p[:1])
	if n > 0 {
		err = &http.MaxBytesError{Limit: in.total}
	}
	in.ended = err
	return err
}

// Close closes the body.
func (in *input) Close() error { return in.body.Close() }

// remove removes what the input has stored.
func (in *input) remove() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.file != nil {
		in.file.Close()
		os.Remove(in.file.Name())
	}
}

// load reads the body, at most limit bytes, and returns it. A body that is longer or breaks off is an error, also the next time.
func (in *input) load(limit int64) (string, *RequestError) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended == nil && int64(len(in.kept)) <= limit {
		in.keep(limit + 1) // the byte more tells a body that is too long
	}
	if err := in.problem(limit, int64(len(in.kept))); err != nil {
		return "", err
	}
	return string(in.kept), nil
}

// keep reads the body until size bytes of it are kept.
func (in *input) keep(size int64) {
	more, err := io.ReadAll(io.LimitReader(in.body, size-int64(len(in.kept))))
	in.kept = append(in.kept, more...)
	switch {
	case err != nil:
		in.ended = err
	case int64(len(in.kept)) < size:
		in.ended = io.EOF
		in.copyTrailer()
	}
}

// problem returns why a body of which size bytes were read cannot be used.
func (in *input) problem(limit, size int64) *RequestError {
	var tooLarge *http.MaxBytesError
	switch {
	case size > limit:
		return &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("body larger than %d bytes", limit)}
	case errors.As(in.ended, &tooLarge):
		return &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("body: %w", in.ended)}
	case in.taken > 0 || in.ended == io.EOF && size < in.length:
		return &RequestError{http.StatusInternalServerError, errBodyWasRead}
	case in.ended != io.EOF:
		return &RequestError{http.StatusBadRequest, fmt.Errorf("body: %w", in.ended)}
	}
	return nil
}

var errBodyWasRead = errors.New("somebody has read the body before: read parameters first, or parse the form by Request.ParseForm")

// form returns the fields of a form. Where somebody has parsed it, they are taken from there.
func (in *input) form(r *http.Request, l *limits) (fields, *RequestError) {
	switch in.kind {
	case urlencodedBody:
		f, err := in.urlencoded(r, l.body)
		if err == nil && pairs(r.URL.RawQuery).count()+f.count() > l.params {
			err = tooManyParams(l.params)
		}
		return f, err
	case multipartBody:
		return in.multipart(r, l)
	}
	return fields{}, nil
}

func (in *input) urlencoded(r *http.Request, limit int64) (fields, *RequestError) {
	if values, parsed := parsedForm(r); parsed {
		return fields{values: values}, nil
	}
	body, err := in.load(limit)
	return fields{pairs: pairs(body)}, err
}

// parsedForm returns the form that somebody has parsed, without the parameters of the query.
func parsedForm(r *http.Request) (url.Values, bool) {
	switch {
	case r.PostForm != nil:
		return r.PostForm, true
	case r.MultipartForm != nil:
		return r.MultipartForm.Value, true
	case r.Form == nil:
		return nil, false
	}
	// Form has the values of the query behind those of the body.
	query, values := r.URL.Query(), make(url.Values)
	for key, all := range r.Form {
		if own := len(all) - len(query[key]); own > 0 {
			values[key] = all[:own]
		}
	}
	return values, true
}

// uploadMemory is how much of a multipart form is kept in memory: half of it as it came, to be replayed, and half of it parsed. The
// rest is in temporary files until the request ends.
const uploadMemory = 8 << 20

// multipart returns the text fields of a multipart form. The files are in r's MultipartForm then.
func (in *input) multipart(r *http.Request, l *limits) (fields, *RequestError) {
	if r.MultipartForm == nil {
		if err := in.parseMultipart(r, l.total()); err != nil {
			return fields{}, err
		}
	}
	form := r.MultipartForm
	count, text, files := pairs(r.URL.RawQuery).count(), int64(0), int64(0)
	for key, values := range form.Value {
		count += len(values)
		for _, value := range values {
			text += int64(len(key) + len(value))
		}
	}
	for _, list := range form.File {
		count += len(list)
		for _, file := range list {
			files += file.Size
		}
	}
	switch {
	case count > l.params:
		return fields{}, tooManyParams(l.params)
	case text > l.body:
		return fields{}, &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("text fields larger than %d bytes", l.body)}
	case files > l.upload:
		return fields{}, &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("files larger than %d bytes", l.upload)}
	}
	return fields{values: form.Value}, nil
}

// parseMultipart stores the body and parses it.
func (in *input) parseMultipart(r *http.Request, limit int64) *RequestError {
	if err := in.store(limit); err != nil {
		return err
	}
	err := r.ParseMultipartForm(uploadMemory / 2)
	in.rewind()
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge) || errors.Is(err, multipart.ErrMessageTooLarge):
		return &RequestError{http.StatusRequestEntityTooLarge, fmt.Errorf("multipart form: %w", err)}
	}
	return &RequestError{http.StatusBadRequest, fmt.Errorf("multipart form: %w", err)}
}

// store reads the whole body, at most limit bytes, into memory and a temporary file.
func (in *input) store(limit int64) *RequestError {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended == nil {
		in.keep(min(limit+1, uploadMemory/2))
	}
	size := int64(len(in.kept)) + in.filed
	if in.ended == nil && size <= limit && in.taken == 0 {
		file, err := os.CreateTemp("", "routing-upload-")
		if err != nil {
			return &RequestError{http.StatusInternalServerError, fmt.Errorf("store upload: %w", err)}
		}
		in.file = file
		n, err := io.Copy(file, io.LimitReader(in.body, limit+1-size))
		in.filed = n
		switch size += n; {
		case err != nil:
			in.ended = err
		case size > limit:
			in.ended = &http.MaxBytesError{Limit: limit}
		default:
			in.ended = io.EOF
			in.copyTrailer()
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return &RequestError{http.StatusInternalServerError, fmt.Errorf("store upload: %w", err)}
		}
	}
	return in.problem(limit, size)
}

// rewind lets the next reader begin with what was stored.
func (in *input) rewind() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.given = 0
	if in.file != nil {
		in.file.Seek(0, io.SeekStart) // what fails here fails again when it is read
	}
}

func tooManyParams(limit int) *RequestError {
	return &RequestError{http.StatusBadRequest, fmt.Errorf("more than %d parameters", limit)}
}

// sameContext reports whether two contexts are one. Contexts that cannot be compared count as two. To find out which those are
// takes allocations for structs, such as the background of tests, but not for pointers, which contexts of a server are.
func sameContext(a, b context.Context) bool {
	if background := context.Background(); a == background || b == background {
		return a == b // of one type, which can be compared, or of two
	}
	return reflect.ValueOf(a).Comparable() && a == b
}

// endCopy is for who has served a copy of r: it tells r which route ran and the values of keys, and removes files.
func endCopy(copied, r *http.Request) {
	if ctx := copied.Context(); !sameContext(ctx, r.Context()) {
		*r = *r.WithContext(ctx)
	}
	r.Pattern = copied.Pattern
	removeFiles(copied, r.MultipartForm)
}

// removeFiles removes the files of a form that was parsed since r had another one. A handler or an action that parses a multipart form
// itself may leave temporary files. The server removes them when the request ends, but only those of its own request: where a host or
// the engine has copied that, as http.StripPrefix does, they would stay for ever (golang/go#58809).
func removeFiles(r *http.Request, other *multipart.Form) {
	if f := r.MultipartForm; f != nil && f != other {
		f.RemoveAll() // a file that cannot be removed is the system's to clean up, as with the server's own
	}
}
