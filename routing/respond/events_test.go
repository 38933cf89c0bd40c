package respond_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// comment begins each response.
const comment = ":\n\n"

type send = func(respond.Event) error

// events returns an app with the events at /events.
func events(source respond.EventsFunc, options ...respond.EventsOption) (*routing.App, *logged) {
	logs := new(logged)
	app := routing.New(routing.WithLogger(logs.logger()))
	app.Get("/events", func(routing.Context) (routing.Result, error) { return respond.Events(source, options...), nil })
	return app, logs
}

// serve runs a server until the test ends. A source that does not end fails the test by the
// guard of its binary.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func TestEventFormat(t *testing.T) {
	for _, test := range []struct {
		name  string
		event respond.Event
		want  string
	}{
		{"data", respond.Event{Data: "hello"}, "data: hello\n\n"},
		{"all", respond.Event{ID: "7", Name: "sale", Data: "rose", Retry: 1500 * time.Millisecond},
			"id: 7\nretry: 1500\nevent: sale\ndata: rose\n\n"},
		{"lines", respond.Event{Data: "a\nb\r\nc\rd\n\n"}, "data: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: \n\n"},
		{"a line like a field", respond.Event{Data: "a\nevent: b"}, "data: a\ndata: event: b\n\n"},
		{"spaces", respond.Event{Data: "  a "}, "data:   a \n\n"},
		{"a name without data", respond.Event{Name: "ping"}, "event: ping\ndata: \n\n"},
		{"an ID alone", respond.Event{ID: "7"}, "id: 7\n\n"},
		{"retry alone", respond.Event{Retry: time.Second}, "retry: 1000\n\n"},
		{"less than a millisecond", respond.Event{Data: "a", Retry: time.Microsecond}, "data: a\n\n"},
		{"nothing", respond.Event{}, "\n"},
		{"other letters", respond.Event{ID: "ä: ü", Data: "Blüte\u2028\x00"}, "id: ä: ü\ndata: Blüte\u2028\x00\n\n"},
	} {
		app, _ := events(func(_ context.Context, send send) error { return send(test.event) })
		response, body := ask(t, serve(t, app), "GET", "/events")
		body = strings.TrimPrefix(body, comment)
		if body != test.want || response.StatusCode != 200 {
			t.Errorf("%s: got %d %q, want %q", test.name, response.StatusCode, body, test.want)
		}
		want := map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
		for name, value := range want {
			if got := response.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", test.name, name, got, value)
			}
		}
	}
}

// An invalid event is refused, and the next one is sent.
func TestEventsThatAreRefused(t *testing.T) {
	for _, event := range []respond.Event{
		{ID: "a\nb"}, {ID: "a\rb"}, {ID: "a\x00b"}, {Name: "a\nb"}, {Name: "a\r"}, {Data: "x", Retry: -1},
	} {
		app, logs := events(func(_ context.Context, send send) error {
			if err := send(event); err == nil {
				t.Errorf("%+v is not refused", event)
			}
			return send(respond.Event{Data: "next"})
		})
		if _, body := ask(t, serve(t, app), "GET", "/events"); body != comment+"data: next\n\n" || logs.String() != "" {
			t.Errorf("%+v: got %q, logged %s", event, body, logs)
		}
	}
}

