package apidoc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests streamed bodies that fail before or after the first byte.

type (
	writtenBody struct {
		Total int                   `header:"X-Total"`
		Tag   string                `header:"ETag"`
		Body  func(io.Writer) error `body:"text/csv"`
	}
	lineBodies struct {
		Total int                    `header:"X-Total"`
		Tag   string                 `header:"ETag"`
		Body  iter.Seq2[twig, error] `body:"application/jsonl"`
	}
	readerBody struct {
		Total int       `header:"X-Total"`
		Tag   string    `header:"ETag"`
		Body  io.Reader `body:"text/csv"`
	}
	twig struct {
		N int `json:"n"`
	}
)

// failingBody is a reader that fails with the error of read. It counts calls of Close.
type failingBody struct {
	read   func() error
	closed *int
}

func (f failingBody) Read([]byte) (int, error)           { return 0, f.read() }
func (f failingBody) Close() error                       { *f.closed++; return nil }
func (f failingBody) lines(yield func(twig, error) bool) { yield(twig{}, f.read()) }

// streams defines an operation for each kind of streamed body.
func streams(api *apidoc.API, f failingBody, options ...apidoc.Option) (paths []string) {
	add := func(path string, define func(string, ...apidoc.Option)) {
		define(path, append(options, apidoc.ID(path[1:]))...)
		paths = append(paths, path)
	}
	add("/written", func(path string, options ...apidoc.Option) {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{7, "a", func(io.Writer) error { return f.read() }}, nil
		}, options...)
	})
	add("/buffered", func(path string, options ...apidoc.Option) {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{7, "a", func(w io.Writer) error {
				if _, err := w.Write(nil); err != nil {
					return err
				}
				if _, err := io.WriteString(w, "a line that stays in the buffer"); err != nil {
					return err
				}
				return f.read()
			}}, nil
		}, options...)
	})
	add("/lines", func(path string, options ...apidoc.Option) {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (lineBodies, error) { return lineBodies{7, "a", f.lines}, nil }, options...)
	})
	add("/reader", func(path string, options ...apidoc.Option) {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (readerBody, error) { return readerBody{7, "a", f}, nil }, options...)
	})
	return paths
}

// An error before the first byte is handled like one returned by the operation's function: with the
// same response and log line, and without the headers of the output.
func TestStreamsThatFailBeforeTheFirstByte(t *testing.T) {
	gone := apidoc.NewProblem(http.StatusGone, "It was cut down")
	for name, fail := range map[string]func() error{
		"a described problem": func() error { return fmt.Errorf("read: %w", gone) },
		"another problem":     func() error { return apidoc.NewProblem(http.StatusConflict, "Not described") },
		"an error":            func() error { return errors.New("secret") },
		"a halt": func() error {
			return &routing.HaltError{Status: 403, Header: http.Header{"X-Halt": {"1"}}, Body: routing.Text("halted")}
		},
		"a halt without a status": func() error { return &routing.HaltError{Body: routing.Text("halted")} },
		"a redirect":              func() error { return routing.SeeOther("/elsewhere") },
		"a panic":                 func() error { panic("secret") },
		"an abort":                func() error { panic(http.ErrAbortHandler) },
		"the client":              func() error { return context.Canceled },
	} {
		for _, shaped := range []bool{false, true} {
			var logs strings.Builder
			closed, opened := 0, 0
			app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{
				Level: slog.LevelDebug,
				ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == "time" || a.Key == "stack" || a.Key == "path" || a.Key == "route" || a.Key == "operation" {
						return slog.Attr{}
					}
					return a
				},
			}))))
			app.Get("/:any", func(routing.Context) (routing.Result, error) { return routing.Text("the next route"), nil })
			app.Before(func(c routing.Context) error {
				c.Header().Set("X-Filter", "stays")
				c.Header().Add("Set-Cookie", "a=b")
				c.Header().Set("X-Total", "7") // as the output
				c.SetStatus(http.StatusAccepted)
				return nil
			})
			options := []apidoc.Option{gone}
			if shaped {
				options = append(options, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) customError { return customError{p.Status, p.Title} }))
			}
			api := apidoc.NewAPI(app, info)
			paths := streams(api, failingBody{fail, &closed}, options...)
			apidoc.Get(api, "/plain", "", func(context.Context, struct{}) (twig, error) { return twig{}, fail() }, append(options, apidoc.ID("plain"))...)
			get := func(server *httptest.Server, path string) (answer string) {
				logs.Reset()
				response, err := server.Client().Get(server.URL + path)
				if err != nil {
					return fmt.Sprint("no response, ", logs.String())
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				response.Header.Del("Date")
				return fmt.Sprint(response.StatusCode, " ", response.Header, " ", string(body), " ", err, logs.String())
			}
			for _, isHTTP2 := range []bool{false, true} {
				server := httptest.NewUnstartedServer(app)
				server.EnableHTTP2 = isHTTP2
				server.Config.ErrorLog = log.New(io.Discard, "", 0)
				server.StartTLS()
				server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				want := get(server, "/plain")
				for _, path := range paths {
					if path != "/written" && path != "/buffered" && path != "/lines" {
						opened++
					}
					if got := get(server, path); got != want {
						t.Errorf("%s, shaped %t, HTTP2 %t, %s: got %s\nwant %s", name, shaped, isHTTP2, path, got, want)
					}
				}
				server.Close()
			}
			if closed != opened {
				t.Errorf("%s: %d of %d bodies are closed", name, closed, opened)
			}
		}
	}
}

