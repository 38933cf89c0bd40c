package routing_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/reason"
)

// This file tests apps in a real server.

// A client that waits for "100 Continue" gets its response immediately if the body is not read.
func TestExpectContinue(t *testing.T) {
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	action := func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 401}
	}
	pass := func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }
	same := func(next http.Handler) http.Handler { return next }
	refuses := func(http.Handler) http.Handler { return refuse }
	inner := routing.New(quiet())
	inner.Use(same)
	inner.Post("/action", action)
	inner.Handle("POST", "/handler", refuse)
	app := routing.New(quiet(), routing.WithMethodOverride(), routing.WithNext(refuse))
	app.Before(func(routing.Context) error { return &routing.HaltError{Status: 401} }, routing.On("/halted"))
	app.Post("/action", action)
	app.Post("/passes", pass)
	app.Handle("POST", "/handler", refuse)
	app.Handle("POST", "/handler/:name", refuse)
	app.Post("/use", action, routing.Use(same))
	app.Post("/use/:name", action, routing.Use(same))
	app.Post("/refuses", action, routing.Use(refuses))
	app.Mount("/mounted", refuse)
	app.Mount("/inner", inner)
	server := httptest.NewServer(app)
	defer server.Close()
	paths := []string{
		"/halted", "/action", "/passes", "/handler", "/handler/rose", "/use", "/use/rose", "/refuses", "/missing",
		"/mounted/rose", "/inner/action", "/inner/handler", "/inner/missing",
	}
	for _, contentType := range []string{"application/json", "multipart/form-data; boundary=x", "text/plain"} {
		for _, framing := range []string{"Content-Length: 1000000", "Transfer-Encoding: chunked"} {
			for _, path := range paths {
				conn, err := net.Dial("tcp", server.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				conn.SetDeadline(time.Now().Add(30 * time.Second))
				fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n%s\r\nExpect: 100-continue\r\n\r\n", path, contentType, framing)
				line, err := bufio.NewReader(conn).ReadString('\n')
				conn.Close()
				if want := "HTTP/1.1 4"; err != nil || !strings.HasPrefix(line, want) {
					t.Errorf("POST %s, %s, %s: got %q, %v; want %s…", path, contentType, framing, line, err, want)
				}
			}
		}
	}
}

// gzipWriter is a writer as many middlewares have one: it sets Content-Encoding and does not change
// Content-Length.
type gzipWriter struct {
	http.ResponseWriter
	io.Writer
}

func (w gzipWriter) Write(b []byte) (int, error) { return w.Writer.Write(b) }

func gzipped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		next.ServeHTTP(gzipWriter{w, z}, r)
	})
}

// A body that middleware encodes does not have the Content-Length of the result.
func TestContentLengthOfEncodedBody(t *testing.T) {
	want := strings.Repeat("flower ", 1000)
	app := routing.New()
	app.Get("/text", text(want))
	app.Get("/route", text(want), routing.Use(gzipped))
	for path, handler := range map[string]http.Handler{"/text": gzipped(app), "/route": app} {
		server := httptest.NewServer(handler)
		response, err := server.Client().Get(server.URL + path) // requests gzip and decodes it
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		server.Close()
		if err != nil || string(got) != want {
			t.Errorf("%s: got %d bytes and error %v, want %d", path, len(got), err, len(want))
		}
	}
}

