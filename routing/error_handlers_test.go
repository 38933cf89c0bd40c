package routing_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests error handlers, halts, and results that are not sent.

// An error handler that fails or panics results in a 500 and a logged error. If it returns the
// error that it received, or a problem, the response has the status of that error.
func TestFailingErrorHandlers(t *testing.T) {
	for name, test := range map[string]struct {
		onError func(error) error
		status  int
		level   string
	}{
		"fails":          {func(error) error { return errors.New("template broken") }, 500, "ERROR"},
		"fails with it":  {func(err error) error { return fmt.Errorf("template broken, for: %w", err) }, 400, "DEBUG"},
		"panics":         {func(error) error { panic("template broken") }, 500, "ERROR"},
		"panics with it": {func(err error) error { panic(err) }, 500, "ERROR"},
		"own 4xx":        {func(error) error { return &routing.ParamError{Key: "other"} }, 500, "ERROR"},
		"the same":       {func(err error) error { return err }, 400, "DEBUG"},
		"a problem":      {func(error) error { return &routing.Problem{Status: 409} }, 409, "DEBUG"},
	} {
		var log logBuffer
		app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		app.Get("/", func(c routing.Context) (routing.Result, error) {
			_, err := c.Params().Require("name")
			return routing.Result{}, err
		})
		app.OnError(func(_ routing.Context, err error) (routing.Result, error) {
			return routing.Text("dropped"), test.onError(err)
		})
		w := get(app, "/")
		if line := log.take(); w.Code != test.status || !strings.Contains(line, "level="+test.level) || !strings.Contains(line, "name") || w.Body.String() == "dropped" {
			t.Errorf("%s: got %d %q and logged %q, want %d at level %s with the cause", name, w.Code, w.Body, line, test.status, test.level)
		}
	}
}

// A panic that OnError returns has the status of its value, as without OnError.
func TestPanicThatOnErrorReturns(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/", func(routing.Context) (routing.Result, error) { panic(&routing.Problem{Status: 409}) })
	app.OnError(func(_ routing.Context, err error) (routing.Result, error) { return routing.Result{}, err })
	if w := get(app, "/"); w.Code != 409 {
		t.Errorf("got %d, want the status of the problem", w.Code)
	}
}

// The next handler does not run if a parameter that was read is over the limit, or if an after
// filter fails.
func TestFailuresBeforeTheNextHandler(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(10), routing.WithNext(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	})))
	ask := func(c routing.Context) error { c.Params().Get("a"); return nil }
	app.Before(ask, routing.On("/before"))
	app.After(ask, routing.On("/after"))
	app.After(func(routing.Context) error { return errors.New("late") }, routing.On("/fails"))
	app.After(func(routing.Context) error { return &routing.HaltError{Status: 403, Body: routing.Text("late")} }, routing.On("/halts"))
	long := "a=" + strings.Repeat("x", 10)
	for _, test := range []struct{ path, body, want string }{
		{"/before", long, "413 Request Entity Too Large"},
		{"/after", long, "413 Request Entity Too Large"},
		{"/fails", "a=1", "500 Internal Server Error"},
		{"/halts", "a=1", "403 late"},
		{"/before", "a=1", "200 a=1"},
		{"/after", "a=1", "200 a=1"},
		{"/other", long, "200 " + long},
	} {
		if w := send(app, form(test.path, test.body)); fmt.Sprint(w.Code, " ", w.Body) != test.want {
			t.Errorf("%s with %q: got %d %s, want %s", test.path, test.body, w.Code, w.Body, test.want)
		}
	}
}

// If the error handler has responded to unreadable parameters, the after filters don't replace its
// response.
func TestAfterFiltersKeepTheResponseOfOnError(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(10))
	app.Post("/", func(c routing.Context) (routing.Result, error) { return routing.Result{}, c.Params().Err() })
	app.OnError(func(c routing.Context, _ error) (routing.Result, error) {
		return routing.Text(fmt.Sprint("own ", c.Status())), nil
	})
	app.After(func(routing.Context) error { return nil })
	if w := send(app, form("/", "a="+strings.Repeat("x", 10))); w.Code != 413 || w.Body.String() != "own 413" {
		t.Errorf("got %d %s, want the response of the error handler", w.Code, w.Body)
	}
}

