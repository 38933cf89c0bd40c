package browsertest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/test/browsertest/internal/garden"
)

// This file starts the servers that the browser visits.

// newHost returns a mux with an app below a base path, with the viewer.
func newHost(t *testing.T, base string, options ...flowercafe.Option) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	options = append(options, flowercafe.WithBasePath(base), flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New(viewer.WithMoreFormats(viewer.Format{Name: "Spec 2.0", URL: "../spec.json"})))))
	app, err := flowercafe.Mount(mux, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return mux
}

// newGarden returns the host with operations of every kind.
func newGarden(t *testing.T, base string) http.Handler {
	t.Helper()
	app, err := garden.New(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app
}

// serve starts a server and returns its origin.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// stripped serves a handler below a prefix that it does not know.
func stripped(prefix string, h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", http.StripPrefix(prefix, h))
	return mux
}

// proxied serves a server on another port, below a prefix that it does not know.
func proxied(t *testing.T, prefix string, h http.Handler) http.Handler {
	t.Helper()
	target, err := url.Parse(serve(t, h))
	if err != nil {
		t.Fatal(err)
	}
	return stripped(prefix, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
}

// programs is the folder of the programs that tests have built.
var programs string

// runProgram builds the main package in a directory, runs it, and returns the address that it
// prints, without a trailing slash.
func runProgram(t *testing.T, dir string, args ...string) string {
	t.Helper()
	address, _, _ := strings.Cut(runPrinting(t, dir, args...), "/\n")
	return strings.TrimPrefix(address, "listening on ")
}

// runPrinting is runProgram with all that the program prints before it serves.
func runPrinting(t *testing.T, dir string, args ...string) string {
	t.Helper()
	program := filepath.Join(programs, filepath.Base(dir))
	if _, err := os.Stat(program); err != nil { // the first test that needs it
		build := exec.Command("go", "build", "-o", program, ".")
		build.Dir = dir
		if output, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", dir, err, output)
		}
	}
	run := exec.Command(program, args...)
	stdout, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
	})
	text := make([]byte, 4096)
	n, err := stdout.Read(text) // it is written at once
	if err != nil || !strings.HasPrefix(string(text[:n]), "listening on ") {
		t.Fatalf("%s says %q, %v; want its address", dir, text[:n], err)
	}
	return string(text[:n])
}

// behindProxy runs the program of examples/proxy in front of a handler, and returns the address of
// the proxy.
func behindProxy(t *testing.T, h http.Handler) string {
	t.Helper()
	return runProgram(t, "../../examples/proxy", "-addr", "127.0.0.1:0", "-target", serve(t, h))
}
