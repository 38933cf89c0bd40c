package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/mcp"
)

// serve serves the tools of an API, and returns a client that is connected to them.
func serve(t *testing.T, api mcp.API, options ...mcp.Option) *sdk.ClientSession {
	t.Helper()
	handler, err := mcp.New(api, options...)
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, newServer(t, handler), "")
}

// newServer serves tools, and returns their URL.
func newServer(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, address, token string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: address, HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// serveTimed is serve in a synctest bubble.
func serveTimed(t *testing.T, server *http.Server, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: "http://shop", HTTPClient: testenv.Serve(t, server), DisableStandaloneSSE: true}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool, and returns its contents as text.
func call(t *testing.T, session *sdk.ClientSession, name string, arguments any) (string, *sdk.CallToolResult) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var b strings.Builder
	for _, c := range result.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			fmt.Fprintln(&b, text.Text)
		}
	}
	return strings.TrimSpace(b.String()), result
}
