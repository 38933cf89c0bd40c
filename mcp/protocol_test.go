package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests hostile clients, and clients that disconnect.

// A malformed message gets an error, and the server keeps serving.
func TestMalformedMessages(t *testing.T) {
	_, api := newAPI()
	apidoc.Post(api, "/trees/:id/days/:day", "Tell", func(_ context.Context, in everything) (string, error) { return "told", nil }, apidoc.ID("tell"))
	handler, err := mcp.New(api, mcp.WithOperations("tell"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	const refused = "HTTP 400"                          // by the SDK
	for arguments, wants := range map[string][2]string{ // by the newest revision, and by an older one
		`"text"`:                               {"must be an object", "must be an object"},
		`[1]`:                                  {"must be an object", "must be an object"},
		`1`:                                    {"must be an object", "must be an object"},
		`null`:                                 {"required", "required"},
		`{"path.id":"x","day":1,"half":1e400}`: {refused, "half"},
		`{"path.id":"\ud800","day":1,"body":{"id":"a"}}`:                                                    {"told", "told"},
		`{"path.id":"x","path.id":"y","day":1,"body":{"id":"a","id":"b"}}`:                                  {"duplicate", "duplicate"},
		`{"path.id":"x","body":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`:              {refused, refused},
		`{"path.id":"x","day":1,"body":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`:        {"must be an object", "must be an object"},
		`{"path.id":"x","day":1,"body":{"id":"a"},"query.id":"` + strings.Repeat("x", 1<<20) + `"}`:         {"told", "told"},
		`{"path.id":"x","day":1,"body":{"id":"a"},"list":` + "[" + strings.Repeat("1,", 1<<18) + "1" + `]}`: {"told", "told"},
	} {
		for i, revision := range []string{"2026-07-28", "2025-11-25"} {
			status, text := post(t.Context(), server.URL, revision, "tools/call", `"name":"tell","arguments":`+arguments, nil)
			if text = fmt.Sprintf("HTTP %d %s", status, text); !strings.Contains(text, wants[i]) {
				t.Errorf("%s %.90s: got %.900s, want %s", revision, arguments, text, wants[i])
			}
		}
	}
}

// A batch of calls in one request, which revision 2025-03-26 allows, is refused.
func TestBatch(t *testing.T) {
	_, api := newAPI()
	apidoc.Get(api, "/a", "", func(context.Context, none) (string, error) { return "a", nil }, apidoc.ID("a"))
	handler, err := mcp.New(api, mcp.WithOperations("a"))
	if err != nil {
		t.Fatal(err)
	}
	const one = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	const start = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","clientInfo":{"name":"x","version":"1"},"capabilities":{}}}`
	for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		for body, want := range map[string]int{one: 200, start: 200, "[" + one + "]": 400} {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			if revision != "" {
				r.Header.Set("Mcp-Protocol-Version", revision)
			}
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != want || want == 200 && strings.Contains(w.Body.String(), `"error"`) {
				t.Errorf("%s %s: got %d %s", revision, body, w.Code, w.Body)
			}
		}
	}
}

// The server has no methods for prompts and resources, which it does not declare.
func TestOnlyTools(t *testing.T) {
	_, api := newAPI()
	apidoc.Get(api, "/a", "", func(context.Context, none) (string, error) { return "a", nil }, apidoc.ID("a"))
	handler, err := mcp.New(api, mcp.WithOperations("a"))
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, handler)
	for method, isKnown := range map[string]bool{
		"tools/list": true, "prompts/list": false, "resources/list": false, "resources/templates/list": false, "resources/read": false, "prompts/get": false,
	} {
		for _, revision := range []string{"2026-07-28", "2025-11-25"} {
			if _, text := post(t.Context(), server, revision, method, `"name":"a:b","uri":"a:b"`, nil); strings.Contains(text, `"code":-32601`) == isKnown {
				t.Errorf("%s %s: got %s", revision, method, text)
			}
		}
	}
}