// Default responses keep the Content-Encoding of middleware that encodes them. Without such
// middleware, a Content-Encoding of the failed route is removed.
func TestEncodingOfDefaultResponses(t *testing.T) {
	define := func(options ...routing.RouteOption) *routing.App {
		app := routing.New(quiet())
		fails := func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("secret") }
		app.Get("/fails", fails, options...)
		app.Get("/refuses", func(c routing.Context) (routing.Result, error) {
			_, err := c.Params().Require("key")
			return routing.Result{}, err
		}, options...)
		app.Get("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, options...)
		panics := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `"x"`)
			panic("secret")
		}
		app.Handle("GET", "/panics", http.HandlerFunc(panics), options...)
		return app
	}
	set, setAround, setOutside := define(), define(routing.Use(tag("m"))), routing.New(quiet())
	setOutside.Mount("/", define())
	mounting := routing.New(quiet())
	mounting.Mount("/", define())
	for _, app := range []*routing.App{set, setAround, setOutside} {
		app.Before(func(c routing.Context) error {
			c.Header().Set("Content-Encoding", "gzip")
			return nil
		})
	}
	for name, handler := range map[string]http.Handler{
		"around the app": gzipped(define()), "around routes": define(routing.Use(gzipped)), "none": define(), "none, but a filter says so": set,
		"around routes, and a filter says so": setAround, "none, but a filter of the outer app says so": setOutside,
		"around a mounted app": gzipped(mounting), "around the app, and other middleware around routes": gzipped(define(routing.Use(tag("m")))),
	} {
		server := httptest.NewServer(handler)
		for path, want := range map[string]string{
			"/fails": "Internal Server Error", "/refuses": "Bad Request", "/passes": "There is nothing at this address.", "/panics": "Internal Server Error",
		} {
			response, err := server.Client().Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || !strings.Contains(string(body), want) {
				t.Errorf("%s, %s: got %d %q and error %v, want %q", name, path, response.StatusCode, body, err, want)
			}
		}
		server.Close()
	}
}

// A large body that the app does not read does not delay the response.
func TestUnreadBody(t *testing.T) {
	synctest.Test(t, testUnreadBody) // the server waits half a second before it closes the connection
}

func testUnreadBody(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/", func(routing.Context) (routing.Result, error) { return routing.Text("done"), nil })
	client := testenv.Serve(t, &http.Server{Handler: app})
	conn, err := client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "shop:80")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", 10<<20)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "HTTP/1.1 200 OK\r\n" {
		t.Errorf("got %q, %v; want the response before the body has come", line, err)
	}
}

// An action that runs longer than its request does not share path values with an outer logger. The
// outer ServeMux keeps its "id".
func TestPathValuesAreNotShared(t *testing.T) {
	app := routing.New(quiet())
	late := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		for range 100 {
			r.PathValue("id")
		}
	})
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			for range 100 {
				r.PathValue("id")
			}
		})
	}, func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "late") })
	app.Handle(http.MethodGet, "/outer/inner/:id/:other", late)
	mux := http.NewServeMux()
	mux.Handle("/{id}/", app)
	outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r)
		if id := r.PathValue("id"); id != "outer" {
			t.Errorf(`the ServeMux outside has id %q, want "outer"`, id)
		}
	})
	for range 50 {
		send(outer, httptest.NewRequest("GET", "/outer/inner/5/x", nil))
	}
}

// If an action responds after its request has ended, its phrase is not sent with the next response.
func TestReasonAfterRequest(t *testing.T) {
	release, rendered := make(chan struct{}), make(chan struct{})
	app := routing.New(quiet())
	app.Get("/slow", func(routing.Context) (routing.Result, error) {
		<-release
		return routing.Result{}, &routing.HaltError{Status: 403, Reason: "Alice owes 500"}
	})
	app.Get("/next", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	timeout := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app.ServeHTTP(w, r)
		close(rendered)
	}), 20*time.Millisecond, "")
	server := &http.Server{ConnContext: reason.ConnContext, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			timeout.ServeHTTP(w, r)
		} else {
			app.ServeHTTP(w, r)
		}
	})}
	go server.Serve(reason.NewListener(listener))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i, path := range []string{"/slow", "/next"} {
		response, err := client.Get("http://" + listener.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if want := []string{"503 Service Unavailable", "403 Forbidden"}[i]; response.Status != want {
			t.Errorf("GET %s: got %q, want %q", path, response.Status, want)
		}
		if i == 0 {
			close(release)
			<-rendered
		}
	}
}

// brokenHijacker is a writer whose connection cannot be taken over.
type brokenHijacker struct{ *httptest.ResponseRecorder }

func (brokenHijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, errors.ErrUnsupported
}

func TestFailedHijack(t *testing.T) {
	app := routing.New(quiet())
	app.Handle(http.MethodGet, "/", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, _, err := w.(http.Hijacker).Hijack(); err != nil {
			http.Error(w, "no", http.StatusInternalServerError)
		}
	}))
	w := httptest.NewRecorder()
	app.ServeHTTP(brokenHijacker{w}, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("got %d, want 500", w.Code)
	}
}

