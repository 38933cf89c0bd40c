package routing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

func quiet() routing.Option { return routing.WithLogger(slog.New(slog.DiscardHandler)) }

func text(s string) routing.Action {
	return func(c routing.Context) (routing.Result, error) { return routing.Text(s), nil }
}

func send(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	return send(h, httptest.NewRequest(http.MethodGet, target, nil))
}

// form makes a POST request with an urlencoded body.
func form(target, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestLimits(t *testing.T) {
	read := func(c routing.Context) (routing.Result, error) {
		value, _ := c.Params().Get("k")
		c.SetStatus(201)
		return routing.Text("got " + value), nil
	}
	app := routing.New(quiet(), routing.WithBodyLimit(100), routing.WithParamLimit(5), routing.WithPathLimit(50))
	app.Post("/x", read)
	app.Get("/x", read)
	app.Post("/require", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("k")
		return routing.Result{}, fmt.Errorf("wrapped: %w", err)
	})
	app.Post("/own", func(c routing.Context) (routing.Result, error) {
		if err := c.Params().Err(); err == nil {
			t.Error("Err tells nothing")
		}
		return routing.Result{}, &routing.HaltError{Status: 418}
	})
	app.Post("/all", func(c routing.Context) (routing.Result, error) {
		if values := c.Params().Values("k"); values == nil || len(values) > 0 {
			t.Errorf("values of what cannot be read: %q, want none and not nil", values)
		}
		return routing.Result{}, nil
	})
	app.Post("/raw", func(c routing.Context) (routing.Result, error) {
		n, err := io.Copy(io.Discard, c.Request().Body)
		return routing.Text(fmt.Sprint(n)), err
	})
	broken := form("/x", "")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("k=1"), errorReader{errors.New("gone")}))
	tooLong := form("/x", "")
	tooLong.Body = http.MaxBytesReader(nil, io.NopCloser(strings.NewReader("k="+strings.Repeat("v", 50))), 10)
	for _, test := range []struct {
		name   string
		r      *http.Request
		status int
		body   string
	}{
		{"within", form("/x", "k="+strings.Repeat("v", 98)), 201, "got " + strings.Repeat("v", 98)},
		{"body", form("/x", "k="+strings.Repeat("v", 99)), 413, "Request Entity Too Large"},
		{"body, required", form("/require", strings.Repeat("v", 101)), 413, "Request Entity Too Large"},
		{"body, own error", form("/own", strings.Repeat("v", 101)), 418, ""},
		{"body, values", form("/all", strings.Repeat("v", 101)), 413, "Request Entity Too Large"},
		{"body that nobody parses", form("/raw", strings.Repeat("v", 5000)), 200, "5000"},
		{"body that breaks off", broken, 400, "Bad Request"},
		{"body limited elsewhere", tooLong, 413, "Request Entity Too Large"},
		{"parameters", form("/x?1&2", "k=1&4&5"), 201, "got 1"},
		{"parameters, one more", form("/x?1&2", "k=1&4&5&6"), 400, "Bad Request"},
		{"parameters of the query", httptest.NewRequest("GET", "/x?k=1&2&3&4&5&6", nil), 400, "Bad Request"},
		{"path", httptest.NewRequest("GET", "/"+strings.Repeat("x", 49), nil), 404, ""},
		{"path, one more", httptest.NewRequest("GET", "/"+strings.Repeat("x", 50), nil), 414, "Request URI Too Long"},
	} {
		w := send(app, test.r)
		if w.Code != test.status || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s: got %d %q, want %d %q", test.name, w.Code, w.Body, test.status, test.body)
		}
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// What is read for parameters is there again for the action and the next handler, whatever its size.
func TestBodyIsThereAgain(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d %v %d", len(body), err, len(r.URL.Path))
	})
	app := routing.New(quiet(), routing.WithMethodOverride(), routing.WithNext(next))
	app.Post("/pass", func(c routing.Context) (routing.Result, error) {
		c.Params().Get("k")
		return routing.Result{}, routing.Pass
	})
	app.Post("/read", func(c routing.Context) (routing.Result, error) {
		value, _ := c.Params().Get("k")
		body, err := io.ReadAll(c.Request().Body)
		return routing.Text(value + " " + string(body)), err
	})
	upload := form("/upload", strings.Repeat("v", 5<<20))
	for _, test := range []struct {
		name, want string
		r          *http.Request
	}{
		{"an upload of 5 MiB", "5242880 <nil> 7", upload},
		{"a path of 9 KiB", "3 <nil> 9217", form("/"+strings.Repeat("p", 9216), "k=1")},
		{"a form that was read", "3 <nil> 5", form("/pass", "k=1")},
		{"a form read by the action too", "1 k=1&j=2", form("/read", "k=1&j=2")},
	} {
		if got := send(app, test.r).Body.String(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestMultipart(t *testing.T) {
	body := "--b\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nfile\r\n--b--\r\n"
	read := func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().Keys(), c.Params().Values("k"))), nil
	}
	request := func(body string) *http.Request {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(body))
		r.Header.Set("Content-Type", `multipart/form-data; boundary=b`)
		return r
	}
	off, on := routing.New(quiet()), routing.New(quiet(), routing.WithMultipart(), routing.WithParamLimit(3))
	off.Post("/x", read)
	on.Post("/x", read)
	if got := send(off, request(body)).Body.String(); got != "[] []" {
		t.Errorf("off: got %s, want nothing", got)
	}
	if got := send(on, request(body)).Body.String(); got != "[k] [v]" {
		t.Errorf("on: got %s, want the field alone", got)
	}
	if w := send(on, request(body[:len(body)-8])); w.Code != 400 {
		t.Errorf("a body that breaks off: got %d, want 400", w.Code)
	}
	if w := send(on, request(strings.Repeat(body[:60], 4)+body)); w.Code != 400 {
		t.Errorf("too many parts: got %d, want 400", w.Code)
	}
}

