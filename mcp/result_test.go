package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests results, and streams up to each limit.

// A result never has a cookie of the response, in any letter case of Set-Cookie.
func TestCookies(t *testing.T) {
	_, api := newAPI()
	type entered struct {
		Session http.Cookie `header:"set-cookie"`
		Tag     string      `header:"etag"`
		Text    string      `body:"text/plain"`
	}
	apidoc.Post(api, "/login", "", func(context.Context, none) (entered, error) {
		return entered{http.Cookie{Name: "session", Value: "secret"}, `"7"`, "entered"}, nil
	}, apidoc.ID("login"))
	if got, _ := call(t, serve(t, api, mcp.WithOperations("login")), "login", nil); got != "entered\netag: \"7\"" {
		t.Errorf("got %s", got)
	}
}

// Described headers follow the items of a stream, and errors that are described without a status,
// however the handler writes their names.
func TestHeadersOfStreamsAndErrors(t *testing.T) {
	app, api := newAPI()
	type counted struct {
		Count int                   `header:"X-Count"`
		Lines iter.Seq2[int, error] `body:"application/jsonl"`
	}
	type refused struct {
		Hint string `header:"X-Hint"`
		Text string `body:"text/plain"`
	}
	apidoc.Get(api, "/lines", "", func(context.Context, none) (counted, error) {
		return counted{1, func(yield func(int, error) bool) { yield(7, nil) }}, nil
	}, apidoc.ID("lines"))
	apidoc.Get(api, "/refused", "", func(context.Context, none) (string, error) {
		return "", &routing.HaltError{Status: 409, Header: http.Header{"X-Hint": {"later"}}, Body: routing.Text("no")}
	}, apidoc.ID("refused"), apidoc.Response[refused](0, "Refused"))
	app.Get("/own", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-HINT"] = []string{"now"}
		io.WriteString(w, "yes")
	})), apidoc.Describe(apidoc.NewOperation[none, refused]("own", "")))
	session := serve(t, api, mcp.WithOperations("lines", "refused", "own"))
	for name, want := range map[string]string{
		"lines": `{"complete":true,"items":[7]}` + "\nX-Count: 1", "refused": "no\nX-Hint: later", "own": "yes\nX-Hint: now",
	} {
		if got, _ := call(t, session, name, nil); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// A call with an error has the response's body as content, whatever it is, or else its status.
func TestBodiesOfErrors(t *testing.T) {
	app, api := newAPI()
	bodies := map[string]routing.Result{
		"text": routing.Text("no"), "page": routing.HTML("<p>no"), "object": routing.Bytes("application/json", []byte(`{"message":"no"}`)), "nothing": {},
	}
	for id, body := range bodies {
		app.Get("/"+id, func(c routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: http.StatusGone, Body: body}
		}, apidoc.Describe(apidoc.NewOperation[none, string](id, "")))
	}
	session := serve(t, api, mcp.WithOperations("text", "page", "object", "nothing"))
	for id, want := range map[string]string{"text": "no", "page": "<p>no", "object": `{"message":"no"}`, "nothing": "410 Gone"} {
		if got, result := call(t, session, id, nil); got != want || !result.IsError {
			t.Errorf("%s: got %q, %t, want the error %q", id, got, result.IsError, want)
		}
	}
}