// customError is the body of ErrorBody.
type customError struct {
	Status int    `json:"code"`
	Title  string `json:"message"`
}

// An error after the first byte closes the connection, and is logged.
func TestStreamsThatFailLater(t *testing.T) {
	var logs strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, nil))))
	api := apidoc.NewAPI(app, info)
	for kind, fail := range map[string]func() error{
		"error": func() error { return errors.New("secret") },
		"panic": func() error { panic("secret") },
		"halt":  func() error { return routing.SeeOther("/") },
	} {
		apidoc.Get(api, "/written/"+kind, "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{Body: func(w io.Writer) error {
				if _, err := io.WriteString(w, "a\n"); err != nil {
					return err
				}
				w.(http.Flusher).Flush()
				return fail()
			}}, nil
		}, apidoc.ID("written"+kind))
		apidoc.Get(api, "/lines/"+kind, "", func(context.Context, struct{}) (lineBodies, error) {
			return lineBodies{Body: func(yield func(twig, error) bool) { _ = yield(twig{1}, nil) && yield(twig{}, fail()) }}, nil
		}, apidoc.ID("lines"+kind))
		apidoc.Get(api, "/reader/"+kind, "", func(context.Context, struct{}) (readerBody, error) {
			return readerBody{Body: io.MultiReader(strings.NewReader("a"), failingBody{read: fail})}, nil
		}, apidoc.ID("reader"+kind))
	}
	for _, path := range []string{"/written/", "/lines/", "/reader/"} {
		for _, kind := range []string{"error", "panic", "halt"} {
			logs.Reset()
			server := httptest.NewServer(app)
			response, err := http.Get(server.URL + path + kind)
			if err != nil {
				t.Fatalf("%s%s: %v", path, kind, err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			server.Close() // waits until the handler has logged the error
			if response.StatusCode != 200 || len(body) == 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s%s: got %d %q, %v", path, kind, response.StatusCode, body, err)
			}
			want := "secret"
			switch {
			case kind == "halt":
				want = "halt 303"
			case kind == "panic":
				want = "stream_test.go" // in the stack
			}
			if !strings.Contains(logs.String(), "send the body: ") || !strings.Contains(logs.String(), want) {
				t.Errorf("%s%s: logged %s", path, kind, logs.String())
			}
			if hasStack := strings.Contains(logs.String(), "stack="); hasStack != (kind == "panic") {
				t.Errorf("%s%s: logged a stack: %v: %s", path, kind, hasStack, logs.String())
			}
		}
	}
}

// For HEAD and for a 304, functions are not called, and readers are closed.
func TestStreamsOfHeadAndNotModified(t *testing.T) {
	calls, closed := 0, 0
	app, api := newTyped()
	paths := streams(api, failingBody{func() error { calls++; return errors.New("made") }, &closed})
	for _, path := range paths {
		if w := call(app, "GET", path, "", "", "If-None-Match", `"a"`); w.Code != 304 {
			t.Errorf("%s: a known version: got %d", path, w.Code)
		}
		media := "text/csv; charset=utf-8"
		if path == "/lines" {
			media = "application/jsonl"
		}
		if w := call(app, "HEAD", path, "", ""); w.Code != 200 || w.Header().Get("X-Total") != "7" || w.Header().Get("Content-Type") != media {
			t.Errorf("%s: HEAD: got %d %v", path, w.Code, w.Header())
		}
	}
	if calls != 0 || closed != 2 {
		t.Errorf("%d calls, and %d closed", calls, closed)
	}
}

// closing is a reader whose Close closes a channel.
type closing struct {
	io.Reader
	closed chan struct{}
}

func (c closing) Close() error { close(c.closed); return nil }

