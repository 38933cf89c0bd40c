package routing_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"example.com/flowercafe/routing"
)

// A handler can hijack the connection, and send files with the server's ReadFrom.
func TestHandlersReachTheServer(t *testing.T) {
	app := routing.New(quiet())
	app.Handle("GET", "/hijack", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "taken over")
	}))
	app.Handle("GET", "/copy", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("copied")); err != nil {
			t.Error(err)
		}
		w.(http.Flusher).Flush()
	}))
	app.Get("/status", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(202)
		return routing.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))(c)
	})
	server := httptest.NewServer(app)
	defer server.Close()
	for path, want := range map[string]string{"/hijack": "taken over", "/copy": "\r\n\r\ncopied", "/status": "HTTP/1.1 202 Accepted"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.0\r\n\r\n", path)
		got, err := io.ReadAll(bufio.NewReader(conn))
		conn.Close()
		if text := strings.Replace(string(got), "HTTP/1.0", "HTTP/1.1", 1); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: got %q, %v; want %q in it", path, got, err, want)
		}
	}
}

// As with net/http, a handler can send an error after the first read of its source has failed.
func TestHandlersCopyFromBrokenReaders(t *testing.T) {
	app := routing.New(quiet())
	for path, text := range map[string]string{"/at/once": "", "/later": strings.Repeat("0123456789", 100)} {
		app.Handle("GET", path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reader := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
			if n, err := io.Copy(w, struct{ io.Reader }{reader}); err != nil {
				w.WriteHeader(http.StatusBadGateway)
				fmt.Fprint(w, n)
			}
		}))
	}
	address := serve(t, app)
	for path, want := range map[string]int{"/at/once": 502, "/later": 200} {
		if got := fetch(t, "GET", address+path, ""); got.status != want || !strings.HasSuffix(got.body, "0") {
			t.Errorf("%s: got %d %q, want %d", path, got.status, got.body, want)
		}
	}
}

// Shadowed reports only routes whose requests another route matches first, for all kinds of
// patterns.
func TestShadowedIsSound(t *testing.T) {
	sinatra := func(p string) routing.Pattern { return routing.Must(routing.Sinatra(p)) }
	rails := func(p string) routing.Pattern { return routing.Must(routing.Rails(p)) }
	for _, test := range []struct {
		earlier, later routing.Pattern
		hidden         bool
	}{
		{sinatra("/a"), sinatra("/a"), true},
		{sinatra("/a"), sinatra("/:x"), true},
		{sinatra("/:x"), sinatra("/a"), false},
		{sinatra("/a/:x"), sinatra("/a/*"), true},
		{sinatra("/a/*"), sinatra("/a/:x"), false},
		{sinatra("/a"), sinatra("/a/*"), false},
		{sinatra("/a/"), sinatra("/a/*"), true},
		{sinatra("/a/b"), sinatra("/a*"), true},
		{sinatra("/ab"), sinatra("/a*"), true},
		{sinatra("/a/?"), sinatra("/a"), false},
		{sinatra("/a/?"), sinatra("/a*"), true},
		{sinatra("/a"), sinatra("/a/?"), true},
		{sinatra("/:x"), rails("/:x"), false},
		{rails("/:x"), sinatra("/:x"), true},
		{rails("/a"), rails("/:x"), true},
		{sinatra("/a.b"), rails("/:x"), false},
		{sinatra("/a/"), rails("/a/*rest"), false},
		{sinatra("/a/b"), rails("/a/*rest"), true},
		{sinatra("/a/b"), sinatra("*"), true},
		{routing.Pattern{}, sinatra("*"), true},
		{sinatra("*"), routing.Pattern{}, true},
		{sinatra("/:a.:b"), sinatra("/:x"), false},                                        // a partial segment
		{routing.Regexp(regexp.MustCompile(`[^\x00-\x{10FFFF}]`)), sinatra("/:x"), false}, // matches nothing
	} {
		app := routing.New()
		app.Route("GET", test.earlier, text(""))
		app.Route("GET", test.later, text(""))
		if got := len(app.Shadowed()) == 1; got != test.hidden {
			t.Errorf("%q before %q: hidden is %v, want %v", test.earlier, test.later, got, test.hidden)
		}
	}
	app := routing.New()
	app.Get("/a", text(""))
	app.Get("/:x", text(""), routing.When(func(*http.Request) bool { return true }))
	app.Post("/:x", text(""))
	app.Head("/b", text(""))
	app.Get("/b", text(""))
	if shadows := app.Shadowed(); len(shadows) > 0 {
		t.Errorf("a condition, another method, HEAD before GET: got %v, want nothing hidden", shadows)
	}
	app.Route("", routing.Pattern{}, text(""))
	if n := len(app.Shadowed()); n != 4 {
		t.Errorf("before a route for every path, %d are hidden, want 4: %v", n, app.Shadowed())
	}
}

