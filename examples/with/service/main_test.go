package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
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
		go io.Copy(io.Discard, reader)
		response, err := http.Get(strings.TrimPrefix(lines.Text(), "listening on ") + "houses/mill/")
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
