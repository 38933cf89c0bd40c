package routing_test

// This file tests headers, statuses, streams, results, and the responses to panics and broken
// writers.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// Headers with CR, LF or NUL are not sent, and the log names the header.
func TestIllegalHeaders(t *testing.T) {
	var log bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	names := map[string][2]string{
		"/crlf": {"X-A", "a\r\nX-Evil: 1"}, "/nul": {"X-A", "a\x00"}, "/lf": {"X-A", "a\nb"}, "/name": {"X A", "v"}, "/empty": {"", "v"}, "/del": {"X-A", "\x7f"},
	}
	app.Get("/:kind", func(c routing.Context) (routing.Result, error) {
		pair := names[c.Request().URL.Path]
		c.Header()[pair[0]] = []string{pair[1]}
		return routing.Text("ok"), nil
	})
	app.Get("/halt/:kind", func(c routing.Context) (routing.Result, error) {
		pair := names["/"+c.Params().GetOr("kind", "")]
		return routing.Result{}, &routing.HaltError{Status: 400, Header: http.Header{pair[0]: {pair[1]}}}
	})
	app.Get("/redirect/*", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(c.Params().GetOr("splat", ""))
	})
	app.Handle("GET", "/handler/:kind", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pair := names["/"+r.PathValue("kind")]
		w.Header()[pair[0]] = []string{pair[1]}
		io.WriteString(w, "ok")
	}))
	silent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // writes nothing
		pair := names["/"+r.PathValue("kind")]
		w.Header()[pair[0]] = []string{pair[1]}
	})
	app.Handle("GET", "/silent/:kind", silent)
	app.Get("/middleware/:kind", empty, routing.Use(func(http.Handler) http.Handler { return silent }))
	for kind := range names {
		for _, prefix := range []string{"", "/halt", "/handler", "/silent", "/middleware"} {
			log.Reset()
			w := get(app, prefix+kind)
			if _, illegal := w.Header()["X-Evil"]; w.Code != 500 || illegal || w.Body.String() != "Internal Server Error" {
				t.Errorf("%s%s: got %d %q", prefix, kind, w.Code, w.Body)
			}
			for name, values := range w.Header() {
				if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") || strings.Contains(name, " ") {
					t.Errorf("%s%s: the header %q: %q leaves", prefix, kind, name, values)
				}
			}
			if !strings.Contains(log.String(), "is not valid") || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("%s%s: the log says %q", prefix, kind, log.String())
			}
		}
	}
	if w := get(app, "/redirect/a%0D%0AX-Evil:%201"); w.Code != 500 || w.Header().Get("Location") != "" {
		t.Errorf("redirect: got %d, Location %q", w.Code, w.Header().Get("Location"))
	}
}

func TestStatuses(t *testing.T) {
	for status := -1; status <= 1200; status++ {
		app := routing.New(quiet())
		app.Get("/set", func(c routing.Context) (routing.Result, error) {
			c.SetStatus(status)
			return routing.Text("x"), nil
		})
		app.Get("/halt", func(routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: status}
		})
		want := status
		switch {
		case status < 200 || status > 999:
			want = 500
		}
		for _, path := range []string{"/set", "/halt"} {
			if path == "/halt" && status == 0 {
				want = 200 // a halt without a status
			}
			if w := get(app, path); w.Code != want {
				t.Errorf("%s %d: got %d, want %d", path, status, w.Code, want)
			}
		}
	}
}

// Location is ASCII (RFC 9110, 10.2.2). Other characters are encoded, like in http.Redirect.
func TestRedirectEncodesLocation(t *testing.T) {
	for location, want := range map[string]string{"/café?name=Nilüfer#é": "/caf%C3%A9?name=Nil%C3%BCfer#%C3%A9", "/a%20b%": "/a%20b%", "/\xff": "/%FF"} {
		for _, err := range []error{routing.Redirect(location), routing.SeeOther(location)} {
			var halt *routing.HaltError
			if !errors.As(err, &halt) || halt.Header.Get("Location") != want {
				t.Errorf("%q: got %v, want a redirect to %q", location, halt.Header, want)
			}
		}
	}
}

func TestLocalURL(t *testing.T) {
	for target, want := range map[string]string{
		"/account": "/account", "/a b": "/a b", "/a?b=//c": "/a?b=//c", "/": "/",
		"//evil": "/home", `/\evil`: "/home", "https://evil": "/home", "evil": "/home", "": "/home", `\/evil`: "/home", "/\t/evil": "/home", "/\n/evil": "/home", "/a\x7fb": "/home", "javascript:alert(1)": "/home",
	} {
		if got := routing.LocalURL(target, "/home"); got != want {
			t.Errorf("%q: got %q, want %q", target, got, want)
		}
	}
}

