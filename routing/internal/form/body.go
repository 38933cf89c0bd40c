// Package form reads request bodies for parameters: urlencoded and multipart forms, and JSON
// without parsing it. What was read can be read again, for example by the next handler.
package form

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/internal/urlencoded"
)

// This file keeps what was read of a body.

// Limits say how much of a request is read for parameters.
type Limits struct {
	Body   int64 // bytes of a body without its files
	Upload int64 // bytes of the files of a multipart form
}

// Total returns how long the body of a multipart form may be.
func (l *Limits) Total() int64 { return l.Body + min(l.Upload, MaxLimit-l.Body) }

// MaxLimit is the highest limit. It leaves room to read one byte more.
const MaxLimit = 1<<63 - 2

// Error is the reason why parameters could not be read, with the status of the response.
type Error struct {
	Status int
	Err    error
}

type bodyKind uint8

const (
	otherBody bodyKind = iota
	urlencodedBody
	multipartBody
	jsonBody
)

// Body is a request body that may hold parameters. It is safe for concurrent use, since an action
// may read parameters while another goroutine reads a copy of the request.
type Body struct {
	kind   bodyKind
	method string // as the request was received
	length int64  // Content-Length; 0 if unknown

	// Refused is the error if an action asked for parameters that could not be read.
	Refused atomic.Pointer[Error]

	received, copied *http.Request // the server sets trailers in received; handlers see copied

	leaving sync.Mutex // guards left; never held while the body is read
	left    bool       // the request has ended

	mu    sync.Mutex
	body  io.ReadCloser
	rest  io.Reader        // body, for multipart forms with a limit
	index urlencoded.Index // of kept
	kept  string           // the part that was read for parameters, to be read again
	file  *os.File         // continues kept; may be nil
	filed int64            // size of file
	given int              // bytes of kept that were read again
	taken int64            // bytes that were read from body by others
	ended error            // the end of body: io.EOF or an error
}

// New returns the Body of r, or nil if it cannot hold parameters. The Body of an outer app is used
// again, so that data that was read is kept, also if middleware serves the request twice. That of a
// multipart form is read by the new one, so that the limits of both count.
func New(r *http.Request, multipart bool, l *Limits) *Body {
	contentType := r.Header.Get("Content-Type")
	if contentType == "" {
		return nil
	}
	method := r.Method
	outer, isInner := r.Body.(*Body)
	if isInner {
		method = outer.method // before it was overridden
	}
	kind := kindOf(method, contentType, multipart)
	switch {
	case kind == otherBody:
		return nil
	case isInner && kind == outer.kind && kind != multipartBody:
		return outer
	}
	in := &Body{kind: kind, method: method, body: r.Body, rest: r.Body}
	if r.Header["Content-Encoding"] == nil { // middleware may have decoded the body
		in.length = r.ContentLength
	}
	in.Admit(l.Total())
	in.received, in.copied = r, new(http.Request)
	*in.copied = *r
	in.copied.Body = in
	return in
}

// kindOf returns the kind of a body in a request that was received with method.
func kindOf(method, contentType string, multipart bool) bodyKind {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch {
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"):
		return jsonBody
	case mediaType == "application/x-www-form-urlencoded" && urlencoded.TakesForm(method):
		return urlencodedBody
	case mediaType == "multipart/form-data" && urlencoded.TakesForm(method) && multipart:
		if _, params, err := mime.ParseMediaType(contentType); err == nil && params["boundary"] != "" {
			return multipartBody
		}
	}
	return otherBody
}

// Request returns the copy of the request that has this body. The original keeps its own, since
// net/http uses that to close the connection.
func (in *Body) Request() *http.Request { return in.copied }

// IsForm reports whether the body is an urlencoded form.
func (in *Body) IsForm() bool { return in.kind == urlencodedBody }

// IsJSON reports whether the body is JSON.
func (in *Body) IsJSON() bool { return in.kind == jsonBody }

// Admit sets how many bytes of a multipart form others may read; 0 is no limit.
func (in *Body) Admit(total int64) {
	if in.kind == multipartBody {
		in.mu.Lock()
		defer in.unlock()
		in.rest = in.body
		if total > 0 {
			in.rest = http.MaxBytesReader(nil, in.body, total-in.taken)
		}
	}
}

