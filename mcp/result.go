package mcp

import (
	"bytes"
	"context"
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

// This file collects the response of a call, and makes the result of it.

// response is the writer of a call's response. It keeps what is written, up to the limit.
type response struct {
	tool   *tool
	uri    string // of the request
	cancel func() // ends the request
	told   func(item any)
	extend func(time.Duration) // the deadline of the MCP response

	header   http.Header
	sent     http.Header // a copy at the moment of the status
	status   int
	kind     bodyKind
	size     int64
	body     bytes.Buffer // of a stream what is not an item yet
	items    []any
	timer    *time.Timer
	isOver   bool // the limit
	isBroken bool
	problem  string // the event that ended a stream
}

var errTooLarge = errors.New("mcp: the response is larger than the limit of the tool")

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status, w.sent = status, w.header.Clone()
	if w.kind = kindOf(w.sent.Get("Content-Type")); w.isStream() {
		w.timer = time.AfterFunc(w.tool.stream, w.cancel)
		w.extend(w.tool.stream + 10*time.Second)
	}
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.isOver || w.size+int64(len(p)) > w.tool.response {
		w.isOver = true
		w.cancel()
		return 0, errTooLarge
	}
	w.size += int64(len(p))
	w.body.Write(p)
	if w.isStream() {
		w.collect()
	}
	return len(p), nil
}

// Flush does nothing: nobody waits for a part but w itself.
func (w *response) Flush() {}

// SetWriteDeadline has no effect, for streams that set one for each part.
func (w *response) SetWriteDeadline(time.Time) error { return nil }

// SetReadDeadline has none either: the body is there.
func (w *response) SetReadDeadline(time.Time) error { return nil }

func (w *response) isStream() bool {
	return w.status < 300 && (w.kind == linesBody || w.kind == eventsBody)
}

// collect takes whole lines or events out of the body.
func (w *response) collect() {
	end := "\n"
	if w.kind == eventsBody {
		end = "\n\n"
	}
	for {
		part, rest, ok := bytes.Cut(w.body.Bytes(), []byte(end))
		if !ok {
			return
		}
		if item := w.item(string(part)); item != nil {
			w.items = append(w.items, item)
			w.told(item)
		}
		w.body.Next(w.body.Len() - len(rest))
	}
}

// item returns a line, or an event, or nil for what is none, such as a heartbeat.
func (w *response) item(part string) any {
	if w.kind == linesBody {
		if strings.TrimSpace(part) == "" {
			return nil
		}
		return value(part)
	}
	event := make(object)
	var data []string
	for line := range strings.SplitSeq(part, "\n") {
		name, text, _ := strings.Cut(line, ":")
		switch text = strings.TrimPrefix(text, " "); name {
		case "id", "event":
			event[name] = text
		case "data":
			data = append(data, text)
		}
	}
	if data == nil {
		return nil
	}
	text := strings.Join(data, "\n")
	if event["event"] == "problem" { // see apidoc.Event
		w.problem = text
		return nil
	}
	event["data"] = value(text)
	return event
}

