package routing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// A form without the file, or with another media type, is the client's mistake.
func TestStatusOfFormFiles(t *testing.T) {
	app := routing.New(quiet())
	app.Before(respond.Multipart(1<<10), routing.On("/parsed"))
	for _, path := range []string{"/", "/parsed"} {
		app.Post(path, func(c routing.Context) (routing.Result, error) {
			_, _, err := c.Request().FormFile("file")
			return routing.Result{}, err
		})
	}
	const empty = "--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b--\r\n"
	whole := strings.Replace(empty, `"other"`, `"file"; filename="a"`, 1)
	for _, test := range []struct {
		target, contentType, body string
		want                      int
	}{
		{"/", "multipart/form-data; boundary=b", empty, 400},
		{"/", "multipart/form-data", empty, 400},
		{"/", "application/x-www-form-urlencoded", empty, 415},
		{"/", "text/plain", empty, 415},
		{"/", "multipart/form-data; boundary=b", whole, 200},
		{"/parsed", "multipart/form-data; boundary=b", empty, 400},
		{"/parsed", "text/plain", empty, 415},
		{"/parsed", "multipart/form-data; boundary=b", whole, 200},
	} {
		r := httptest.NewRequest("POST", test.target, strings.NewReader(test.body))
		r.Header.Set("Content-Type", test.contentType)
		if w := send(app, r); w.Code != test.want {
			t.Errorf("%s %s %q: got %d, want %d", test.target, test.contentType, test.body, w.Code, test.want)
		}
	}
}

type codedError struct{ code int }

func (e *codedError) Error() string   { return fmt.Sprint("coded ", e.code) }
func (e *codedError) StatusCode() int { return e.code }

// nilError is an error whose methods panic for a nil pointer.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// logBuffer is a log that a server writes while a test reads.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *logBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *logBuffer) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.b.Reset()
	return s.b.String()
}

// Each error has one status, with and without an error handler, and one level in the log.
func TestStatusOfErrors(t *testing.T) {
	var log logBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	fail := map[string]func(routing.Context) error{
		"plain":    func(routing.Context) error { return errors.New("secret") },
		"own":      func(routing.Context) error { return &codedError{422} },
		"wrapped":  func(routing.Context) error { return fmt.Errorf("w: %w", &codedError{409}) },
		"low":      func(routing.Context) error { return &codedError{200} },
		"high":     func(routing.Context) error { return &codedError{700} },
		"last":     func(routing.Context) error { return &codedError{599} },
		"param":    func(c routing.Context) error { _, err := c.Params().Require("q"); return err },
		"large":    func(c routing.Context) error { return readAtMost(c, 3) },
		"deadline": func(c routing.Context) error { return waitFor(c, time.Millisecond) },
		"foreign":  func(routing.Context) error { return fmt.Errorf("query: %w", context.DeadlineExceeded) },
		"panic":    func(routing.Context) error { panic(&codedError{418}) },
		"nil":      func(routing.Context) error { return (*nilError)(nil) },
		"pass":     func(routing.Context) error { panic("p") },
		"limit":    func(c routing.Context) error { return c.Params().Err() },
	}
	tests := []struct {
		name   string
		status int
		level  string
	}{
		{"plain", 500, "ERROR"}, {"own", 422, "DEBUG"}, {"wrapped", 409, "DEBUG"}, {"low", 500, "ERROR"}, {"high", 500, "ERROR"},
		{"last", 599, "ERROR"}, {"param", 400, "DEBUG"}, {"large", 413, "DEBUG"}, {"deadline", 503, "ERROR"}, {"foreign", 500, "ERROR"},
		{"panic", 418, "DEBUG"}, {"nil", 500, "ERROR"}, {"pass", 500, "ERROR"}, {"limit", 413, "DEBUG"},
	}
	for _, handled := range []bool{false, true} {
		app := routing.New(routing.WithLogger(logger), routing.WithBodyLimit(10))
		for name, f := range fail {
			app.Post("/"+name, func(c routing.Context) (routing.Result, error) { return routing.Result{}, f(c) })
		}
		if handled {
			app.OnError(func(c routing.Context, err error) (routing.Result, error) {
				return routing.Text(fmt.Sprint("handled ", c.Status())), nil
			})
		}
		address := serve(t, app)
		for _, test := range tests {
			contentType := "text/plain"
			if test.name == "limit" {
				contentType = urlencoded
			}
			got := fetch(t, "POST", address+"/"+test.name, strings.Repeat("x", 20), "Content-Type", contentType)
			body := http.StatusText(test.status)
			switch {
			case handled:
				body = fmt.Sprint("handled ", test.status)
			case body == "":
				body = http.StatusText(test.status / 100 * 100)
			case test.name == "param":
				body += `: The parameter "q" is missing.`
			}
			if test.name == "nil" && handled {
				body = "handled 500"
			}
			if got.status != test.status || got.body != body || strings.Contains(got.body, "secret") {
				t.Errorf("%s, handled %t: got %d %q, want %d %q", test.name, handled, got.status, got.body, test.status, body)
			}
			line := log.take()
			if strings.Count(line, "\n") != 1 || !strings.Contains(line, "level="+test.level) ||
				!strings.Contains(line, `route="POST /`+test.name+`"`) {
				t.Errorf("%s, handled %t: logged %q, want one line at %s with the route", test.name, handled, line, test.level)
			}
			if test.name == "nil" && !strings.Contains(line, "nilError") {
				t.Errorf("logged %q, want the type of the error", line)
			}
		}
	}
}