// No CR, LF or NUL leaves in a header, and the log names the header.
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
		pair := names["/"+c.Params().Or("kind", "")]
		return routing.Result{}, &routing.HaltError{Status: 400, Header: http.Header{pair[0]: {pair[1]}}}
	})
	app.Get("/redirect/*", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(c.Params().Or("splat", ""))
	})
	app.Handle("GET", "/handler/:kind", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pair := names["/"+r.PathValue("kind")]
		w.Header()[pair[0]] = []string{pair[1]}
		io.WriteString(w, "ok")
	}))
	for kind := range names {
		for _, prefix := range []string{"", "/halt", "/handler"} {
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
			if !strings.Contains(log.String(), "is not legal") || strings.Count(log.String(), "\n") != 1 {
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
		case status == 0:
			want = 200
		case status < 200 || status > 999:
			want = 500
		}
		for _, path := range []string{"/set", "/halt"} {
			if w := get(app, path); w.Code != want {
				t.Errorf("%s %d: got %d, want %d", path, status, w.Code, want)
			}
		}
	}
}

func TestLocalRedirect(t *testing.T) {
	for target, want := range map[string]string{
		"/account": "/account", "/a?b=//c": "/a?b=//c", "/": "/",
		"//evil": "/home", `/\evil`: "/home", "https://evil": "/home", "evil": "/home", "": "/home", `\/evil`: "/home", "/\t/evil": "/home", "/\n/evil": "/home", "javascript:alert(1)": "/home",
	} {
		var halt *routing.HaltError
		if err := routing.LocalRedirect(target, "/home"); !errors.As(err, &halt) || halt.Header.Get("Location") != want || halt.Status != 302 {
			t.Errorf("%q: got %v, want a redirect to %q", target, halt, want)
		}
	}
}

// closing tells whether it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

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
		body := &closing{Reader: test.reader}
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

