package routing_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests zero, nil and extreme values.

func TestTheLargestBodyLimit(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(math.MaxInt64))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("a", "none")), nil
	})
	if w := send(app, form("/", "a=1")); w.Body.String() != "1" {
		t.Errorf("got %q, want the parameter", w.Body)
	}
}

// The response is a 405 only if no route of the method matches, not if its route has passed.
func TestMethodNotAllowedAfterPass(t *testing.T) {
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.Get("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.Post("/passes", text("posted"))
	app.Get("/refuses", text("got"), routing.When(func(*http.Request) bool { return false }))
	for _, path := range []string{"/passes", "/refuses"} {
		if w := get(app, path); w.Code != http.StatusNotFound || w.Header().Get("Allow") != "" {
			t.Errorf("GET %s: got %d and allowed %q, want 404", path, w.Code, w.Header().Get("Allow"))
		}
	}
	if w := send(app, httptest.NewRequest("PUT", "/passes", nil)); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("PUT: got %d and allowed %q, want 405", w.Code, w.Header().Get("Allow"))
	}
}

// Pass may be wrapped.
func TestWrappedPass(t *testing.T) {
	pass := fmt.Errorf("not mine: %w", routing.Pass)
	app := routing.New(quiet())
	app.Before(func(routing.Context) error { return pass })
	app.After(func(routing.Context) error { return pass })
	app.Get("/", text("oldest"))
	for range 3 {
		app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("dropped"), pass })
	}
	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("dropped"), pass }, routing.Use(tag("m")))
	if w := get(app, "/"); w.Code != 200 || w.Body.String() != "oldest" {
		t.Errorf("got %d %s, want the oldest route", w.Code, w.Body)
	}
	fails := routing.New(quiet())
	fails.Get("/", text("oldest"))
	fails.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("dropped"), errors.New("broken") })
	for passed := range 4 {
		if w := get(fails, "/"); w.Code != 500 {
			t.Errorf("after %d routes that pass: got %d %s, want the error", passed, w.Code, w.Body)
		}
		fails.Get("/", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	}
}

// The parameters of a form do not depend on how the method was overridden.
func TestFormsOfMountedApps(t *testing.T) {
	inner := routing.New(quiet())
	inner.Delete("/x", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("a", "none")), nil
	})
	outer := routing.New(quiet(), routing.WithMethodOverride())
	outer.Mount("/in", inner)
	r := form("/in/x", "_method=DELETE&a=1")
	if w := send(outer, r); w.Body.String() != "1" {
		t.Errorf("got %d %q, want the parameter", w.Code, w.Body)
	}
	if r.Pattern != "DELETE /in/x" {
		t.Errorf("the request is named %q, want the route of the mounted app", r.Pattern)
	}
}

// Nil pointers and zero values of error types are handled like other errors.
func TestErrorsWithNilValues(t *testing.T) {
	var halt *routing.HaltError
	var refused *routing.RequestError
	for want, errs := range map[int][]error{
		http.StatusInternalServerError: {halt, refused, fmt.Errorf("wrapped: %w", halt), fmt.Errorf("wrapped: %w", refused)},
		http.StatusBadRequest:          {&routing.RequestError{}, &routing.RequestError{Status: 200, Err: errors.New("x")}},
	} {
		for _, err := range errs {
			app := routing.New(quiet())
			app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Result{}, err })
			if w := get(app, "/"); w.Code != want {
				t.Errorf("%#v: got %d, want %d", err, w.Code, want)
			}
		}
	}
}

// A plain 500 has no content headers of the response that failed, and is not cached.
func TestPlain500DropsContentHeaders(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		header := c.Header()
		header.Set("Cache-Control", "public, max-age=31536000")
		header.Set("Content-Disposition", "attachment")
		header.Set("ETag", `"1"`)
		return routing.Result{}, errors.New("failed")
	})
	header := get(app, "/").Header()
	if header.Get("Cache-Control") != "no-store" || header.Get("Content-Disposition") != "" || header.Get("ETag") != "" {
		t.Errorf("got %v, want no headers of the response that failed", header)
	}
}