// TestFailingOperations calls operations that panic or abort their response.
func TestFailingOperations(t *testing.T) {
	app, api := newAPI(routing.WithLogger(slog.New(slog.DiscardHandler)))
	say := func(f func() error) func(context.Context, none) (string, error) {
		return func(context.Context, none) (string, error) { return "said", f() }
	}
	tag := api.Tag("Failing", "")
	apidoc.Get(api, "/panic", "", say(func() error { panic("secret cause") }), apidoc.ID("panics"), tag)
	apidoc.Get(api, "/abort", "", say(func() error { panic(http.ErrAbortHandler) }), apidoc.ID("aborts"), tag)
	apidoc.Get(api, "/error", "", say(func() error { return errors.New("secret cause") }), apidoc.ID("fails"), tag)
	apidoc.Get(api, "/lines", "", func(context.Context, none) (lines, error) {
		return lines{func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, errors.New("secret cause")) }}, nil
	}, apidoc.ID("lines"), tag)
	apidoc.Get(api, "/events", "", func(context.Context, none) (iter.Seq2[int, error], error) {
		return func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, apidoc.NewProblem(409, "Enough")) }, nil
	}, apidoc.ID("events"), tag)
	apidoc.Get(api, "/outside", "", say(func() error { return nil }), apidoc.ID("outside"), tag)
	through := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/outside" {
			panic("secret cause of the middleware")
		}
		app.ServeHTTP(w, r)
	})
	session := serve(t, api, mcp.WithTags("Failing"), mcp.WithHandler(through, ""))
	for tool, want := range map[string]string{
		"panics": `"status":500`, "aborts": `"status":500`, "fails": `"status":500`, "outside": `"status":500`,
		"lines": `{"complete":false,"items":[1]}`, "events": `"title":"Enough"`,
	} {
		got, result := call(t, session, tool, nil)
		if !strings.Contains(got, want) || !result.IsError || strings.Contains(got, "secret") || strings.Contains(got, ".go") {
			t.Errorf("%s: got %s, %t; want %s", tool, got, result.IsError, want)
		}
	}
}

type lines struct {
	Lines iter.Seq2[int, error] `body:"application/jsonl"`
}

// Streams are collected up to each limit, with progress notifications.
func TestStreams(t *testing.T) { synctest.Test(t, testStreams) }

func testStreams(t *testing.T) {
	var logged strings.Builder
	_, api := newAPI(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	ended := make(chan struct{}, 10)
	forever := func(ctx context.Context, _ none) (iter.Seq[int], error) {
		return func(yield func(int) bool) {
			defer func() { ended <- struct{}{} }()
			for i := range 3 {
				if !yield(i) {
					return
				}
			}
			<-ctx.Done()
		}, nil
	}
	large := func(context.Context, none) (lines, error) {
		return lines{func(yield func(int, error) bool) {
			for i := 0; yield(i, nil); i++ {
			}
		}}, nil
	}
	apidoc.Get(api, "/forever", "", forever, apidoc.ID("forever"))
	apidoc.Get(api, "/large", "", large, apidoc.ID("large"))
	handler, err := mcp.New(api, mcp.WithOperations("forever", "large"), mcp.WithStreamTime(300*time.Millisecond), mcp.WithResponseLimit(30))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	session := serveTimed(t, &http.Server{Handler: handler}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			told = append(told, fmt.Sprint(r.Params.Progress, " ", r.Params.Message))
		},
	})
	if got, result := call(t, session, "large", nil); got != `{"complete":false,"items":[0,1,2,3,4,5,6,7,8,9,10,11]}` && !strings.HasPrefix(got, `{"complete":false,"items":[0,1,2,3,`) || result.IsError {
		t.Errorf("got %s, %t", got, result.IsError)
	}
	params := &sdk.CallToolParams{Name: "forever"}
	params.SetProgressToken("p")
	begin := time.Now()
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	if took := time.Since(begin); took != 300*time.Millisecond {
		t.Errorf("the stream ended after %v, want the time of WithStreamTime", took)
	}
	structured, _ := json.Marshal(result.StructuredContent)
	if want := `{"complete":false,"items":[{"data":0},{"data":1},{"data":2}]}`; string(structured) != want || result.IsError {
		t.Errorf("got %s, %t; want %s", structured, result.IsError, want)
	}
	if want := `[1 {"data":0} 2 {"data":1} 3 {"data":2}]`; fmt.Sprint(told) != want {
		t.Errorf("got %v, want %s", told, want)
	}
	if logged.Len() > 0 {
		t.Errorf("logged %s", logged.String())
	}
}