// A function is not called if its response is not sent, and a reader is closed.
func TestStreamsThatAreNotSent(t *testing.T) {
	lose := routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			if _, err := action(c); err != nil {
				return routing.Result{}, err
			}
			return routing.Result{}, errors.New("the commit failed")
		}
	})
	for name, define := range map[string]func(*routing.App) []apidoc.Option{
		"an after filter halts": func(app *routing.App) []apidoc.Option {
			app.After(func(routing.Context) error { return &routing.HaltError{Status: 500, Body: routing.Text("late")} })
			return nil
		},
		"an after filter aborts": func(app *routing.App) []apidoc.Option {
			app.After(func(routing.Context) error { panic(http.ErrAbortHandler) })
			return nil
		},
		"an invalid header": func(app *routing.App) []apidoc.Option {
			app.After(func(c routing.Context) error { c.Header().Set("X", "a\nb"); return nil })
			return nil
		},
		"a wrapper fails": func(*routing.App) []apidoc.Option { return []apidoc.Option{apidoc.RouteOptions(lose)} },
	} {
		app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
		options, closed := define(app), make(chan struct{})
		api := apidoc.NewAPI(app, info)
		apidoc.Get(api, "/written", "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{Body: func(io.Writer) error { t.Errorf("%s: the function is called", name); return nil }}, nil
		}, append(options, apidoc.ID("written"))...)
		apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (readerBody, error) {
			return readerBody{Body: closing{strings.NewReader("a"), closed}}, nil
		}, append(options, apidoc.ID("reader"))...)
		server := httptest.NewServer(app)
		for _, path := range []string{"/written", "/reader"} {
			response, err := http.Get(server.URL + path)
			if err != nil {
				continue // aborted
			}
			response.Body.Close()
			if response.StatusCode != 500 || response.Header.Get("Content-Type") == "text/csv" {
				t.Errorf("%s: %s: got %d %v", name, path, response.StatusCode, response.Header)
			}
		}
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the reader is not closed", name)
		}
		server.Close()
	}
}

// A Write after the function has returned fails. A function that passes causes a 500.
func TestWriteAfterTheEnd(t *testing.T) {
	var logs strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, nil))))
	api := apidoc.NewAPI(app, info)
	var last io.Writer
	for path, f := range map[string]func(io.Writer) error{
		"/begun":  func(w io.Writer) error { _, err := io.WriteString(w, "first"); return err },
		"/empty":  func(io.Writer) error { return nil },
		"/failed": func(io.Writer) error { return errors.New("no") },
		"/full":   func(w io.Writer) error { io.WriteString(w, strings.Repeat("a", 4<<10)); return errors.New("no") },
		"/passed": func(io.Writer) error { return fmt.Errorf("not here: %w", routing.Pass) },
		"/broken": func(w io.Writer) error { io.WriteString(w, strings.Repeat("first", 1000)); panic("no") },
	} {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{Body: func(w io.Writer) error { last = w; return f(w) }}, nil
		}, apidoc.ID(path[1:]))
	}
	server := httptest.NewServer(app)
	for path, want := range map[string]int{"/begun": 200, "/empty": 200, "/failed": 500, "/full": 500, "/passed": 500, "/broken": 200} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: got %d", path, response.StatusCode)
		}
		if path == "/broken" { // the client may see the end before the function has returned
			continue
		}
		if _, err := io.WriteString(last, "late"); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: a late Write returned %v", path, err)
		}
	}
	server.Close()
	if !strings.Contains(logs.String(), "operation passed: a function that writes the body runs when the response is sent, so it cannot pass") {
		t.Errorf("logged %s", &logs)
	}
}

// A body is sent even if a wrapper gave the action another context, which has ended by then.
func TestBodiesThatOutliveTheContextOfAWrapper(t *testing.T) {
	own := apidoc.RouteOptions(routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			ctx, cancel := context.WithTimeout(c.Request().Context(), time.Minute)
			inner, end := c.WithContext(ctx)
			result, err := action(inner)
			end()
			cancel()
			time.Sleep(pause) // time for functions of context.AfterFunc
			return result, err
		}
	}))
	app, api := newTyped()
	text := strings.Repeat("a", 100_000)
	apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (readerBody, error) {
		return readerBody{Body: strings.NewReader(text)}, nil
	}, own, apidoc.ID("reader"))
	apidoc.Get(api, "/written", "", func(context.Context, struct{}) (writtenBody, error) {
		return writtenBody{Body: func(w io.Writer) error { _, err := io.WriteString(w, text); return err }}, nil
	}, own, own, apidoc.ID("written"))
	apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lineBodies, error) {
		return lineBodies{Body: func(yield func(twig, error) bool) { _ = yield(twig{1}, nil) && yield(twig{2}, nil) }}, nil
	}, own, apidoc.ID("lines"))
	for path, want := range map[string]string{"/reader": text, "/written": text, "/lines": "{\"n\":1}\n{\"n\":2}\n"} {
		if w := call(app, "GET", path, "", ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: got %d and %d bytes", path, w.Code, w.Body.Len())
		}
	}
}

