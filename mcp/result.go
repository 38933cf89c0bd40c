package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
)

// This file collects the response to a call, and makes the result of it.

// response is the writer of a response. It keeps what is written, up to the limit.
type response struct {
	tool    *tool
	request *http.Request
	call    *sdk.CallToolRequest
	cancel  func() // ends the request

	header, sent http.Header // sent is a copy at the moment of the status
	status       int
	kind         bodyKind
	size         int64
	body         bytes.Buffer // of a stream what is no item yet
	items        []any
	problem      string // of the event that ended a stream
	timer        *time.Timer
	isOver       bool // the limit
	isBroken     bool // the handler has panicked
}

// serve lets the handler respond. A panic of it ends the call, not the process.
func (w *response) serve() {
	defer func() {
		v := recover()
		if w.isBroken = v != nil; w.isBroken && v != http.ErrAbortHandler {
			slog.ErrorContext(w.request.Context(), "mcp: panic in a call", "tool", w.tool.Name, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	w.tool.through.ServeHTTP(w, w.request)
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status, w.sent = status, w.header.Clone()
	w.kind = kindOf(w.sent.Get("Content-Type"))
	if status < 300 && ends[w.kind] != "" {
		w.timer = time.AfterFunc(w.tool.stream, w.cancel)
	}
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.size += int64(len(p))
	if w.size > w.tool.response {
		w.isOver = true
		w.cancel()
		return 0, errors.New("mcp: the response is above the limit of the tool")
	}
	part := p
	if w.timer != nil && w.kind == eventsBody {
		part = bytes.ReplaceAll(p, []byte("\r"), nil) // lines of events end in \n or \r\n
	}
	w.body.Write(part)
	for end := []byte(ends[w.kind]); w.timer != nil; {
		item, _, isWhole := bytes.Cut(w.body.Bytes(), end)
		if !isWhole {
			break
		}
		w.collect(string(item))
		w.body.Next(len(item) + len(end))
	}
	return len(p), nil
}

// Flush lets handlers stream. Nobody waits for a part of the response but w itself.
func (w *response) Flush() {}

// collect takes a line or an event, or what is none, such as a heartbeat.
func (w *response) collect(part string) {
	var item any
	if part = strings.TrimSpace(part); w.kind == linesBody {
		item = value(part)
	} else {
		event, data := make(object), []string(nil)
		for line := range strings.SplitSeq(part, "\n") {
			name, text, _ := strings.Cut(line, ":")
			switch text = strings.TrimPrefix(text, " "); name {
			case "id", "event":
				event[name] = text
			case "data":
				data = append(data, text)
			}
		}
		if part = strings.Join(data, "\n"); event["event"] == "problem" { // see apidoc.Event
			w.problem = part
			return
		}
		event["data"], item = value(part), event
	}
	if part != "" {
		w.items = append(w.items, item)
		w.tell(item)
	}
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
	if !w.isBroken {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.timer != nil:
		return w.streamed(w.timer.Stop() && !w.isOver)
	case w.isOver:
		return failure(http.StatusInternalServerError, fmt.Sprintf("The response has more than %d bytes: ask for less", w.tool.response))
	case w.isBroken:
		return failure(http.StatusInternalServerError, "")
	}
	body := w.body.Bytes()
	result := &sdk.CallToolResult{IsError: w.status >= 400, Content: []sdk.Content{w.content(body)}}
	if !result.IsError && w.kind == jsonBody && json.Valid(body) {
		result.StructuredContent = json.RawMessage(body)
		if w.tool.isWrapped || w.tool.OutputSchema == nil && body[0] != '{' {
			result.StructuredContent = object{"result": json.RawMessage(body)}
		}
	} else if w.tool.OutputSchema != nil {
		result.IsError = true // there is nothing that the schema describes
	}
	for _, name := range slices.Sorted(maps.Keys(w.tool.Responses[strconv.Itoa(w.status)].Headers)) {
		if values := w.sent.Values(name); len(values) > 0 && !strings.EqualFold(name, "Set-Cookie") {
			result.Content = append(result.Content, text(name+": "+strings.Join(values, ", ")))
		}
	}
	return result
}

// streamed makes the result of a stream. What has come is in it also if there is an error.
func (w *response) streamed(isWhole bool) *sdk.CallToolResult {
	result := &sdk.CallToolResult{IsError: w.problem != "" || w.isBroken && isWhole}
	if result.IsError && w.problem != "" {
		result.Content = []sdk.Content{text(w.problem)}
	} else if result.IsError {
		result = failure(http.StatusInternalServerError, "The response broke off")
	} else if w.kind == linesBody && isWhole {
		w.collect(w.body.String()) // the last line needs no end
	}
	structured := encode(object{"items": append([]any{}, w.items...), "complete": isWhole && !result.IsError})
	result.StructuredContent = json.RawMessage(structured)
	result.Content = append(result.Content, text(structured))
	return result
}

// content returns the body as content.
func (w *response) content(body []byte) sdk.Content {
	media, _, _ := mime.ParseMediaType(w.sent.Get("Content-Type"))
	switch {
	case len(body) == 0:
		return text(strconv.Itoa(w.status) + " " + http.StatusText(w.status))
	case w.kind != bytesBody && utf8.Valid(body):
		return text(string(body))
	case strings.HasPrefix(media, "image/"):
		return &sdk.ImageContent{Data: body, MIMEType: media}
	case strings.HasPrefix(media, "audio/"):
		return &sdk.AudioContent{Data: body, MIMEType: media}
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: w.request.RequestURI, MIMEType: media, Blob: body}}
}

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

// failure returns the result of a call that ends with a problem of this package.
func failure(status int, title string, errs ...apidoc.InputError) *sdk.CallToolResult {
	p := &apidoc.Problem{Status: status, Title: title, Errors: errs}
	if len(errs) > 0 {
		p.Code, p.Detail = "unprocessable_entity", strings.TrimSpace(fmt.Sprintf("%s %s %s", errs[0].In, errs[0].Name, errs[0].Detail))
	}
	body, _ := p.MarshalJSON() // all of it can be encoded
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{text(string(body))}}
}

// tell tells the client about an item of a stream, if it asked for that.
func (w *response) tell(item any) {
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