func readAtMost(c routing.Context, limit int64) error {
	_, err := io.ReadAll(http.MaxBytesReader(nil, c.Request().Body, limit))
	return err
}

// waitFor waits with a deadline in the request's own context.
func waitFor(c routing.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), d)
	defer cancel()
	<-ctx.Done()
	*c.Request() = *c.Request().WithContext(ctx)
	return fmt.Errorf("query: %w", ctx.Err())
}

// A status that the app has set before, or its error handler, overrides the error's.
func TestStatusSetBeforeError(t *testing.T) {
	app := routing.New(quiet())
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		if c.Request().URL.Query().Has("set") {
			c.SetStatus(451)
		}
		return routing.Text("x"), nil
	})
	app.Get("/before", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(409)
		return routing.Result{}, &codedError{422}
	})
	app.Get("/plain", func(c routing.Context) (routing.Result, error) { return routing.Result{}, &codedError{422} })
	outer := routing.New()
	outer.Before(func(c routing.Context) error { c.SetStatus(202); return nil })
	outer.Mount("/in", app)
	address := serve(t, outer)
	for path, want := range map[string]int{"/before": 409, "/plain": 422, "/plain?set": 451, "/before?set": 451} {
		if got := fetch(t, "GET", address+"/in"+path, ""); got.status != want {
			t.Errorf("%s: got %d, want %d", path, got.status, want)
		}
	}
}

// If the client has disconnected, no response is sent and no error is logged.
func TestDisconnectedClients(t *testing.T) {
	var log logBuffer
	left := make(chan struct{})
	client, leave := context.WithCancel(context.Background())
	defer leave()
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		defer close(left)
		leave() // not earlier: the request has to arrive
		ctx := c.Request().Context()
		<-ctx.Done()
		return routing.Result{}, fmt.Errorf("query: %w", ctx.Err())
	})
	server := httptest.NewServer(app)
	request, _ := http.NewRequestWithContext(client, "GET", server.URL, nil)
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
		t.Fatal("got a response before the client left")
	}
	<-left
	server.Close() // waits for the handler
	if lines := log.take(); lines != "" {
		t.Errorf("logged %q, want nothing", lines)
	}
}

// unwrapPanics is an error whose Unwrap panics.
type unwrapPanics struct{ error }

func (unwrapPanics) Unwrap() error { panic("nothing in it") }

// A redirect is not a failure: a transaction around the action is committed.
func TestIsFailure(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	for _, test := range []struct {
		err    error
		failed bool
		status int
	}{
		{nil, false, 500},
		{routing.Pass, false, 0},
		{fmt.Errorf("next: %w", routing.Pass), false, 0},
		{routing.SeeOther("/done"), false, 303},
		{fmt.Errorf("done: %w", routing.Redirect("/done")), false, 302},
		{&routing.HaltError{}, false, 200},
		{&routing.HaltError{Status: 200}, false, 200},
		{&routing.HaltError{Status: 204}, false, 204},
		{&routing.HaltError{Status: 399}, false, 399},
		{&routing.HaltError{Status: 400}, true, 400},
		{&routing.HaltError{Status: 99}, true, 500},
		{&routing.PanicError{Value: routing.SeeOther("/done")}, false, 303},
		{&routing.RequestError{Status: 400, Err: routing.SeeOther("/done")}, false, 303},
		{&routing.HaltError{Status: 999}, true, 999},
		{&routing.HaltError{Status: 1000}, true, 500},
		{(*routing.HaltError)(nil), true, 500},
		{fmt.Errorf("wrapped: %w", (*routing.HaltError)(nil)), true, 500},
		{errors.New("broken"), true, 500},
		{&routing.Problem{Status: 404}, true, 404},
		{(*nilError)(nil), true, 500},
		{&routing.ParamError{Key: "id"}, true, 400},
		{unwrapPanics{}, true, 500},
	} {
		if got := routing.IsFailure(test.err); got != test.failed {
			t.Errorf("%#v: failed %v, want %v", test.err, got, test.failed)
		}
		if test.status != 0 {
			if got := routing.StatusOf(r, test.err); got != test.status {
				t.Errorf("%#v: status %d, want %d", test.err, got, test.status)
			}
		}
	}
}

