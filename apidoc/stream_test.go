package apidoc_test

import (
	"context"
	"encoding/csv"
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
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests bodies that fail while they are made: before their first byte, and after it.

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
	rangeBody struct {
		Total int           `header:"X-Total"`
		Tag   string        `header:"ETag"`
		Body  io.ReadSeeker `body:"text/csv"`
	}
	twig struct {
		N int `json:"n"`
	}
)

// failingBody reads and seeks with what f says. It counts how often it is closed.
type failingBody struct {
	read, seek func() error
	closed     *int
}

func (f failingBody) Read([]byte) (int, error)           { return 0, f.read() }
func (f failingBody) Seek(int64, int) (int64, error)     { return 100, f.seek() }
func (f failingBody) Close() error                       { *f.closed++; return nil }
func (f failingBody) lines(yield func(twig, error) bool) { yield(twig{}, f.read()) }

// streams defines an operation for each kind of body that is made while it is sent.
func streams(api *apidoc.API, f failingBody, options ...apidoc.Option) (paths []string) {
	add := func(path string, define func(string, ...apidoc.Option)) {
		define(path, append(options, apidoc.ID(path[1:]))...)
		paths = append(paths, path)
	}
	none := func() error { return nil }
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
				table := csv.NewWriter(w)
				if err := table.Write([]string{"a line that stays in the buffer"}); err != nil {
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
	add("/range", func(path string, options ...apidoc.Option) {
		f := failingBody{f.read, none, f.closed}
		apidoc.Get(api, path, "", func(context.Context, struct{}) (rangeBody, error) { return rangeBody{7, "a", f}, nil }, options...)
	})
	add("/seek", func(path string, options ...apidoc.Option) {
		f := failingBody{none, f.read, f.closed}
		apidoc.Get(api, path, "", func(context.Context, struct{}) (rangeBody, error) { return rangeBody{7, "a", f}, nil }, options...)
	})
	return paths
}

// What fails before its first byte fails as the operation's function does: with the same response
// and the same line in the log, for the same after filter, and without the headers of the output.
func TestBodiesThatFailBeforeTheirFirstByte(t *testing.T) {
	gone := apidoc.Fail(http.StatusGone, "It was cut down")
	for name, fail := range map[string]func() error{
		"a described problem": func() error { return fmt.Errorf("read: %w", gone) },
		"another problem":     func() error { return apidoc.Fail(http.StatusConflict, "Not described") },
		"an error":            func() error { return errors.New("secret") },
		"a halt": func() error {
			return &routing.HaltError{Status: 403, Header: http.Header{"X-Halt": {"1"}}, Body: routing.Text("halted")}
		},
		"a redirect": func() error { return routing.SeeOther("/elsewhere") },
		"a pass":     func() error { return routing.Pass },
		"a panic":    func() error { panic("secret") },
		"an abort":   func() error { panic(http.ErrAbortHandler) },
		"the client": func() error { return context.Canceled },
	} {
		for _, shaped := range []bool{false, true} {
			var logs strings.Builder
			var statuses []int
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
				return nil
			})
			app.After(func(c routing.Context) error {
				statuses = append(statuses, c.Status())
				return nil
			})
			options := []apidoc.Option{gone}
			if shaped {
				options = append(options, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) shapeOfAll { return shapeOfAll{p.Status, p.Title} }))
			}
			api := apidoc.NewAPI(app, info)
			paths := streams(api, failingBody{fail, fail, &closed}, options...)
			apidoc.Get(api, "/plain", "", func(context.Context, struct{}) (twig, error) { return twig{}, fail() }, append(options, apidoc.ID("plain"))...)
			get := func(server *httptest.Server, path string) (answer string) {
				logs.Reset()
				statuses = nil
				response, err := server.Client().Get(server.URL + path)
				if err != nil {
					return fmt.Sprint("no response, ", statuses, logs.String())
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				response.Header.Del("Date")
				return fmt.Sprint(response.StatusCode, " ", response.Header, " ", string(body), " ", err, statuses, logs.String())
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

type shapeOfAll struct {
	Status int    `json:"code"`
	Title  string `json:"message"`
}

// After the first byte the response breaks off, and the error is logged.
func TestBodiesThatFailLater(t *testing.T) {
	var logs strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, nil))))
	api := apidoc.NewAPI(app, info)
	first := func(fail func() error) func() error {
		begun := false
		return func() error {
			if !begun {
				begun = true
				return nil
			}
			return fail()
		}
	}
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
				return fail()
			}}, nil
		}, apidoc.ID("written"+kind))
		apidoc.Get(api, "/lines/"+kind, "", func(context.Context, struct{}) (lineBodies, error) {
			return lineBodies{Body: func(yield func(twig, error) bool) { _ = yield(twig{1}, nil) && yield(twig{}, fail()) }}, nil
		}, apidoc.ID("lines"+kind))
		apidoc.Get(api, "/reader/"+kind, "", func(context.Context, struct{}) (readerBody, error) {
			return readerBody{Body: io.MultiReader(strings.NewReader("a"), failingBody{read: fail})}, nil
		}, apidoc.ID("reader"+kind))
		apidoc.Get(api, "/range/"+kind, "", func(context.Context, struct{}) (rangeBody, error) {
			return rangeBody{Body: &onceReader{next: first(fail)}}, nil
		}, apidoc.ID("range"+kind))
	}
	for _, path := range []string{"/written/", "/lines/", "/reader/", "/range/"} {
		for _, kind := range []string{"error", "panic", "halt"} {
			logs.Reset()
			server := httptest.NewServer(app)
			response, err := http.Get(server.URL + path + kind)
			if err != nil {
				t.Fatalf("%s%s: %v", path, kind, err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			server.Close() // then all is logged
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
		}
	}
}

// onceReader is a body of 100,000 bytes that may fail after the first part.
type onceReader struct{ next func() error }

func (o *onceReader) Read(p []byte) (int, error)     { return len(p), o.next() }
func (o *onceReader) Seek(int64, int) (int64, error) { return 100_000, nil }

// A client that asks for the header alone, or knows the version, lets nothing be made.
func TestBodiesThatNobodyWants(t *testing.T) {
	calls, closed := 0, 0
	app, api := newTyped()
	paths := streams(api, failingBody{func() error { calls++; return errors.New("made") }, nil, &closed})
	for _, path := range paths {
		if w := call(app, "GET", path, "", "", "If-None-Match", `"a"`); w.Code != 304 {
			t.Errorf("%s: a known version: got %d", path, w.Code)
		}
		if path == "/seek" { // its length is a header
			continue
		}
		media := "text/csv; charset=utf-8"
		if path == "/lines" {
			media = "application/jsonl"
		}
		if w := call(app, "HEAD", path, "", ""); w.Code != 200 || w.Header().Get("X-Total") != "7" || w.Header().Get("Content-Type") != media {
			t.Errorf("%s: HEAD: got %d %v", path, w.Code, w.Header())
		}
	}
	if calls != 0 || closed != 5 {
		t.Errorf("%d calls, and %d closed", calls, closed)
	}
}

// A function that has begun to write ends also if its response is not sent.
func TestWrittenBodiesThatAreDropped(t *testing.T) {
	ended := make(chan error, 1)
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "a")
		ended <- err
		return err
	}
	wrap := routing.Wrap(func(action routing.Action) routing.Action {
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
		"an invalid header": func(app *routing.App) []apidoc.Option {
			app.After(func(c routing.Context) error { c.Header().Set("X", "a\nb"); return nil })
			return nil
		},
		"a wrapper fails": func(*routing.App) []apidoc.Option { return []apidoc.Option{apidoc.RouteOptions(wrap)} },
	} {
		app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
		options := append(define(app), apidoc.ID("get"))
		apidoc.Get(apidoc.NewAPI(app, info), "/", "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{Body: write}, nil
		}, options...)
		server := httptest.NewServer(app)
		response, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 500 || response.Header.Get("Content-Type") == "text/csv" {
			t.Errorf("%s: got %d %v", name, response.StatusCode, response.Header)
		}
		select {
		case err := <-ended:
			if !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%s: Write returned %v", name, err)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s: the function has not ended", name)
		}
		server.Close()
	}
	// A deadline that has passed is not the end of the request: it tells by an after filter.
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.After(func(routing.Context) error { return errors.New("late") })
	apidoc.Get(apidoc.NewAPI(app, info), "/", "", func(context.Context, struct{}) (writtenBody, error) { return writtenBody{Body: write}, nil })
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	var at time.Time
	app.ServeHTTP(deadlineWriter{httptest.NewRecorder(), &at, new([]time.Time)}, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) || at.IsZero() {
		t.Errorf("after a deadline: Write returned %v, and the other response has the deadline %v", err, at)
	}
}

