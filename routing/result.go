package routing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Result is what an action answers: a text, bytes with a type, a stream, what an [http.Handler] writes. It is rendered after the
// after filters, when the status and the headers are settled; nil is an answer without a body. Results are made by the functions
// of this package and by [Context.Text], [Context.HTML] and [Context.Bytes]; for anything else there is [HandlerResult].
type Result interface {
	// render writes the answer. The status is 200 to 999.
	render(out *output)
	// drop lets go of a result that is not rendered.
	drop()
}

// contentKind tells where the content type of a content comes from.
type contentKind uint8

const (
	plainText contentKind = iota
	htmlText
	typed
)

// The header values of texts. They are shared by all answers and never changed; a value of an answer's own would be an
// allocation on every request.
var (
	plainTextValue = []string{"text/plain; charset=utf-8"}
	htmlTextValue  = []string{"text/html; charset=utf-8"}
	noSniffValue   = []string{"nosniff"}
	noStoreValue   = []string{"no-store"}
)

// content is a result that is there as a whole, in text or in bytes.
type content struct {
	owner  *exchange // whose room it is; nil for a result of its own
	kind   contentKind
	header []string // the content type of a typed one
	text   string
	bytes  []byte
}

// Text returns a result of type text/plain; charset=utf-8. Text of a request that is not constant is cheaper from [Context.Text].
func Text(text string) Result { return &content{kind: plainText, text: text} }

// HTML returns a result of type text/html; charset=utf-8, sent as it is: escape what comes from elsewhere.
func HTML(text string) Result { return &content{kind: htmlText, text: text} }

// anyType is the content type of bytes of which nothing is known (RFC 9110, 8.3).
const anyType = "application/octet-stream"

// Bytes returns a result of a content type. The bytes are not copied and must not be changed. An empty content type is
// application/octet-stream; one that cannot be a header value makes the answer a 500.
func Bytes(contentType string, body []byte) Result {
	return &content{kind: typed, header: typeValue(contentType), bytes: body}
}

// typeValue returns the header value of a content type, nil for one that is not legal.
func typeValue(contentType string) []string {
	if contentType == "" {
		contentType = anyType
	}
	if !isFieldValue(contentType) {
		return nil
	}
	return []string{contentType}
}

// JSON returns v as JSON, of type application/json; charset=utf-8. It encodes v when it is called, so a value that cannot be
// encoded is an error in time for the error handler, and v may be changed afterwards.
func JSON(v any) (Result, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("routing: encode JSON: %w", err)
	}
	return Bytes("application/json; charset=utf-8", body), nil
}

// Stream returns a result that is read from body when it is rendered, and sent on as it comes. If body is an [io.Closer] it is
// closed at the end, also when it is not rendered. If reading fails before anything was sent the answer is a plain 500;
// afterwards the connection is cut, so that the client doesn't take the beginning for the whole. The Context is over by then.
func Stream(contentType string, body io.Reader) Result {
	if body == nil {
		panic("routing: Stream: pass a reader, not nil")
	}
	return &stream{contentType: contentType, body: body}
}

// HandlerResult returns a result that handler writes. A status that was set before counts if handler sets none.
func HandlerResult(handler http.Handler) Result { return &handlerResult{handler} }

// Handler returns the action that answers by handler.
func Handler(handler http.Handler) Action {
	result := HandlerResult(handler)
	return func(Context) (Result, error) { return result, nil }
}

// errIllegalType is reported without the type, whatever it holds.
var errIllegalType = errors.New("the content type of a result is not legal")

func (c *content) drop() {}

// empty makes the room fit for another request.
func (c *content) empty() {
	if c.kind == typed {
		c.kind, c.header, c.bytes = plainText, nil, nil
	} else {
		c.text = ""
	}
}

func (c *content) render(out *output) {
	if x := c.owner; x != nil {
		if x != out.x || !x.claimed {
			out.x.report(errors.New("the result was made by the Context of another request"))
			out.internalError()
			return
		}
		x.had = true
	}
	if c.kind == typed && c.header == nil {
		out.x.report(errIllegalType)
		out.internalError()
		return
	}
	header := out.w.Header()
	if len(header) == 0 || header["Content-Type"] == nil {
		switch c.kind {
		case plainText:
			header["Content-Type"] = plainTextValue
		case htmlText:
			header["Content-Type"] = htmlTextValue
		case typed:
			header["Content-Type"] = c.header
		}
	}
	size := len(c.text) + len(c.bytes)
	if (out.status != 0 || out.r.Method == http.MethodHead || size == 0 || size > bufferedByServer) && !out.head(size) {
		return
	}
	if c.bytes != nil {
		out.w.Write(c.bytes)
	} else {
		io.WriteString(out.w, c.text)
	}
}

// none is the answer without a result.
var none Result = noResult{}

type noResult struct{}

func (noResult) drop() {}

func (noResult) render(out *output) {
	header := out.w.Header()
	if _, ok := header["Content-Type"]; !ok && bodyAllowed(out.status) {
		header["Content-Type"] = htmlTextValue
	}
	if out.head(0) {
		out.w.WriteHeader(http.StatusOK)
	}
}

// stream is a result that is read when it is rendered.
type stream struct {
	contentType string
	body        io.Reader
}

func (s *stream) drop() {
	defer func() { recover() }() // nobody waits for how closing ends
	if closer, ok := s.body.(io.Closer); ok {
		closer.Close()
	}
}

const streamBuffer = 32 << 10

func (s *stream) render(out *output) {
	defer s.drop()
	values := typeValue(s.contentType)
	if values == nil {
		out.x.report(errIllegalType)
		out.internalError()
		return
	}
	header := out.w.Header()
	if _, ok := header["Content-Type"]; !ok && bodyAllowed(out.status) {
		header["Content-Type"] = values
	}
	if !bodyAllowed(out.status) {
		out.head(0)
		return
	}
	status := out.status
	if status == 0 {
		status = http.StatusOK
	}
	if out.r.Method == http.MethodHead {
		out.w.WriteHeader(status)
		return
	}
	// The first part is read before the status is sent, while a failure can still be told.
	buffer := make([]byte, streamBuffer)
	n, err := s.body.Read(buffer)
	if err != nil && err != io.EOF {
		out.x.report(fmt.Errorf("read stream: %w", err))
		out.internalError()
		return
	}
	out.w.WriteHeader(status)
	controller := http.NewResponseController(out.w)
	for {
		if n > 0 {
			if _, failed := out.w.Write(buffer[:n]); failed != nil {
				return // the client has gone
			}
			controller.Flush() // where that is not supported, the parts go out as they fill the writer's buffer
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			out.x.report(fmt.Errorf("read stream: %w", err))
			panic(http.ErrAbortHandler)
		}
		n, err = s.body.Read(buffer)
	}
}