// A stream is sent as it comes.
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
				t.Errorf("%s, %s: went on with %v, answered %d %q", site, kind, got, w.Code, w.Body)
			}
		}
		// Leaving the goroutine ends it, and the next request is served.
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
			t.Errorf("%s: the request after a Goexit is answered with %d", site, w.Code)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestRoutesAreAddedWhileServing(t *testing.T) {
	app := routing.New(quiet())
	const each = 250
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() {
			for i := range each {
				app.Get(fmt.Sprintf("/w%d/%d", worker, i), text("ok"))
				app.Before(func(routing.Context) error { return nil }, routing.On(fmt.Sprintf("/w%d/%d", worker, i)))
			}
		})
		wg.Go(func() {
			for i := range each {
				if w := get(app, fmt.Sprintf("/w%d/%d", worker, i)); w.Code != 200 && w.Code != 404 {
					t.Errorf("got %d", w.Code)
				}
			}
		})
	}
	wg.Wait()
	if n := len(app.Routes()); n != 4*each {
		t.Errorf("there are %d definitions, want %d", n, 4*each)
	}
	for worker := range 2 {
		for i := range each {
			if w := get(app, fmt.Sprintf("/w%d/%d", worker, i)); w.Code != 200 {
				t.Errorf("/w%d/%d: got %d", worker, i, w.Code)
			}
		}
	}
}

func TestMethodNotAllowed(t *testing.T) {
	app := routing.New(quiet(), routing.WithMethodNotAllowed())
	app.Get("/x/:id", text("get"))
	app.Delete("/x/:id", text("delete"))
	app.Route("BREW", routing.Must(routing.Sinatra("/pot")), text("coffee"))
	for _, test := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"POST", "/x/1", 405, "DELETE, GET, HEAD, OPTIONS"},
		{"GET", "/x/1", 200, ""},
		{"GET", "/pot", 405, "BREW, OPTIONS"},
		{"GET", "/none", 404, ""},
	} {
		w := send(app, httptest.NewRequest(test.method, test.path, nil))
		if w.Code != test.status || w.Header().Get("Allow") != test.allow {
			t.Errorf("%s %s: got %d, Allow %q; want %d, %q", test.method, test.path, w.Code, w.Header().Get("Allow"), test.status, test.allow)
		}
	}
}

func TestStrictPaths(t *testing.T) {
	app := routing.New(quiet(), routing.WithStrictPaths())
	app.Get("*", text("ok"))
	for target, want := range map[string]int{
		"/": 200, "/a/b": 200, "/a/": 200, "/a%20b": 200, "/é": 200, "/100%25": 200, "/...": 200,
		"/a//b": 400, "//": 400, "/a/./b": 400, "/a/../b": 400, "/..": 400, "/a%2Fb": 400, "/a%2fb": 400, "/a%5Cb": 400, "/a;b": 400, "/a%0Ab": 400, "/a%00": 400,
		"/%FF": 400, "/%252e": 400, "/%c0%af": 400,
	} {
		if w := get(app, target); w.Code != want {
			t.Errorf("%s: got %d, want %d", target, w.Code, want)
		}
	}
}

func TestPatternAndPathValue(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/base"))
	app.Get("/a/:x", text("a"))
	app.Get("/a/:x", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.Handle("", "/h/:x/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", r.PathValue("x"), r.PathValue("splat"), r.Pattern)
	}))
	for _, test := range []struct{ target, pattern, body string }{
		{"/base/a/1", "GET /base/a/:x", "a"},
		{"/base/h/1/2/3", "/base/h/:x/*", "1 2/3 /base/h/:x/*"},
		{"/base/none", "outer", ""},
	} {
		r := httptest.NewRequest("GET", test.target, nil)
		r.Pattern = "outer"
		w := send(app, r)
		if r.Pattern != test.pattern || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s: got pattern %q, body %q; want %q, %q", test.target, r.Pattern, w.Body, test.pattern, test.body)
		}
	}
}

func tag(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X-Through", name)
			next.ServeHTTP(w, r.WithContext(r.Context())) // a copy, as much middleware makes
		})
	}
}