// Read returns the bytes that were read for parameters again, then the rest of the body.
func (in *Body) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.unlock()
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
	n, err := in.rest.Read(p)
	in.taken += int64(n)
	if err == io.EOF {
		in.copyTrailer()
	} else if err != nil {
		in.ended = err
	}
	return n, err
}

// copyTrailer sets the trailers of the copied request, once the body has been read.
func (in *Body) copyTrailer() {
	in.leaving.Lock()
	defer in.leaving.Unlock()
	if !in.left && in.copied.Trailer == nil {
		in.copied.Trailer = in.received.Trailer
	}
}

// Close closes the body.
func (in *Body) Close() error { return in.body.Close() }

// Leave ends the request: the received one is not read any more, and the last user of the body
// removes the temporary file. It does not wait for a reader that waits for the client.
func (in *Body) Leave() {
	in.leaving.Lock()
	in.left = true
	in.leaving.Unlock()
	in.sweep()
}

// unlock unlocks the body for the next user. If the request has ended meanwhile, it removes the
// file.
func (in *Body) unlock() {
	in.mu.Unlock()
	in.sweep()
}

// sweep removes the temporary file of a request that has ended. If the body is locked, the user
// that has the lock does so later.
func (in *Body) sweep() {
	in.leaving.Lock()
	left := in.left
	in.leaving.Unlock()
	if !left || !in.mu.TryLock() {
		return
	}
	defer in.mu.Unlock()
	if in.file != nil {
		in.file.Close()
		os.Remove(in.file.Name())
		in.file = nil
	}
}

// Load returns the body, which may have at most limit bytes. A body that is longer or breaks off
// is an error on every call.
func (in *Body) Load(limit int64) (string, *Error) {
	in.mu.Lock()
	defer in.unlock()
	if in.ended == nil && int64(len(in.kept)) <= limit {
		in.keep(limit + 1) // one byte more, to detect a longer body
	}
	if err := in.problem(limit, int64(len(in.kept))); err != nil {
		return "", err
	}
	return in.kept, nil
}

// keep reads the body until size bytes are kept.
func (in *Body) keep(size int64) {
	most := size - int64(len(in.kept))
	more, err := io.ReadAll(io.LimitReader(in.body, most))
	in.kept += string(more)
	in.end(err, int64(len(more)) < most)
}

// end records the error or the end of the body.
func (in *Body) end(err error, over bool) {
	if err != nil {
		in.ended = err
	} else if over {
		in.ended = io.EOF
		in.copyTrailer()
	}
}

// problem returns the error of a body of which size bytes were read, or nil.
func (in *Body) problem(limit, size int64) *Error {
	var tooLarge *http.MaxBytesError
	switch {
	case size > limit:
		return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("body larger than %d bytes", limit)}
	case errors.As(in.ended, &tooLarge):
		return &Error{http.StatusRequestEntityTooLarge, fmt.Errorf("body: %w", in.ended)}
	case in.taken > 0 || in.ended == io.EOF && size < in.length:
		return &Error{http.StatusInternalServerError, errBodyWasRead}
	case in.ended != io.EOF:
		return &Error{http.StatusBadRequest, fmt.Errorf("body: %w", in.ended)}
	}
	return nil
}

var errBodyWasRead = errors.New("the body was read before: read parameters first, or parse the form with Request.ParseForm")

// store reads the whole body, at most limit bytes, into memory and a temporary file.
func (in *Body) store(limit int64) *Error {
	in.mu.Lock()
	defer in.unlock()
	if in.ended == nil {
		in.keep(min(limit+1, uploadMemory/2))
	}
	size := int64(len(in.kept)) + in.filed
	if in.ended == nil && size <= limit && in.taken == 0 {
		file, err := os.CreateTemp("", "routing-upload-")
		if err != nil {
			return &Error{http.StatusInternalServerError, fmt.Errorf("store upload: %w", err)}
		}
		in.file = file
		in.filed, err = io.Copy(file, io.LimitReader(in.body, limit+1-size))
		size += in.filed
		if in.end(err, size <= limit); in.ended == nil {
			in.ended = &http.MaxBytesError{Limit: limit}
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return &Error{http.StatusInternalServerError, fmt.Errorf("store upload: %w", err)}
		}
	}
	return in.problem(limit, size)
}

// rewind makes the next read start at the beginning.
func (in *Body) rewind() {
	in.mu.Lock()
	defer in.unlock()
	in.given = 0
	if in.file != nil {
		in.file.Seek(0, io.SeekStart) // if this fails, so does the next read
	}
}