// A wrapper of the action may give it a context of its own, which has ended when the body is sent.
func TestBodiesThatOutliveTheContextOfAWrapper(t *testing.T) {
	own := apidoc.RouteOptions(routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			ctx, cancel := context.WithTimeout(c.Request().Context(), time.Minute)
			inner, end := c.WithContext(ctx)
			result, err := action(inner)
			end()
			cancel()
			time.Sleep(pause) // what waits for the end of the context takes notice
			return result, err
		}
	}))
	app, api := newTyped()
	text := strings.Repeat("a", 100_000)
	apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (readerBody, error) {
		return readerBody{Body: strings.NewReader(text)}, nil
	}, own, apidoc.ID("reader"))
	apidoc.Get(api, "/range", "", func(context.Context, struct{}) (rangeBody, error) {
		return rangeBody{Body: strings.NewReader(text)}, nil
	}, own, own, apidoc.ID("range"))
	apidoc.Get(api, "/written", "", func(context.Context, struct{}) (writtenBody, error) {
		return writtenBody{Body: func(w io.Writer) error { _, err := io.WriteString(w, text); return err }}, nil
	}, own, own, apidoc.ID("written"))
	apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lineBodies, error) {
		return lineBodies{Body: func(yield func(twig, error) bool) { _ = yield(twig{1}, nil) && yield(twig{2}, nil) }}, nil
	}, own, apidoc.ID("lines"))
	for path, want := range map[string]string{"/reader": text, "/range": text, "/written": text, "/lines": "{\"n\":1}\n{\"n\":2}\n"} {
		if w := call(app, "GET", path, "", ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: got %d and %d bytes", path, w.Code, w.Body.Len())
		}
	}
}

