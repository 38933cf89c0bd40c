package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program serves with data to look at, keeps it in a file, and ends without an error.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the second time with the database of the first
		ctx, end := context.WithCancel(t.Context())
		reader, writer := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			args := []string{"-addr", "127.0.0.1:0", "-db", filepath.Join(dir, "bookings.db"), "-secure=false"}
			ended <- run(ctx, args, writer, io.Discard)
			writer.Close()
		}()
		lines := bufio.NewScanner(reader)
		if !lines.Scan() {
			t.Fatal("it has not started: ", <-ended)
		}
		home := strings.TrimPrefix(lines.Text(), "listening on ")
		if !lines.Scan() || !lines.Scan() {
			t.Fatal("it ended after one line: ", <-ended)
		}
		described := regexp.MustCompile(`http://[^;]+`).FindString(lines.Text())
		go io.Copy(io.Discard, reader)
		page, err := http.Get(described)
		if err != nil {
			t.Fatal(err)
		}
		page.Body.Close()
		if page.StatusCode != 200 {
			t.Errorf("%q names %s, which is a %d", lines.Text(), described, page.StatusCode)
		}
		response, err := http.Get(home + "houses/mill/")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || strings.Count(string(body), "<time>2030-05-04</time>") != 2 {
			t.Errorf("got %d %s, %v", response.StatusCode, body, err)
		}
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