// broken is an error whose methods panic for a nil pointer.
type broken struct{ text string }

func (b *broken) Error() string   { return b.text }
func (b *broken) Unwrap() error   { return errors.New(b.text) }
func (b *broken) StatusCode() int { return len(b.text) }

func TestErrorsThatPanic(t *testing.T) {
	var empty *broken
	var log bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	fail := func(routing.Context) (routing.Result, error) { return routing.Result{}, empty }
	app.Get("/action", fail)
	app.Get("/wrapped", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, fmt.Errorf("wrapped: %w", errors.Join(empty))
	})
	app.Get("/after", text("fine"))
	app.After(func(routing.Context) error { return empty }, routing.On("/after"))
	app.Get("/panics", func(routing.Context) (routing.Result, error) { panic(empty) })
	app.Get("/middleware", fail, routing.Use(tag("m")))
	app.NotFound(fail)
	app.Post("/posted", fail)
	app.ErrorBody(func(c routing.Context, _ *routing.Problem) (routing.Result, error) { return fail(c) })
	handled := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	handled.Get("/", fail)
	handled.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Result{}, empty })
	app.Mount("/handled", handled)
	server := httptest.NewServer(app)
	defer server.Close()
	for _, path := range []string{"/action", "/wrapped", "/after", "/panics", "/middleware", "/missing", "/posted", "/handled"} {
		log.Reset()
		response, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Errorf("GET %s: %v, want a 500", path, err)
			continue
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != 500 || string(body) != "Internal Server Error" || !strings.Contains(log.String(), "request failed") {
			t.Errorf("GET %s: got %d %q and the log %q, want the plain 500 and an event", path, response.StatusCode, body, log.String())
		}
	}
}

// Handlers may write as with net/http. A status for which net/http panics is a 500.
func TestHandlersWriteAsWithNetHTTP(t *testing.T) {
	app := routing.New(quiet())
	app.Handle(http.MethodGet, "/trailer", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(http.TrailerPrefix+"X-Sum", "5")
		w.WriteHeader(200)
		io.WriteString(w, "body")
		w.(http.Flusher).Flush()
	}))
	for _, status := range []int{0, -1, 99, 1000} {
		app.Handle(http.MethodGet, fmt.Sprint("/status/", status), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	}
	app.Handle(http.MethodPost, "/limited", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3)); err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		}
	}))
	app.Post("/limited/action", func(c routing.Context) (routing.Result, error) {
		_, err := io.ReadAll(http.MaxBytesReader(nil, c.Request().Body, 3))
		return routing.Result{}, err
	})
	server := httptest.NewServer(app)
	defer server.Close()
	response, err := server.Client().Get(server.URL + "/trailer")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if response.StatusCode != 200 || string(body) != "body" || response.Trailer.Get("X-Sum") != "5" {
		t.Errorf("got %d %q and the trailer %v, want X-Sum", response.StatusCode, body, response.Trailer)
	}
	for _, path := range []string{"/status/0", "/status/-1", "/status/99", "/status/1000"} {
		response, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Errorf("GET %s: %v, want a 500", path, err)
			continue
		}
		if response.Body.Close(); response.StatusCode != 500 {
			t.Errorf("GET %s: got %d, want 500", path, response.StatusCode)
		}
	}
	for _, path := range []string{"/limited", "/limited/action"} {
		response, err := server.Client().Post(server.URL+path, "text/plain", strings.NewReader("0123456789"))
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != 413 || !response.Close {
			t.Errorf("POST %s: got %d, closed: %v; want 413 and the end of the connection", path, response.StatusCode, response.Close)
		}
	}
}

