package apidoc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// Outputs that come from the body of the request are sent while it is read: the client sends each
// line after the response to the line before.
func TestFullDuplex(t *testing.T) {
	type lines struct {
		Body iter.Seq2[int, error] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"application/jsonl"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Post(api, "/reader", "", func(_ context.Context, in io.Reader) (io.Reader, error) { return in, nil })
	apidoc.Post(api, "/lines", "", func(_ context.Context, in iter.Seq2[int, error]) (lines, error) { return lines{in}, nil })
	apidoc.Post(api, "/written", "", func(_ context.Context, in io.Reader) (written, error) {
		return written{func(w io.Writer) error {
			_, err := io.Copy(flushed{w}, in)
			return err
		}}, nil
	})
	app.Post("/stream", func(c routing.Context) (routing.Result, error) {
		err := c.Controller().EnableFullDuplex()
		return routing.Stream("application/jsonl", c.Request().Body), err
	})
	for _, isHTTP2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(app)
		server.EnableHTTP2 = isHTTP2
		server.StartTLS()
		defer server.Close()
		for _, path := range []string{"/reader", "/lines", "/written", "/stream"} {
			t.Run(fmt.Sprintf("HTTP2 %t%s", isHTTP2, path), func(t *testing.T) { converse(t, server, path, isHTTP2) })
		}
	}
}

func converse(t *testing.T, server *httptest.Server, path string, isHTTP2 bool) {
	body, client := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/jsonl")
	if path == "/reader" || path == "/written" {
		r.Header.Set("Content-Type", "application/octet-stream")
	}
	go io.WriteString(client, "0\n") // the response begins with the first answer
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 || response.ProtoAtLeast(2, 0) != isHTTP2 {
		t.Fatalf("got %s %s", response.Proto, response.Status)
	}
	answers := bufio.NewReader(response.Body)
	for n := range 5 {
		line, err := answers.ReadString('\n')
		if line != fmt.Sprintln(n) || err != nil {
			t.Fatalf("answer %d: %q, %v", n, line, err)
		}
		if _, err := fmt.Fprintln(client, n+1); err != nil {
			t.Fatal(err)
		}
	}
	client.Close()
	if rest, err := io.ReadAll(answers); string(rest) != "5\n" || err != nil {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

// partialPaths are the paths of readsPartly.
var partialPaths = []string{"/events", "/lines", "/reader", "/written", "/part"}

// readsPartly returns an app whose responses end before all of the body was read.
func readsPartly() *routing.App {
	type lines struct {
		Body iter.Seq[int] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"application/jsonl"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	one := func(yield func(int) bool) { yield(1) }
	apidoc.Post(api, "/events", "", func(context.Context, io.Reader) (iter.Seq[int], error) { return one, nil }, apidoc.ID("events"))
	apidoc.Post(api, "/lines", "", func(context.Context, io.Reader) (lines, error) { return lines{one}, nil }, apidoc.ID("lines"))
	apidoc.Post(api, "/reader", "", func(context.Context, io.Reader) (io.Reader, error) { return strings.NewReader("1"), nil }, apidoc.ID("reader"))
	apidoc.Post(api, "/written", "", func(context.Context, io.Reader) (written, error) {
		return written{func(w io.Writer) error {
			_, err := io.WriteString(w, "1")
			return err
		}}, nil
	}, apidoc.ID("written"))
	apidoc.Post(api, "/part", "", func(_ context.Context, in io.Reader) (io.Reader, error) { return io.LimitReader(in, 1), nil }, apidoc.ID("part"))
	return app
}

// A response ends although the client keeps the body open until it has the response.
func TestDuplexWithOpenBody(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(readsPartly())
		server.EnableHTTP2 = isHTTP2
		server.StartTLS()
		defer server.Close()
		for _, path := range partialPaths {
			body, client := io.Pipe()
			guard := time.AfterFunc(30*time.Second, func() { client.CloseWithError(errors.New("the response has no end")) })
			go io.WriteString(client, "0")
			response, err := server.Client().Post(server.URL+path, "application/octet-stream", body)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(response.Body); err != nil || response.StatusCode != 200 || !guard.Stop() {
				t.Errorf("HTTP2 %t%s: got %d %v, or no end", isHTTP2, path, response.StatusCode, err)
			}
			response.Body.Close()
			client.Close()
		}
	}
}

// The connection can be used again although a part of the body was not read.
func TestDuplexWithUnreadBody(t *testing.T) {
	for _, path := range partialPaths {
		keepsConnection(t, readsPartly(), path, 200)
	}
}

// keepsConnection sends three requests with a long body on one connection.
func keepsConnection(t *testing.T, handler http.Handler, path string, status int) {
	t.Helper()
	var logs strings.Builder
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(&logs, "", 0)
	server.Start()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(conn)
	for i := range 3 {
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: 10000\r\n\r\n%010000d", path, i)
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Errorf("%s: request %d on the connection: %v", path, i, err)
			break
		}
		if _, err := io.ReadAll(response.Body); err != nil || response.StatusCode != status {
			t.Errorf("%s: request %d: got %d %v, want %d", path, i, response.StatusCode, err, status)
		}
	}
	conn.Close()
	server.Close()
	if text := logs.String(); text != "" {
		t.Errorf("%s: the server logs %s", path, text)
	}
}
