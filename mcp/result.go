package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/described"
)

// This file collects the response to a call, and makes the result of it.

// response is the writer of a response. It keeps the bytes written until the context of the request
// ends.
type response struct {
	tool    *tool
	request *http.Request
	call    *sdk.CallToolRequest
	cancel  context.CancelCauseFunc // ends the request
	timer   *time.Timer             // of the call; reset when a stream begins

	header, sent http.Header // sent is a copy at the moment of the status
	status       int
	kind         bodyKind
	isStream     bool
	size         int64
	body         bytes.Buffer // for a stream, the beginning of the next item
	searched     int          // no item ends in these first bytes of body
	items        []any
	problem      string // of the event that ended a stream
	panicked     bool   // the handler has panicked
	ended        error  // why the request ended before the handler returned; nil if it did not
}

// The causes with which a call ends its request.
var (
	errResponseLimit = errors.New("mcp: the response exceeds the response limit")
	errTimeLimit     = errors.New("mcp: the call has reached its time limit")
)

// serve lets the handler respond. A panic of it ends the call, not the process.
func (w *response) serve() {
	w.timer = time.AfterFunc(w.tool.callTime, func() { w.cancel(errTimeLimit) })
	defer func() {
		w.timer.Stop()
		w.ended = context.Cause(w.request.Context())
		v := recover()
		if w.panicked = v != nil; w.panicked && v != http.ErrAbortHandler {
			slog.ErrorContext(w.request.Context(), "mcp: panic in a call", "tool", w.tool.Name, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	w.tool.handler.ServeHTTP(w, w.request)
	w.WriteHeader(http.StatusOK)
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status, w.sent = status, make(http.Header)
	for name, values := range w.header { // a handler may write another letter case, as in header["ETag"]
		name = http.CanonicalHeaderKey(name)
		w.sent[name] = append(w.sent[name], values...)
	}
	w.kind = kindOf(w.sent.Get("Content-Type"))
	w.isStream = status < 300 && terminators[w.kind] != "" && w.tool.indexOf(status) >= 0
	if w.isStream && w.request.Context().Err() == nil {
		w.timer.Reset(w.tool.streamTime)
	}
}

func (w *response) Write(p []byte) (n int, err error) {
	w.WriteHeader(http.StatusOK)
	if _, ok := w.sent["Content-Type"]; !ok && len(p) > 0 { // as net/http
		w.sent.Set("Content-Type", http.DetectContentType(p))
	}
	if err := context.Cause(w.request.Context()); err != nil {
		return 0, err
	}
	n = int(min(int64(len(p)), w.tool.responseLimit-w.size))
	w.size += int64(n)
	part := p[:n]
	if w.isStream && w.kind == eventsBody {
		part = bytes.ReplaceAll(part, []byte("\r"), nil) // lines of events end in \n or \r\n
	}
	w.body.Write(part)
	for end := []byte(terminators[w.kind]); w.isStream; w.searched = 0 {
		body := w.body.Bytes()
		i := bytes.Index(body[w.searched:], end)
		if i < 0 {
			w.searched = max(0, len(body)-len(end)+1)
			break
		}
		w.collect(string(body[:w.searched+i]))
		w.body.Next(w.searched + i + len(end))
	}
	if n < len(p) {
		w.cancel(errResponseLimit)
		return n, errResponseLimit
	}
	return n, nil
}

// FlushError is for [http.ResponseController]. It sends nothing: only w reads the response.
func (w *response) FlushError() error {
	w.WriteHeader(http.StatusOK) // as net/http
	return context.Cause(w.request.Context())
}

// Flush is for handlers that require an [http.Flusher].
func (w *response) Flush() { _ = w.FlushError() }

// SetReadDeadline and SetWriteDeadline do nothing: no part is sent, so none is late.
func (w *response) SetReadDeadline(time.Time) error  { return nil }
func (w *response) SetWriteDeadline(time.Time) error { return nil }

// collect takes a line or an event. It ignores empty lines, and events without data such as
// heartbeats.
func (w *response) collect(part string) {
	var item any
	part = strings.TrimSpace(part)
	if w.kind == linesBody {
		if part == "" {
			return
		}
		item = value(part)
	} else {
		event, data := make(object), []string(nil)
		for line := range strings.SplitSeq(part, "\n") {
			name, text, _ := strings.Cut(line, ":")
			text = strings.TrimPrefix(text, " ")
			switch name {
			case "id", "event":
				event[name] = text
			case "data":
				data = append(data, text)
			}
		}
		if data == nil {
			return
		}
		part = strings.Join(data, "\n")
		if event["event"] == "problem" { // see apidoc.Event
			w.problem = part
			return
		}
		event["data"], item = value(part), event
	}
	w.items = append(w.items, item)
	w.notifyProgress(item)
}

// value returns JSON as it is, and other text as a string.
func value(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// result makes the result of the call.
func (w *response) result() *sdk.CallToolResult {
	switch {
	case w.isStream:
		return w.streamed(w.ended == nil)
	case w.ended == errResponseLimit:
		return failure(http.StatusInternalServerError, fmt.Sprintf("The response has more than %d bytes: ask for less", w.tool.responseLimit))
	case w.ended != nil:
		return failure(http.StatusGatewayTimeout, fmt.Sprintf("The call did not end within %v", w.tool.callTime))
	case w.panicked:
		return failure(http.StatusInternalServerError, "")
	}
	body := w.body.Bytes()
	result := &sdk.CallToolResult{IsError: w.status >= 400}
	hasOwn := w.tool.indexOf(w.status) >= 0 // which the schema includes
	if !result.IsError && !hasOwn && w.tool.indexOf(0) < 0 {
		return failure(http.StatusBadGateway, fmt.Sprintf("The response has the status %s, which the operation does not describe", w.statusText()))
	}
	result.Content = []sdk.Content{w.content(body)}
	if !result.IsError && hasOwn && w.kind == jsonBody && json.Valid(body) {
		result.StructuredContent = json.RawMessage(body)
		if w.tool.isWrapped || w.tool.OutputSchema == nil && bytes.TrimSpace(body)[0] != '{' {
			result.StructuredContent = object{"result": json.RawMessage(body)}
		}
	} else if w.tool.OutputSchema != nil {
		result.IsError = true // no content matches the schema
	}
	result.Content = append(result.Content, w.headers()...)
	return result
}

// indexOf returns the index of the response that is described for a status, or -1.
func (t *tool) indexOf(status int) int {
	return slices.IndexFunc(t.Responses, func(r described.Response) bool { return r.Status == status })
}

// headers returns the headers that are described for the status, or for all others.
func (w *response) headers() (all []sdk.Content) {
	i := w.tool.indexOf(w.status)
	if i < 0 {
		i = w.tool.indexOf(0)
	}
	if i < 0 {
		return nil
	}
	for _, name := range slices.Sorted(slices.Values(w.tool.Responses[i].Headers)) {
		if values := w.sent.Values(name); len(values) > 0 && !strings.EqualFold(name, "Set-Cookie") {
			all = append(all, text(name+": "+strings.Join(values, ", ")))
		}
	}
	return all
}

// streamed makes the result of a stream. Errors include the items before them.
func (w *response) streamed(isWhole bool) *sdk.CallToolResult {
	result := &sdk.CallToolResult{IsError: w.problem != "" || w.panicked && isWhole}
	if result.IsError && w.problem != "" {
		result.Content = []sdk.Content{text(w.problem)}
	} else if result.IsError {
		result = failure(http.StatusInternalServerError, "The response broke off")
	} else if w.kind == linesBody && isWhole {
		w.collect(w.body.String()) // the last line needs no end
	}
	structured := encode(object{"items": append([]any{}, w.items...), "complete": isWhole && !result.IsError})
	result.StructuredContent = json.RawMessage(structured)
	result.Content = append(append(result.Content, text(structured)), w.headers()...)
	return result
}

func (w *response) statusText() string {
	return strconv.Itoa(w.status) + " " + http.StatusText(w.status)
}

// content returns the body as content: text if it can be text.
func (w *response) content(body []byte) sdk.Content {
	media, _, _ := mime.ParseMediaType(w.sent.Get("Content-Type"))
	switch {
	case len(body) == 0 && (media == "" || w.status >= 400):
		return text(w.statusText())
	case utf8.Valid(body):
		return text(string(body))
	case strings.HasPrefix(media, "image/"):
		return &sdk.ImageContent{Data: body, MIMEType: media}
	case strings.HasPrefix(media, "audio/"):
		return &sdk.AudioContent{Data: body, MIMEType: media}
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "response:" + w.request.RequestURI, MIMEType: media, Blob: body}}
}

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

// failure returns the result of a call that ends with a problem of this package.
func failure(status int, title string, errs ...apidoc.InputError) *sdk.CallToolResult {
	p := &apidoc.Problem{Status: status, Title: title, Errors: errs}
	if len(errs) > 0 {
		p.Code, p.Detail = "unprocessable_entity", strings.TrimSpace(string(errs[0].In)+" "+errs[0].Name)+" "+errs[0].Detail
	}
	body, _ := p.MarshalJSON() // all of it can be encoded
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{text(string(body))}}
}

// notifyProgress sends an item of a stream to the client, if it requested progress.
func (w *response) notifyProgress(item any) {
	token := w.call.Params.GetProgressToken()
	if token == nil {
		return
	}
	const most = 1000
	message := encode(item)
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	_ = w.call.Session.NotifyProgress(w.request.Context(), &sdk.ProgressNotificationParams{ // its context ends if the client disconnects
		ProgressToken: token, Progress: float64(len(w.items)), Message: message,
	})
}
