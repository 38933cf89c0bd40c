package routing_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file tests bodies that routes, filters and handlers read by themselves.

// panickingBody is a body whose Read panics.
type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic("no roses") }
func (panickingBody) Close() error             { return nil }

// A body may panic before any filter runs, when WithMethodOverride reads it.
func TestBodyThatPanics(t *testing.T) {
	for _, options := range [][]routing.Option{{quiet(), routing.WithMethodOverride()}, {quiet()}} {
		for _, contentType := range []string{urlencoded, "application/json", "multipart/form-data; boundary=b"} {
			app := routing.New(options...)
			app.Before(respond.Multipart(100))
			app.Post("/", func(c routing.Context) (routing.Result, error) {
				return routing.Result{}, c.Params().Err()
			})
			seen, released := "", false
			app.OnError(func(c routing.Context, err error) (routing.Result, error) {
				var panicked *routing.PanicError
				if errors.As(err, &panicked) {
					seen = fmt.Sprint(panicked.Value)
				}
				return routing.Text("sorry"), nil
			})
			app.After(func(routing.Context) error { released = true; return nil })
			r := httptest.NewRequest("POST", "/", panickingBody{})
			r.Header.Set("Content-Type", contentType)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != 500 || w.Body.String() != "sorry" || seen != "no roses" || !released {
				t.Errorf("%s: got %d %q; the error handler saw %q; after filters ran: %t", contentType, w.Code, w.Body, seen, released)
			}
		}
	}
}

// unknownLength hides the length of a body, so that a client sends it in chunks.
type unknownLength struct{ io.Reader }

// A body that an action or a filter has read is not treated as empty, whether its length was known
// or not.
func TestParamsAfterRawBody(t *testing.T) {
	app := routing.New(quiet())
	read := func(c routing.Context) {
		if got, err := io.ReadAll(c.Request().Body); string(got) != "title=Rose" || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
	}
	ask := func(c routing.Context) (routing.Result, error) {
		if err := c.Params().Err(); err == nil {
			t.Error("Err tells nothing")
		}
		_, ok := c.Params().Get("title")
		return routing.Text(fmt.Sprint(ok)), nil // the error is ignored, but the response is a 500
	}
	app.Before(func(c routing.Context) error { read(c); return nil }, routing.On("/filter"))
	app.Post("/filter", ask)
	app.Post("/action", func(c routing.Context) (routing.Result, error) { read(c); return ask(c) })
	app.Post("/middleware", ask, routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			next.ServeHTTP(w, r)
		})
	}))
	app.Post("/empty", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().Keys(), c.Params().Err())), nil
	})
	address := serve(t, app)
	for _, contentType := range []string{urlencoded, "application/json"} {
		for _, path := range []string{"/filter", "/action", "/middleware", "/empty"} {
			for _, chunked := range []bool{false, true} {
				text, want := "title=Rose", "500 Internal Server Error"
				if path == "/empty" {
					text, want = "", "200 [] <nil>"
				}
				var body io.Reader = strings.NewReader(text)
				if chunked {
					body = unknownLength{body}
				}
				r, err := http.NewRequest("POST", address+path, body)
				r.Header.Set("Content-Type", contentType)
				got := receive(t, r, err)
				if got := fmt.Sprint(got.status, " ", strings.TrimSpace(got.body)); !strings.HasPrefix(got, want) {
					t.Errorf("%s %s, chunked %t: got %q, want %q", path, contentType, chunked, got, want)
				}
			}
		}
	}
}

// A body that middleware has replaced is not treated as empty after it was read, if the request has
// a length.
func TestParamsAfterRawBodyOfAnotherType(t *testing.T) {
	reads := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			next.ServeHTTP(w, r)
		})
	}
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "none") + c.Params().GetOr("", "")), nil
	})
	handler := http.MaxBytesHandler(reads(app), 1000)
	for _, contentType := range []string{urlencoded, "application/json"} {
		r := httptest.NewRequest("POST", "/", strings.NewReader("title=Rose"))
		r.Header.Set("Content-Type", contentType)
		if w := send(handler, r); w.Code != 500 {
			t.Errorf("%s: got %d %q, want 500", contentType, w.Code, w.Body)
		}
	}
}

// If middleware runs a request twice, a handler that parses the form finds it both times.
func TestFormValueInMiddlewareThatRunsTwice(t *testing.T) {
	twice := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.Clone(r.Context()))
			next.ServeHTTP(w, r)
		})
	}
	app := routing.New(quiet())
	app.Use(twice)
	app.Before(func(c routing.Context) error { return c.Params().Err() })
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Request().FormValue("title") + " " + c.Params().GetOr("title", "none") + " "), nil
	}, routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.FormValue("title")
			next.ServeHTTP(w, r)
		})
	}))
	for _, body := range []io.Reader{strings.NewReader("title=Rose"), unknownLength{strings.NewReader("title=Rose")}} {
		r := httptest.NewRequest("POST", "/", body)
		r.Header.Set("Content-Type", urlencoded)
		if w := send(app, r); w.Body.String() != "Rose Rose Rose Rose " {
			t.Errorf("%T: got %d %q, want the title four times", body, w.Code, w.Body)
		}
	}
}