// An after filter may replace all headers by a copy that it made before, and may empty values in
// place.
func TestFiltersThatReplaceHeaders(t *testing.T) {
	replace := func(h http.Header, by http.Header) {
		clear(h)
		for name, values := range by {
			h[name] = values
		}
	}
	for name, change := range map[string]func(http.Header){
		"a clone":        func(h http.Header) { replace(h, h.Clone()) },
		"emptied lists":  func(h http.Header) { h["X-A"] = h["X-A"][:0] },
		"emptied values": func(h http.Header) { h["X-A"][0] = "" },
	} {
		app := routing.New(quiet())
		app.Get("/", func(c routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: 403, Reason: "No coffee", Header: http.Header{"X-A": {"1"}}, Body: routing.Text("no")}
		})
		app.After(func(c routing.Context) error {
			if got := c.Status(); got != 403 {
				t.Errorf("%s: the filter sees the status %d", name, got)
			}
			change(c.Header())
			return nil
		})
		if got := fetch(t, "GET", serve(t, app)+"/", ""); got.status != 403 || got.body != "no" {
			t.Errorf("%s: got %d %q, want the halt's response", name, got.status, got.body)
		}
	}
}

// A default error response has its own type, even if an after filter sets a type for all responses.
func TestTypeOfDefaultErrors(t *testing.T) {
	for _, status := range []int{400, 403, 404, 405, 500, 503} {
		app := routing.New(quiet())
		app.Get("/", failsWith(&routing.Problem{Status: status}))
		app.After(func(c routing.Context) error { c.SetContentType("application/json"); return nil })
		w := get(app, "/")
		if contentType := w.Header().Get("Content-Type"); w.Code != status || !strings.HasPrefix(contentType, "text/") {
			t.Errorf("%d: got %d of type %q, want a text or page", status, w.Code, contentType)
		}
	}
}

// The size of the default page does not depend on the request.
func TestDefaultPageOfLongPath(t *testing.T) {
	r := httptest.NewRequest("GET", "/"+strings.Repeat("/", 8000), nil)
	r.Header.Set("Accept", "text/html")
	if w := send(routing.New(quiet()), r); w.Code != 404 || w.Body.Len() > 1000 {
		t.Errorf("got %d and %d bytes", w.Code, w.Body.Len())
	}
}

// If a before filter ends the request, RecordRoute has the route that would have run, unless a
// condition of the route is false.
func TestNameOfHaltedRoutes(t *testing.T) {
	inner := routing.New(quiet())
	inner.Before(func(routing.Context) error { return &routing.HaltError{Status: 403} })
	inner.Get("/:y", text(""))
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("Authorization") == "" {
			return &routing.HaltError{Status: 401}
		}
		return nil
	})
	app.Get("/orders/:id", text(""))
	app.Get("/orders/:special", text(""), routing.When(func(r *http.Request) bool { return r.Header.Get("Special") != "" }))
	app.Get("/orders/:csv", text(""), routing.Provides("csv"))
	app.Mount("/inner", inner)
	name := ""
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r.WithContext(r.Context()))
			_, name = routing.RouteFromContext(r.Context())
		})).ServeHTTP(w, r)
		if r.Pattern != name {
			t.Errorf("the request is named %q, its context has %q", r.Pattern, name)
		}
	})
	for _, test := range []struct {
		path, header string
		status       int
		want         string
	}{
		{"/shop/orders/1", "", 401, "GET /shop/orders/:id"},
		{"/shop/orders/1", "Special", 401, "GET /shop/orders/:special"},
		{"/shop/none", "", 401, ""},
		{"/shop/inner/1", "", 401, "GET /shop/inner/:y"},
		{"/shop/inner/1", "Authorization", 403, "GET /shop/inner/:y"},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		r.Header.Set(test.header, "1")
		r.Header.Set("Accept", "text/html")
		w := send(handler, r)
		if w.Code != test.status || name != test.want {
			t.Errorf("%s with %s: got %d for %q, want %d for %q", test.path, test.header, w.Code, name, test.status, test.want)
		}
		if vary := w.Header()["Vary"]; vary != nil {
			t.Errorf("%s: the search for the name has set Vary: %q", test.path, vary)
		}
	}
}

