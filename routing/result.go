package routing

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/flowercafe/routing/internal/response"
)

// Result is the body of a response and its content type: a text, bytes, JSON, a stream, or the
// output of an [http.Handler]. The zero Result has neither. A result of [Text], [HTML], [Bytes] or
// [JSON] may be reused, even concurrently; one of [Stream] is for one response.
type Result struct {
	body response.Body
}

// failure is the plain 500, a response with only the text of the status. It is sent with status 500
// even if another was set.
var failure = Result{response.Failure}

// Text returns a result of type text/plain; charset=utf-8.
func Text(text string) Result { return Result{response.Text(text)} }

// HTML returns a result of type text/html; charset=utf-8. The text is not escaped.
func HTML(text string) Result { return Result{response.HTML(text)} }

// Bytes returns a result with a content type, by default application/octet-stream. The bytes are
// not copied and must not be changed.
func Bytes(contentType string, body []byte) Result { return Result{response.Bytes(contentType, body)} }

// JSON returns v encoded with [encoding/json], of type application/json. It encodes v at once.
func JSON(v any) (Result, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return Result{}, fmt.Errorf("routing: result cannot be encoded as JSON: %w", err)
	}
	return Result{response.JSON(body)}, nil
}

// Stream returns a result that sends body, after the after filters, and flushes after each read. If
// body is an [io.Closer], it is closed at the end, even if an error replaces the returned result.
// If reading fails before anything is sent, the response is a 500; a later error aborts it.
func Stream(contentType string, body io.Reader) Result {
	if body == nil {
		panic("routing: Stream: pass a reader, not nil")
	}
	return Result{response.Stream(contentType, body)}
}
