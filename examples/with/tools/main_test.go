package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestFind calls the tools, and compares the results with the responses of the catalog.
func TestFind(t *testing.T) {
	handler, err := newHandler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1.0"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 2 {
		t.Fatalf("got %v, %v, want two tools", listed, err)
	}
	for _, test := range []struct {
		tool, path string
		arguments  map[string]any
		part       string // of both answers
		isError    bool
	}{
		{"getFlowers", "/flowers?name=ROSE", map[string]any{"name": "ROSE"}, `"slug":"rose"`, false},
		{"getFlowers", "/flowers", nil, `"slug":"sunflower"`, false},
		{"findBySlug", "/flowers/rose", map[string]any{"slug": "rose"}, `"slug":"rose"`, false},
		{"findBySlug", "/flowers/none", map[string]any{"slug": "none"}, "Slug Not Found", true},
	} {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: test.tool, Arguments: test.arguments})
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Get(server.URL + test.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(result.Content[0])
		var got struct{ Text string }
		_ = json.Unmarshal(text, &got)
		if got.Text != string(body) || !strings.Contains(got.Text, test.part) || result.IsError != test.isError {
			t.Errorf("%s %v: got %s, %t; want %s", test.tool, test.arguments, got.Text, result.IsError, body)
		}
	}
}