// Calls may last longer than the server's WriteTimeout, which resets the streams of HTTP/2.
func TestWriteTimeout(t *testing.T) {
	const limit = 200 * time.Millisecond
	_, api := newAPI()
	apidoc.Get(api, "/slow", "", func(context.Context, none) (int, error) { time.Sleep(2 * limit); return 7, nil }, apidoc.ID("slow"))
	apidoc.Get(api, "/stream", "", func(context.Context, none) (iter.Seq[int], error) {
		return func(yield func(int) bool) { time.Sleep(2 * limit); yield(7) }, nil
	}, apidoc.ID("stream"))
	handler, err := mcp.New(api, mcp.WithOperations("slow", "stream"))
	if err != nil {
		t.Fatal(err)
	}
	for _, isHTTP2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := &http.Server{Handler: handler, WriteTimeout: limit, Protocols: new(http.Protocols)}
			server.Protocols.SetHTTP1(!isHTTP2)
			server.Protocols.SetUnencryptedHTTP2(isHTTP2)
			session := serveTimed(t, server, nil)
			for tool, want := range map[string]string{"slow": "7", "stream": `{"complete":true,"items":[{"data":7}]}`} {
				result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool})
				if err != nil {
					t.Errorf("HTTP/2 %t, %s: %v", isHTTP2, tool, err)
				} else if got := result.Content[0].(*sdk.TextContent).Text; got != want {
					t.Errorf("HTTP/2 %t, %s: got %s, want %s", isHTTP2, tool, got, want)
				}
			}
		})
	}
}

// TestHandWritten collects the events of a handler that ends lines with \r\n, sends an event whose
// data is empty, and aborts in the last event, of one that only flushes, and of one that exceeds
// the limit with its only write.
func TestHandWritten(t *testing.T) { synctest.Test(t, testHandWritten) }

func testHandWritten(t *testing.T) {
	app, api := newAPI()
	stream := func(path, text string) {
		action := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			http.NewResponseController(w).Flush()
			if text == "" {
				<-r.Context().Done()
				return
			}
			io.WriteString(w, text)
		}))
		app.Get(path, action, apidoc.Describe(apidoc.NewOperation[none, iter.Seq[int]](path[1:], "")))
	}
	stream("/lines", "id: 1\r\ndata: 7\r\n\r\ndata: 8\r\n\r\n: beat\r\n\r\nevent: end\r\ndata:\r\n\r\ndata: cut")
	stream("/silent", "")
	stream("/large", "data: 7\n\ndata: 8\n\ndata: "+strings.Repeat("9", 100)+"\n\n")
	handler, err := mcp.New(api, mcp.WithOperations("lines", "silent", "large"), mcp.WithStreamTime(100*time.Millisecond), mcp.WithResponseLimit(100))
	if err != nil {
		t.Fatal(err)
	}
	session := serveTimed(t, &http.Server{Handler: handler}, nil)
	for tool, want := range map[string]string{
		"lines": `{"complete":true,"items":[{"data":7,"id":"1"},{"data":8},{"data":"","event":"end"}]}`, "silent": `{"complete":false,"items":[]}`,
		"large": `{"complete":false,"items":[{"data":7},{"data":8}]}`,
	} {
		begin := time.Now()
		if got, result := call(t, session, tool, nil); got != want || result.IsError {
			t.Errorf("%s: got %s, %t, want %s", tool, got, result.IsError, want)
		}
		if took := time.Since(begin); took > 100*time.Millisecond {
			t.Errorf("%s: it took %v, want the time of WithStreamTime at most", tool, took)
		}
	}
}

// A filter's response with a status that the operation does not describe is an error.
func TestUndescribed(t *testing.T) {
	app, api := newAPI()
	cut := func(context.Context, none) (struct{}, error) { return struct{}{}, nil }
	tag := api.Tag("All", "")
	apidoc.Delete(api, "/login", "", cut, apidoc.ID("login"), tag)
	apidoc.Delete(api, "/described", "", cut, apidoc.ID("described"), tag, apidoc.Status(303))
	apidoc.Delete(api, "/cut", "", cut, apidoc.ID("cut"), tag)
	app.Before(func(routing.Context) error { return routing.Redirect("/enter?token=secret") }, routing.On("/login"))
	app.Get("/stream", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/jsonl")
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "7\n")
	})), apidoc.Describe(apidoc.NewOperation[none, lines]("stream", "")))
	session := serve(t, api, mcp.WithTags("All"), mcp.WithOperations("stream"))
	if got, result := call(t, session, "stream", nil); !result.IsError || !strings.Contains(got, "202 Accepted, which the operation does not describe") {
		t.Errorf("a stream: got %s, %t", got, result.IsError)
	}
	const want = `"title":"The response has the status 302 Found, which the operation does not describe"`
	if got, result := call(t, session, "login", nil); !result.IsError || !strings.Contains(got, want) || strings.Contains(got, "secret") {
		t.Errorf("got %s, %t", got, result.IsError)
	}
	for tool, want := range map[string]string{"described": "303 See Other", "cut": "204 No Content"} {
		if got, result := call(t, session, tool, nil); result.IsError || got != want {
			t.Errorf("%s: got %s, %t", tool, got, result.IsError)
		}
	}
}