// Headers and events arrive immediately, also through a reverse proxy, below prefixes, and over
// HTTP/2.
func TestEventsAreSentImmediately(t *testing.T) {
	for _, way := range []string{"direct", "base path", "mounted", "proxy", "HTTP/2", "writer that only unwraps"} {
		t.Run(way, func(t *testing.T) {
			next := make(chan string)
			source := func(ctx context.Context, send send) error {
				for text := range next {
					if err := send(respond.Event{Data: text}); err != nil {
						return err
					}
				}
				return nil
			}
			app, logs := events(source)
			path, handler := "/events", http.Handler(app)
			switch way {
			case "base path":
				handler = http.StripPrefix("/base", app)
				path = "/base/events"
			case "mounted":
				outer := routing.New()
				outer.Mount("/users/:user", app)
				path, handler = "/users/ann/events", outer
			case "proxy":
				target, err := url.Parse(serve(t, app).URL)
				if err != nil {
					t.Fatal(err)
				}
				handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
			case "writer that only unwraps":
				handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { app.ServeHTTP(unwrapWriter{w}, r) })
			}
			server := httptest.NewUnstartedServer(handler)
			server.EnableHTTP2 = way == "HTTP/2"
			if server.EnableHTTP2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			response, err := server.Client().Get(server.URL + path) // returns when the headers have arrived
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if wanted := way == "HTTP/2"; wanted != (response.ProtoMajor == 2) {
				t.Errorf("protocol %s", response.Proto)
			}
			lines := bufio.NewReader(response.Body)
			readComment(t, lines)
			for _, text := range []string{"one", "two", "three"} {
				next <- text
				line, err := lines.ReadString('\n')
				if _, err2 := lines.ReadString('\n'); line != "data: "+text+"\n" || err != nil || err2 != nil {
					t.Fatalf("got %q, %v", line, err)
				}
			}
			close(next)
			if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
				t.Errorf("at the end: %q, %v", rest, err)
			}
			if logs.String() != "" {
				t.Errorf("logged %s", logs)
			}
		})
	}
}

// readComment reads the comment that begins a response.
func readComment(t *testing.T, lines *bufio.Reader) {
	t.Helper()
	for _, want := range []string{":\n", "\n"} {
		if line, err := lines.ReadString('\n'); line != want || err != nil {
			t.Fatalf("got %q, %v, want a comment first", line, err)
		}
	}
}

// unwrapWriter is a writer of middleware that only has Unwrap.
type unwrapWriter struct{ w http.ResponseWriter }

func (u unwrapWriter) Header() http.Header         { return u.w.Header() }
func (u unwrapWriter) Write(p []byte) (int, error) { return u.w.Write(p) }
func (u unwrapWriter) WriteHeader(status int)      { u.w.WriteHeader(status) }
func (u unwrapWriter) Unwrap() http.ResponseWriter { return u.w }

// The context of a waiting source ends when its client disconnects.
func TestEventsEndWithTheClient(t *testing.T) {
	ended := make(chan error, 1)
	app, logs := events(func(ctx context.Context, send send) error {
		<-ctx.Done()
		ended <- send(respond.Event{Data: "too late"})
		return ctx.Err()
	})
	server := serve(t, app)
	response, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	<-ended
	server.Close()
	if logs.String() != "" {
		t.Errorf("a client that leaves is logged: %s", logs)
	}
}

