package routing_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file tests middleware that panics, times out, passes or calls its next handler twice.

// around is middleware that does something before and after its next handler.
func around(before, behind func(http.ResponseWriter)) routing.RouteOption {
	return routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			before(w)
			next.ServeHTTP(w, r)
			behind(w)
		})
	})
}

func nothing(http.ResponseWriter) {}

// A panic of middleware is a 500 if nothing was sent. Otherwise it closes the connection, so that
// the client detects the incomplete response.
func TestMiddlewareThatPanics(t *testing.T) {
	late := func(http.ResponseWriter) { panic("late") }
	app := routing.New(quiet())
	var filtered atomic.Int32
	app.After(func(routing.Context) error {
		filtered.Add(1)
		return nil
	})
	app.Get("/before", text("response"), around(func(http.ResponseWriter) { panic("early") }, nothing))
	app.Get("/behind", text("response"), around(nothing, late))
	app.Get("/writes", text("response"), around(func(w http.ResponseWriter) {
		io.WriteString(w, "own")
		panic("late")
	}, nothing))
	app.Get("/passes", text("older"))
	app.Get("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, around(nothing, late))
	server := httptest.NewServer(app)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // otherwise it would retry after a closed connection
	for _, test := range []struct{ path, want string }{
		{"/before", "500 Internal Server Error"},
		{"/behind", "cut"},
		{"/writes", "cut"},
		{"/passes", "cut"},
	} {
		filtered.Store(0)
		got := "cut"
		if response, err := client.Get(server.URL + test.path); err == nil {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err == nil {
				got = fmt.Sprint(response.StatusCode, " ", string(body))
			}
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.path, got, test.want)
		}
		if n := filtered.Load(); n > 1 {
			t.Errorf("%s: the after filter ran %d times, want once at most", test.path, n)
		}
	}
}

// Whether the timeout or the pass is first, only one of them responds.
func TestPassAndTimeout(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusAccepted)
		return routing.Text("older"), nil
	})
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		<-c.Request().Context().Done()
		return routing.Result{}, routing.Pass
	}, routing.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Millisecond, "timed out") }))
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		w := get(app, "/")
		switch got := fmt.Sprint(w.Code, " ", w.Body); got {
		case "503 timed out", "202 older":
		default:
			t.Fatalf("got %s, want one whole response", got)
		}
	}
}

// If the action passes, the next route runs inside the middleware.
func TestPassThroughMiddleware(t *testing.T) {
	pass := func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }
	patient := routing.Use(func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Minute, "timed out") })
	writes := around(nothing, func(w http.ResponseWriter) { io.WriteString(w, "from the middleware") })
	app := routing.New(quiet())
	app.Get("/:kind", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusCreated)
		return routing.Text("older"), nil
	})
	app.Get("/patient", pass, patient)
	app.Get("/writes", pass, writes)
	app.Get("/none/patient", pass, patient)
	app.Before(func(c routing.Context) error { c.SetStatus(http.StatusAccepted); return nil }, routing.On("/status"))
	app.Get("/status", func(c routing.Context) (routing.Result, error) { return routing.Text(fmt.Sprint(c.Status())), nil }, patient)
	for _, test := range []struct {
		path string
		want int
		body string
	}{{"/patient", 201, "older"}, {"/writes", 201, "olderfrom the middleware"}, {"/none/patient", 404, ""}, {"/status", 202, "202"}} {
		w := get(app, test.path)
		if w.Code != test.want || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s: got %d %s, want %d", test.path, w.Code, w.Body, test.want)
		}
	}
}

// Middleware is created once for each mount of its app, since it may have state such as a counter.
func TestMiddlewareOfMountedApps(t *testing.T) {
	made := 0
	inner := routing.New(quiet())
	inner.Use(func(next http.Handler) http.Handler {
		made++
		return next
	})
	inner.Get("/", text("inner"))
	outer := routing.New(quiet())
	outer.Mount("/a", inner)
	outer.Mount("/b", inner)
	first := 0
	for range 10 {
		get(outer, "/a/")
		get(outer, "/b/")
		if first == 0 {
			first = made
		}
	}
	if made != first {
		t.Errorf("the middleware was made %d times, want %d as for the first requests", made, first)
	}
}