// The error and the cause of the request's context have the status of how it ended.
func TestStatusOfTheEndOfRequests(t *testing.T) {
	cause := errors.New("the shop closes")
	late, end := context.WithDeadlineCause(context.Background(), time.Now(), cause)
	defer end()
	canceled, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, test := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{late, cause, 503},
		{late, context.DeadlineExceeded, 503},
		{late, context.Canceled, 500},
		{canceled, cause, 499},
		{canceled, context.Canceled, 499},
		{canceled, context.DeadlineExceeded, 500},
		{context.Background(), cause, 500},
	} {
		r := httptest.NewRequest("GET", "/", nil).WithContext(test.ctx)
		if got := routing.StatusOf(r, fmt.Errorf("query: %w", test.err)); got != test.want {
			t.Errorf("%v after %v: got %d, want %d", test.err, test.ctx.Err(), got, test.want)
		}
	}
}

func ExampleIsFailure() {
	inTransaction := func(next routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			result, err := next(c)
			if routing.IsFailure(err) {
				fmt.Println("ROLLBACK")
			} else {
				fmt.Println("COMMIT")
			}
			return result, err
		}
	}
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Post("/orders", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.SeeOther(c.Path("/orders/1"))
	}, routing.Wrap(inTransaction))
	app.Post("/fails", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, errors.New("no connection")
	}, routing.Wrap(inTransaction))
	for _, path := range []string{"/orders", "/fails"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		fmt.Println(w.Code)
	}
	// Output:
	// COMMIT
	// 303
	// ROLLBACK
	// 500
}

// An after filter sees the status of the response, also if a filter of the outer app has set it.
func TestStatusOfTheOuterAppInAfterFilters(t *testing.T) {
	var seen []int
	inner, app := routing.New(quiet()), routing.New(quiet())
	inner.After(func(c routing.Context) error { seen = append(seen, c.Status()); return nil })
	inner.Get("/a", text("a"))
	app.Before(func(c routing.Context) error { c.SetStatus(202); return nil })
	app.Mount("/in", inner)
	for _, path := range []string{"/in/a", "/in/none"} {
		seen = append(seen, get(app, path).Code)
	}
	if got := fmt.Sprint(seen); got != "[202 202 404 404]" {
		t.Errorf("seen and sent: got %s, want [202 202 404 404]", got)
	}
}

// A PanicError has the stack of the first panic.
func TestStackOfPanics(t *testing.T) {
	carried := &routing.PanicError{Value: "a", Stack: []byte("of another goroutine")}
	for _, test := range []struct {
		value any
		want  string // in the stack
	}{
		{"a", "TestStackOfPanics"},
		{carried, "of another goroutine"},
		{fmt.Errorf("load: %w", carried), "of another goroutine"},
		{&routing.PanicError{Value: "a"}, "TestStackOfPanics"},
	} {
		var got *routing.PanicError
		app := routing.New(quiet())
		app.Get("/", func(routing.Context) (routing.Result, error) { panic(test.value) })
		app.OnError(func(_ routing.Context, err error) (routing.Result, error) {
			got, _ = err.(*routing.PanicError)
			return routing.Text(""), nil
		})
		get(app, "/")
		if got == nil || !strings.Contains(string(got.Stack), test.want) {
			t.Errorf("panic(%#v): got %+v, want a stack with %q", test.value, got, test.want)
		}
	}
}

