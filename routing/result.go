package routing

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/flowercafe/routing/internal/response"
)

// Result is the body of a response and its content type: a text, bytes, JSON, a stream, or the
// output of an [http.Handler]. It is rendered after the after filters. The zero Result has no body.
//
// [Text] and [HTML] do not allocate. A result of [Stream] is for one response; all others may be
// reused, even concurrently.
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

// Bytes returns a result with a content type. The bytes are not copied and must not be changed. An
// empty type means application/octet-stream; an invalid one makes the response a 500.
func Bytes(contentType string, body []byte) Result { return Result{response.Bytes(contentType, body)} }

// JSON returns v encoded with [encoding/json], of type application/json. It encodes v immediately,
// so v may be changed afterwards. It returns the error of the encoding.
func JSON(v any) (Result, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return Result{}, fmt.Errorf("routing: result cannot be encoded as JSON: %w", err)
	}
	return Result{response.JSON(body)}, nil
}

// Stream returns a result that reads body while the response is rendered, and sends each chunk as
// it is read. If body is an [io.Closer], it is closed at the end, even if the result is not
// rendered. If reading fails or panics before anything is sent, the response is a plain 500. After a
// later error the connection is closed, so that a client of HTTP/1.1 or later detects the incomplete
// response. It panics if body is nil.
func Stream(contentType string, body io.Reader) Result {
	if body == nil {
		panic("routing: Stream: pass a reader, not nil")
	}
	return Result{response.Stream(contentType, body)}
}