// An app cannot be mounted in itself, also not through other apps, whichever is mounted first.
func TestAppInItself(t *testing.T) {
	app, middle, inner := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
	app.Mount("/middle", middle)
	middle.Group("/group", func(g *routing.Group) { g.Mount("/inner", inner) })
	for name, mount := range map[string]func(){
		"in itself":                  func() { app.Mount("/a", app) },
		"in itself without a prefix": func() { app.Mount("", app) },
		"in one inside it":           func() { inner.Mount("/again", app) },
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.Contains(v, "would loop: use another handler") {
					t.Errorf("mounted %s: got %q, want a panic that says what to do", name, v)
				}
			}()
			mount()
		}()
	}
	inner.Get("/here", func(c routing.Context) (routing.Result, error) { return routing.Text(c.Request().Pattern), nil })
	if got := get(app, "/middle/group/inner/here").Body.String(); got != "GET /middle/group/inner/here" {
		t.Errorf("got %q after the panics", got)
	}
	if address, err := inner.Get("/there", text("")).URL(); err != nil || address != "/middle/group/inner/there" {
		t.Errorf("got the URL %q, %v after the panics", address, err)
	}
}

// An app whose next handler is the outer app would pass requests in a loop, until the stack is
// full.
func TestAppInItsNextHandler(t *testing.T) {
	app, middle := routing.New(quiet()), routing.New(quiet())
	app.Mount("/middle", middle)
	for _, around := range []*routing.App{app, middle} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.Contains(v, "requests would loop: use another handler, or remove its WithNext") {
					t.Errorf("got %q, want a panic that says what to do", v)
				}
			}()
			middle.Mount("/inner", routing.New(quiet(), routing.WithNext(around)))
		}()
	}
	inner, outermost := routing.New(quiet()), routing.New(quiet())
	inner.Mount("/innermost", routing.New(quiet(), routing.WithNext(outermost)))
	if v := fmt.Sprint(panicOf(func() { outermost.Mount("/inner", inner) })); !strings.Contains(v, "requests would loop") {
		t.Errorf("got %q for an app that is mounted deeper, want a panic", v)
	}
	middle.Mount("/inner", routing.New(quiet(), routing.WithNext(routing.New(quiet()))))
	if w := get(app, "/middle/inner/none"); w.Code != http.StatusNotFound {
		t.Errorf("got %d of another next handler", w.Code)
	}
}

// Middleware may call its next handler never, twice, late, or in another goroutine, as described at
// Use.
func TestMiddlewareCalls(t *testing.T) {
	var mu sync.Mutex
	var notes []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		notes = append(notes, text)
	}
	app := routing.New(quiet())
	app.After(func(routing.Context) error { note("after"); return nil })
	action := func(routing.Context) (routing.Result, error) { note("action"); return routing.Text("x"), nil }
	var late chan struct{}
	var background sync.WaitGroup
	for path, serve := range map[string]func(http.Handler, http.ResponseWriter, *http.Request){
		"/never": func(_ http.Handler, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "own") },
		"/twice": func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			next.ServeHTTP(w, r)
		},
		"/late": func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			background.Go(func() {
				<-late
				next.ServeHTTP(httptest.NewRecorder(), r)
			})
			io.WriteString(w, "own")
		},
		"/panics": func(next http.Handler, _ http.ResponseWriter, r *http.Request) {
			background.Go(func() {
				<-late
				next.ServeHTTP(httptest.NewRecorder(), r)
			})
			panic("late")
		},
		"/elsewhere": func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			begun := make(chan struct{})
			copied := r.WithContext(context.WithoutCancel(r.Context()))
			background.Go(func() {
				w := httptest.NewRecorder()
				close(begun)
				next.ServeHTTP(w, copied)
			})
			<-begun
			next.ServeHTTP(w, r)
		},
	} {
		app.Get(path, action, routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(next, w, r) })
		}))
	}
	for _, test := range []struct{ path, body, notes string }{
		{"/never", "own", "after"},
		{"/twice", "xx", "action after action after"},
		{"/late", "own", "after"},
		{"/panics", "Internal Server Error", "after"},
		{"/elsewhere", "x", "2 actions, 2 after"},
	} {
		notes, late = nil, make(chan struct{})
		w := get(app, test.path)
		close(late)
		background.Wait()
		got := strings.Join(notes, " ")
		if test.path == "/elsewhere" {
			got = fmt.Sprintf("%d actions, %d after", strings.Count(got, "action"), strings.Count(got, "after"))
		}
		if w.Body.String() != test.body || got != test.notes {
			t.Errorf("%s: got %q and %s, want %q and %s", test.path, w.Body, got, test.body, test.notes)
		}
	}
}