// Heartbeats are sent when there are no events, but not after the end.
func TestHeartbeat(t *testing.T) {
	leave := make(chan struct{})
	app, _ := events(func(ctx context.Context, send send) error {
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return send(respond.Event{Data: "end"})
	}, respond.Heartbeat(time.Millisecond))
	response, err := http.Get(serve(t, app).URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for range 3 {
		comment, err := lines.ReadString('\n')
		if _, err2 := lines.ReadString('\n'); comment != ":\n" || err != nil || err2 != nil {
			t.Fatalf("got %q, %v", comment, err)
		}
	}
	close(leave)
	rest, err := io.ReadAll(lines)
	if body := strings.ReplaceAll(string(rest), ":\n\n", ""); body != "data: end\n\n" || err != nil {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

// Heartbeat(0) sends no comments: the writer gets only the event.
func TestWithoutHeartbeat(t *testing.T) {
	app, _ := events(func(ctx context.Context, send send) error { return send(respond.Event{Data: "x"}) }, respond.Heartbeat(0))
	if _, body := ask(t, serve(t, app), "GET", "/events"); body != comment+"data: x\n\n" {
		t.Errorf("got %q", body)
	}
}

// Several goroutines may send. Events are not mixed.
func TestEventsOfSeveralGoroutines(t *testing.T) {
	app, _ := events(func(ctx context.Context, send send) error {
		var senders sync.WaitGroup
		for range 8 {
			senders.Go(func() {
				for range 50 {
					if err := send(respond.Event{Name: "n", Data: "a\nb"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		senders.Wait()
		return nil
	}, respond.Heartbeat(time.Microsecond))
	_, body := ask(t, serve(t, app), "GET", "/events")
	if got := strings.ReplaceAll(body, ":\n\n", ""); got != strings.Repeat("event: n\ndata: a\ndata: b\n\n", 400) {
		t.Errorf("got %d bytes: %.200q", len(got), got)
	}
}

// The connection of a client that reads nothing is closed, for all sizes of buffers in between.
func TestSlowClient(t *testing.T) {
	ended := make(chan error, 1)
	app, logs := events(func(ctx context.Context, send send) error {
		for {
			if err := send(respond.Event{Data: strings.Repeat("x", 1<<20)}); err != nil {
				ended <- ctx.Err()
				return err
			}
		}
	}, respond.SendTimeout(50*time.Millisecond))
	server := serve(t, app)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the source's context is not cancelled")
	}
	conn.Close()
	server.Close()
	if logs.String() != "" {
		t.Errorf("logged %s", logs)
	}
}

func TestEventsOfHead(t *testing.T) {
	app, _ := events(func(context.Context, send) error { t.Error("the source runs"); return nil })
	response, body := ask(t, serve(t, app), "HEAD", "/events")
	if response.StatusCode != 200 || body != "" || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %d %q %v", response.StatusCode, body, response.Header)
	}
}

// Writers that compress send nothing before the first byte. The headers arrive nevertheless.
func TestEventsBehindBufferingWriter(t *testing.T) {
	app, _ := events(func(ctx context.Context, _ send) error { <-ctx.Done(); return nil })
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { app.ServeHTTP(&bufferingWriter{ResponseWriter: w}, r) }))
	response, err := http.Get(server.URL + "/events") // hangs without them
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
}

// bufferingWriter is a writer that does not flush before the first byte.
type bufferingWriter struct {
	http.ResponseWriter
	hasWritten bool
}

func (w *bufferingWriter) Write(p []byte) (int, error) {
	w.hasWritten = w.hasWritten || len(p) > 0
	return w.ResponseWriter.Write(p)
}

func (w *bufferingWriter) Flush() {
	if w.hasWritten {
		w.ResponseWriter.(http.Flusher).Flush()
	}
}

// A writer that panics, also in a heartbeat or in a goroutine of the source, ends only its own
// response. http.ErrAbortHandler is not logged.
func TestEventsOfWriterThatPanics(t *testing.T) {
	for _, value := range []any{"the writer is broken", http.ErrAbortHandler} {
		for name, source := range map[string]respond.EventsFunc{
			"heartbeat": func(ctx context.Context, _ send) error { <-ctx.Done(); return ctx.Err() },
			"goroutine": func(ctx context.Context, send send) error {
				failed := make(chan error)
				go func() { failed <- send(respond.Event{Data: "x"}) }()
				return <-failed
			},
		} {
			app, logs := events(source, respond.Heartbeat(time.Millisecond))
			var aborted error
			server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer func() {
					aborted, _ = recover().(error)
					panic(aborted)
				}()
				app.ServeHTTP(&panickingWriter{ResponseWriter: w, value: value}, r)
			}))
			response, err := http.Get(server.URL + "/events")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			server.Close()
			if string(body) != comment || err == nil {
				t.Errorf("%s, %v: got %q, %v; want an error after the comment", name, value, body, err)
			}
			if logged := strings.Contains(logs.String(), "the writer is broken"); aborted != http.ErrAbortHandler || logged != (value != http.ErrAbortHandler) {
				t.Errorf("%s, %v: panicked with %v, and logged %q", name, value, aborted, logs)
			}
		}
	}
}

// panickingWriter is a writer that panics at the second write.
type panickingWriter struct {
	http.ResponseWriter
	value  any
	writes int
}

func (w *panickingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *panickingWriter) Write(p []byte) (int, error) {
	if w.writes++; w.writes > 1 {
		panic(w.value)
	}
	return w.ResponseWriter.Write(p)
}

// A failure or a panic of the source is logged, and the client sees that the stream was cut.
func TestEventsThatFail(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("the news are lost") },
		"panic": func() error { panic("the news are lost") },
	} {
		app, logs := events(func(_ context.Context, send send) error {
			if err := send(respond.Event{Data: "x"}); err != nil {
				return err
			}
			return fail()
		})
		server := serve(t, app)
		response, err := http.Get(server.URL + "/events")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if string(body) != comment+"data: x\n\n" || err == nil {
			t.Errorf("%s: got %q, %v; want an error", name, body, err)
		}
		server.Close()
		if !strings.Contains(logs.String(), "the news are lost") {
			t.Errorf("%s: logged %q", name, logs)
		}
		if hasStack := strings.Contains(logs.String(), "stack="); hasStack != (name == "panic") {
			t.Errorf("%s: logged a stack: %v: %q", name, hasStack, logs)
		}
	}
}