// The not-found action and the error handler may return the result of Handler, with the parameters
// of a mount prefix.
func TestHandlersInNotFoundAndOnError(t *testing.T) {
	inner := routing.New(quiet())
	inner.NotFound(routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "none for ", r.PathValue("user")) })))
	inner.Get("/fails/:x", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("on purpose") })
	values := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("user"), r.PathValue("x")) }))
	inner.OnError(func(c routing.Context, _ error) (routing.Result, error) { return values(c) })
	app := routing.New(quiet())
	app.Mount("/users/:user", inner)
	app.Mount("/plain", inner)
	for path, want := range map[string]string{
		"/users/ann/none": "404 none for ann", "/plain/none": "404 none for ", "/users/ann/fails/1": "500 ann1", "/plain/fails/2": "500 2",
	} {
		if w := get(app, path); fmt.Sprint(w.Code, " ", w.Body) != want {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}

// A stream is closed even if it is not sent.
func TestStreamsAreClosed(t *testing.T) {
	abort := func(routing.Context) (routing.Result, error) { panic(http.ErrAbortHandler) }
	for name, define := range map[string]func(*routing.App, routing.Result){
		"a page that aborts": func(app *routing.App, stream routing.Result) {
			app.Get("/", func(c routing.Context) (routing.Result, error) { c.SetStatus(404); return stream, nil })
			app.ErrorBody(onStatus(abort, 404))
		},
		"a page that passes": func(app *routing.App, stream routing.Result) {
			app.Get("/", func(c routing.Context) (routing.Result, error) { c.SetStatus(404); return stream, nil })
			app.ErrorBody(onStatus(failsWith(routing.Pass), 404))
		},
		"an error of the action": func(app *routing.App, stream routing.Result) {
			app.Get("/", func(routing.Context) (routing.Result, error) { return stream, errors.New("out of beans") })
		},
		"an action that passes": func(app *routing.App, stream routing.Result) {
			app.Get("/", func(routing.Context) (routing.Result, error) { return stream, routing.Pass })
		},
		"a late halt": func(app *routing.App, stream routing.Result) {
			app.Get("/", func(routing.Context) (routing.Result, error) { return stream, nil })
			app.After(func(routing.Context) error { return &routing.HaltError{Status: 403} })
		},
		"a late abort": func(app *routing.App, stream routing.Result) {
			app.Get("/", func(routing.Context) (routing.Result, error) { return stream, nil })
			app.After(func(routing.Context) error { panic(http.ErrAbortHandler) })
		},
		"a halt after middleware has responded": func(app *routing.App, stream routing.Result) {
			respond := func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) })
			}
			app.Get("/", text("never"), routing.Use(respond))
			app.After(func(routing.Context) error { return &routing.HaltError{Body: stream} })
		},
		"a halt with an invalid reason": func(app *routing.App, stream routing.Result) {
			app.Before(func(routing.Context) error { return &routing.HaltError{Status: 403, Reason: "\n", Body: stream} })
		},
		"a halt with an invalid header": func(app *routing.App, stream routing.Result) {
			app.Before(func(routing.Context) error {
				return &routing.HaltError{Header: http.Header{":status": {"403"}}, Body: stream}
			})
		},
	} {
		app, body := routing.New(quiet()), new(closed)
		define(app, routing.Stream("text/plain", body))
		func() {
			defer func() {
				if v := recover(); v != nil && v != http.ErrAbortHandler {
					panic(v)
				}
			}()
			get(app, "/")
		}()
		if !*body {
			t.Errorf("%s: the stream is open", name)
		}
	}
}

// If a halt has the current result as its body, the stream stays open.
func TestHaltWithTheSameResult(t *testing.T) {
	app := routing.New(quiet())
	reader, writer := io.Pipe()
	same := routing.Stream("text/plain", reader)
	app.Get("/", func(routing.Context) (routing.Result, error) { return same, nil })
	app.After(func(routing.Context) error { return &routing.HaltError{Status: 203, Body: same} })
	go func() {
		io.WriteString(writer, "text")
		writer.Close()
	}()
	if w := get(app, "/"); w.Code != 203 || w.Body.String() != "text" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// closed is an empty stream that records whether it was closed.
type closed bool

func (c *closed) Read([]byte) (int, error) { return 0, io.EOF }
func (c *closed) Close() error             { *c = true; return nil }