// The status that the outer app has set is sent, unless the mounted app sets another.
func TestStatusOfMountedApps(t *testing.T) {
	inner, deep := routing.New(quiet()), routing.New(quiet())
	for _, app := range []*routing.App{inner, deep} {
		app.Get("/", text("inner"))
		app.Get("/empty", empty)
		app.Get("/stream", func(routing.Context) (routing.Result, error) {
			return routing.Stream("text/plain", strings.NewReader("x")), nil
		})
		app.Handle("GET", "/handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }))
		app.Get("/middleware", empty, routing.Use(tag("m")))
	}
	inner.Mount("/deep", deep)
	outer := routing.New(quiet(), routing.WithBasePath("/shop"))
	outer.Before(func(c routing.Context) error {
		c.SetStatus(http.StatusAccepted)
		return nil
	})
	outer.Mount("/in", inner)
	hi := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hi") })
	responding := routing.New(quiet())
	responding.Use(func(http.Handler) http.Handler { return hi })
	others := map[string]http.Handler{
		"/plain":      hi,
		"/next":       routing.New(quiet(), routing.WithNext(hi)),
		"/outside":    routing.New(quiet(), routing.WithBasePath("/base"), routing.WithNext(hi)),
		"/responding": responding,
	}
	for path, handler := range others {
		inner.Mount(path, handler)
		deep.Mount(path, handler)
	}
	for _, method := range []string{"GET", "HEAD"} {
		for _, path := range slices.Concat(slices.Collect(maps.Keys(others)), []string{"/", "/empty", "/stream", "/handler", "/middleware", "/none"}) {
			want := http.StatusAccepted
			if path == "/none" {
				want = http.StatusNotFound
			}
			for _, prefix := range []string{"/shop/in", "/shop/in/deep"} {
				if w := send(outer, httptest.NewRequest(method, prefix+path, nil)); w.Code != want {
					t.Errorf("%s %s%s: got %d, want %d", method, prefix, path, w.Code, want)
				}
			}
		}
	}
}

// Parameters can be read in both calls if middleware of an app or of a mount calls its next handler
// twice.
func TestParamsInMiddlewareThatCallsTwice(t *testing.T) {
	twice := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			next.ServeHTTP(w, r.WithContext(r.Context()))
		})
	}
	show := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "") + c.Params().GetOr("", "") + " "), c.Params().Err()
	}
	inner, outer, whole := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
	inner.Before(respond.Multipart(8 << 20))
	whole.Before(respond.Multipart(8 << 20))
	inner.Post("/", show)
	outer.Mount("/in", inner, routing.Use(twice))
	whole.Use(tag("m"), twice)
	whole.Post("/in/", show)
	multipart, boundary := upload("Rose", 5<<20)
	for contentType, body := range map[string]string{urlencoded: "title=Rose", "application/json": "Rose", boundary: string(multipart)} {
		for name, app := range map[string]*routing.App{"mount": outer, "app": whole} {
			r := httptest.NewRequest("POST", "/in/", strings.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			if w := send(app, r); w.Body.String() != "Rose Rose " {
				t.Errorf("%s, %s: got %d %q, want the parameter twice", name, contentType, w.Code, w.Body)
			}
		}
	}
}

// If middleware calls its next handler twice, unreadable parameters of the first call do not fail
// the second, and a form that the first call has parsed can be read.
func TestMiddlewareThatCallsTwiceWithAnotherURL(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(30), routing.WithMethodOverride())
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			again := r.WithContext(r.Context())
			again.URL = &url.URL{Path: "/again"}
			next.ServeHTTP(w, again)
		})
	})
	app.Post("/", func(c routing.Context) (routing.Result, error) { return routing.Result{}, c.Params().Err() })
	app.Post("/again", text("posted"))
	for _, define := range []func(string, routing.Action, ...routing.RouteOption) *routing.Route{app.Put, app.Delete} {
		define("/", func(c routing.Context) (routing.Result, error) { return routing.Result{}, c.Request().ParseForm() })
		define("/again", func(c routing.Context) (routing.Result, error) {
			return routing.Text(c.Request().Method + " " + c.Params().GetOr("title", "?")), nil
		})
	}
	for body, want := range map[string]string{
		strings.Repeat("x", 31):     "posted",
		"_method=put&title=Rose":    "PUT Rose",
		"_method=delete&title=Rose": "DELETE Rose",
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", urlencoded)
		if w := send(app, r); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: got %d %q, want %q", body, w.Code, w.Body, want)
		}
	}
}
