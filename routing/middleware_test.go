package routing_test

// This file tests middleware and mounted apps.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

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
		return routing.Text(c.Params().GetOr("id", "") + c.Request().PathValue("id")), nil
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
	responded := make(chan struct{})
	app.Get("/slow", func(routing.Context) (routing.Result, error) {
		<-responded
		return routing.Text("late"), nil
	}, routing.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 10*time.Millisecond, "too late")
	}))
	afters := make(chan string, 10)
	app.After(func(c routing.Context) error { afters <- c.Request().URL.Path; return nil })
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
	if n := len(afters); n != 6 {
		t.Errorf("after filters ran %d times for 5 requests, of which one runs twice", n)
	}
	for len(afters) > 0 {
		<-afters
	}
	close(responded)
	if path := <-afters; path != "/slow" {
		t.Errorf("the after filter ran for %s, want it for the slow action when that ends", path)
	}
}

func TestMountedApps(t *testing.T) {
	inner := routing.New(quiet(), routing.WithBasePath("/v1"))
	inner.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("id", "") + " " + c.Request().URL.Path), nil
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

// If middleware passes on a request without the context, the app logs an error.
func TestMiddlewareThatLosesTheContext(t *testing.T) {
	loses := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.Background()))
		})
	}
	var log logBuffer
	logger := routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
	whole, route := routing.New(logger, routing.WithProblemDetails()), routing.New(logger, routing.WithProblemDetails())
	whole.Use(loses)
	whole.Get("/", text("x"))
	route.Get("/", text("x"), routing.Use(loses))
	for name, app := range map[string]*routing.App{"app": whole, "route": route} {
		w := get(app, "/")
		contentType := w.Header().Get("Content-Type")
		if lines := log.take(); w.Code != 500 || contentType != "application/problem+json" || !strings.Contains(lines, "must pass on the context") {
			t.Errorf("of the %s: got %d %s and the log %q, want 500, problem details and what to do", name, w.Code, contentType, lines)
		}
	}
}

// Functions that return middleware are called once, since they may register a metric, for example.
func TestMiddlewareIsBuiltOnce(t *testing.T) {
	made := 0
	count := func(next http.Handler) http.Handler {
		made++
		return next
	}
	app := routing.New(quiet())
	app.Use(count)
	app.Get("/", text("x"), routing.Use(count))
	get(app, "/")
	get(app, "/")
	if made != 2 {
		t.Errorf("made %d times for the app and a route, want 2", made)
	}
}

// Handlers, next handlers, and middleware of routes and of mounted apps read the captures as path
// values.
func TestPathValuesInHandlersAndMiddleware(t *testing.T) {
	show := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, name+" "+r.PathValue("tenant")+r.PathValue("id")+r.PathValue("splat"))
		})
	}
	noting := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X-Seen", r.PathValue("tenant")+r.PathValue("id"))
			next.ServeHTTP(w, r)
		})
	}
	inner := routing.New(quiet(), routing.WithNext(show("next")))
	inner.Use(noting)
	inner.Get("/action/:id", text("action"), routing.Use(noting))
	inner.Handle("GET", "/handler/:id", show("handler"))
	inner.Mount("/mounted/:id", show("mounted"))
	mux := http.NewServeMux()
	mux.Handle("/of/{other}/mux/{id}", show("mux"))
	outer := routing.New(quiet())
	outer.Mount("/of/:tenant", inner)
	outer.Mount("/of/:tenant/mux", mux)
	for _, test := range []struct{ path, body, seen string }{
		{"/of/ann/action/7", "action", "ann ann7"},
		{"/of/ann/handler/7", "handler ann7", "ann"},
		{"/of/ann/mounted/7/below", "mounted ann7", "ann"},
		{"/of/ann/none", "next ann", "ann"},
		{"/of/ann/mux/7", "mux ann7", ""},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		w := send(outer, r)
		if got := strings.Join(w.Header()["X-Seen"], " "); w.Body.String() != test.body || got != test.seen {
			t.Errorf("%s: got %q, and middleware saw %q; want %q and %q", test.path, w.Body, got, test.body, test.seen)
		}
		if value := r.PathValue("tenant") + r.PathValue("id"); value != "" {
			t.Errorf("%s: the caller's request has the path value %q", test.path, value)
		}
	}
}