// closeRecorder records whether it was closed.
type closeRecorder struct {
	io.Reader
	closed bool
}

func (c *closeRecorder) Close() error { c.closed = true; return nil }

func TestStreams(t *testing.T) {
	for _, test := range []struct {
		name   string
		method string
		after  error
		reader io.Reader
		status int
		body   string
		cut    bool
	}{
		{"whole", "GET", nil, strings.NewReader("all of it"), 200, "all of it", false},
		{"HEAD", "HEAD", nil, strings.NewReader("all of it"), 200, "", false},
		{"error at once", "GET", nil, errorReader{errors.New("secret")}, 500, "Internal Server Error", false},
		{"error later", "GET", nil, io.MultiReader(strings.NewReader("some"), errorReader{errors.New("secret")}), 200, "some", true},
		{"dropped by a halt", "GET", &routing.HaltError{Status: 403}, strings.NewReader("x"), 403, "", false},
		{"dropped by an error", "GET", errors.New("secret"), strings.NewReader("x"), 500, "Internal Server Error", false},
	} {
		body := &closeRecorder{Reader: test.reader}
		app := routing.New(quiet())
		app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Stream("text/csv", body), nil })
		app.After(func(routing.Context) error { return test.after })
		w := httptest.NewRecorder()
		cut := func() (cut bool) {
			defer func() { cut = recover() == http.ErrAbortHandler }()
			app.ServeHTTP(w, httptest.NewRequest(test.method, "/", nil))
			return false
		}()
		if w.Code != test.status || w.Body.String() != test.body || cut != test.cut {
			t.Errorf("%s: got %d %q, cut %v; want %d %q, %v", test.name, w.Code, w.Body, cut, test.status, test.body, test.cut)
		}
		if !body.closed {
			t.Errorf("%s: the reader is not closed", test.name)
		}
		if test.status == 200 && w.Header().Get("Content-Type") != "text/csv" {
			t.Errorf("%s: got type %q", test.name, w.Header().Get("Content-Type"))
		}
	}
}

// Each chunk of a stream is sent when it is read.
func TestStreamIsFlushed(t *testing.T) {
	reader, writer := io.Pipe()
	app := routing.New(quiet())
	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Stream("text/plain", reader), nil })
	server := httptest.NewServer(app)
	defer server.Close()
	go writer.Write([]byte("first"))
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got := make([]byte, 5)
	if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != "first" {
		t.Errorf("got %q, %v before the stream has ended", got, err)
	}
	writer.Close()
}

func TestPanicsAreContained(t *testing.T) {
	values := map[string]any{"error": errors.New("boom"), "string": "boom", "number": 7, "abort": http.ErrAbortHandler}
	sites := map[string]func(app *routing.App, boom func()){
		"before": func(app *routing.App, boom func()) {
			app.Before(func(routing.Context) error { boom(); return nil })
		},
		"condition": func(app *routing.App, boom func()) {
			app.Get("/", text("x"), routing.When(func(*http.Request) bool { boom(); return true }))
		},
		"action": func(app *routing.App, boom func()) {
			app.Get("/", func(routing.Context) (routing.Result, error) { boom(); return routing.Result{}, nil })
		},
		"after": func(app *routing.App, boom func()) { app.After(func(routing.Context) error { boom(); return nil }) },
		"not found": func(app *routing.App, boom func()) {
			app.NotFound(func(routing.Context) (routing.Result, error) { boom(); return routing.Result{}, nil })
		},
		"error handler": func(app *routing.App, boom func()) {
			app.Before(func(routing.Context) error { return errors.New("first") })
			app.OnError(func(routing.Context, error) (routing.Result, error) { boom(); return routing.Result{}, nil })
		},
		"handler": func(app *routing.App, boom func()) {
			app.Handle("GET", "/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { boom() }))
		},
		"middleware": func(app *routing.App, boom func()) {
			app.Get("/", text("x"), routing.Use(func(http.Handler) http.Handler {
				return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { boom() })
			}))
		},
	}
	for site, define := range sites {
		for kind, value := range values {
			app := routing.New(quiet())
			define(app, func() { panic(value) })
			w := httptest.NewRecorder()
			got := func() (v any) {
				defer func() { v = recover() }()
				app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
				return nil
			}()
			if kind == "abort" {
				if got != http.ErrAbortHandler {
					t.Errorf("%s, %s: went on with %v, want ErrAbortHandler", site, kind, got)
				}
				continue
			}
			if got != nil || w.Code != 500 || w.Body.String() != "Internal Server Error" {
				t.Errorf("%s, %s: went on with %v, got %d %q", site, kind, got, w.Code, w.Body)
			}
		}
		// After runtime.Goexit the next request is served.
		app := routing.New(quiet())
		left := false
		define(app, func() {
			if !left {
				left = true
				runtime.Goexit()
			}
		})
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}()
		wg.Wait()
		if w := get(app, "/"); w.Code >= 600 || w.Code < 200 {
			t.Errorf("%s: the request after a Goexit: got %d", site, w.Code)
		}
	}
}

