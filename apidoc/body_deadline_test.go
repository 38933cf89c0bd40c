package apidoc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// endless defines operations and a route whose bodies have no end and ignore their context. It
// returns their paths.
func endless(t *testing.T, app *routing.App, ended chan<- error) []string {
	api := apidoc.NewAPI(app, info)
	each := func(send func() error) error {
		var err error
		for range 1000 {
			time.Sleep(time.Second)
			if err = send(); err != nil {
				ended <- err
				return err
			}
		}
		t.Error("it goes on after the end")
		ended <- nil
		return nil
	}
	stopped := errors.New("yield returned false")
	numbers := func(yield func(int) bool) {
		_ = each(func() error {
			if !yield(1) {
				return stopped
			}
			return nil
		})
	}
	apidoc.Get(api, "/events", "", func(context.Context, struct{}) (iter.Seq[int], error) { return numbers, nil }, apidoc.ID("events"))
	type lines struct {
		Lines iter.Seq[int] `body:"application/jsonl"`
	}
	apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lines, error) { return lines{numbers}, nil }, apidoc.ID("lines"))
	apidoc.Get(api, "/written", "", func(context.Context, struct{}) (writtenBody, error) {
		return writtenBody{Body: func(w io.Writer) error {
			return each(func() error { _, err := io.WriteString(flushed{w}, "a"); return err })
		}}, nil
	}, apidoc.ID("written"))
	app.Get("/route", func(routing.Context) (routing.Result, error) {
		return respond.Events(func(_ context.Context, send func(respond.Event) error) error {
			return each(func() error { return send(respond.Event{Data: "a"}) })
		}), nil
	})
	return []string{"/events", "/lines", "/written", "/route"}
}

func aborts(f func()) (isAborted bool) {
	defer func() { isAborted = recover() == http.ErrAbortHandler }()
	f()
	return false
}

// Bodies that ignore their context end with the request, even if their writer never fails.
func TestEndlessBodiesEndWithTheContext(t *testing.T) {
	cause := errors.New("the cause")
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"a deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, 4500*time.Millisecond, cause)
		},
		"a cancellation": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(4500*time.Millisecond, func() { cancel(cause) })
			return ctx, func() { cancel(nil) }
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
			ended := make(chan error, 1)
			for _, path := range endless(t, app, ended) {
				ctx, cancel := end(t.Context())
				begin := time.Now()
				w := httptest.NewRecorder()
				isAborted := aborts(func() { app.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil)) })
				if took := time.Since(begin); took != 5*time.Second {
					t.Errorf("%s, %s: it ended after %v, want at the first Write after the end", name, path, took)
				}
				if err := <-ended; !errors.Is(err, cause) && strings.HasPrefix(path, "/w") {
					t.Errorf("%s, %s: Write returned %v, want the cause", name, path, err)
				}
				if !isAborted && (name == "a deadline" || path == "/lines" || path == "/written") {
					t.Errorf("%s, %s: the response looks complete: %d", name, path, w.Code)
				}
				cancel()
			}
		})
	}
}

// Endless bodies end after a client has disconnected, and when the server is closed.
func TestEndlessBodiesEndWithTheConnection(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		for _, closes := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
				ended := make(chan error, 1)
				for _, path := range endless(t, app, ended) {
					server := &http.Server{Handler: app, Protocols: new(http.Protocols)}
					server.Protocols.SetHTTP1(!isHTTP2)
					server.Protocols.SetUnencryptedHTTP2(isHTTP2)
					client := testenv.Serve(t, server)
					response, err := client.Get("http://shop" + path)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(response.Body, make([]byte, 1)); err != nil {
						t.Errorf("%s: %v", path, err)
					}
					if closes {
						server.Close()
					} else {
						response.Body.Close()
					}
					begin := time.Now()
					if <-ended; time.Since(begin) > 3*time.Second {
						t.Errorf("HTTP2 %t, %s: it ended after %v", isHTTP2, path, time.Since(begin))
					}
					response.Body.Close()
				}
			})
		}
	}
}

// If nothing has been sent at the deadline, the response is a 503.
func TestDeadlinesBeforeTheFirstByte(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (writtenBody, error) {
		return writtenBody{Body: func(w io.Writer) error {
			fmt.Fprint(w, "a") // and the error is ignored
			return nil
		}}, nil
	}, apidoc.ID("get"))
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now(), errors.New("too slow"))
	defer cancel()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("got %d %q, want a 503", w.Code, w.Body)
	}
}