// A function that calls runtime.Goexit, as FailNow of a test does, aborts the response. The
// function may write in other goroutines.
func TestGoroutinesOfFunctionsThatWrite(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/exit", "", func(context.Context, struct{}) (writtenBody, error) {
		return writtenBody{Body: func(io.Writer) error { runtime.Goexit(); return nil }}, nil
	}, apidoc.ID("exit"))
	apidoc.Get(api, "/others", "", func(context.Context, struct{}) (writtenBody, error) {
		return writtenBody{Body: func(w io.Writer) error {
			errs := make(chan error)
			var mu sync.Mutex
			for range 3 {
				go func() {
					mu.Lock()
					_, err := io.WriteString(w, "a")
					mu.Unlock()
					errs <- err
				}()
			}
			return errors.Join(<-errs, <-errs, <-errs)
		}}, nil
	}, apidoc.ID("others"))
	server := httptest.NewServer(app)
	defer server.Close()
	if response, err := http.Get(server.URL + "/exit"); err == nil {
		response.Body.Close()
		t.Errorf("Goexit: got %d", response.StatusCode)
	}
	response, err := http.Get(server.URL + "/others")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); string(body) != "aaa" || err != nil {
		t.Errorf("other goroutines: got %q, %v", body, err)
	}
}

// After a body has failed before its first byte, the connection can be used again, even if the
// request was not read to its end.
func TestFailedBodiesLeaveTheConnection(t *testing.T) {
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	api := apidoc.NewAPI(app, info)
	apidoc.Post(api, "/written", "", func(context.Context, io.Reader) (writtenBody, error) {
		return writtenBody{Body: func(io.Writer) error { return errors.New("no") }}, nil
	}, apidoc.ID("written"))
	apidoc.Post(api, "/reader", "", func(context.Context, io.Reader) (io.Reader, error) {
		return failingBody{read: func() error { return errors.New("no") }, closed: new(int)}, nil
	}, apidoc.ID("reader"))
	for _, path := range []string{"/written", "/reader"} {
		keepsConnection(t, app, path, 500)
	}
}

// A body may produce its first byte after the server's WriteTimeout. An error before the first byte
// reaches the client then, too.
func TestFirstPartsOutliveTheWriteTimeout(t *testing.T) {
	slow := func() error {
		time.Sleep(pause)
		return apidoc.NewProblem(http.StatusGone, "It was cut down")
	}
	var paths []string
	serveShort(t, func(api *apidoc.API) {
		paths = streams(api, failingBody{slow, new(int)}, apidoc.NewProblem(http.StatusGone, "It was cut down"))
	}, func(t *testing.T, client *http.Client) {
		for _, path := range slices.Clone(paths) {
			r, err := client.Get("http://shop" + path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil || r.StatusCode != 410 || !strings.Contains(string(body), "cut down") {
				t.Errorf("%s: got %d %s %v", path, r.StatusCode, body, err)
			}
		}
	})
}

// textAtOnce returns its text together with the end, as readers may.
type textAtOnce struct{ *strings.Reader }

func (r textAtOnce) Read(p []byte) (n int, err error) {
	if n, err = r.Reader.Read(p); r.Len() == 0 {
		err = io.EOF
	}
	return n, err
}

// A body that ends is not an error, even if it is empty.
func TestEndOfStreams(t *testing.T) {
	app, api := newTyped()
	app.Before(func(c routing.Context) error {
		c.SetContentType("text/x-filter")
		return nil
	})
	for i, text := range []string{"", "text"} {
		apidoc.Get(api, fmt.Sprint("/reader/", i), "", func(context.Context, struct{}) (io.Reader, error) {
			return io.LimitReader(textAtOnce{strings.NewReader(text)}, 100), nil
		}, apidoc.ID(fmt.Sprint("reader", i)))
		apidoc.Get(api, fmt.Sprint("/written/", i), "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{Body: func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}}, nil
		}, apidoc.ID(fmt.Sprint("written", i)))
		for _, kind := range []string{"/reader/", "/written/"} {
			w := call(app, "GET", fmt.Sprint(kind, i), "", "")
			if w.Code != 200 || w.Body.String() != text {
				t.Errorf("%s of %q: got %d %q", kind, text, w.Code, w.Body)
			}
		}
	}
}