func TestResponseControllerAndHTTP2(t *testing.T) {
	app := routing.New(quiet())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, flusher := w.(http.Flusher)
		_, hijacker := w.(http.Hijacker)
		_, pusher := w.(http.Pusher)
		_, notifier := w.(http.CloseNotifier) //nolint:staticcheck // deprecated, but in use
		err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(w, "%s %v %v %v %v %v", r.Proto, flusher, hijacker, pusher, notifier, err)
		http.NewResponseController(w).Flush()
	})
	inner := routing.New(quiet())
	inner.Handle("GET", "/", handler, routing.Use(func(next http.Handler) http.Handler { return handler }))
	app.Handle("GET", "/", handler)
	app.Mount("/handler", handler)
	app.Mount("/app", inner)
	app.Get("/big", func(c routing.Context) (routing.Result, error) {
		return routing.Text(strings.Repeat("x", 100_000)), nil
	})
	for _, test := range []struct {
		http2 bool
		want  string
	}{{false, "HTTP/1.1 true true false true <nil>"}, {true, "HTTP/2.0 true false true true <nil>"}} {
		server := httptest.NewUnstartedServer(app)
		server.EnableHTTP2 = test.http2
		server.StartTLS()
		for path, want := range map[string]string{"/": test.want, "/handler": test.want, "/app": test.want, "/big": strings.Repeat("x", 100_000)} {
			response, err := server.Client().Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || string(body) != want {
				t.Errorf("%s: got %.80q, %v; want %.80q", path, body, err, want)
			}
		}
		server.Close()
	}
}

// brokenWriter is a writer that fails at a byte and has no other methods.
type brokenWriter struct {
	header http.Header
	left   int
	codes  int
}

func (w *brokenWriter) Header() http.Header { return w.header }

func (w *brokenWriter) WriteHeader(int) { w.codes++ }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, errors.New("broken")
	}
	w.left -= len(p)
	return len(p), nil
}

// stringWriter has WriteString, like net/http's own writer.
type stringWriter struct{ brokenWriter }

func (*stringWriter) WriteString(s string) (int, error) { return len(s), nil }

func TestBrokenWriters(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/text", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(201)
		return routing.Text("0123456789"), nil
	})
	app.Get("/bytes", func(c routing.Context) (routing.Result, error) {
		return routing.Bytes("a/b", []byte("0123456789")), nil
	})
	app.Get("/stream", func(routing.Context) (routing.Result, error) {
		return routing.Stream("a/b", strings.NewReader("0123456789")), nil
	})
	app.Handle("GET", "/handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(202)
		w.WriteHeader(203)
		io.WriteString(w, "0123456789")
	}))
	app.Get("/middleware", text("0123456789"), routing.Use(tag("m")))
	for _, path := range []string{"/text", "/bytes", "/stream", "/handler", "/middleware", "/none"} {
		for k := range 12 {
			w := &brokenWriter{header: make(http.Header), left: k}
			app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.codes > 1 {
				t.Errorf("%s, broken at byte %d: %d statuses", path, k, w.codes)
			}
		}
	}
}

