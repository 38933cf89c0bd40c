package routing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
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

// send renders the answer. A panic of it cuts the connection.
func (x *exchange) send() {
	x.step = rendering
	x.render()
	x.step = answering
}

// render seals the exchange and renders the answer.
func (x *exchange) render() {
	x.seal()
	if x.touched {
		x.check()
	}
	switch {
	case x.failed:
		x.drop(x.result)
		x.internalError()
	case x.result == nil:
		none.render(&x.output)
	default:
		x.result.render(&x.output)
	}
}

// check makes the answer the plain 500 if its status or a header is not legal, and sends the reason.
func (x *exchange) check() {
	if name, illegal := illegalHeader(x.w.Header()); illegal {
		x.report(fmt.Errorf("header %q is not legal", name))
		x.failed = true
	}
	if x.status != 0 && (x.status < 200 || x.status > 999) {
		x.report(fmt.Errorf("status %d is not one of 200 to 999", x.status))
		x.failed = true
	}
	if x.reason != "" {
		x.sendReason()
	}
}

// output is where a result is rendered to.
type output struct {
	w      http.ResponseWriter
	r      *http.Request
	status int       // 0 if none was set
	x      *exchange // nil outside of an app
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

// bodyAllowed reports whether an answer with that status has a body (RFC 9110, 6.4.1).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// The size from which on net/http no longer computes Content-Length by itself.
const bufferedByServer = 2048

// head writes the status, unless it is the 200 that writing the body implies, and reports whether there is a body to write. A
// HEAD request is told the length that the body of a GET has.
func (out *output) head(size int) bool {
	if !bodyAllowed(out.status) {
		header := out.w.Header()
		delete(header, "Content-Type")
		delete(header, "Content-Length")
		out.w.WriteHeader(out.status)
		return false
	}
	isHead := out.r.Method == http.MethodHead
	if isHead || size > bufferedByServer {
		if header := out.w.Header(); header["Content-Length"] == nil {
			header["Content-Length"] = []string{strconv.Itoa(size)}
		}
	}
	status := out.status
	if isHead && status == 0 {
		status = http.StatusOK
	}
	if status != 0 {
		out.w.WriteHeader(status)
	}
	return !isHead && (size > 0 || status == 0)
}

// stream is a result that is read when it is rendered.
type stream struct {
	contentType string
	body        io.Reader
}

func (s *stream) drop() {
	if closer, ok := s.body.(io.Closer); ok {
		closer.Close()
	}
}

const streamBuffer = 32 << 10

func (s *stream) render(out *output) {
	defer s.drop()
	if !isFieldValue(s.contentType) {
		out.x.report(errIllegalType)
		out.internalError()
		return
	}
	header := out.w.Header()
	if _, ok := header["Content-Type"]; !ok && bodyAllowed(out.status) {
		header.Set("Content-Type", s.contentType)
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
	if err != nil && err != io.EOF && n == 0 {
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

// internalError answers the plain 500, as long as nothing was sent. What described the answer that failed goes.
func (out *output) internalError() {
	header := out.w.Header()
	for _, name := range [...]string{"Content-Length", "Content-Encoding", "Etag", "Last-Modified", "Location"} {
		delete(header, name)
	}
	for name, values := range header {
		if _, illegal := illegalHeader(http.Header{name: values}); illegal {
			delete(header, name)
		}
	}
	header["Content-Type"] = plainTextValue
	header["X-Content-Type-Options"] = noSniffValue
	internalErrorText.render(&output{w: out.w, r: out.r, status: http.StatusInternalServerError, x: out.x})
}

var internalErrorText = &content{kind: plainText, text: "Internal Server Error"}
