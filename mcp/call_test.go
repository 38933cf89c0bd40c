package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests the requests that an app gets from calls.

// A call cannot override its method, neither with the field of a form nor with a header that the
// client's proxy sets.
func TestOverride(t *testing.T) {
	_, api := newAPI(routing.WithMethodOverride())
	apidoc.Post(api, "/trees", "Plant", func(_ context.Context, in struct {
		Name   string `form:"name"`
		User   string `header:"X-User"`
		Method string `header:"X-HTTP-Method-Override"`
	}) (string, error) {
		return in.User, nil
	}, apidoc.ID("plant"))
	apidoc.Delete(api, "/trees", "Cut all", func(context.Context, none) (string, error) { return "all cut", nil }, apidoc.ID("cutAll"))
	session := serve(t, api, mcp.WithOperations("plant"), mcp.WithHeaders("X-User"))
	for arguments, want := range map[string]string{
		`{"body":{"name":"oak","_method":"DELETE"}}`:                `has no member \"_method\"`,
		`{"X-HTTP-Method-Override":"DELETE","body":{"name":"oak"}}`: `is no argument of the tool"`,
		`{"X-User":"root","body":{"name":"oak"}}`:                   `"name":"X-User","detail":"is no argument of the tool"`,
	} {
		if got, result := call(t, session, "plant", json.RawMessage(arguments)); !strings.Contains(got, want) || !result.IsError {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}

// A tool refuses tokens without its operation's scopes.
func TestScopes(t *testing.T) {
	_, api := newAPI()
	token := apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		switch {
		case c.Token == "":
			return nil, apidoc.ErrUnauthorized
		case len(c.Scopes) > 0 && c.Token != "gardener":
			return nil, apidoc.ErrForbidden
		}
		return ctx, nil
	})
	cut := func(context.Context, none) (string, error) { return "cut", nil }
	apidoc.Delete(api, "/trees", "Cut", cut, apidoc.ID("cut"), token.Scopes("trees:cut"))
	handler, err := mcp.New(api, mcp.WithOperations("cut"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for token, want := range map[string]string{"": `"status":401`, "visitor": `"status":403`, "gardener": "cut"} {
		if got, result := call(t, connect(t, server.URL, token), "cut", nil); !strings.Contains(got, want) || result.IsError == (token == "gardener") {
			t.Errorf("%q: got %s, %t", token, got, result.IsError)
		}
	}
}

// TestRequest compares the request of a call with the MCP request.
func TestRequest(t *testing.T) {
	app, api := newAPI()
	app.Get("/seen", func(c routing.Context) (routing.Result, error) {
		r := c.Request()
		return routing.Text(fmt.Sprint(r.Method, r.Host, r.RequestURI, r.RemoteAddr != "", r.Header)), nil
	}, apidoc.Describe(apidoc.NewOperation[none, string]("seen", "")))
	handler, err := mcp.New(api, mcp.WithOperations("seen"), mcp.WithHeaders("x-key"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	transport := &sdk.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true, HTTPClient: &http.Client{
		Transport: header{"X-Forwarded-For": "192.0.2.7", "Cookie": "session=1", "X-Other": "1", "X-Key": "k", "Authorization": "Basic eDp5", "X-Forwarded-Proto": "https"},
	}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	want := "GET" + host + "/seen true map[Accept:[application/json, */*;q=0.5] Authorization:[Basic eDp5] X-Forwarded-For:[192.0.2.7] X-Forwarded-Proto:[https] X-Key:[k]]"
	if got, _ := call(t, session, "seen", nil); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A call has the address and the TLS of the connection of the MCP request.
func TestConnection(t *testing.T) {
	app, api := newAPI()
	var seen *http.Request
	app.Before(func(c routing.Context) error { seen = c.Request(); return nil })
	apidoc.Get(api, "/a", "", func(context.Context, none) (string, error) { return "a", nil }, apidoc.ID("a"))
	handler, err := mcp.New(api, mcp.WithOperations("a"))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "https://shop.example/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	handler.ServeHTTP(httptest.NewRecorder(), r)
	if seen == nil || seen.Host != "shop.example" || seen.RemoteAddr != r.RemoteAddr || seen.TLS != r.TLS || seen.TLS == nil {
		t.Errorf("got %+v, want the connection of %+v", seen, r)
	}
}

type header map[string]string

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestLimits sends arguments and responses at and above the limits.
func TestLimits(t *testing.T) {
	_, api := newAPI()
	type sized struct {
		Text string `json:"text"`
	}
	echo := func(_ context.Context, in sized) (sized, error) { return in, nil }
	many := func(_ context.Context, in struct {
		N int `query:"n"`
	}) (string, error) {
		return strings.Repeat("x", in.N), nil
	}
	apidoc.Post(api, "/echo", "Echo", echo, apidoc.ID("echo"), apidoc.BodyLimit(1000))
	apidoc.Get(api, "/many", "Many", many, apidoc.ID("many"))
	session := serve(t, api, mcp.WithOperations("echo", "many"), mcp.WithResponseLimit(2000))
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
		isError   bool
	}{
		{"echo", map[string]any{"body": sized{strings.Repeat("x", 1000-11)}}, `"text":"xxx`, false},
		{"echo", map[string]any{"body": sized{strings.Repeat("x", 1001-11)}}, `"status":413`, true},
		{"many", map[string]any{"n": 2000}, "xxx", false},
		{"many", map[string]any{"n": 2001}, "more than 2000 bytes: ask for less", true},
	} {
		if got, result := call(t, session, test.tool, test.arguments); !strings.Contains(got, test.want) || result.IsError != test.isError {
			t.Errorf("%s: got %.90s, %t; want %s", test.tool, got, result.IsError, test.want)
		}
	}
	large := map[string]any{"body": sized{strings.Repeat("x", 6<<20)}}
	if got, result := call(t, session, "echo", large); got != `{"type":"about:blank","title":"The arguments have more than 4194304 bytes","status":413}` || !result.IsError {
		t.Errorf("got %.90s, %t", got, result.IsError)
	}
	session = serve(t, api, mcp.WithOperations("echo"), mcp.WithRequestLimit(8<<20))
	if got, result := call(t, session, "echo", large); !strings.Contains(got, `"status":413`) || strings.Contains(got, "arguments") || !result.IsError { // by the operation
		t.Errorf("got %.90s, %t", got, result.IsError)
	}
}

// TestRequestLimit sends arguments above the limit, and a request of more than twice the limit.
func TestRequestLimit(t *testing.T) {
	_, api := newAPI()
	apidoc.Post(api, "/text", "", func(_ context.Context, in struct {
		Text string `body:"text/plain"`
	}) (string, error) {
		return "read", nil
	}, apidoc.ID("read"))
	handler, err := mcp.New(api, mcp.WithOperations("read"), mcp.WithRequestLimit(1), mcp.WithRequestLimit(1000)) // the last one counts
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, handler)
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		for length, want := range map[int]string{900: `200 "text":"read"`, 1100: "200 The arguments have more than 1000 bytes", 2000: "413 "} {
			status, text := post(t.Context(), server, revision, "tools/call", `"name":"read","arguments":{"body":"`+strings.Repeat("x", length)+`"}`, nil)
			if code, part, _ := strings.Cut(want, " "); fmt.Sprint(status) != code || !strings.Contains(text, part) {
				t.Errorf("%s, %d bytes: got %d %s, want %s", revision, length, status, text, want)
			}
		}
	}
}

// TestManyTools lists and calls 1,000 tools.
func TestManyTools(t *testing.T) {
	_, api := newAPI()
	names := api.Tag("Names", "")
	for i := range 1000 {
		apidoc.Get(api, fmt.Sprintf("/n/%d", i), "Say", func(context.Context, none) (int, error) { return i, nil }, apidoc.ID(fmt.Sprintf("say%d", i)), names)
	}
	session := serve(t, api, mcp.WithTags("Names"))
	listed := 0
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if listed++; listed%250 == 0 {
			if got, _ := call(t, session, tool.Name, nil); got != strings.TrimPrefix(tool.Name, "say") {
				t.Errorf("%s: got %s", tool.Name, got)
			}
		}
	}
	if listed != 1000 {
		t.Errorf("got %d tools, want 1000", listed)
	}
}

// A record of routes outside of the tools has the route of the MCP request, not that of the
// operation.
func TestRecordedRoutes(t *testing.T) {
	_, api := newAPI()
	apidoc.Get(api, "/trees", "", func(ctx context.Context, _ none) (string, error) {
		_, name := routing.RouteFromContext(ctx)
		return "inside it is " + name, nil
	}, apidoc.ID("list"))
	tools, err := mcp.New(api, mcp.WithOperations("list"))
	if err != nil {
		t.Fatal(err)
	}
	mux, outer := http.NewServeMux(), routing.New()
	mux.Handle("/mcp", tools)
	outer.Post("/mcp", routing.Handler(tools))
	for want, handler := range map[string]http.Handler{"/mcp": mux, "POST /mcp": outer} {
		patterns := make(chan string, 1)
		recorded := routing.RecordRoute(handler)
		server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorded.ServeHTTP(w, r)
			patterns <- r.Pattern
		}))
		_, text := post(t.Context(), server+"/mcp", "2026-07-28", "tools/call", `"name":"list"`, nil)
		if pattern := <-patterns; pattern != want || !strings.Contains(text, "inside it is GET /trees") {
			t.Errorf("got %q and %s, want %q", pattern, text, want)
		}
	}
}