func TestStreamEdges(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/untyped", func(routing.Context) (routing.Result, error) { return routing.Stream("", strings.NewReader("x")), nil })
	app.Get("/halts", func(routing.Context) (routing.Result, error) { return routing.Stream("", panicCloser{}), nil })
	app.After(func(c routing.Context) error {
		if c.Request().URL.Path == "/halts" {
			return &routing.HaltError{Status: 410}
		}
		return nil
	})
	if w := get(app, "/untyped"); w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Errorf("untyped: got type %q", w.Header().Get("Content-Type"))
	}
	if w := get(app, "/halts"); w.Code != 410 {
		t.Errorf("halts: got %d, want 410 even if Close panics", w.Code)
	}
	first := func() io.Reader { return &atOnce{"x", errors.New("broken")} }
	app.Get("/atonce", func(routing.Context) (routing.Result, error) { return routing.Stream("text/plain", first()), nil })
	if w := get(app, "/atonce"); w.Code != http.StatusInternalServerError {
		t.Errorf("a first read with an error: got %d %q, want 500, since nothing was sent", w.Code, w.Body)
	}
}

// atOnce returns bytes and an error in one call of Read.
type atOnce struct {
	text string
	err  error
}

func (r *atOnce) Read(p []byte) (int, error) { return copy(p, r.text), r.err }

type panicCloser struct{}

func (panicCloser) Read([]byte) (int, error) { return 0, io.EOF }
func (panicCloser) Close() error             { panic("closing") }

// After filters see the 500 that an invalid reason causes.
func TestAfterFiltersSeeBadReasons(t *testing.T) {
	app := routing.New(quiet())
	seen := 0
	app.Get("/", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Reason: "a\nb"}
	})
	app.After(func(c routing.Context) error {
		seen = c.Status()
		return nil
	})
	if w := get(app, "/"); w.Code != 500 || seen != 500 {
		t.Errorf("got %d, and the filter saw %d, want 500", w.Code, seen)
	}
}

// The error handler has no captures of a route that has passed before a condition panics.
func TestConditionThatPanicsAfterPass(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/x", text("x"), routing.When(func(*http.Request) bool { panic("broken") }))
	app.Get("/:passed", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		return routing.Text(fmt.Sprint(err, c.Params().Keys())), nil
	})
	if w := get(app, "/x"); w.Body.String() != "broken []" {
		t.Errorf("got %d %q, want the error and no parameters", w.Code, w.Body)
	}
}

// Errors of parameters wrap their cause.
func TestErrorsWrapTheirCause(t *testing.T) {
	if _, err := (routing.Context{}).Params().Require("id"); !errors.Is(err, routing.ErrNoParam) {
		t.Errorf("got %v, want ErrNoParam", err)
	}
	if err := error(&routing.RequestError{Status: 400, Err: io.ErrUnexpectedEOF}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v does not have its cause", err)
	}
}

// If an action sets the request's URL to nil, there is still a response. If it then passes, the URL
// is restored.
func TestRequestsWithoutURL(t *testing.T) {
	for name, end := range map[string]func(routing.Context) error{
		"error": func(routing.Context) error { return errors.New("x") },
		"param": func(c routing.Context) error { _, err := c.Params().Require("q"); return err },
		"pass":  func(routing.Context) error { return routing.Pass },
	} {
		app := routing.New(quiet())
		app.Get("/a/:id", func(c routing.Context) (routing.Result, error) {
			c.Request().URL = nil
			return routing.Result{}, end(c)
		})
		app.After(func(c routing.Context) error { c.Params().Get("id"); return nil })
		if w := get(app, "/a/b"); w.Code != map[bool]int{true: 404, false: 500}[name == "pass"] {
			t.Errorf("%s: got %d", name, w.Code)
		}
	}
}