func TestMiddleware(t *testing.T) {
	app := routing.New(quiet())
	app.Use(tag("app1"), tag("app2"))
	app.Get("/x/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().Or("id", "") + c.Request().PathValue("id")), nil
	}, routing.Use(tag("route1"), tag("route2")))
	app.Get("/pass", text("older"))
	app.Get("/pass", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Use(tag("passed")))
	app.Get("/refused", text("secret"), routing.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
	}))
	app.Get("/twice", text("once"), routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			next.ServeHTTP(w, r)
		})
	}))
	app.Get("/error", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("secret") }, routing.Use(tag("e")))
	app.Get("/slow", func(c routing.Context) (routing.Result, error) {
		<-c.Request().Context().Done()
		time.Sleep(5 * time.Millisecond)
		return routing.Text("late"), nil
	}, routing.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 10*time.Millisecond, "too late")
	}))
	afters := 0
	var mu sync.Mutex
	app.After(func(routing.Context) error { mu.Lock(); defer mu.Unlock(); afters++; return nil })
	for _, test := range []struct {
		path, body, through, pattern string
		status                       int
	}{
		{"/x/5", "55", "app1 app2 route1 route2", "GET /x/:id", 200},
		{"/pass", "older", "app1 app2 passed", "GET /pass", 200},
		{"/refused", "no\n", "app1 app2", "GET /refused", 401},
		{"/twice", "onceonce", "app1 app2", "GET /twice", 200},
		{"/error", "Internal Server Error", "app1 app2 e", "GET /error", 500},
		{"/slow", "too late", "app1 app2", "GET /slow", 503},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		w := send(app, r)
		if w.Code != test.status || w.Body.String() != test.body || strings.Join(w.Header()["X-Through"], " ") != test.through || r.Pattern != test.pattern {
			t.Errorf("%s: got %d %q through %v, pattern %q; want %d %q %q %q", test.path, w.Code, w.Body, w.Header()["X-Through"], r.Pattern, test.status, test.body, test.through, test.pattern)
		}
	}
	time.Sleep(50 * time.Millisecond) // the slow action ends
	mu.Lock()
	defer mu.Unlock()
	if afters != 7 {
		t.Errorf("after filters ran %d times for 6 requests, of which one runs twice", afters)
	}
}

func TestMountedApps(t *testing.T) {
	inner := routing.New(quiet(), routing.WithBasePath("/v1"))
	inner.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().Or("id", "") + " " + c.Request().URL.Path), nil
	})
	outer := routing.New(quiet(), routing.WithBasePath("/base"))
	outer.Before(func(c routing.Context) error { c.Header().Set("X-Outer", "1"); return nil })
	outer.Mount("/api", inner)
	outer.Mount("/files/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Method+" "+r.URL.Path) }))
	for _, test := range []struct {
		method, target, body, pattern string
		status                        int
	}{
		{"GET", "/base/api/v1/users/7", "7 /base/api/v1/users/7", "GET /base/api/v1/users/:id", 200},
		{"GET", "/base/api/v2/users/7", "", "", 404},
		{"GET", "/base/apix", "", "", 404},
		{"PATCH", "/base/files", "PATCH /base/files", "/base/files/*", 200},
		{"GET", "/base/files/a/b", "GET /base/files/a/b", "/base/files/*", 200},
	} {
		r := httptest.NewRequest(test.method, test.target, nil)
		w := send(outer, r)
		if w.Code != test.status || test.body != "" && (w.Body.String() != test.body || r.Pattern != test.pattern || w.Header().Get("X-Outer") != "1") {
			t.Errorf("%s %s: got %d %q, pattern %q", test.method, test.target, w.Code, w.Body, r.Pattern)
		}
	}
}

func TestURLRoundTrips(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/b c"))
	for _, test := range []struct {
		pattern routing.Pattern
		pairs   []string
		want    string // empty for an error
	}{
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "Ann Lee"}, "/b%20c/hello/Ann%20Lee"},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "ä?#%"}, "/b%20c/hello/%C3%A4%3F%23%25"},
		{routing.Must(routing.Sinatra("/*/x/*")), []string{"splat", "a/b", "splat", "c"}, "/b%20c/a/b/x/c"},
		{routing.Must(routing.Sinatra("/list/?:page?")), nil, "/b%20c/list"},
		{routing.Must(routing.Rails("/doc/:id(.:format)")), []string{"id", "7", "format", "json"}, "/b%20c/doc/7.json"},
		{routing.Must(routing.Rails("/doc/:id(.:format)")), []string{"id", "7"}, "/b%20c/doc/7"},
		{routing.Must(routing.Sinatra("/hello/:name")), nil, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "a/b"}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", ""}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", ".."}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "a", "other", "b"}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name"}, ""},
		{routing.Must(routing.Rails("/doc/:id")), []string{"id", "a.b"}, ""},
		{routing.Regexp(regexp.MustCompile("^/x$")), nil, ""},
		{routing.Pattern{}, nil, ""},
	} {
		var got []string
		route := app.Route("GET", test.pattern, func(c routing.Context) (routing.Result, error) {
			for i := 0; i < len(test.pairs); i += 2 {
				got = c.Params().Values(test.pairs[i])
			}
			return routing.Text("ok"), nil
		})
		address, err := route.URL(test.pairs...)
		if address != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %q: got %q, %v; want %q", test.pattern, test.pairs, address, err, test.want)
			continue
		}
		if test.want == "" {
			continue
		}
		if w := get(app, address); w.Body.String() != "ok" || len(test.pairs) > 0 && !slices.Contains(got, test.pairs[len(test.pairs)-1]) {
			t.Errorf("%s: a request for %s gives %d, %q", test.pattern, address, w.Code, got)
		}
	}
}

