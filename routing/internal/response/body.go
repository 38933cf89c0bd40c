// Package response makes and sends HTTP responses: an action's body, a handler's
// output, and the default responses of an app. It does not depend on routes.
package response

import (
	"cmp"
	"io"
	"net/http"
	"strconv"
)

// Body is the body of a response and its content type. The zero Body is empty. It has three words,
// so that an action returns it and an error in registers. Bytes are in its Kind.
type Body struct {
	Kind *Kind // nil for no body
	text string
}

// Kind is how a Body is written. It is a struct, since arguments of a method of an interface escape
// to the heap.
type Kind struct {
	ContentType string // empty if it is not valid
	Handler     http.Handler

	isWhole bool   // text or bytes, with a valid type
	bytes   []byte // written by Write; nil for a text
	stream  io.Reader

	defaultFor int // the status of a default response; 0 for others
	details    *Details
}

var (
	plainText = &Kind{ContentType: "text/plain; charset=utf-8", isWhole: true}
	htmlText  = &Kind{ContentType: "text/html; charset=utf-8", isWhole: true}
)

// Failure is the body of the plain 500, a response with only the text of the status. It is sent
// with status 500 even if another was set.
var Failure = Body{Kind: &Kind{}}

// Text returns a body of type text/plain.
func Text(text string) Body { return Body{plainText, text} }

// HTML returns a body of type text/html.
func HTML(text string) Body { return Body{htmlText, text} }

// JSON returns a body of type application/json, without a charset (RFC 8259, 11).
func JSON(body []byte) Body { return Bytes("application/json", body) }

// Bytes returns a body with a content type. The default is the type of unknown bytes (RFC 9110,
// 8.3).
func Bytes(contentType string, body []byte) Body {
	legal := legalType(contentType)
	return Body{Kind: &Kind{ContentType: legal, isWhole: legal != "", bytes: body}}
}

// legalType returns contentType, application/octet-stream if it is empty, or the empty string if it
// is not valid.
func legalType(contentType string) string {
	if !IsFieldValue(contentType) {
		return ""
	}
	return cmp.Or(contentType, "application/octet-stream")
}

// Stream returns a body that is read while it is sent.
func Stream(contentType string, stream io.Reader) Body {
	return Body{Kind: &Kind{ContentType: legalType(contentType), stream: stream}}
}

// Handler returns a body that a handler writes.
func Handler(handler http.Handler) Body { return Body{Kind: &Kind{Handler: handler}} }

// isWhole reports whether the body is a text or bytes with a valid type.
func (b Body) isWhole() bool { return b.Kind != nil && b.Kind.isWhole }

// IsOwn reports whether user code made the body. It is false for an empty body, a default response
// and the plain 500.
func (b Body) IsOwn() bool {
	return b.Kind != nil && b.Kind.defaultFor == 0 && b.Kind != Failure.Kind
}

// Drop closes the stream of a body that is not sent, and notifies a handler of package apidoc.
func (b Body) Drop() {
	if b.Kind == nil {
		return
	}
	closeStream(b.Kind.stream)
	if h, ok := b.Kind.Handler.(interface{ DropResult() }); ok {
		h.DropResult()
	}
}

func closeStream(stream io.Reader) {
	defer func() { recover() }() // the response is over, so a panic of Close changes nothing
	if closer, ok := stream.(io.Closer); ok {
		closer.Close()
	}
}

// bufferedByServer is the largest body for which net/http computes Content-Length itself.
const bufferedByServer = 2048

// Write writes a text or bytes with a valid type. For any other body it writes nothing and reports
// false. A status of 0 means the default. A Content-Type that was set stays.
func (b Body) Write(w http.ResponseWriter, r *http.Request, header http.Header, status int) bool {
	if !b.isWhole() {
		return false
	}
	setType(header, b.Kind.ContentType)
	size := len(b.text) + len(b.Kind.bytes)
	isPlain := status == 0 && size > 0 && size <= bufferedByServer && r.Method != http.MethodHead
	if isPlain {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case !isPlain && !writeHead(w, r, header, status, size):
	case b.Kind.bytes != nil:
		w.Write(b.Kind.bytes)
	default:
		io.WriteString(w, b.text)
	}
	return true
}

// setType sets the Content-Type if it was not set, in a slice that others may change in place.
func setType(header http.Header, contentType string) {
	if header["Content-Type"] == nil {
		header["Content-Type"] = []string{contentType}
	}
}

// writeHead writes the status, 200 if it is 0: the writer may have another status, such as the 404
// of gin for handlers of NoRoute. It reports whether there is a body to write. A response to HEAD
// has the Content-Length of the GET response. As with net/http's files, a body that may be encoded
// has no Content-Length.
func writeHead(w http.ResponseWriter, r *http.Request, header http.Header, status, size int) bool {
	if !bodyAllowed(status) {
		delete(header, "Content-Type")
		delete(header, "Content-Length")
		w.WriteHeader(status)
		return false
	}
	isHead := r.Method == http.MethodHead
	if (isHead || size > bufferedByServer) && header["Content-Length"] == nil &&
		header["Content-Encoding"] == nil { // perhaps set by middleware, which makes another length
		header["Content-Length"] = []string{strconv.Itoa(size)}
	}
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	return !isHead && size > 0
}

// bodyAllowed reports whether a response with that status may have a body (RFC 9110, 6.4.1 and
// 15.3.6).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusResetContent && status != http.StatusNotModified
}
