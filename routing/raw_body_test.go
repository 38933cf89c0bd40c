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
)

// This file tests bodies that routes, filters and handlers read by themselves.

// panicking is a body whose Read panics.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("no roses") }
func (panicking) Close() error             { return nil }

// A body may panic before any filter runs, when the method is looked for in it.
func TestBodyThatPanics(t *testing.T) {
	for _, option := range []routing.Option{routing.WithMethodOverride(), routing.WithMultipart()} {
		for _, contentType := range []string{urlencoded, "application/json", "multipart/form-data; boundary=b"} {
			app := routing.New(quiet(), option)
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
			r := httptest.NewRequest("POST", "/", panicking{})
			r.Header.Set("Content-Type", contentType)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if contentType[0] == 'm' && seen == "" { // without WithMultipart it is no form
				continue
			}
			if w.Code != 500 || w.Body.String() != "sorry" || seen != "no roses" || !released {
				t.Errorf("%s: got %d %q; the error handler saw %q; after filters ran: %t", contentType, w.Code, w.Body, seen, released)
			}
		}
	}
}

// unknown hides the length of a body, so that a client sends it in chunks.
type unknown struct{ io.Reader }

// A body that an action or a filter has read is not taken for an empty one, whether its length was
// known or not.
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
					body = unknown{body}
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

// The limit of uploads holds for whatever of the app reads a form by itself, but not for other
// handlers.
func TestUploadLimitOfRawReaders(t *testing.T) {
	count := func(r *http.Request) string {
		n, err := io.Copy(io.Discard, r.Body)
		var tooLarge *http.MaxBytesError
		if err != nil && !errors.As(err, &tooLarge) {
			t.Error(err)
		}
		return fmt.Sprint(n, " ", err != nil)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, count(r)) })
	app := routing.New(quiet(), routing.WithMultipart(), routing.WithBodyLimit(100), routing.WithUploadLimit(100), routing.WithNext(handler))
	app.Before(func(c routing.Context) error { return &routing.HaltError{Body: routing.Text(count(c.Request()))} }, routing.On("/filter"))
	app.Post("/action", func(c routing.Context) (routing.Result, error) { return routing.Text(count(c.Request())), nil })
	app.Post("/larger", func(c routing.Context) (routing.Result, error) { return routing.Text(count(c.Request())), nil },
		routing.UploadLimit(200))
	app.Post("/middleware", func(c routing.Context) (routing.Result, error) { return routing.Text(count(c.Request())), nil }, routing.Use(tag("m")))
	app.Handle("POST", "/handler", handler)
	app.Handle("POST", "/handler/:name", handler)
	app.Handle("POST", "/larger-handler", handler, routing.UploadLimit(200))
	app.Post("/result", routing.Handler(handler))
	app.Mount("/mounted", handler)
	inner := routing.New(quiet(), routing.WithMultipart())
	inner.Handle("POST", "/handler", handler)
	app.Mount("/inner", inner)
	any := routing.New(quiet(), routing.WithMethodOverride(), routing.WithBodyLimit(100), routing.WithUploadLimit(100))
	any.Post("/action", func(c routing.Context) (routing.Result, error) { return routing.Text(count(c.Request())), nil })
	any.Handle("POST", "/handler", handler)
	mux := http.NewServeMux()
	mux.Handle("/", app)
	mux.Handle("/any/", http.StripPrefix("/any", any)) // takes no multipart forms, but looks for a method in them
	address := serve(t, mux)
	for path, want := range map[string]string{
		"/filter":         "200 true",
		"/action":         "200 true",
		"/larger":         "300 true",
		"/middleware":     "200 true",
		"/handler":        "200 true",
		"/handler/rose":   "200 true",
		"/larger-handler": "300 true",
		"/result":         "200 true",
		"/mounted/upload": "100000 false",
		"/next":           "100000 false",
		"/any/action":     "100000 false",
		"/any/handler":    "100000 false",
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(strings.Repeat("x", 100_000))
			if chunked {
				body = unknown{body}
			}
			r, err := http.NewRequest("POST", address+path, body)
			r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			if got := receive(t, r, err); got.body != want {
				t.Errorf("%s, chunked %t: got %q, want %q", path, chunked, got.body, want)
			}
		}
	}
}