// Shadowed does not compare all pairs of routes, even if all match the same paths.
func TestShadowedOfManyRoutes(t *testing.T) {
	count := 20_000
	if testing.Short() {
		count = 2_000
	}
	for name, conditions := range map[string][]routing.RouteOption{
		"plain": nil, "conditional": {routing.When(func(*http.Request) bool { return true })},
	} {
		app := routing.New()
		for range count {
			app.Get("/same/:id", text(""), conditions...)
		}
		app.Get("/same/:id", text(""))
		start := time.Now()
		if n := len(app.Shadowed()); n != count {
			t.Errorf("%s: %d are hidden, want %d", name, n, count)
		}
		if taken := time.Since(start); taken > 15*time.Second {
			t.Errorf("%s: it took %v", name, taken)
		}
	}
}

func TestMountedAppWithMiddleware(t *testing.T) {
	inner := routing.New(quiet())
	inner.Use(tag("inner"))
	inner.Get("/x", text("x"))
	outer := routing.New(quiet())
	outer.Mount("/in", inner, routing.Use(tag("outer")))
	w := get(outer, "/in/x")
	if w.Body.String() != "x" || strings.Join(w.Header()["X-Through"], " ") != "outer inner" {
		t.Errorf("got %q through %v", w.Body, w.Header()["X-Through"])
	}
}

// A halt with an invalid reason is a 500, even if no reason would be sent.
func TestIllegalReason(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Reason: "a\r\nX-Evil: 1"}
	})
	app.Patch("/", text("patched"))
	if w := get(app, "/"); w.Code != 500 {
		t.Errorf("got %d, want 500", w.Code)
	}
	if w := send(app, httptest.NewRequest("PATCH", "/", nil)); w.Body.String() != "patched" {
		t.Errorf("got %q", w.Body)
	}
}

// onlyUnwraps is a writer of middleware that has Unwrap but not Flush.
type onlyUnwraps struct{ w http.ResponseWriter }

func (u onlyUnwraps) Header() http.Header         { return u.w.Header() }
func (u onlyUnwraps) Write(p []byte) (int, error) { return u.w.Write(p) }
func (u onlyUnwraps) WriteHeader(status int)      { u.w.WriteHeader(status) }
func (u onlyUnwraps) Unwrap() http.ResponseWriter { return u.w }

// failsToFlush is a writer whose Flush fails.
type failsToFlush struct{ http.ResponseWriter }

func (failsToFlush) Flush()            {}
func (failsToFlush) FlushError() error { return io.ErrClosedPipe }

// If a handler flushes first, the status that was set is sent, and the handler gets the error of
// Flush.
func TestResponseControllerFlush(t *testing.T) {
	var err error
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(201)
		return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			err = http.NewResponseController(w).Flush()
			io.WriteString(w, "made")
		}))(c)
	})
	for name, test := range map[string]struct {
		wrap func(http.ResponseWriter) http.ResponseWriter
		err  error
	}{
		"plain":                   {func(w http.ResponseWriter) http.ResponseWriter { return w }, nil},
		"writer that unwraps":     {func(w http.ResponseWriter) http.ResponseWriter { return onlyUnwraps{w} }, nil},
		"connection that is gone": {func(w http.ResponseWriter) http.ResponseWriter { return failsToFlush{w} }, io.ErrClosedPipe},
	} {
		w := httptest.NewRecorder()
		app.ServeHTTP(test.wrap(w), httptest.NewRequest("GET", "/", nil))
		if w.Code != 201 || w.Body.String() != "made" || err != test.err {
			t.Errorf("%s: got %d %q, flushed with %v; want 201 and %v", name, w.Code, w.Body, err, test.err)
		}
	}
}