// Middleware may respond after its next handler, if that has not sent a response.
func TestMiddlewareRespondsAfterwards(t *testing.T) {
	afterwards := routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, "+")
		})
	})
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	app := routing.New(quiet(), routing.WithNext(silent))
	app.Get("/text", text("text"), afterwards)
	app.Get("/none", empty, afterwards)
	app.Get("/error", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("e") }, afterwards)
	app.Get("/stream", func(routing.Context) (routing.Result, error) {
		return routing.Stream("text/plain", strings.NewReader("stream")), nil
	}, afterwards)
	app.Get("/next", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, afterwards)
	app.Handle("GET", "/silent", silent, afterwards)
	app.Get("/halted", text("dropped"), afterwards)
	app.After(func(routing.Context) error { return &routing.HaltError{Status: 403} }, routing.On("/halted"))
	for path, want := range map[string]string{
		"/text": "200 text+", "/none": "200 +", "/error": "500 Internal Server Error+", "/stream": "200 stream+", "/next": "418 +", "/silent": "418 +", "/halted": "403 +",
	} {
		if w := get(app, path); fmt.Sprint(w.Code, " ", w.Body) != want {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}

// If middleware changes the URL in place, as chi's StripSlashes does, the parameters of after
// filters and of the error handler stay the same.
func TestMiddlewareChangesTheURLInPlace(t *testing.T) {
	var seen string
	app := routing.New(quiet())
	app.After(func(c routing.Context) error { seen = c.Params().GetOr("x", "none"); return nil })
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("x", "none")), nil
	})
	app.Get("/:what/:x", text("action"), routing.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/other/path"
			if r.PathValue("what") == "panic" {
				panic("middleware")
			}
			io.WriteString(w, r.PathValue("x"))
		})
	}))
	for _, path := range []string{"/respond/1", "/panic/1"} {
		if body := get(app, path).Body.String(); body != "1" || seen != "1" {
			t.Errorf("%s: got %q, and the after filter %q", path, body, seen)
		}
	}
}

// Middleware may call its next handler several times concurrently, with different headers. The race
// detector reports shared state.
func TestNextCalledConcurrently(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/a", text("csv"), routing.Provides("text/csv"))
	app.Get("/a", text("json"), routing.Provides("application/json"))
	app.Get("/a", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Provides("text/plain"),
		routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var all sync.WaitGroup
				for range 20 {
					for mediaType, want := range map[string]string{"text/csv": "csv", "application/json": "json"} {
						all.Go(func() {
							own := r.Clone(r.Context())
							own.Header.Set("Accept", mediaType)
							response := httptest.NewRecorder()
							next.ServeHTTP(response, own)
							if got := response.Body.String(); got != want {
								t.Errorf("%s: got %q", mediaType, got)
							}
						})
					}
				}
				all.Wait()
			})
		}))
	r := httptest.NewRequest("GET", "/a", nil)
	r.Header.Set("Accept", "text/plain")
	send(app, r)
}

// The path values that conditions see are not shared with other copies of the request, which may be
// in use concurrently.
func TestConditionsHaveTheirOwnPathValues(t *testing.T) {
	asked, answer, done := make(chan bool), make(chan bool), make(chan bool)
	inner := routing.New(quiet())
	inner.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			go func() { // outlives the middleware, as in http.TimeoutHandler
				defer close(done)
				next.ServeHTTP(httptest.NewRecorder(), r.WithContext(r.Context()))
			}()
			<-asked
			fmt.Fprint(w, r.PathValue("tenant"), r.PathValue("id"))
		})
	})
	inner.Get("/:id", text("action"), routing.When(func(r *http.Request) bool {
		asked <- true
		<-answer
		return r.PathValue("tenant") == "ann" && r.PathValue("id") == "7"
	}))
	app := routing.New(quiet())
	app.Mount("/t/:tenant", inner)
	if got := get(app, "/t/ann/7").Body.String(); got != "ann" {
		t.Errorf("during the condition, the middleware has %q", got)
	}
	close(answer)
	<-done
}

