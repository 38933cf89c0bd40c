package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A host that shuts down writes a line for every request that it has handled, and exits with status
// 0.
func TestNoLineIsLost(t *testing.T) {
	t.Parallel()
	const clients = 8
	requests := 50
	if testing.Short() {
		requests = 10
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	address, _, end := startLoggingTo(t, log)
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := range requests {
				get(t, fmt.Sprintf("%s/flowers/rose?client=%d&n=%d", address, client, n))
			}
			get(t, fmt.Sprintf("%s/last/%d", address, client))
		})
	}
	wg.Wait()
	if err := end(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v, want status 0", err)
	}
	text := read(t, log)
	if got := strings.Count(text, "path=/flowers/rose "); got != clients*requests {
		t.Errorf("the log has %d lines of %d requests", got, clients*requests)
	}
	for client := range clients {
		if path := fmt.Sprintf("path=/last/%d ", client); strings.Count(text, path) != 1 {
			t.Errorf("the log has %d lines with %q, want 1", strings.Count(text, path), path)
		}
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "time=") || !strings.HasSuffix(line, "\n") {
			t.Errorf("the log has a torn line %q", line)
		}
	}
}

// A request that ends during the shutdown is logged too.
func TestTheLastLineIsNotLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	// More than the buffers of a connection whose client does not read.
	flowers := []byte(`[{"slug":"rose","name":"Rose"}`)
	for n := range 10_000 {
		flowers = fmt.Appendf(flowers, `,{"slug":"f%d","name":"%s"}`, n, strings.Repeat("x", 1000))
	}
	if err := os.WriteFile(filepath.Join(dir, "flowers.json"), append(flowers, ']'), 0o600); err != nil {
		t.Fatal(err)
	}
	address, _, end := startLoggingTo(t, log, "-flowers", filepath.Join(dir, "flowers.json"))
	response, err := http.Get(address + "/flowers/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	ended := make(chan error, 1)
	go func() { ended <- end(syscall.SIGTERM) }()
	waitForLine(t, log, `msg="shutting down"`)
	if text := read(t, log); strings.Contains(text, "path=/flowers/ ") {
		t.Fatalf("the request has ended before: %q", text)
	}
	if n, err := io.Copy(io.Discard, response.Body); err != nil || n < int64(len(flowers)) {
		t.Errorf("the response has %d bytes, %v; want at least %d", n, err, len(flowers))
	}
	if err := <-ended; err != nil {
		t.Errorf("ended with %v, want status 0", err)
	}
	if text := read(t, log); strings.Count(text, "path=/flowers/ ") != 1 {
		t.Errorf("the log has no line of the last request: %q", text)
	}
}

// While the host serves, a line is written soon after the request.
func TestLinesDoNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	address, _, end := startLoggingTo(t, log)
	defer end(syscall.SIGTERM)
	get(t, address+"/flowers/rose")
	waitForLine(t, log, `path=/flowers/rose route="GET /flowers/:slug" status=200 `)
	get(t, address+"/none")
	waitForLine(t, log, `path=/none route=/ status=404 `)
}

func waitForLine(t *testing.T, log *os.File, text string) {
	t.Helper()
	for begin := time.Now(); !strings.Contains(read(t, log), text); time.Sleep(25 * time.Millisecond) {
		if time.Since(begin) > hangGuard {
			t.Fatalf("no line with %q is written", text)
		}
	}
}

func TestWithoutAccessLog(t *testing.T) {
	t.Parallel()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	address, _, end := startLoggingTo(t, log, "-access-log=false")
	get(t, address+"/flowers/rose")
	if err := end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if text := read(t, log); strings.Contains(text, "msg=request") || !strings.Contains(text, `msg="shutting down"`) {
		t.Errorf("the log is %q, want other lines alone", text)
	}
}

func read(t *testing.T, file *os.File) string {
	t.Helper()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