func TestShadowedOnGitHub(t *testing.T) {
	data, err := os.ReadFile("testdata/routes.json")
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string][]struct{ Method, Path string }
	if err := json.Unmarshal(data, &tables); err != nil {
		t.Fatal(err)
	}
	app := routing.New()
	for _, r := range tables["github"] {
		path, _, rest := strings.Cut(r.Path, "*")
		if rest {
			path += "*"
		}
		app.Route(r.Method, routing.Must(routing.Sinatra(path)), text(""))
	}
	shadows := app.Shadowed()
	if len(tables["github"]) != 239 || len(shadows) != 15 {
		t.Errorf("of %d routes %d are hidden, want 15 of 239", len(tables["github"]), len(shadows))
	}
	// What is said to be hidden is: a request for its address runs the other.
	for _, s := range shadows {
		target := regexp.MustCompile(`:\w+`).ReplaceAllString(s.Hidden.Pattern().String(), "value")
		r := httptest.NewRequest(s.Hidden.Method(), target, nil)
		get := send(app, r)
		if r.Pattern != s.By.String() || get.Code != 200 {
			t.Errorf("%s: runs %s", s, r.Pattern)
		}
	}
}

func TestExplain(t *testing.T) {
	app := routing.New(routing.WithMethodOverride(), routing.WithBasePath("/b"))
	app.Get("/x/:id", text(""))
	app.Post("/x/:id", text(""))
	app.Get("/x/new", text(""), routing.WhenNamed("beta", func(r *http.Request) bool { return r.Header.Get("Beta") != "" }))
	app.Route("", routing.Pattern{}, text(""))
	app.Head("/x/*", text(""))
	want := `GET "/x/new"
  - HEAD /b/x/*: the method is GET
  + /b: the path matches
  - GET /b/x/new: refused by the condition beta
  - POST /b/x/:id: the method is GET
  + GET /b/x/:id: the path matches
`
	e := app.Explain(httptest.NewRequest("GET", "/b/x/new", nil))
	if got := e.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if matched := e.Matched(); len(matched) != 2 || matched[1].String() != "GET /b/x/:id" {
		t.Errorf("matched %v", matched)
	}
	head := app.Explain(httptest.NewRequest("HEAD", "/b/x/1", nil)).Matched()
	if len(head) != 3 || head[0].Method() != "HEAD" || head[1].Method() != "" || head[2].Method() != "GET" {
		t.Errorf("HEAD matched %v", head)
	}
	if e := app.Explain(httptest.NewRequest("GET", "/other", nil)); e.Inside || !strings.Contains(e.String(), "outside") {
		t.Errorf("outside of the base path: %s", e)
	}
	r := httptest.NewRequest("POST", "/b/x/1", nil)
	r.Header.Set("X-HTTP-Method-Override", "DELETE")
	if e := app.Explain(r); e.Method != "DELETE" {
		t.Errorf("overridden method: got %s", e.Method)
	}
}

func TestRoutesTable(t *testing.T) {
	app := routing.New()
	app.Before(func(routing.Context) error { return nil }, routing.On("/a/*"), routing.OnPattern(routing.Pattern{}))
	app.Get("/x", text(""), routing.When(func(*http.Request) bool { return true }), routing.Meta("k", "v"))
	app.After(func(routing.Context) error { return nil })
	want := "before  *    /a/* or (every path)\nroute   GET  /x  conditions: 1\nafter   *    (every path)\n"
	if got := app.Routes().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if v := app.Routes()[1].Route.Meta("k"); v != "v" {
		t.Errorf("meta is %v", v)
	}
}