// A response without a body has no Content-Type, unless one was set.
func TestTypeWithoutBody(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/:set/halt/:status", func(c routing.Context) (routing.Result, error) {
		status, err := strconv.Atoi(c.Params().GetOr("status", ""))
		if c.Params().GetOr("set", "") == "own" {
			c.SetContentType("text/css")
		}
		return routing.Result{}, errors.Join(err, &routing.HaltError{Status: status})
	})
	app.Get("/:set/redirect", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Redirect("/") })
	server := httptest.NewServer(app)
	defer server.Close()
	for _, c := range []struct{ path, contentType string }{
		{"/no/halt/0", ""},
		{"/no/halt/200", ""},
		{"/no/halt/204", ""},
		{"/no/halt/304", ""},
		{"/no/halt/403", ""},
		{"/no/redirect", ""},
		{"/own/halt/403", "text/css"},
		{"/own/halt/204", ""},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			r, err := http.NewRequest(method, server.URL+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if got := response.Header.Get("Content-Type"); err != nil || len(body) > 0 || got != c.contentType {
				t.Errorf("%s %s: got the type %q, %q %v, want the type %q", method, c.path, got, body, err, c.contentType)
			}
		}
	}
}

func TestResults(t *testing.T) {
	app := routing.New(quiet())
	body, err := routing.JSON(map[string]string{"a": "<b>"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := routing.JSON(make(chan int)); err == nil {
		t.Error("a channel was encoded")
	}
	results := map[string]struct {
		result      routing.Result
		contentType string
		body        string
	}{
		"/text":    {routing.Text("t"), "text/plain; charset=utf-8", "t"},
		"/html":    {routing.HTML("<b>"), "text/html; charset=utf-8", "<b>"},
		"/bytes":   {routing.Bytes("image/png", []byte("png")), "image/png", "png"},
		"/untyped": {routing.Bytes("", []byte("x")), "application/octet-stream", "x"},
		"/json":    {body, "application/json", `{"a":"\u003cb\u003e"}`},
		"/nothing": {routing.Result{}, "", ""},
		"/large":   {routing.Text(strings.Repeat("x", 5000)), "text/plain; charset=utf-8", strings.Repeat("x", 5000)},
	}
	app.Get("/:kind", func(c routing.Context) (routing.Result, error) { return results[c.Request().URL.Path].result, nil })
	app.Get("/two", func(c routing.Context) (routing.Result, error) {
		first, second := routing.Text("first"), routing.HTML("second")
		third := routing.Bytes("a/b", []byte("third"))
		_, _ = second, third
		return first, nil
	})
	app.Get("/empty/:status", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(map[string]int{"204": 204, "304": 304}[c.Params().GetOr("status", "")])
		return routing.Text("must not leave"), nil
	})
	server := httptest.NewServer(app)
	defer server.Close()
	for path, want := range results {
		for _, method := range []string{"GET", "HEAD"} {
			r, _ := http.NewRequest(method, server.URL+path, nil)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := io.ReadAll(response.Body)
			response.Body.Close()
			body := want.body
			if method == "HEAD" {
				body = ""
			}
			if string(got) != body || response.Header.Get("Content-Type") != want.contentType || response.ContentLength != int64(len(want.body)) {
				t.Errorf("%s %s: got %.40q %q, length %d", method, path, got, response.Header.Get("Content-Type"), response.ContentLength)
			}
		}
	}
	if got := get(app, "/two").Body.String(); got != "first" {
		t.Errorf("of several results the returned one is %q, want the first", got)
	}
	for _, path := range []string{"/empty/204", "/empty/304"} {
		if w := get(app, path); w.Body.Len() > 0 || w.Header().Get("Content-Type") != "" {
			t.Errorf("%s: got %q %v", path, w.Body, w.Header())
		}
	}
}

// Responses that share a result share no headers, which middleware may change in place.
func TestResultsAreReusedConcurrently(t *testing.T) {
	shared, err := routing.JSON("json")
	if err != nil {
		t.Fatal(err)
	}
	for name, result := range map[string]routing.Result{
		"text": routing.Text("text"), "html": routing.HTML("html"), "bytes": routing.Bytes("a/b", []byte("bytes")), "json": shared, "none": {},
	} {
		app := routing.New(quiet())
		app.Get("/", func(routing.Context) (routing.Result, error) { return result, nil })
		first := get(app, "/")
		wantBody, wantType := first.Body.String(), first.Header().Get("Content-Type")
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for _, method := range []string{"GET", "HEAD"} {
					w := send(app, httptest.NewRequest(method, "/", nil))
					if method == "GET" && w.Body.String() != wantBody || w.Header().Get("Content-Type") != wantType {
						t.Errorf("%s, %s: got %q %v, want %q of type %q", name, method, w.Body, w.Header(), wantBody, wantType)
					}
					for _, values := range w.Header() {
						values[0] = "changed"
					}
				}
			})
		}
		group.Wait()
	}
}