// endless adds operations that end only when their context ends, or when they can no longer write.
// The channel receives the error with which they ended.
func endless(app *routing.App, api *apidoc.API, begun, ended chan string) []string {
	ids := []string{"waits", "yields", "writes", "flushes", "half"}
	begin := func(id string) func() {
		begun <- id
		return func() { ended <- id }
	}
	apidoc.Get(api, "/waits", "", func(ctx context.Context, _ none) (string, error) {
		defer begin("waits")()
		<-ctx.Done()
		return "", ctx.Err()
	}, apidoc.ID("waits"))
	apidoc.Get(api, "/yields", "", func(context.Context, none) (iter.Seq[int], error) {
		return func(yield func(int) bool) {
			defer begin("yields")()
			for yield(7) {
				time.Sleep(10 * time.Millisecond)
			}
		}, nil
	}, apidoc.ID("yields"))
	handler := func(id string, step func(w http.ResponseWriter) error) {
		action := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer begin(id)()
			w.Header().Set("Content-Type", "text/plain")
			for step(w) == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}))
		app.Get("/"+id, action, apidoc.Describe(apidoc.NewOperation[none, string](id, "")))
	}
	handler("writes", func(w http.ResponseWriter) error { _, err := w.Write([]byte("x")); return err })
	handler("flushes", func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() })
	half := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer begin("half")()
		io.WriteString(w, "half")
		<-r.Context().Done()
	}))
	app.Get("/half", half, apidoc.Describe(apidoc.NewOperation[none, string]("half", "")))
	return ids
}

// A call ends when its client disconnects, with old and new revisions of the protocol.
func TestClientDisconnects(t *testing.T) {
	app, api := newAPI()
	begun, ended := make(chan string), make(chan string)
	ids := endless(app, api, begun, ended)
	handler, err := mcp.New(api, mcp.WithOperations(ids...))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	before := runtime.NumGoroutine()
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-03-26"} {
		for _, id := range ids {
			ctx, cancel := context.WithCancel(t.Context())
			go post(ctx, server.URL, revision, "tools/call", `"name":"`+id+`"`, nil)
			<-begun
			cancel()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Fatalf("%s %s: the call goes on", revision, id)
			}
		}
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		http.DefaultClient.CloseIdleConnections()
		if time.Now().After(deadline) { // 2 are those of the server's connections
			t.Fatalf("got %d goroutines, had %d", runtime.NumGoroutine(), before)
		}
	}
}

// A call ends after its time limit, and when the server shuts down.
func TestCallTimeout(t *testing.T) { synctest.Test(t, testTime) }

func testTime(t *testing.T) {
	app, api := newAPI()
	begun, ended := make(chan string, 1), make(chan string, 1)
	ids := endless(app, api, begun, ended)
	handler, err := mcp.New(api, mcp.WithOperations(ids...))
	if err != nil {
		t.Fatal(err)
	}
	base, shutDown := context.WithCancel(t.Context())
	session := serveTimed(t, &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return base }}, nil)
	for id, want := range map[string]time.Duration{
		"waits": mcp.DefaultCallTime, "writes": mcp.DefaultCallTime, "flushes": mcp.DefaultCallTime, "half": mcp.DefaultCallTime, "yields": mcp.DefaultStreamTime,
	} {
		begin := time.Now()
		got, result := call(t, session, id, nil)
		if took := time.Since(begin).Round(time.Second); took != want || <-begun != id || <-ended != id {
			t.Errorf("%s: it took %v, want %v", id, took, want)
		}
		text := `"title":"The call did not end within 1m0s","status":504`
		if id == "yields" {
			text = `"complete":false`
		}
		if !strings.Contains(got, text) || result.IsError != (id != "yields") {
			t.Errorf("%s: got %.300s, %t", id, got, result.IsError)
		}
	}
	for _, id := range ids {
		go session.CallTool(t.Context(), &sdk.CallToolParams{Name: id})
		<-begun
	}
	shutDown()
	for range ids {
		<-ended
	}
}

