// Package form reads request bodies for parameters: urlencoded forms, and JSON without parsing it.
// Fields of a multipart form are available only after a handler has parsed the form.
//
// A [Body] counts the bytes that others read. Once a parameter is read, it puts the bytes that were
// read in front of the rest, so that handlers read the body from the beginning. It is the body of
// a copy of the request: net/http must find its own body in the request that it made, to decide
// whether to send "100 Continue" (RFC 9110, 10.1.1), and whether to wait for an unread body.
package form

import (
	"io"
	"net/http"
	"strings"

	"example.com/flowercafe/internal/urlencoded"
)

// MaxLimit is the maximum limit for a body, in bytes. One byte more is read, to detect a longer
// body.
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
	jsonBody
)

// Body is a request body that may contain parameters. Like the request, it must not be used by
// several goroutines at a time.
type Body struct {
	kind      bodyKind
	text      string        // what was read for parameters
	reread    int           // number of bytes of text that were read again
	original  io.ReadCloser // the body that the request had, of which text was read
	readBytes int64         // bytes read from original: first text, then those that handlers have read
	readErr   error         // of original: io.EOF or an error

	index   urlencoded.Index // of text
	refused *Error           // the error of parameters that could not be read
}

// Of returns the body of r, which is a copy, or nil if it cannot hold parameters. If code has
// replaced the body, Of puts a Body in front of it.
func Of(r *http.Request) *Body {
	if b, ok := r.Body.(*Body); ok {
		return b
	}
	if r.Body == nil || r.Body == http.NoBody || kindOf(r.Method, r.Header.Get("Content-Type")) == otherBody {
		return nil
	}
	return Front(r)
}

// Front puts a Body in front of the body of r, which is a copy, and returns it. A form can still be
// read if the method becomes DELETE.
func Front(r *http.Request) *Body {
	b := &Body{kind: kindOf(r.Method, r.Header.Get("Content-Type")), original: r.Body}
	r.Body = b
	return b
}

// MayBeIn reports whether r may have a body. A length of 0 may mean that it is not known, and every
// request of HTTP/2 has a body of this length, which counts only if it has a type.
func MayBeIn(r *http.Request) bool {
	return r.Body != nil && (r.ContentLength != 0 || r.Body != http.NoBody && r.Header["Content-Type"] != nil)
}

// IsMissing reports whether r may have a body, but has no Body in front of it.
func IsMissing(r *http.Request) bool {
	_, ok := r.Body.(*Body)
	return !ok && MayBeIn(r)
}

// Again is called when a request enters an app again, or the rest of a request inside middleware.
// If nothing but parameters was read, the body can be read from the beginning. It returns the Body,
// or nil.
func Again(r *http.Request) *Body {
	b, ok := r.Body.(*Body)
	if ok {
		b.refused = nil // set by another app, or by an earlier call of the next handler
		if b.readBytes == int64(len(b.text)) {
			b.reread = 0
		}
	}
	return b
}

// IsJSON reports whether r has a JSON body.
func IsJSON(r *http.Request) bool {
	b := Of(r)
	return b != nil && b.kind == jsonBody
}

// kindOf returns the kind of a body in a request that was received with method.
func kindOf(method, contentType string) bodyKind {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch {
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"): // RFC 6839, 3.1
		return jsonBody
	case mediaType == "application/x-www-form-urlencoded" && urlencoded.TakesForm(method):
		return urlencodedBody
	}
	return otherBody
}

// Read first returns the bytes that were read for parameters, then the rest of the body.
func (b *Body) Read(p []byte) (int, error) {
	if b.reread < len(b.text) {
		n := copy(p, b.text[b.reread:])
		b.reread += n
		return n, nil
	}
	if b.readErr != nil {
		return 0, b.readErr
	}
	n, err := b.original.Read(p)
	b.readBytes += int64(n)
	b.readErr = err
	return n, err
}

// Close closes the body.
func (b *Body) Close() error { return b.original.Close() }

// Refuse records the error of parameters that could not be read.
func (b *Body) Refuse(problem *Error) { b.refused = problem }

// Refused returns what [Body.Refuse] recorded, also for the Body that r has now, or nil. B may be
// nil.
func (b *Body) Refused(r *http.Request) *Error {
	if b != nil && b.refused != nil {
		return b.refused
	}
	if now, ok := r.Body.(*Body); ok {
		return now.refused
	}
	return nil
}