// value returns JSON as it is, and other text as a string.
func value(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// serve lets the handler respond. Its panics end the call, not the process.
func (w *response) serve(handler http.Handler, r *http.Request) {
	defer func() {
		v := recover()
		if w.isBroken = v != nil; w.isBroken && v != http.ErrAbortHandler {
			slog.ErrorContext(r.Context(), "mcp: panic in a call", "tool", w.tool.Name, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	handler.ServeHTTP(w, r)
}

// result makes the result of the call.
func (w *response) result() *sdk.CallToolResult {
	inTime := w.timer == nil || w.timer.Stop()
	if w.status == 0 && !w.isBroken {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.timer != nil:
		return w.streamed(inTime)
	case w.isOver:
		return failure(&apidoc.Problem{Status: http.StatusInternalServerError, Title: "The response is too large for a tool",
			Detail: fmt.Sprintf("the limit is %d bytes: ask for less", w.tool.response)})
	case w.isBroken:
		return failure(&apidoc.Problem{Status: http.StatusInternalServerError})
	}
	result := &sdk.CallToolResult{IsError: w.status >= 400, Content: w.content()}
	if body := w.body.Bytes(); !result.IsError && w.kind == jsonBody && json.Valid(body) {
		result.StructuredContent = json.RawMessage(body)
		if w.tool.isWrapped || w.tool.OutputSchema == nil && body[0] != '{' {
			result.StructuredContent = object{"result": json.RawMessage(body)}
		}
	} else if w.tool.OutputSchema != nil {
		result.IsError = true // the result that the schema describes is missing
	}
	for _, name := range slices.Sorted(maps.Keys(w.tool.Responses[strconv.Itoa(w.status)].Headers)) {
		if values := w.sent.Values(name); len(values) > 0 && !strings.EqualFold(name, "Set-Cookie") {
			result.Content = append(result.Content, text(name+": "+strings.Join(values, ", ")))
		}
	}
	return result
}

// streamed makes the result of a stream. What has come is in it, also if there is an error.
func (w *response) streamed(inTime bool) *sdk.CallToolResult {
	if rest := strings.TrimSpace(w.body.String()); rest != "" && w.kind == linesBody && inTime && !w.isBroken && !w.isOver {
		w.items = append(w.items, value(rest)) // the last line needs no end
	}
	structured, err := json.Marshal(object{"items": append([]any{}, w.items...), "complete": inTime && !w.isOver && !w.isBroken && w.problem == ""})
	if err != nil {
		return failure(&apidoc.Problem{Status: http.StatusInternalServerError}) // no item is other than JSON
	}
	result := &sdk.CallToolResult{Content: []sdk.Content{text(string(structured))}, StructuredContent: json.RawMessage(structured)}
	switch {
	case w.problem != "":
		result.IsError, result.Content = true, append([]sdk.Content{text(w.problem)}, result.Content...)
	case w.isBroken && inTime && !w.isOver:
		result.IsError, result.Content = true, append(failure(&apidoc.Problem{Status: http.StatusInternalServerError, Title: "The response broke off"}).Content, result.Content...)
	}
	return result
}

// content returns the body as content.
func (w *response) content() []sdk.Content {
	body := w.body.Bytes()
	media, _, _ := mime.ParseMediaType(w.sent.Get("Content-Type"))
	family, _, _ := strings.Cut(media, "/")
	switch {
	case len(body) == 0:
		return []sdk.Content{text(strconv.Itoa(w.status) + " " + http.StatusText(w.status))}
	case w.kind != bytesBody && utf8.Valid(body):
		return []sdk.Content{text(string(body))}
	case family == "image":
		return []sdk.Content{&sdk.ImageContent{Data: body, MIMEType: media}}
	case family == "audio":
		return []sdk.Content{&sdk.AudioContent{Data: body, MIMEType: media}}
	}
	return []sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: w.uri, MIMEType: media, Blob: body}}}
}

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

// failure returns the result of a call that fails with a problem.
func failure(p *apidoc.Problem) *sdk.CallToolResult {
	body, err := p.MarshalJSON()
	if err != nil {
		body = []byte("{}")
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{text(string(body))}}
}

// refusal returns the problem of invalid arguments, which is that of package apidoc.
func refusal(errs []apidoc.InputError) *apidoc.Problem {
	details := make([]string, len(errs))
	for i, e := range errs {
		details[i] = strings.TrimSpace(fmt.Sprintf("%s %q %s", e.In, e.Name, e.Detail))
	}
	return &apidoc.Problem{
		Status: http.StatusUnprocessableEntity, Code: "unprocessable_entity", Title: "The request is not as described",
		Detail: strings.Join(details, "; "), Errors: errs,
	}
}

// mostTold limits the text of a progress notification, in bytes.
const mostTold = 1000

// teller returns a function that tells a client about an item of a stream, if it asked for that.
func teller(ctx context.Context, call *sdk.CallToolRequest) func(item any) {
	token := call.Params.GetProgressToken()
	if token == nil {
		return func(any) {}
	}
	progress := 0
	return func(item any) {
		progress++
		message, _ := json.Marshal(item)
		if len(message) > mostTold {
			message = []byte(strings.ToValidUTF8(string(message[:mostTold]), "") + "…")
		}
		_ = call.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // of a client that has gone the context tells
			ProgressToken: token, Progress: float64(progress), Message: string(message),
		})
	}
}
