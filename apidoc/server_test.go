package apidoc_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests typed operations over a real server.

// Behind CheckResponses, handlers of other routes can take the connection over, and flush.
func TestCheckResponsesOfWebSockets(t *testing.T) {
	app := routing.New()
	app.Handle("GET", "/socket", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "5\r\nhello\r\n0\r\n\r\n")
	}))
	server := httptest.NewServer(apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) }))
	defer server.Close()
	response, err := http.Get(server.URL + "/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); string(body) != "hello" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
}

func serveTyped(t *testing.T, define func(*apidoc.API)) *httptest.Server {
	t.Helper()
	app := routing.New()
	define(apidoc.NewAPI(app, info))
	server := httptest.NewServer(app)
	t.Cleanup(server.Close)
	return server
}

// Each event is sent immediately, and a sequence ends when the client has gone.
func TestEventsOfOperationsAreSentImmediately(t *testing.T) {
	next, ended := make(chan int), make(chan bool)
	server := serveTyped(t, func(api *apidoc.API) {
		apidoc.Get(api, "/events", "", func(ctx context.Context, _ struct{}) (iter.Seq[int], error) {
			return func(yield func(int) bool) {
				defer close(ended)
				for {
					select {
					case n := <-next:
						if !yield(n) {
							return
						}
					case <-ctx.Done():
						return
					}
				}
			}, nil
		})
	})
	r, err := http.Get(server.URL + "/events") // the header comes before the first event
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type is %q", got)
	}
	lines := bufio.NewScanner(r.Body)
	if !lines.Scan() || lines.Text() != ":" || !lines.Scan() {
		t.Fatalf("read %q, want a comment", lines.Text())
	}
	for n := range 3 {
		next <- n
		if !lines.Scan() || lines.Text() != "data: "+itoa(n) || !lines.Scan() {
			t.Fatalf("read %q, want event %d", lines.Text(), n)
		}
	}
	r.Body.Close()
	<-ended
}

// Bodies over the limit are refused, with and without a Content-Length. net/http reads up to 256
// KiB of the rest: a client that sends more may find the connection closed.
func TestBodyLimitsOverAServer(t *testing.T) {
	server := serveTyped(t, func(api *apidoc.API) {
		apidoc.Post(api, "/json", "", func(_ context.Context, in []int) (int, error) { return len(in), nil }, apidoc.BodyLimit(1000))
		apidoc.Post(api, "/bytes", "", func(_ context.Context, in []byte) (int, error) { return len(in), nil }, apidoc.BodyLimit(1000))
	})
	long := func() io.Reader { return io.MultiReader(strings.NewReader(strings.Repeat(" ", 200<<10))) }
	for _, c := range []struct {
		path, contentType string
		body              io.Reader // a MultiReader has no length, so it is sent in chunks
		status            int
	}{
		{"/json", "application/json", strings.NewReader("[1,2]"), 200},
		{"/json", "application/json", io.MultiReader(strings.NewReader("[1,"), strings.NewReader("2]")), 200},
		{"/json", "application/json", strings.NewReader(strings.Repeat(" ", 1001)), 413},
		{"/json", "application/json", long(), 413},
		{"/bytes", "application/octet-stream", strings.NewReader(strings.Repeat(" ", 1000)), 200},
		{"/bytes", "application/octet-stream", long(), 413},
	} {
		r, err := http.NewRequest("POST", server.URL+c.path, c.body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", c.contentType)
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if w.StatusCode != c.status {
			body, _ := io.ReadAll(w.Body)
			t.Errorf("%+v: status %d %s", c, w.StatusCode, body)
		}
		w.Body.Close()
	}
}

// HEAD has the headers of GET and no body. Concurrent operations share no state.
func TestHeadAndConcurrency(t *testing.T) {
	server := serveTyped(t, func(api *apidoc.API) {
		apidoc.Get(api, "/items/:n", "", func(_ context.Context, in struct {
			N     int   `path:"n"`
			Words []int `query:"word"`
		}) ([]int, error) {
			return append(in.Words, in.N), nil
		})
	})
	r, err := http.Head(server.URL + "/items/7")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" || r.ContentLength != 3 {
		t.Errorf("HEAD: %d %v", r.StatusCode, r.Header)
	}
	done := make(chan string)
	for i := range 8 {
		go func() {
			n := itoa(i)
			for range 50 {
				r, err := http.Get(server.URL + "/items/" + n + "?word=" + n)
				if err != nil {
					done <- err.Error()
					return
				}
				body, _ := io.ReadAll(r.Body)
				r.Body.Close()
				if want := "[" + n + "," + n + "]"; string(body) != want {
					done <- string(body) + ", want " + want
					return
				}
			}
			done <- ""
		}()
	}
	for range 8 {
		if failure := <-done; failure != "" {
			t.Error(failure)
		}
	}
}

// A body that is announced as too large is refused before the client sends it.
func TestLengthIsRefusedBeforeTheBody(t *testing.T) {
	server := serveTyped(t, func(api *apidoc.API) {
		limit := apidoc.BodyLimit(100)
		apidoc.Post(api, "/application/json", "", plantTree, limit)
		form := func(context.Context, struct {
			Name string `form:"name"`
		}) (string, error) {
			return "", nil
		}
		apidoc.Post(api, "/application/x-www-form-urlencoded", "", form, apidoc.ID("form"), limit)
		apidoc.Post(api, "/multipart/form-data", "", form, apidoc.ID("parts"), limit)
	})
	for _, media := range []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /%s HTTP/1.1\r\nHost: a\r\nContent-Type: %[1]s; boundary=b\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n", media)
		if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, " 413 ") {
			t.Errorf("%s: got %q %v", media, line, err)
		}
	}
}

// A body of another media type is refused before the client sends it, whatever its length.
func TestMediaTypeIsRefusedBeforeTheBody(t *testing.T) {
	server := serveTyped(t, func(api *apidoc.API) {
		apidoc.Post(api, "/json", "", plantTree, apidoc.BodyLimit(100))
		apidoc.Post(api, "/text", "", func(_ context.Context, in struct {
			Text string `body:"text/csv"`
		}) (string, error) {
			return in.Text, nil
		}, apidoc.ID("text"))
	})
	for _, path := range []string{"/json", "/text"} {
		for _, length := range []string{"50", "5000000"} {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: text/html\r\nContent-Length: %s\r\nExpect: 100-continue\r\n\r\n", path, length)
			if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, " 415 ") {
				t.Errorf("%s of %s bytes: got %q %v", path, length, line, err)
			}
		}
	}
}
