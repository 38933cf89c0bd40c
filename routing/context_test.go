package routing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// A Context that was kept still reads its own request, while the app serves others. The race
// detector reports access to others.
func TestContextAfterTheResponse(t *testing.T) {
	app := routing.New(quiet())
	stop := make(chan struct{})
	var wg sync.WaitGroup
	app.Post("/keep/:secret", func(c routing.Context) (routing.Result, error) {
		own := c.Request()
		c.Params().Get("k") // reads the body, which is for one goroutine at a time
		for range 2 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if c.Request() != own {
						t.Error("a kept Context has another request")
					}
					for key, want := range map[string]string{"secret": "mine", "k": "kept", "": ""} {
						if value := c.Params().GetOr(key, ""); value != want {
							t.Errorf("a kept Context reads %q of %q, want %q", value, key, want)
						}
					}
					runtime.Gosched()
				}
			})
		}
		return routing.Text("kept"), nil
	})
	app.Post("/use/:secret", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("secret", "") + c.Params().GetOr("k", "")), nil
	})
	for range 3 {
		send(app, form("/keep/mine", "k=kept"))
	}
	for i := range 5_000 {
		secret := fmt.Sprint("s", i)
		if w := send(app, form("/use/"+secret, "k="+secret)); w.Body.String() != secret+secret {
			t.Fatalf("got %d %q, want %s", w.Code, w.Body, secret+secret)
		}
	}
	close(stop)
	wg.Wait()
}

func TestZeroContext(t *testing.T) {
	var zero routing.Context
	zero.SetStatus(1)
	zero.Header().Set("X-A", "1")
	if _, ok := zero.Params().Get("x"); ok || zero.Status() != 0 || zero.Params().Err() != nil || len(zero.Params().Keys()) != 0 {
		t.Error("the zero Context has a request, headers or parameters")
	}
	if values := zero.Params().Values("x"); values == nil || len(values) != 0 {
		t.Errorf("Values: got %v, want empty", values)
	}
	if r := private.RequestWithPathValues(zero); r == nil || r.PathValue("x") != "" {
		t.Errorf("RequestWithPathValues: got %v, want an empty request", r)
	}
	ctx := context.WithValue(t.Context(), http.ServerContextKey, "server")
	inner, end := zero.WithContext(ctx)
	if got := inner.Request().Context().Value(http.ServerContextKey); got != "server" {
		t.Errorf("WithContext: got %v", got)
	}
	end()
}

// If middleware changes header values in place, other responses do not change.
func TestHeaderValuesAreNotShared(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/text", func(c routing.Context) (routing.Result, error) { c.SetStatus(201); return routing.Text("t"), nil })
	app.Get("/html", func(routing.Context) (routing.Result, error) { return routing.HTML("h"), nil })
	app.Get("/bytes", func(routing.Context) (routing.Result, error) { return routing.Bytes("a/b", []byte("b")), nil })
	app.Get("/none", func(routing.Context) (routing.Result, error) { return routing.Result{}, nil })
	app.Get("/fails", func(routing.Context) (routing.Result, error) { return routing.Result{}, http.ErrNoCookie })
	app.Before(func(c routing.Context) error {
		c.SetStatus(202)
		c.Header()[":status"][0] = "203"
		return nil
	}, routing.On("/none"))
	for name, newWriter := range map[string]func() http.ResponseWriter{
		"recorder": func() http.ResponseWriter { return httptest.NewRecorder() },
		"buffer":   func() http.ResponseWriter { return &buffer{header: make(http.Header)} },
	} {
		for _, path := range []string{"/text", "/html", "/bytes", "/none", "/missing", "/fails"} {
			respond := func() http.Header {
				w := newWriter()
				app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				return w.Header()
			}
			respond() // so that the type of the writer is known
			for _, values := range respond() {
				values[0] = "changed"
				_ = append(values, "more")
			}
			second, third := respond(), respond()
			for key, values := range second {
				if got := third[key]; fmt.Sprint(values) != fmt.Sprint(got) || values[0] == "changed" || got[0] == "more" {
					t.Errorf("%s: %s: %s is %q and then %q", name, path, key, values, got)
				}
			}
		}
	}
}

// buffer is a writer of middleware that sends the response later.
type buffer struct {
	header http.Header
	status int
	body   []byte
}

func (b *buffer) Header() http.Header { return b.header }

func (b *buffer) Write(p []byte) (int, error) {
	b.body = append(b.body, p...)
	return len(p), nil
}

func (b *buffer) WriteHeader(status int) { b.status = status }

