package routing

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Result is the body of a response and its content type: a text, bytes, JSON, a stream, or what an
// [http.Handler] writes. It is rendered after the after filters. The zero Result is a response
// without a body.
//
// A text result allocates nothing. A result of [Stream] is for one response; all others may be
// used again, also by several requests at once.
type Result struct {
	// An action returns three words and the error in registers.
	kind *resultKind // nil for no body
	text string
}

// resultKind says how a result is rendered. It is a struct, since a call would escape to the heap
// through an interface with a render method.
type resultKind struct {
	isWhole     bool      // a text or bytes, with a valid type
	contentType [1]string // a header value; empty if the type is not valid
	bytes       []byte
	stream      io.Reader
	handler     http.Handler
}

var (
	plainText = &resultKind{isWhole: true, contentType: [1]string{"text/plain; charset=utf-8"}}
	htmlText  = &resultKind{isWhole: true, contentType: [1]string{"text/html; charset=utf-8"}}
)

// failure is the plain 500, whatever status was set.
var failure = Result{kind: &resultKind{}}

// Text returns a result of type text/plain; charset=utf-8.
func Text(text string) Result { return Result{kind: plainText, text: text} }

// HTML returns a result of type text/html; charset=utf-8. The text is not escaped: escape what
// comes from elsewhere.
func HTML(text string) Result { return Result{kind: htmlText, text: text} }

// Bytes returns a result with a content type. The bytes are not copied and must not be changed. An
// empty type means application/octet-stream; an invalid one makes the response a 500.
func Bytes(contentType string, body []byte) Result {
	legal := legalType(contentType)
	return Result{kind: &resultKind{isWhole: legal[0] != "", contentType: legal, bytes: body}}
}

// legalType returns the header value of a content type. The default is the type of unknown bytes
// (RFC 9110, 8.3).
func legalType(contentType string) [1]string {
	switch {
	case contentType == "":
		contentType = "application/octet-stream"
	case !isFieldValue(contentType):
		contentType = ""
	}
	return [1]string{contentType}
}

// JSON returns v encoded as JSON, of type application/json; charset=utf-8. It encodes v
// immediately: v may be changed afterwards, and a failure goes to the error handler.
func JSON(v any) (Result, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return Result{}, fmt.Errorf("routing: result cannot be encoded as JSON: %w", err)
	}
	return Bytes("application/json; charset=utf-8", body), nil
}

// Stream returns a result that is read from body while it is rendered, and sent as it comes. If
// body is an [io.Closer], it is closed at the end, even if the result is not rendered. If reading
// fails before anything was sent, the response is a plain 500; later, the connection is closed so
// that the client does not take the part for the whole. A nil body panics.
func Stream(contentType string, body io.Reader) Result {
	if body == nil {
		panic("routing: Stream: pass a reader, not nil")
	}
	return Result{kind: &resultKind{contentType: legalType(contentType), stream: body}}
}

// HandlerResult returns a result that handler writes. If handler sets no status, the response has
// the one that was set before. A nil handler panics.
func HandlerResult(handler http.Handler) Result {
	if handler == nil {
		panic("routing: HandlerResult: pass a handler, not nil")
	}
	return Result{kind: &resultKind{handler: handler}}
}

// Handler returns an action whose response handler writes. The handler runs after the after
// filters, and reads parameters with [http.Request.PathValue]. A nil handler panics.
func Handler(handler http.Handler) Action {
	if handler == nil {
		panic("routing: Handler: pass a handler, not nil")
	}
	result := HandlerResult(handler)
	return func(Context) (Result, error) { return result, nil }
}

// drop closes the stream of a result that is not rendered.
func (r Result) drop() {
	if r.kind != nil && r.kind.stream != nil {
		closeStream(r.kind.stream)
	}
}

func closeStream(stream io.Reader) {
	defer func() { recover() }() // the response is over, so a panic of Close changes nothing
	if closer, ok := stream.(io.Closer); ok {
		closer.Close()
	}
}
