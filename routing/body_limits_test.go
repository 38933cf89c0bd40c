package routing_test

// This file tests limits of requests, bodies that are read again, and forms.

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// Every response with status 413 closes the connection, since the client may still be sending the
// body.
func TestTooLargeClosesTheConnection(t *testing.T) {
	for name, action := range map[string]routing.Action{
		"a limit":  func(c routing.Context) (routing.Result, error) { return routing.Result{}, c.Params().Err() },
		"a status": func(c routing.Context) (routing.Result, error) { c.SetStatus(413); return routing.Text("no"), nil },
		"a halt": func(routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: 413}
		},
		"a problem": func(routing.Context) (routing.Result, error) { return routing.Result{}, &routing.Problem{Status: 413} },
		"a handler": routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(413) })),
	} {
		for _, handled := range []bool{false, true} {
			for _, options := range [][]routing.RouteOption{nil, {routing.Use(identity)}} {
				app := routing.New(quiet(), routing.WithBodyLimit(10))
				if handled {
					app.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Text("own"), nil })
				}
				app.Post("/", action, options...)
				w := send(app, form("/", "k=123456789"))
				if got := w.Header().Get("Connection"); w.Code != 413 || got != "close" {
					t.Errorf("%s, handled %t, %d options: got %d, Connection %q", name, handled, len(options), w.Code, got)
				}
			}
		}
	}
}

func TestLimits(t *testing.T) {
	read := func(c routing.Context) (routing.Result, error) {
		value, _ := c.Params().Get("k")
		c.SetStatus(201)
		return routing.Text("got " + value), nil
	}
	app := routing.New(quiet(), routing.WithBodyLimit(100))
	app.Post("/x", read)
	app.Get("/x", read)
	app.Post("/require", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("k")
		return routing.Result{}, fmt.Errorf("wrapped: %w", err)
	})
	app.Post("/own", func(c routing.Context) (routing.Result, error) {
		if err := c.Params().Err(); err == nil {
			t.Error("Err returned nil")
		}
		return routing.Result{}, &routing.HaltError{Status: 418}
	})
	app.Post("/all", func(c routing.Context) (routing.Result, error) {
		if values := c.Params().Values("k"); values == nil || len(values) > 0 {
			t.Errorf("values of an unreadable form: %q, want an empty slice", values)
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
		{"body that the action reads", form("/raw", strings.Repeat("v", 5000)), 200, "5000"},
		{"body that ends early", broken, 400, "Bad Request"},
		{"body with a MaxBytesReader", tooLong, 413, "Request Entity Too Large"},
		{"many parameters", httptest.NewRequest("GET", "/x?"+strings.Repeat("a&", 5000)+"k=1", nil), 201, "got 1"},
		{"long path", httptest.NewRequest("GET", "/"+strings.Repeat("x", 100_000), nil), 404, ""},
	} {
		w := send(app, test.r)
		if w.Code != test.status || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s: got %d %q, want %d %q", test.name, w.Code, w.Body, test.status, test.body)
		}
	}
}

// By default, parameters are read from bodies of up to 1 MiB.
func TestDefaultBodyLimit(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("k")
		return routing.Result{}, err
	})
	for size, want := range map[int]int{1 << 20: 200, 1<<20 + 1: 413} {
		if w := send(app, form("/", "k="+strings.Repeat("v", size-len("k=")))); w.Code != want {
			t.Errorf("%d bytes: got %d, want %d", size, w.Code, want)
		}
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// A parameter that cannot be read fails the request, also after Pass or a redirect, but not after
// another error.
func TestUnreadableParameterAndOtherErrors(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(4))
	returning := func(err error) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			c.Params().Get("k")
			return routing.Result{}, err
		}
	}
	app.Post("/:any", returning(nil))
	app.Post("/pass", returning(routing.Pass))
	app.Post("/redirect", returning(routing.Redirect("/")))
	var stream closed
	app.Post("/halt", returning(&routing.HaltError{Status: 202, Body: routing.Stream("", &stream)}))
	app.Post("/halt/400", returning(&routing.HaltError{Status: 400}))
	app.Post("/filtered", text(""))
	app.After(func(c routing.Context) error { _, err := returning(routing.SeeOther("/"))(c); return err }, routing.On("/filtered"))
	app.Post("/problem", returning(&routing.Problem{Status: 409}))
	app.ErrorBody(func(c routing.Context, _ *routing.Problem) (routing.Result, error) { return returning(nil)(c) })
	for path, want := range map[string]int{
		"/nil": 413, "/pass": 413, "/redirect": 413, "/halt": 413, "/halt/400": 400, "/filtered": 413, "/problem": 409, "/not/found": 404,
	} {
		if w := send(app, form(path, "k=too long")); w.Code != want || w.Header().Get("Location") != "" {
			t.Errorf("%s: got %d %v, want %d", path, w.Code, w.Header(), want)
		}
	}
	if !stream {
		t.Error("the stream of the halt is not closed")
	}
}

// A body of any size that was read for parameters can be read again by the action and the next
// handler.
func TestBodyCanBeReadAgain(t *testing.T) {
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

// Parameters are read from the body that the middleware of a route passes on, such as a decoded or
// limited one.
func TestMiddlewareThatReplacesTheBody(t *testing.T) {
	replace := func(body func(http.ResponseWriter, *http.Request) io.ReadCloser) routing.RouteOption {
		return routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Body = body(w, r)
				next.ServeHTTP(w, r)
			})
		})
	}
	app := routing.New(quiet())
	read := func(c routing.Context) (routing.Result, error) {
		value, err := c.Params().Require("k")
		return routing.Text(value), err
	}
	app.Post("/decoded", read, replace(func(_ http.ResponseWriter, r *http.Request) io.ReadCloser {
		decoded, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
		}
		return decoded
	}))
	app.Post("/limited", read, replace(func(w http.ResponseWriter, r *http.Request) io.ReadCloser {
		return http.MaxBytesReader(w, r.Body, 5)
	}))
	app.Post("/first", read, routing.Use(func(next http.Handler) http.Handler { return next }))
	var encoded bytes.Buffer
	w := gzip.NewWriter(&encoded)
	io.WriteString(w, "k=value")
	w.Close()
	for _, test := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/decoded", encoded.String(), 200, "value"},
		{"/limited", "k=123", 200, "123"},
		{"/limited", "k=1234", 413, "Request Entity Too Large"},
		{"/first", "k=1", 200, "1"},
	} {
		r := httptest.NewRequest("POST", test.path, strings.NewReader(test.body))
		r.Header.Set("Content-Type", urlencoded)
		r.Header.Set("Content-Encoding", "gzip")
		if w := send(app, r); w.Code != test.status || w.Body.String() != test.want {
			t.Errorf("%s: got %d %q, want %d %q", test.path, w.Code, w.Body, test.status, test.want)
		}
	}
}

// A parameter that a filter could not read ends the request, even if a later filter replaces the
// body.
func TestUnreadableParameterOfAReplacedBody(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(10))
	app.Before(func(c routing.Context) error {
		if _, isLocked := c.Params().Get("locked"); isLocked {
			return &routing.HaltError{Status: http.StatusForbidden}
		}
		return nil
	})
	app.Before(func(c routing.Context) error {
		c.Request().Body = http.MaxBytesReader(nil, c.Request().Body, 1000)
		return nil
	})
	app.Post("/", text("ran"))
	if w := send(app, form("/", "a="+strings.Repeat("b", 100)+"&locked=1")); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %q, want 413", w.Code, w.Body)
	}
}
