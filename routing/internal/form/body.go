// Package form reads request bodies for parameters: urlencoded forms, and JSON without parsing it.
// Fields of a multipart form are available only after a handler has parsed the form.
//
// A request keeps the server's body until a parameter is read, unless [Watch] must count the bytes
// that others read. With its own body, net/http can decide whether to send "100 Continue" (RFC
// 9110, 10.1.1), and does not wait for an unread body. Once a parameter is read, a [Body] puts the
// bytes that were read in front of the rest, so that handlers read the body from the beginning.
package form

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
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
	kind   bodyKind
	length int64 // of the whole body; 0 or -1 if unknown

	text       string        // what was read for parameters
	reread     int           // number of bytes of text that were read again
	original   io.ReadCloser // the body that the request had, of which text was read
	readBytes  int64         // bytes read from original: first text, then those that handlers have read
	readErr    error         // of original: io.EOF or an error
	watched    bool          // Watch has put the Body in place of original
	kept       bool          // Keep was called, so readBytes counts all later reads
	partlyRead bool          // others have read a part before Keep, without parsing a form

	index   urlencoded.Index // of text
	refused *Error           // the error of parameters that could not be read
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
	return &Body{kind: kind, length: length, original: r.Body}
}

// IsJSON reports whether r has a JSON body.
func IsJSON(r *http.Request) bool {
	b := Of(r)
	return b != nil && b.kind == jsonBody
}

// kindIn returns the kind of a body and its length, which is 0 or -1 if it is not known.
func kindIn(r *http.Request) (kind bodyKind, length int64) {
	contentType := r.Header.Get("Content-Type")
	if contentType == "" || r.Body == nil || r.Body == http.NoBody {
		return otherBody, 0
	}
	kind = kindOf(r.Method, contentType)
	if kind != otherBody && reflect.TypeOf(r.Body) == receivedBody {
		length = announcedLength(r)
	}
	return kind, length
}

// announcedLength returns ContentLength, or 0 if the body was encoded: ContentLength counts the
// bytes on the wire, and middleware may have decoded them.
func announcedLength(r *http.Request) int64 {
	if r.Header["Content-Encoding"] != nil {
		return 0
	}
	return r.ContentLength
}

// receivedBody is the type of the bodies that net/http reads from connections of HTTP/1.1. If such
// a body has a length, a partial read is detected without Watch, which allocates.
var receivedBody = func() reflect.Type {
	const text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(r.Body)
}()

// Keep replaces the body of a copied request by a [Body], so that copies of that request share the
// bytes that were read. A form can still be read if the method becomes DELETE.
func Keep(copied *http.Request) {
	if b := Of(copied); b != nil {
		if _, isParsed := urlencoded.Form(copied); !isParsed && b.readBytes > int64(len(b.text)) {
			b.partlyRead = true
		}
		b.kept = true
		copied.Body = b
	}
}

// Watch is called when a request enters an app. Until [Body.Release], reads of the body by actions
// and filters are counted, so that parameters in the bytes that they have read are not treated as
// missing. A body without parameters, or whose length shows how much was read, is not replaced.
func Watch(r *http.Request) {
	if b, isKept := r.Body.(*Body); isKept {
		b.refused = nil // set by another app, or by an earlier call of the next handler
		if b.readBytes == int64(len(b.text)) {
			b.reread = 0
		}
	} else if kind, length := kindIn(r); kind != otherBody && length <= 0 {
		r.Body = &Body{kind: kind, original: r.Body, length: length, watched: true}
	}
}

// Release undoes [Watch] if nothing was read. It must be called before the response is sent: if the
// body is not of a type of net/http, the server reads the rest of it before it sends the headers,
// even if the client waits for "100 Continue" (golang/go#15527, golang/go#11549).
func (b *Body) Release(r *http.Request) {
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