// post sends a request as a client of a revision of the protocol does.
func post(ctx context.Context, address, revision, method, params string, header http.Header) (int, string) {
	if revision >= "2026" {
		params = strings.TrimPrefix(params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`, ",")
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", revision)
	if revision >= "2026" {
		r.Header.Set("Mcp-Method", method)
		if name, ok := strings.CutPrefix(params, `"name":"`); ok {
			name, _, _ = strings.Cut(name, `"`)
			r.Header.Set("Mcp-Name", name)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, fmt.Sprint(response.Header, string(bytes.TrimSpace(text)))
}

// Requests from pages of other origins are refused, also after DNS rebinding.
func TestOrigins(t *testing.T) {
	_, api := newAPI()
	apidoc.Get(api, "/a", "", func(context.Context, none) (string, error) { return "a", nil }, apidoc.ID("a"))
	start := func(options ...mcp.Option) string {
		handler, err := mcp.New(api, append(options, mcp.WithOperations("a"))...)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.URL
	}
	closed, open := start(), start(mcp.WithAllowedOrigins("https://chat.example.com"), mcp.WithAllowedOrigins("https://app.example.com"))
	for _, test := range []struct {
		address, host, origin string
		want                  int
	}{
		{closed, "", "", 200},
		{closed, "", "https://evil.example", 403},
		{closed, "", "null", 403},
		{closed, "", closed, 403}, // a page of the server itself
		{closed, "evil.example", "http://evil.example", 403},
		{closed, "shop.example.com", "", 200}, // a proxy on the same machine
		{open, "", "https://chat.example.com", 200},
		{open, "", "https://app.example.com", 200},
		{open, "", "https://chat.example.com.evil.example", 403},
		{open, "", "http://chat.example.com", 403},
	} {
		header := make(http.Header)
		if test.origin != "" {
			header.Set("Origin", test.origin)
		}
		if test.host != "" {
			header.Set("Host", test.host)
		}
		status, text := post(t.Context(), test.address, "2026-07-28", "tools/call", `"name":"a"`, header)
		if status != test.want || status == 200 && !strings.Contains(text, `"text":"a"`) {
			t.Errorf("%+v: got %d %s", test, status, text)
		}
		if allowed := strings.Contains(text, "Access-Control-Allow-Origin"); allowed != (status == 200 && test.origin != "") {
			t.Errorf("%+v: got %s", test, text)
		}
	}
	checked := start(mcp.WithAllowedOrigins("https://chat.example.com"), mcp.WithMiddleware(auth.RequireBearerToken(
		func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
			if token != "secret" {
				return nil, auth.ErrInvalidToken
			}
			return &auth.TokenInfo{Expiration: time.Now().Add(time.Hour)}, nil
		}, &auth.RequireBearerTokenOptions{ResourceMetadataURL: "https://shop.example.com/metadata"})))
	for token, want := range map[string]int{"": 401, "wrong": 401, "secret": 200} {
		header := http.Header{"Origin": {"https://chat.example.com"}}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		status, text := post(t.Context(), checked, "2026-07-28", "tools/call", `"name":"a"`, header)
		if status != want || !strings.Contains(text, "Access-Control-Allow-Origin:[https://chat.example.com]") || !strings.Contains(text, "Access-Control-Expose-Headers:[Www-Authenticate]") {
			t.Errorf("%q: got %d %s", token, status, text)
		}
		if hasMetadata := strings.Contains(text, `Www-Authenticate:[Bearer resource_metadata="https://shop.example.com/metadata"`); hasMetadata != (want == 401) {
			t.Errorf("%q: got %s", token, text)
		}
		header.Set("Origin", "https://evil.example")
		if status, text := post(t.Context(), checked, "2026-07-28", "tools/call", `"name":"a"`, header); status != 403 {
			t.Errorf("%q: got %d %s for another origin", token, status, text)
		}
	}
	for _, address := range []string{open, checked} {
		r, _ := http.NewRequest(http.MethodOptions, address, nil)
		r.Header = http.Header{"Origin": {"https://chat.example.com"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization,content-type,mcp-method"}}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if h := response.Header; response.StatusCode != 204 || h.Get("Access-Control-Allow-Headers") != "authorization,content-type,mcp-method" {
			t.Errorf("got %d %v", response.StatusCode, h)
		}
	}
}
