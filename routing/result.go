package routing

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Result is the body of a response and its content type: a text, bytes, JSON, a stream, or whatever an
// [http.Handler] writes. It is rendered after the after filters, when the status and the headers are
// settled. The zero Result is a response without a body.
//
// Results are values; making one of a text allocates nothing. Only results of [Stream] are for one
// response; all others may be used again, for several requests at once.
type Result struct {
	// Three words are few enough that an action returns them, and the error, in registers.
	kind *resultKind // nil for no body
	text string
}

// resultKind tells how a result is rendered. It is a struct and no interface with a render method, since
// a call would escape to the heap through that.
type resultKind struct {
	isWhole     bool      // a text or bytes, with a legal type
	contentType [1]string // a header value; the empty text for one that is not legal
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

// HTML returns a result of type text/html; charset=utf-8. It is sent as it is: escape what comes from elsewhere.
func HTML(text string) Result { return Result{kind: htmlText, text: text} }

// Bytes returns a result of a content type. The bytes are not copied and must not be changed. An empty content type is
// application/octet-stream; one that is not a legal header value makes the response a 500.
func Bytes(contentType string, body []byte) Result {
	legal := legalType(contentType)
	return Result{kind: &resultKind{isWhole: legal[0] != "", contentType: legal, bytes: body}}
}

// legalType returns the header value of a content type. Without one it is that of bytes of which nothing
// is known (RFC 9110, 8.3).
func legalType(contentType string) [1]string {
	switch {
	case contentType == "":
		contentType = "application/octet-stream"
	case !isFieldValue(contentType):
		contentType = ""
	}
	return [1]string{contentType}
}

// JSON returns v encoded as JSON, of type application/json; charset=utf-8. It encodes v at once, so a value that cannot be encoded
// is an error in time for the error handler, and v may be changed afterwards.
func JSON(v any) (Result, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return Result{}, fmt.Errorf("routing: encode JSON: %w", err)
	}
	return Bytes("application/json; charset=utf-8", body), nil
}

// Stream returns a result that is read from body while it is rendered, and sent on as it comes. If body is an [io.Closer], it is
// closed at the end, also where the result is not rendered. If reading fails before anything was sent, the response is a plain 500;
// afterwards the connection is cut, so that the client does not take a part for the whole. A nil body panics.
func Stream(contentType string, body io.Reader) Result {
	if body == nil {
		panic("routing: Stream: pass a reader, not nil")
	}
	return Result{kind: &resultKind{contentType: legalType(contentType), stream: body}}
}

// HandlerResult returns a result that handler writes. A status that was set before counts if handler sets none. A nil handler
// panics.
func HandlerResult(handler http.Handler) Result {
	if handler == nil {
		panic("routing: HandlerResult: pass a handler, not nil")
	}
	return Result{kind: &resultKind{handler: handler}}
}

// Handler returns the action that responds by handler. The handler runs after the after filters, and reads the parameters of the
// route by [http.Request.PathValue]. A nil handler panics.
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
	defer func() { recover() }() // nobody waits for how closing ends
	if closer, ok := stream.(io.Closer); ok {
		closer.Close()
	}
}