// A handler gets a copy of the request with the captures and the earlier path values. In a
// ServeMux, path values whose names are not in its own pattern stay.
func TestPathValuesOfHandlers(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("set", "set")
		fmt.Fprint(w, r.PathValue("id"), " ", r.PathValue("name"), " ", r.PathValue("tenant"), " ", r.PathValue("set"), " ", r.URL.Path)
	})
	inside := http.NewServeMux()
	inside.Handle("/mux/{name}", show)
	app := routing.New(quiet())
	app.Handle("GET", "/one/:id", show)
	app.Handle("GET", "/two/:id/:name", show)
	app.Handle("GET", "/both/:id", show, routing.Use(tag("m")))
	app.Handle("GET", "/stripped/:id", http.StripPrefix("/stripped", show))
	app.Handle("GET", "/mux/:id", inside)
	app.Handle("GET", "/again/:id/:id", show)
	app.Handle("GET", "/format/:id.:name", show)
	app.Handle("GET", "/optional/:id/?", show)
	app.Mount("/below/:id", show)
	deep := http.NewServeMux()
	deep.Handle("/deep/{name}", show)
	app.Mount("/deep/:id", http.HandlerFunc(deep.ServeHTTP))
	mux := http.NewServeMux()
	mux.Handle("/{tenant}/", http.StripPrefix("/t", app))
	for path, want := range map[string]string{
		"/one/7": "7   set /one/7", "/one/%2e": ".   set /one/.", "/one/a%2Fb": "404", "/two/7/x": "7 x  set /two/7/x", "/both/7": "7   set /both/7",
		"/stripped/7": "7   set /7", "/mux/7": "7 7  set /mux/7", "/again/7/8": "7   set /again/7/8", "/format/7.x": "7 x  set /format/7.x",
		"/optional/7/": "7   set /optional/7/", "/below/7/x": "7   set /below/7/x", "/below/7": "7   set /below/7", "/deep/7": "7 7  set /deep/7",
	} {
		received := httptest.NewRequest("GET", path, nil)
		if got := send(app, received); !strings.HasPrefix(got.Body.String(), want) && fmt.Sprint(got.Code) != want {
			t.Errorf("%s: got %q, want %q", path, got.Body, want)
		}
		if path == "/one/7" && (received.PathValue("id") != "" || received.Pattern != "GET /one/:id") {
			t.Errorf("the received request has the id %q and the pattern %q", received.PathValue("id"), received.Pattern)
		}
		if want == "404" || path == "/mux/7" || path == "/deep/7" {
			continue
		}
		received = httptest.NewRequest("GET", "/t"+path, nil)
		want = strings.Replace(want, "  set", " t set", 1)
		if got := send(mux, received).Body.String(); got != want || received.PathValue("id")+received.PathValue("tenant") != "t" {
			t.Errorf("behind a mux, %s: got %q, want %q; the mux has the values %q and %q", path, got, want, received.PathValue("tenant"), received.PathValue("id"))
		}
	}
}

// Captures are cut from the path that was matched, even if a filter changes it in place.
func TestFilterChangesThePath(t *testing.T) {
	app := routing.New(quiet())
	app.Before(func(c routing.Context) error {
		c.Request().URL.Path = "/changed"
		return nil
	})
	var seen []string
	see := func(c routing.Context) error {
		seen = append(seen, c.Params().GetOr("id", "none"))
		return nil
	}
	app.Before(see, routing.On("/users/:id"))
	app.After(see)
	app.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("id", "none") + c.Request().URL.Path), nil
	})
	if got := get(app, "/users/7").Body.String(); got != "7/changed" || strings.Join(seen, " ") != "7 7" {
		t.Errorf("the action saw %q, the filters %q", got, seen)
	}
}

// If middleware calls its next handler twice, the Pattern is set by the last call.
func TestPatternOfMiddlewareThatCallsTwice(t *testing.T) {
	for last, want := range map[string]string{"/b": "GET /b", "/none": ""} {
		app := routing.New(quiet())
		app.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, path := range []string{"/a", last} {
					one := r.Clone(r.Context())
					one.URL.Path = path
					next.ServeHTTP(w, one)
				}
			})
		})
		app.Get("/a", text("a"))
		app.Get("/b", text("b"))
		r := httptest.NewRequest("GET", "/", nil)
		if send(app, r); r.Pattern != want {
			t.Errorf("at last %s: got %q, want %q", last, r.Pattern, want)
		}
	}
}

// The parameters of an outer app come from the path that was matched, even if filters change it
// twice.
func TestFiltersChangeThePathTwice(t *testing.T) {
	change := func(path string) routing.Filter {
		return func(c routing.Context) error {
			c.Request().URL.Path = path
			return nil
		}
	}
	tenant := ""
	inner := routing.New(quiet())
	inner.Before(change("/first"))
	inner.After(change("/second"))
	inner.After(func(c routing.Context) error {
		tenant = c.Params().GetOr("tenant", "none")
		return nil
	})
	inner.Get("/:id", text("x"))
	app := routing.New(quiet())
	app.Mount("/t/:tenant", inner)
	if get(app, "/t/ann/7"); tenant != "ann" {
		t.Errorf("the tenant is %q, want ann", tenant)
	}
}

// onceWriter is a writer that counts statuses.
type onceWriter struct {
	http.ResponseWriter
	statuses int
}