// A redirect, or another success, is described by the response for all other statuses too. It is an
// error of a tool with a schema, which it does not match.
func TestSuccessesDescribedAsOthers(t *testing.T) {
	_, api := newAPI()
	type seen struct {
		Location string `header:"Location"`
	}
	others := apidoc.Response[seen](0, "Elsewhere")
	see := func(context.Context, none) (string, error) { return "", routing.SeeOther("/trees/7") }
	apidoc.Post(api, "/trees", "", see, apidoc.ID("plant"), others)
	apidoc.Post(api, "/pears", "", func(context.Context, none) (none, error) { return none{}, routing.SeeOther("/pears/7") }, apidoc.ID("pick"), others)
	apidoc.Post(api, "/json", "", func(context.Context, none) ([]int, error) { return nil, routing.SeeOther("/json/7") }, apidoc.ID("json"), others)
	apidoc.Post(api, "/set", "", func(_ context.Context, in struct{ C routing.Context }) ([]int, error) {
		in.C.SetStatus(202)
		return []int{7}, nil
	}, apidoc.ID("set"), others)
	session := serve(t, api, mcp.WithOperations("plant", "pick", "json", "set"))
	for _, c := range []struct {
		tool, want string
		isError    bool
	}{
		{"plant", "303 See Other\nLocation: /trees/7", false},
		{"pick", "303 See Other\nLocation: /pears/7", false},
		{"json", "303 See Other\nLocation: /json/7", true},
		{"set", "[7]", true},
	} {
		if got, result := call(t, session, c.tool, nil); got != c.want || result.IsError != c.isError {
			t.Errorf("%s: got %q, %t", c.tool, got, result.IsError)
		}
	}
}

// TestContentKinds tests the kind of content for each media type.
func TestContentKinds(t *testing.T) {
	app, api := newAPI()
	const png, other = "\x89PNG\r\n\x1a\n", "\xff\x00"
	tests := []struct{ media, body, want string }{
		{"", "<html>", "text <html>"}, {"", png, "image image/png"}, {"", other, "resource application/octet-stream"}, {"", "", "text 200 OK"},
		{"application/xml", "<a/>", "text <a/>"}, {"application/xml", other, "resource application/xml"},
		{"application/yaml", "a: b", "text a: b"}, {"application/javascript", "a()", "text a()"}, {"image/svg+xml", "<svg/>", "text <svg/>"},
		{"application/octet-stream", "oak", "text oak"}, {"application/octet-stream", other, "resource application/octet-stream"},
		{"image/png", png, "image image/png"}, {"audio/wav", other, "audio audio/wav"}, {"text/plain; charset=utf-8", other, "resource text/plain"},
		{"text/plain; charset=utf-8", "", "text "}, {"image/png", "", "text "},
	}
	var ids []string
	for i, test := range tests {
		ids = append(ids, fmt.Sprint("get", i))
		action := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if test.media != "" {
				w.Header().Set("Content-Type", test.media)
			}
			w.WriteHeader(200)
			io.WriteString(w, test.body)
		}))
		app.Get("/"+ids[i], action, apidoc.Describe(apidoc.NewOperation[none, []byte](ids[i], "")))
	}
	session := serve(t, api, mcp.WithOperations(ids...))
	for i, test := range tests {
		_, result := call(t, session, ids[i], nil)
		var got string
		switch c := result.Content[0].(type) {
		case *sdk.TextContent:
			got = "text " + c.Text
		case *sdk.ImageContent:
			got = "image " + c.MIMEType
		case *sdk.AudioContent:
			got = "audio " + c.MIMEType
		case *sdk.EmbeddedResource:
			got = "resource " + c.Resource.MIMEType
			if want := "response:/" + ids[i]; c.Resource.URI != want { // a URI has a scheme
				t.Errorf("got the URI %s, want %s", c.Resource.URI, want)
			}
		}
		if got != test.want || result.IsError {
			t.Errorf("%q %q: got %s, %t; want %s", test.media, test.body, got, result.IsError, test.want)
		}
	}
}