// After middleware has canceled the request's context, an error of the source ends the events like
// the source itself: the client sees no error, and nothing is logged.
func TestEventsOfCanceledRequest(t *testing.T) {
	app, logs := events(func(ctx context.Context, _ send) error {
		<-ctx.Done()
		return errors.New("the news are lost")
	})
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		app.ServeHTTP(w, r.WithContext(ctx))
	}))
	response, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if string(body) != comment || err != nil || logs.String() != "" {
		t.Errorf("got %q, %v, logged %q", body, err, logs)
	}
}

// With HTTP/2, an error of the source aborts the response and leaves the connection open.
func TestEventsThatFailInHTTP2(t *testing.T) {
	app, _ := events(func(context.Context, send) error { return errors.New("the news are lost") })
	server := httptest.NewUnstartedServer(app)
	server.EnableHTTP2 = true
	opened := make(chan struct{}, 10)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened <- struct{}{}
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	for range 2 {
		response, err := server.Client().Get(server.URL + "/events")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(response.Body); err == nil {
			t.Error("the client sees no error")
		}
		response.Body.Close()
	}
	if len(opened) != 1 {
		t.Errorf("got %d connections, want 1", len(opened))
	}
}

// Behind http.TimeoutHandler, which buffers responses, events fail with an error.
func TestEventsThatCannotBeFlushed(t *testing.T) {
	app, logs := events(func(context.Context, send) error { t.Error("the source runs"); return nil })
	server := serve(t, http.TimeoutHandler(app, time.Minute, ""))
	if response, err := http.Get(server.URL + "/events"); err == nil {
		response.Body.Close()
		if response.StatusCode < 500 {
			t.Errorf("got %d", response.StatusCode)
		}
	}
	server.Close()
	if !strings.Contains(logs.String(), "respond: events: the writer cannot flush: serve events outside of http.TimeoutHandler") {
		t.Errorf("logged %q", logs)
	}
}

// After the source has returned, its goroutines cannot send events.
func TestSendAfterTheEnd(t *testing.T) {
	kept := make(chan send, 1)
	app, _ := events(func(_ context.Context, send send) error {
		kept <- send
		return nil
	})
	if _, body := ask(t, serve(t, app), "GET", "/events"); body != comment {
		t.Errorf("got %q", body)
	}
	if err := (<-kept)(respond.Event{Data: "x"}); err == nil {
		t.Error("send after the end is no error")
	}
}

// A Cache-Control header of the action stays.
func TestEventsKeepCacheControl(t *testing.T) {
	app, _ := quiet()
	app.Get("/events", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store, no-transform")
		return respond.Events(func(context.Context, send) error { return nil }), nil
	})
	if response, _ := ask(t, serve(t, app), "GET", "/events"); response.Header.Get("Cache-Control") != "no-store, no-transform" {
		t.Errorf("got %q", response.Header.Get("Cache-Control"))
	}
}

// Events have their type, whatever the action or the route says.
func TestTypeOfEvents(t *testing.T) {
	app, _ := quiet()
	app.Get("/events", func(c routing.Context) (routing.Result, error) {
		c.SetContentType("text/html")
		return respond.Events(func(context.Context, send) error { return nil }), nil
	}, routing.Provides("text"))
	if response, _ := ask(t, serve(t, app), "GET", "/events"); response.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %q", response.Header.Get("Content-Type"))
	}
}

func TestInvalidEventsOptions(t *testing.T) {
	for want, f := range map[string]func(){
		"respond: Events: pass a source, not nil": func() { respond.Events(nil) },
		"respond: Events: option 0 is nil: leave it out": func() {
			respond.Events(func(context.Context, func(respond.Event) error) error { return nil }, nil)
		},
		"respond: Heartbeat(-1s): write a duration of at least 0": func() { respond.Heartbeat(-time.Second) },
		"respond: SendTimeout(0s): write a duration above 0":      func() { respond.SendTimeout(0) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panicked with %v, want %q", got, want)
				}
			}()
			f()
		}()
	}
}
