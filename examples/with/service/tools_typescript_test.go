package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/internal/testenv"
)

// TestToolsOfTypeScript calls the tools with the official SDK for TypeScript. The program also
// sends the equivalent HTTP requests to another service, and prints the differences.
func TestToolsOfTypeScript(t *testing.T) {
	if os.Getenv("CONFORMANCE") != "all" {
		t.Skip("it needs CONFORMANCE=all, and then Node.js 20 and npm")
	}
	type exchange struct {
		Tool          string            `json:"tool"`
		Arguments     map[string]any    `json:"arguments"`
		Method        string            `json:"method"`
		Path          string            `json:"path"`
		Header        map[string]string `json:"header"`        // of the call too
		RequestHeader map[string]string `json:"requestHeader"` // that the tool sets
		Body          []byte            `json:"body,omitempty"`
	}
	var exchanges []exchange
	for _, e := range append(slices.Clone(plainCalls),
		toolCall{tool: "v2Add", arguments: object{"body": booked}, request: "POST /api/v2/bookings " + details},
		toolCall{tool: "v1Read", arguments: object{"id": "none"}, request: "GET /api/v1/bookings/none"},
		toolCall{tool: "v2Change", arguments: object{"id": "none", "body": object{"note": "late"}}, request: `PATCH /api/v2/bookings/none {"note":"late"}`},
		toolCall{tool: "v2Remove", arguments: object{"id": "none"}, request: "DELETE /api/v2/bookings/none"},
	) {
		method, rest, _ := strings.Cut(e.request, " ")
		path, body, _ := strings.Cut(rest, " ")
		exchanges = append(exchanges, exchange{
			e.tool, e.arguments, method, path,
			map[string]string{"Authorization": "Bearer writer"}, map[string]string{"Content-Type": mediaOf(method, path)}, []byte(body),
		})
	}
	input, err := json.Marshal(exchanges)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../test/conformance/tools/testdata/npm")); err != nil {
		t.Fatal(err)
	}
	run := func(input, name string, arguments ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, name, arguments...)
		c.Dir, c.Stdin = dir, strings.NewReader(input)
		output, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, arguments, err, output)
		}
		return string(output)
	}
	if err := testenv.Install(t.Context(), dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"2026-07-28", "2025-11-25", "v1"} {
		const want = "13 tools, 13 calls\n"
		if got := run(string(input), "node", "client.mjs", revision, startTools(t)+"/mcp", startTools(t)+"/base/houses/mill"); got != want {
			t.Errorf("%s: got %s, want %s", revision, got, want)
		}
	}
}
