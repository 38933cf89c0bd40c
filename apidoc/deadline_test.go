package apidoc_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests streams that last longer than the timeouts of the server.

// short is the time that the server gives a whole request or response; streams last three times as
// long.
const short = 100 * time.Millisecond

func serveShort(t *testing.T, define func(*apidoc.API)) *httptest.Server {
	t.Helper()
	app := routing.New()
	define(apidoc.NewAPI(app, info))
	server := httptest.NewUnstartedServer(app)
	server.Config.ReadTimeout, server.Config.WriteTimeout = short, short
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// slowText is a text that is read in three parts, with pauses between them.
type slowText struct{ parts int }

func (s *slowText) Read(p []byte) (int, error) {
	if s.parts++; s.parts > 3 {
		return 0, io.EOF
	}
	time.Sleep(short)
	return copy(p, fmt.Sprintln(s.parts)), nil
}

// Outputs of all kinds outlive the WriteTimeout.
func TestStreamsOutliveTheWriteTimeout(t *testing.T) {
	type lines struct {
		Body iter.Seq[int] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	server := serveShort(t, func(api *apidoc.API) {
		apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lines, error) {
			return lines{func(yield func(int) bool) {
				for n := range 3 {
					if time.Sleep(short); !yield(n + 1) {
						return
					}
				}
			}}, nil
		})
		apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (io.Reader, error) { return new(slowText), nil })
		apidoc.Get(api, "/csv", "", func(context.Context, struct{}) (written, error) {
			return written{func(w io.Writer) error {
				table := csv.NewWriter(w)
				for n := range 3 {
					time.Sleep(short)
					if err := table.Write([]string{itoa(n + 1)}); err != nil {
						return err
					}
					table.Flush()
				}
				return table.Error()
			}}, nil
		})
	})
	for path, media := range map[string]string{"/lines": "application/jsonl", "/reader": "application/octet-stream", "/csv": "text/csv"} {
		r, err := http.Get(server.URL + path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if got := r.Header.Get("Content-Type"); err != nil || string(body) != "1\n2\n3\n" || !strings.HasPrefix(got, media) {
			t.Errorf("%s: %q, type %q, error %v", path, body, got, err)
		}
	}
}

// An import outlives both timeouts, but not its own limit on the whole.
func TestImportsOutliveTheTimeouts(t *testing.T) {
	count := func(_ context.Context, in iter.Seq2[int, error]) (n int, _ error) {
		for _, err := range in {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	server := serveShort(t, func(api *apidoc.API) {
		apidoc.Post(api, "/import", "", count)
		apidoc.Post(api, "/short", "", count, apidoc.ReceiveTimeout(short/2, short), apidoc.ID("short"))
		apidoc.Post(api, "/bytes", "", func(_ context.Context, in io.Reader) (int, error) {
			content, err := io.ReadAll(in)
			return len(content), err
		}, apidoc.ID("bytes"))
	})
	for _, c := range []struct{ path, media, want string }{
		{"/import", "application/jsonl", "200 3"},
		{"/bytes", "application/octet-stream", "200 6"},
	} {
		r, err := http.Post(server.URL+c.path, c.media, new(slowText))
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if got := fmt.Sprint(r.StatusCode, " ", string(body)); err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, error %v, want %s", c.path, got, err, c.want)
		}
	}
	// A client that sends no more, so that the response is not lost when the server closes.
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	io.WriteString(connection, "POST /short HTTP/1.1\r\nHost: x\r\nContent-Type: application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n1\n\r\n")
	r, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 408 || !strings.Contains(string(body), `"code":"request_timeout"`) {
		t.Errorf("too slow: %d %s, error %v", r.StatusCode, body, err)
	}
}

// deadlineWriter is a writer that remembers its last deadline.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	write *time.Time
}

func (w deadlineWriter) SetWriteDeadline(at time.Time) error { *w.write = at; return nil }
func (w deadlineWriter) SetReadDeadline(time.Time) error     { return nil }

// The response to an import has its own time, counted from the end of the import.
func TestResponsesOfImportsHaveADeadline(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/import", "", func(_ context.Context, in io.Reader) (int, error) {
		_, err := io.ReadAll(in)
		return 1, err
	}, apidoc.SendTimeout(time.Hour), apidoc.ID("import"))
	apidoc.Post(api, "/usual", "", func(context.Context, string) (int, error) { return 1, nil }, apidoc.ID("usual"))
	for path, want := range map[string]time.Duration{"/import": time.Hour, "/usual": 0} {
		var at time.Time
		r := httptest.NewRequest("POST", path, strings.NewReader(`"text"`))
		r.Header.Set("Content-Type", map[string]string{"/import": "application/octet-stream", "/usual": "application/json"}[path])
		w := deadlineWriter{httptest.NewRecorder(), &at}
		app.ServeHTTP(w, r)
		if left := time.Until(at).Round(time.Hour); w.Code != 200 || (want == 0) != at.IsZero() || want > 0 && left != want {
			t.Errorf("%s: got %d %s and the deadline %v", path, w.Code, w.Body, at)
		}
	}
}

// A function that writes is described with its type, needs one, and fails like other streams.
func TestWrittenBodies(t *testing.T) {
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/none", "", func(context.Context, struct{}) (written, error) { return written{}, nil }, apidoc.ID("none"))
	apidoc.Get(api, "/fails", "", func(context.Context, struct{}) (written, error) {
		return written{func(io.Writer) error { return fmt.Errorf("the disk is away") }}, nil
	}, apidoc.ID("fails"))
	if w := call(app, "GET", "/none", "", ""); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("no function: %d %s", w.Code, w.Body)
	}
	if w := call(app, "HEAD", "/fails", "", ""); w.Code != 200 {
		t.Errorf("HEAD: got %d, want no call of the function", w.Code)
	}
	if w := call(app, "GET", "/fails", "", ""); w.Code != 500 || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("a function that fails: %d %s", w.Code, w.Body)
	}
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	content := decode(t, document.OpenAPI()).at("paths", "/none", "get", "responses", "200", "content")
	if got := fmt.Sprint(content); !strings.Contains(got, "text/csv") {
		t.Errorf("described as %s", got)
	}
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, `body:"text/csv"`) {
			t.Errorf("without a type: %s", v)
		}
	}()
	apidoc.Get(api, "/untyped", "", func(context.Context, struct{}) (func(io.Writer) error, error) { return nil, nil })
}