func (w *onceWriter) WriteHeader(status int) {
	w.statuses++
	w.ResponseWriter.WriteHeader(status)
}

// If middleware writes after its next handler, the response still has one status. After an invalid
// response became a 500, further writes are dropped.
func TestMiddlewareWritesAfterNext(t *testing.T) {
	invalid := false
	writing := routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if invalid {
				w.Header().Set("X-Split", "a\r\nb: c")
			}
			w.WriteHeader(http.StatusAccepted)
			next.ServeHTTP(w, r)
			w.WriteHeader(http.StatusTeapot)
		})
	})
	app := routing.New(quiet())
	app.Get("/text", text("text"), writing)
	app.Handle("GET", "/handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "text") }), writing)
	app.Handle("GET", "/late", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202); io.WriteString(w, "text") }),
		routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if invalid {
					w.Header().Set("X-Split", "a\r\nb: c")
				}
				next.ServeHTTP(w, r)
				w.WriteHeader(http.StatusTeapot)
			})
		}))
	for _, path := range []string{"/text", "/handler", "/late"} {
		for _, invalid = range []bool{false, true} {
			recorder := httptest.NewRecorder()
			w := &onceWriter{ResponseWriter: recorder}
			app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			want := map[bool]string{false: "202 text", true: "500 Internal Server Error"}[invalid]
			if got := fmt.Sprint(recorder.Code, " ", recorder.Body); got != want || w.statuses != 1 {
				t.Errorf("%s, an invalid header %t: got %q and %d statuses, want %q and 1", path, invalid, got, w.statuses, want)
			}
		}
	}
}

// After a handler has sent a response, a panic of middleware closes the connection.
func TestMiddlewarePanicsAfterAHandler(t *testing.T) {
	handler := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "sent") }))
	for name, define := range map[string]func(*routing.App){
		"the body of a halt": func(app *routing.App) {
			app.After(func(c routing.Context) error {
				result, _ := handler(c)
				return &routing.HaltError{Body: result}
			})
		},
		"a page": func(app *routing.App) {
			app.ErrorBody(onStatus(handler, http.StatusInternalServerError))
			app.After(func(routing.Context) error { return errors.New("boom") })
		},
	} {
		app := routing.New(quiet())
		define(app)
		app.Get("/", text("text"), routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r)
				panic("after")
			})
		}))
		recorder := httptest.NewRecorder()
		func() {
			defer func() {
				if v := recover(); v != http.ErrAbortHandler {
					t.Errorf("%s: the panic is %v, want http.ErrAbortHandler", name, v)
				}
			}()
			app.ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
		}()
		if got := recorder.Body.String(); got != "sent" {
			t.Errorf("%s: got %q, want %q", name, got, "sent")
		}
	}
}

// A 413 closes the connection, even if middleware limits the body and the action responds with a
// text.
func TestMiddlewareLimitsTheBody(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		if _, err := io.ReadAll(c.Request().Body); err == nil {
			return routing.Text("short"), nil
		}
		c.SetStatus(http.StatusRequestEntityTooLarge)
		return routing.Text("long"), nil
	}, routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, 5)
			next.ServeHTTP(w, r)
		})
	}))
	server := httptest.NewServer(app)
	defer server.Close()
	for body, want := range map[string]string{"12345": "short false", "123456": "long true"} {
		res, err := http.Post(server.URL, "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if got := fmt.Sprint(string(got), " ", res.Close); got != want {
			t.Errorf("a body of %d bytes: got %q, want %q", len(body), got, want)
		}
	}
}

// If an action changes the path or removes the URL, after filters and error handlers still have the
// captures.
func TestActionChangesTheURLInPlace(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"the path": func(r *http.Request) { r.URL.Path = "/other/place" },
		"the URL":  func(r *http.Request) { r.URL = nil },
	} {
		app := routing.New(quiet())
		var seen []string
		app.Get("/text/:id", func(c routing.Context) (routing.Result, error) {
			change(c.Request())
			return routing.Text("x"), nil
		})
		app.Get("/handler/:id", func(c routing.Context) (routing.Result, error) {
			change(c.Request())
			return routing.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.PathValue("id")) }))(c)
		})
		app.After(func(c routing.Context) error {
			id, _ := c.Params().Path("id")
			seen = append(seen, id)
			return nil
		})
		get(app, "/text/7")
		get(app, "/handler/8")
		if got := strings.Join(seen, " "); got != "7 8 8" {
			t.Errorf("%s: the parameter is %q, want 7 8 8", name, got)
		}
	}
}