// JSON up to the default limit is in an event of less than 1 MiB, which all clients accept, though
// it is in the event twice and its quotes are escaped.
func TestDefaultResponseLimit(t *testing.T) {
	_, api := newAPI()
	type size struct {
		Length int `query:"length"`
	}
	apidoc.Get(api, "/quotes", "", func(_ context.Context, in size) (json.RawMessage, error) {
		return json.Marshal(strings.Repeat("\"", in.Length/2-1))
	}, apidoc.ID("quotes"))
	handler, err := mcp.New(api, mcp.WithOperations("quotes"))
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, handler)
	for length, want := range map[int]string{mcp.DefaultResponseLimit: `"structuredContent":{"result":"\"\"`, mcp.DefaultResponseLimit + 2: "The response has more than 262144 bytes: ask for less"} {
		status, text := post(t.Context(), server, "2026-07-28", "tools/call", fmt.Sprintf(`"name":"quotes","arguments":{"length":%d}`, length), nil)
		if status != 200 || !strings.Contains(text, want) || len(text) >= 1<<20 {
			t.Errorf("%d bytes: got %d and %d bytes: %.300s", length, status, len(text), text)
		}
	}
}

// Collecting an event that is written in single bytes takes linear time.
func TestSingleBytes(t *testing.T) {
	app, api := newAPI()
	const length = 4_000_000
	action := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, b := range []byte(": " + strings.Repeat("x", length) + "\n\ndata: 7\n\n") {
			if _, err := w.Write([]byte{b}); err != nil {
				return
			}
		}
	}))
	app.Get("/events", action, apidoc.Describe(apidoc.NewOperation[none, iter.Seq[int]]("events", "")))
	session := serve(t, api, mcp.WithOperations("events"), mcp.WithResponseLimit(2*length), mcp.WithStreamTime(time.Minute))
	if got, _ := call(t, session, "events", nil); got != `{"complete":true,"items":[{"data":7}]}` {
		t.Errorf("got %.90s", got)
	}
}

// An operation with a successful response that is not JSON has no output schema.
func TestOutputSchemaOfMixedResponses(t *testing.T) {
	_, api := newAPI()
	type either struct {
		Body []byte `body:"application/json,image/png"`
	}
	type same struct {
		Body json.RawMessage `body:"application/json,application/hal+json"`
	}
	apidoc.Get(api, "/either", "", func(context.Context, none) (either, error) { return either{[]byte("7")}, nil }, apidoc.ID("either"))
	apidoc.Get(api, "/same", "", func(context.Context, none) (same, error) { return same{json.RawMessage("7")}, nil }, apidoc.ID("same"))
	apidoc.Get(api, "/json", "", func(context.Context, none) (int, error) { return 7, nil }, apidoc.ID("json"))
	apidoc.Get(api, "/events", "", func(context.Context, none) (iter.Seq[int], error) {
		return func(yield func(int) bool) { yield(7) }, nil
	}, apidoc.ID("events"))
	session := serve(t, api, mcp.WithOperations("either", "same", "json", "events"))
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got := tool.OutputSchema != nil; got != (tool.Name != "either") {
			t.Errorf("%s: got an output schema: %t", tool.Name, got)
		}
	}
	if got, result := call(t, session, "either", nil); got != "7" || result.IsError {
		t.Errorf("got %s, %t", got, result.IsError)
	}
}