func TestResponseControllerAndHTTP2(t *testing.T) {
	app := routing.New(quiet())
	app.Handle("GET", "/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, flusher := w.(http.Flusher)
		_, hijacker := w.(http.Hijacker)
		err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(w, "%s %v %v %v", r.Proto, flusher, hijacker, err)
		http.NewResponseController(w).Flush()
	}))
	app.Get("/big", func(c routing.Context) (routing.Result, error) {
		return routing.Text(strings.Repeat("x", 100_000)), nil
	})
	for _, test := range []struct {
		http2 bool
		want  string
	}{{false, "HTTP/1.1 true true <nil>"}, {true, "HTTP/2.0 true false <nil>"}} {
		server := httptest.NewUnstartedServer(app)
		server.EnableHTTP2 = test.http2
		server.StartTLS()
		for path, want := range map[string]string{"/": test.want, "/big": strings.Repeat("x", 100_000)} {
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

// brokenWriter fails at a byte, and can nothing else.
type brokenWriter struct {
	header http.Header
	left   int
	codes  int
}

func (w *brokenWriter) Header() http.Header { return w.header }
func (w *brokenWriter) WriteHeader(int)     { w.codes++ }
func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, errors.New("broken")
	}
	w.left -= len(p)
	return len(p), nil
}

// stringWriter takes text as it is, as net/http's own writer does.
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
	for _, path := range []string{"/text", "/bytes", "/stream", "/handler", "/none"} {
		for k := range 12 {
			w := &brokenWriter{header: make(http.Header), left: k}
			app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.codes > 1 {
				t.Errorf("%s, broken at byte %d: %d statuses", path, k, w.codes)
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
		"/json":    {body, "application/json; charset=utf-8", `{"a":"\u003cb\u003e"}`},
		"/nothing": {routing.Result{}, "text/html; charset=utf-8", ""},
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
		c.SetStatus(map[string]int{"204": 204, "304": 304}[c.Params().Or("status", "")])
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

func TestSyntaxOption(t *testing.T) {
	app := routing.New(routing.WithSyntax(routing.Rails))
	app.Get("/doc/:id(.:format)", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().Or("format", "none")), nil
	})
	app.Before(func(c routing.Context) error { c.Header().Set("X-B", "1"); return nil }, routing.On("/doc(/*rest)"))
	w := get(app, "/doc/7.json")
	if w.Body.String() != "json" || w.Header().Get("X-B") != "1" {
		t.Errorf("got %q %v", w.Body, w.Header())
	}
	pattern := routing.Must(routing.Rails("/a/:b"))
	if pattern.Syntax() != "rails" || pattern.String() != "/a/:b" || !slices.Equal(pattern.Names(), []string{"b"}) || (routing.Pattern{}).Syntax() != "" || (routing.Pattern{}).Names() != nil {
		t.Error("a pattern does not tell what it is")
	}
	if app := routing.New(routing.WithSyntax(nil)); app.Get("/:x?", text("")).Pattern().Syntax() != "sinatra" {
		t.Error("no syntax is not Sinatra's")
	}
}

// No allocation, from ServeHTTP to the text on the wire.
func TestNoAllocations(t *testing.T) {
	app := routing.New()
	app.Before(func(routing.Context) error { return nil }, routing.On("/a/*"))
	app.Get("/a/:x", func(c routing.Context) (routing.Result, error) {
		x, err := c.Params().Require("x")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(x), nil
	})
	for range 10 {
		app.Get("/a/:y", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	}
	w := &stringWriter{brokenWriter{header: make(http.Header), left: 1 << 60}}
	r := httptest.NewRequestWithContext(context.Background(), "GET", "/a/value", nil)
	if n := testing.AllocsPerRun(1000, func() { app.ServeHTTP(w, r) }); n >= 1 && !raceEnabled {
		t.Errorf("a request allocates %v times, want none", n)
	}
}