// slowBody is a body whose reads take time. It notices that it is closed meanwhile.
type slowBody struct {
	io.ReadSeeker
	begun    chan struct{} // closed by the first read
	once     *sync.Once
	isRead   *atomic.Bool
	closedAt chan bool // receives isRead
}

func (b slowBody) Read(p []byte) (int, error) {
	b.isRead.Store(true)
	defer b.isRead.Store(false)
	b.once.Do(func() { close(b.begun) })
	time.Sleep(pause)
	return b.ReadSeeker.Read(p)
}

func (b slowBody) Close() error { b.closedAt <- b.isRead.Load(); return nil }

// brokenWriter is the writer of a client that leaves as soon as the body is being read.
type brokenWriter struct {
	*httptest.ResponseRecorder
	reading chan struct{}
}

func (w brokenWriter) Write([]byte) (int, error) {
	<-w.reading
	return 0, io.ErrClosedPipe
}

// Package net/http reads several ranges in a goroutine of its own. A panic there is a failure like
// any other, and the body is not closed while it is read.
func TestSeveralRangesThatFail(t *testing.T) {
	app, api := newTyped()
	var closed int
	apidoc.Get(api, "/panic", "", func(context.Context, struct{}) (rangeBody, error) {
		seek := func() error { return nil }
		return rangeBody{Body: failingBody{func() error { panic("boom") }, seek, &closed}}, nil
	}, apidoc.ID("panic"))
	slow := slowBody{strings.NewReader(strings.Repeat("a", 100)), make(chan struct{}), new(sync.Once), new(atomic.Bool), make(chan bool, 1)}
	apidoc.Get(api, "/slow", "", func(context.Context, struct{}) (rangeBody, error) { return rangeBody{Body: slow}, nil }, apidoc.ID("slow"))
	server := httptest.NewServer(app)
	defer server.Close()
	request, _ := http.NewRequest("GET", server.URL+"/panic", nil)
	request.Header.Set("Range", "bytes=0-1,5-9")
	if response, err := http.DefaultClient.Do(request); err == nil {
		if _, err = io.ReadAll(response.Body); err == nil {
			t.Errorf("a panic: got the whole of a %d", response.StatusCode)
		}
		response.Body.Close()
	}
	if closed != 1 {
		t.Errorf("the body was closed %d times", closed)
	}
	request = httptest.NewRequest("GET", "/slow", nil)
	request.Header.Set("Range", "bytes=0-1,5-9")
	app.ServeHTTP(brokenWriter{httptest.NewRecorder(), slow.begun}, request)
	select {
	case isRead := <-slow.closedAt:
		if isRead {
			t.Error("the body was closed while it was read")
		}
	case <-time.After(30 * time.Second):
		t.Error("the body is not closed")
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

// A body that fails leaves a connection in order whose request was not read to its end.
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

// The first part may take longer than the WriteTimeout. Then its error reaches the client too.
func TestFirstPartsOutliveTheWriteTimeout(t *testing.T) {
	slow := func() error {
		time.Sleep(pause)
		return apidoc.Fail(http.StatusGone, "It was cut down")
	}
	var paths []string
	serveShort(t, func(api *apidoc.API) {
		paths = streams(api, failingBody{slow, slow, new(int)}, apidoc.Fail(http.StatusGone, "It was cut down"))
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

// The end of a body is no failure, also of an empty one. A range has the type of the output,
// whatever a filter has set.
func TestBodiesThatEnd(t *testing.T) {
	app, api := newTyped()
	app.Before(func(c routing.Context) error {
		c.SetContentType("text/x-filter")
		return nil
	})
	for i, text := range []string{"", "text"} {
		apidoc.Get(api, fmt.Sprint("/reader/", i), "", func(context.Context, struct{}) (io.Reader, error) {
			return io.LimitReader(textAtOnce{strings.NewReader(text)}, 100), nil
		}, apidoc.ID(fmt.Sprint("reader", i)))
		apidoc.Get(api, fmt.Sprint("/range/", i), "", func(context.Context, struct{}) (rangeBody, error) {
			return rangeBody{Body: textAtOnce{strings.NewReader(text)}}, nil
		}, apidoc.ID(fmt.Sprint("range", i)))
		apidoc.Get(api, fmt.Sprint("/written/", i), "", func(context.Context, struct{}) (writtenBody, error) {
			return writtenBody{Body: func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}}, nil
		}, apidoc.ID(fmt.Sprint("written", i)))
		for _, kind := range []string{"/reader/", "/range/", "/written/"} {
			w := call(app, "GET", fmt.Sprint(kind, i), "", "")
			if w.Code != 200 || w.Body.String() != text {
				t.Errorf("%s of %q: got %d %q", kind, text, w.Code, w.Body)
			}
			if got := w.Header().Get("Content-Type"); kind == "/range/" && got != "text/csv; charset=utf-8" {
				t.Errorf("%s: the type is %q", kind, got)
			}
		}
	}
}
