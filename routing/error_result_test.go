package routing_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests errors that come with a response.

func TestErrorResult(t *testing.T) {
	cause := &routing.ParamError{Key: "a"}
	made := &routing.ErrorResult{Err: cause, Result: routing.Bytes("application/json", []byte(`{"made":true}`))}
	fails := func(err error) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			c.Header().Set("ETag", `"a"`)
			c.Header().Set("Location", "/elsewhere")
			c.Header().Set("X-Kept", "yes")
			return routing.Text("dropped"), err
		}
	}
	type onError = func(routing.Context, error) (routing.Result, error)
	for _, test := range []struct {
		name string
		on   onError
		want string
	}{
		{"no handler", nil, `400 {"made":true}`},
		{"a handler that returns it", func(_ routing.Context, err error) (routing.Result, error) { return routing.Result{}, err }, `400 {"made":true}`},
		{"a handler that wraps it", func(_ routing.Context, err error) (routing.Result, error) {
			return routing.Text("dropped"), fmt.Errorf("wrapped: %w", err)
		}, `400 {"made":true}`},
		{"a handler that sets the status", func(c routing.Context, err error) (routing.Result, error) {
			c.SetStatus(422)
			return routing.Text("other: " + err.Error()), nil
		}, "422 other: " + cause.Error()},
		{"a handler that finds the cause", func(_ routing.Context, err error) (routing.Result, error) {
			return routing.Text(fmt.Sprint(errors.Is(err, routing.ErrNoParam))), nil
		}, "400 true"},
		{"a handler that fails", func(routing.Context, error) (routing.Result, error) { return routing.Result{}, errors.New("broken") }, "500 Internal Server Error"},
	} {
		var logged bytes.Buffer
		app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		app.Get("/plain", fails(made))
		app.Get("/wrapped", fails(fmt.Errorf("in a filter: %w", made)))
		app.OnError(test.on)
		for _, path := range []string{"/plain", "/wrapped"} {
			logged.Reset()
			want := test.want
			if path == "/wrapped" {
				want = strings.Replace(want, "other: ", "other: in a filter: ", 1)
			}
			w := get(app, path)
			if got := fmt.Sprint(w.Code, " ", w.Body); got != want {
				t.Errorf("%s, %s: got %s, want %s", test.name, path, got, want)
			}
			h := w.Header()
			isDefault := strings.Contains(want, "made") || w.Code == 500
			if isDefault && (h.Get("ETag") != "" || h.Get("Location") != "") || h.Get("X-Kept") == "" {
				t.Errorf("%s, %s: headers %v", test.name, path, h)
			}
			if !strings.Contains(logged.String(), cause.Key) {
				t.Errorf("%s, %s: the log has no word of the cause: %s", test.name, path, &logged)
			}
		}
	}

	late := routing.New(quiet())
	late.Get("/", text("text"))
	late.After(func(routing.Context) error { return made })
	if w := send(late, httptest.NewRequest("GET", "/", nil)); w.Code != 400 || w.Body.String() != `{"made":true}` {
		t.Errorf("after filter: got %d %s", w.Code, w.Body)
	}
	var none *routing.ErrorResult
	broken := routing.New(quiet())
	broken.Get("/", fails(none))
	if w := get(broken, "/"); w.Code != 500 {
		t.Errorf("a nil error: got %d %s", w.Code, w.Body)
	}
}
