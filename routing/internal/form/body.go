// Package form reads request bodies for parameters: urlencoded forms, and JSON without parsing it.
// Multipart forms are read only if somebody has parsed them.
//
// A request keeps the body that the server gave it until somebody asks for a parameter. Only a body
// of its own lets net/http decide whether to send "100 Continue" (RFC 9110, 10.1.1), and answer
// without waiting for a body that nobody reads. What was read is then put in front of the rest, so
// that handlers read the whole body again.
package form

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/internal/urlencoded"
)

// MaxLimit is the highest limit for the bytes of a body. One byte more is read, to detect a longer
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

// Body is a request body that may hold parameters. It is for a single goroutine at a time, as the
// request is.
type Body struct {
	kind   bodyKind
	length int64 // of the whole body; 0 if unknown

	text       string        // what was read for parameters
	reread     int           // how much of text was read again
	original   io.ReadCloser // the body that the request had
	rest       io.ReadCloser // continues text: given, or within a limit
	readBytes  int64         // how many bytes of rest were read; others have read those beyond text
	readErr    error         // of rest: io.EOF or an error
	watched    bool          // in place of given by Watch
	kept       bool          // by Keep, so that taken counts all that is read afterwards
	partlyRead bool          // others had read a part before Keep, without parsing a form

	index   urlencoded.Index // of text
	refused *Error           // of parameters that an action has asked for
}

// Of returns the body of r, or nil if it cannot hold parameters. It does not change r.
func Of(r *http.Request) *Body {
	if b, ok := r.Body.(*Body); ok {
		return b
	}
	kind, length := kindIn(r)
	if kind == otherBody {
		return nil
	}
	return &Body{kind: kind, length: length, original: r.Body, rest: r.Body}
}

// IsJSON reports whether r has a JSON body.
func IsJSON(r *http.Request) bool {
	b := Of(r)
	return b != nil && b.kind == jsonBody
}

// kindIn returns the kind of a body and its length, which is 0 if it is not known.
func kindIn(r *http.Request) (kind bodyKind, length int64) {
	contentType := r.Header.Get("Content-Type")
	if contentType == "" || r.Body == nil || r.Body == http.NoBody {
		return otherBody, 0
	}
	kind = kindOf(r.Method, contentType)
	// The length is that of the body that came over the network. Middleware may have decoded it.
	if kind != otherBody && r.Header["Content-Encoding"] == nil && reflect.TypeOf(r.Body) == receivedBody {
		length = r.ContentLength
	}
	return kind, length
}

// receivedBody is the type of the bodies that net/http reads from connections of HTTP/1.1. If
// somebody reads a part of any other body, only Watch notices, which needs memory for that.
var receivedBody = func() reflect.Type {
	const text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(r.Body)
}()

// Keep puts the body of a copied request in front of the one that the server gave it, so that
// further copies share what is read of it. It also keeps the kind of a form if the method becomes
// DELETE.
func Keep(copied *http.Request) {
	if b := Of(copied); b != nil {
		if _, isParsed := urlencoded.Form(copied); !isParsed && b.readBytes > int64(len(b.text)) {
			b.partlyRead = true
		}
		b.kept = true
		copied.Body = b
	}
}

// Watch begins a request in an app. Until [Body.Release] it notices what actions and filters read
// of the body, so that parameters are not taken for parameters that the client has not sent. It leaves a body in place that holds no parameters, or whose length tells how much was
// read.
func Watch(r *http.Request) {
	if b, isKept := r.Body.(*Body); isKept {
		b.refused = nil // of another app, or of middleware that runs its next handler twice
	} else if kind, length := kindIn(r); kind != otherBody && length <= 0 {
		r.Body = &Body{kind: kind, original: r.Body, rest: r.Body, length: length, watched: true}
	}
}

// Release ends what [Watch] began, before anything is sent: before the headers,
// net/http waits for the rest of a body that it does not know, also for one that the client sends
// only after "100 Continue" (golang/go#15527, golang/go#11549).
func (b *Body) Release(r *http.Request) {
	b.rest = b.original
	if b.watched && b.readBytes == 0 && b.readErr == nil && b.refused == nil {
		r.Body = b.original
	}
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

// Read returns the bytes that were read for parameters again, then the rest of the body.
func (b *Body) Read(p []byte) (int, error) {
	if b.reread < len(b.text) {
		n := copy(p, b.text[b.reread:])
		b.reread += n
		return n, nil
	}
	if b.readErr != nil {
		return 0, b.readErr
	}
	n, err := b.rest.Read(p)
	b.readBytes += int64(n)
	b.readErr = err
	return n, err
}

// Close closes the body.
func (b *Body) Close() error { return b.original.Close() }

// Refuse records that an action has asked for parameters that cannot be read.
func (b *Body) Refuse(r *http.Request, problem *Error) {
	b.refused = problem
	r.Body = b
}

// Refused returns what [Body.Refuse] recorded, or nil.
func Refused(r *http.Request) *Error {
	if b, ok := r.Body.(*Body); ok {
		return b.refused
	}
	return nil
}