// The status survives functions that remove all headers, and headers cannot set it.
func TestStatusAfterClearedHeaders(t *testing.T) {
	for name, remove := range map[string]func(http.Header){
		"cleared":  func(h http.Header) { clear(h) },
		"emptied":  func(h http.Header) { maps.DeleteFunc(h, func(_ string, v []string) bool { clear(v); return false }) },
		"replaced": func(h http.Header) { clear(h); maps.Copy(h, http.Header{"X-New": {"yes"}}) },
	} {
		app := routing.New(quiet())
		app.Before(func(c routing.Context) error { c.SetStatus(http.StatusAccepted); return nil }, routing.On("/filter"))
		app.Before(func(c routing.Context) error { remove(c.Header()); return nil })
		app.Get("/filter", func(c routing.Context) (routing.Result, error) {
			remove(c.Header())
			return routing.Text("later"), nil
		})
		app.Get("/set", func(c routing.Context) (routing.Result, error) {
			c.SetStatus(http.StatusAccepted)
			return routing.Text("later"), nil
		})
		app.Get("/halt", func(c routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: http.StatusForbidden, Body: routing.Text("no")}
		})
		app.Get("/error", func(c routing.Context) (routing.Result, error) { return routing.Result{}, &codedError{409} })
		app.Get("/panic", func(c routing.Context) (routing.Result, error) {
			remove(c.Header())
			panic("later")
		})
		app.Before(func(c routing.Context) error { c.SetStatus(http.StatusAccepted); return nil }, routing.On("/panic"))
		app.Get("/used", func(c routing.Context) (routing.Result, error) {
			remove(c.Header())
			return routing.Text("later"), nil
		}, routing.Use(identity))
		app.Before(func(c routing.Context) error { c.SetStatus(http.StatusAccepted); return nil }, routing.On("/used"))
		app.NotFound(func(c routing.Context) (routing.Result, error) {
			remove(c.Header())
			return routing.Text("nothing"), nil
		})
		app.OnError(func(c routing.Context, err error) (routing.Result, error) {
			remove(c.Header())
			return routing.Text("sorry"), nil
		})
		app.ErrorBody(func(c routing.Context, p *routing.Problem) (routing.Result, error) {
			remove(c.Header())
			return routing.Text(p.Title), nil
		})
		app.Get("/page", func(c routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.HaltError{Status: 410}
		})
		app.After(func(c routing.Context) error {
			remove(c.Header())
			return nil
		})
		for path, want := range map[string]int{"/filter": 202, "/set": 202, "/halt": 403, "/error": 409, "/panic": 202, "/used": 202, "/nothing": 404, "/page": 410} {
			if w := send(app, httptest.NewRequest("GET", path, nil)); w.Code != want || w.Header()[":status"] != nil {
				t.Errorf("%s %s: got %d, want %d", name, path, w.Code, want)
			}
		}
	}
}

// A NotFound action sees the status of the response.
func TestStatusInNotFound(t *testing.T) {
	notFound := func(name string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			result := routing.Text(fmt.Sprint(name, c.Status()))
			switch c.Request().URL.Query().Get("then") {
			case "set":
				c.SetStatus(410)
			case "pass":
				return result, routing.Pass
			case "fail":
				return result, errors.New("failed")
			case "halt":
				return result, &routing.HaltError{Body: result}
			}
			return result, nil
		}
	}
	app, inner := routing.New(quiet()), routing.New(quiet())
	app.NotFound(notFound("outer "))
	inner.NotFound(notFound("inner "))
	app.Mount("/inner", inner)
	app.Get("/passes", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(202)
		return routing.Result{}, routing.Pass
	})
	for target, want := range map[string]string{
		"/nothing": "404 outer 404", "/passes": "404 outer 404", "/inner/nothing": "404 inner 404", "/nothing?then=set": "410 outer 404",
		"/nothing?then=fail": "500 Internal Server Error", "/nothing?then=halt": "404 outer 404", "/inner/nothing?then=set": "410 inner 404",
		"/inner/nothing?then=fail": "500 Internal Server Error",
	} {
		if w := send(app, httptest.NewRequest("GET", target, nil)); fmt.Sprint(w.Code, " ", w.Body) != want {
			t.Errorf("%s: got %d %s, want %s", target, w.Code, w.Body, want)
		}
	}
	if w := send(app, httptest.NewRequest("GET", "/inner/nothing?then=pass", nil)); w.Code != 404 {
		t.Errorf("after both have passed: got %d", w.Code)
	}
}

// An invalid status is a 500, also if no route matches. Zero is no status.
func TestInvalidStatus(t *testing.T) {
	for _, status := range []int{-1, 0, 42, 199, 1000, 5000} {
		app := routing.New(quiet())
		app.Before(func(c routing.Context) error { c.SetStatus(status); return nil })
		app.Get("/a", text("a"))
		app.Get("/valid", func(c routing.Context) (routing.Result, error) { c.SetStatus(201); return routing.Text("a"), nil })
		app.NotFound(text("nothing"))
		app.Get("/middleware", text("not called"), instead(writes))
		app.Handle("GET", "/handler", writes)
		for path, want := range map[string]int{"/a": 500, "/valid": 201, "/nothing": 500, "/middleware": 500, "/handler": 500} {
			if w := send(app, httptest.NewRequest("GET", path, nil)); w.Code != want || want == 500 && w.Body.String() != "Internal Server Error" {
				t.Errorf("status %d, %s: got %d %s, want %d", status, path, w.Code, w.Body, want)
			}
		}
	}
}