// An action may change the URL of its request. Reading parameters afterwards does not panic.
func TestChangedPath(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/base"))
	show := func(c routing.Context) (routing.Result, error) {
		c.Request().URL.Path = c.Request().URL.Query().Get("to")
		return routing.Text(fmt.Sprint(c.Params().Values("x"), c.Params().Values("y"), c.Params().Values("splat"), c.Params().GetOr("q", "none"))), nil
	}
	app.Get("/a/:x/b/:y", show)
	app.Get("/w/*", show)
	app.Get("/f/:x.:y", show)
	app.Get("/u/:x/*", show)
	for _, path := range []string{"/a/1/b/2", "/w/some/where", "/f/a.b", "/u/1/2/3"} {
		for _, to := range []string{"", "/", "/base", "/base/", "x", "/base/a", "/base/a/", "/base/a/1", "/base/w", "/base/u/", "/base/f"} {
			w := get(app, "/base"+path+"?q=1&to="+to)
			if w.Code != http.StatusOK || !strings.HasSuffix(w.Body.String(), "1") {
				t.Errorf("%s changed to %q: got %d %q, want the parameters that are left", path, to, w.Code, w.Body)
			}
		}
	}
}

// After an action has called runtime.Goexit, also inside middleware, the next request is served.
func TestGoexit(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/exit", func(routing.Context) (routing.Result, error) { runtime.Goexit(); return routing.Result{}, nil })
	app.Get("/inside", func(routing.Context) (routing.Result, error) { runtime.Goexit(); return routing.Result{}, nil }, routing.Use(tag("a")))
	app.Get("/", text("here"))
	for _, path := range []string{"/exit", "/inside"} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		}()
		<-done
		if w := get(app, "/"); w.Body.String() != "here" {
			t.Errorf("after %s: got %d %q", path, w.Code, w.Body)
		}
	}
}

// The controller of an action sets deadlines, but cannot flush or hijack.
func TestController(t *testing.T) {
	app := routing.New(quiet())
	var errs []error
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		controller := c.Controller()
		c.Header().Set("X-Action", "1")
		_, _, hijacked := controller.Hijack()
		errs = []error{
			controller.SetReadDeadline(time.Now().Add(time.Minute)), controller.SetWriteDeadline(time.Now().Add(time.Minute)),
			controller.EnableFullDuplex(), controller.Flush(), hijacked,
		}
		c.SetStatus(http.StatusAccepted)
		return routing.Text("later"), nil
	})
	got := fetch(t, "GET", serve(t, app)+"/", "")
	if got.status != 202 || got.body != "later" {
		t.Errorf("got %d %s", got.status, got.body)
	}
	for i, err := range errs {
		if want := i > 2; errors.Is(err, http.ErrNotSupported) != want || !want && err != nil {
			t.Errorf("call %d: got %v", i, err)
		}
	}
	if err := (routing.Context{}).Controller().SetReadDeadline(time.Now()); !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("the zero Context: got %v", err)
	}
	if r := (routing.Context{}).Request(); r == nil || r.URL == nil {
		t.Errorf("the zero Context: got the request %v, want an empty one", r)
	}
}

// After a response over HTTP/2, a Context that was kept reads its request. What belongs to the
// response behaves as the server's writer does, which panics.
func TestKeptContextOverHTTP2(t *testing.T) {
	key := routing.NewKey[string]()
	kept := make(chan routing.Context, 1)
	app := routing.New(quiet())
	route := app.Get("/keep/:secret", func(c routing.Context) (routing.Result, error) {
		key.Set(c, "value")
		kept <- c
		return routing.Text("kept"), nil
	})
	server := httptest.NewUnstartedServer(app)
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 1} // the second handler waits for the end of the first
	server.StartTLS()
	defer server.Close()
	get := func(path string) *http.Response {
		response, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		return response
	}
	response := get("/keep/mine?q=1")
	get("/none")
	c := <-kept
	link, err := c.URL(route, "secret", "x")
	value, _ := key.Get(c)
	got := fmt.Sprintln(response.ProtoMajor, c.Request().URL, c.Params().GetOr("secret", ""), c.Params().GetOr("q", ""), c.Path("/a"), c.RootPath("/b"),
		link, err, c.Logger() != nil, value)
	if want := "2 /keep/mine?q=1 mine 1 /a /b /keep/x <nil> true value\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, use := range map[string]func(){
		"Status": func() { c.Status() }, "SetStatus": func() { c.SetStatus(404) }, "Header": func() { c.Header() },
		"SetCookie": func() { c.SetCookie(&http.Cookie{Name: "a", Value: "b"}) },
	} {
		if panicOf(use) == nil {
			t.Errorf("%s: HTTP/2 does not panic any more: say in the comment of Context that it has no effect", name)
		}
	}
}
