package respond_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file tests events that last longer than the timeouts of the server.

// serveTimed runs a server with timeouts, in a synctest bubble, and returns a function that sends a
// request.
func serveTimed(t *testing.T, app http.Handler, timeout time.Duration, isHTTP2 bool) (ask func(method, path string) string) {
	server := &http.Server{Handler: app, ReadTimeout: timeout, WriteTimeout: timeout, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(!isHTTP2)
	server.Protocols.SetUnencryptedHTTP2(isHTTP2)
	client := testenv.Serve(t, server)
	return func(method, path string) string {
		t.Helper()
		r, err := http.NewRequest(method, "http://shop"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.ProtoAtLeast(2, 0) != isHTTP2 {
			t.Errorf("%s: got %v", response.Proto, err)
		}
		return string(body)
	}
}

// Events outlive the server's timeouts, and their timeouts do not affect the next request on the
// connection. That is a POST, which clients do not retry.
func TestEventsAndTimeouts(t *testing.T) {
	const limit = time.Second
	for _, timeout := range []time.Duration{0, limit} {
		for path, want := range map[string]string{"/events": comment + "data: x\n\n", "/short": comment + "data: short\n\n"} {
			synctest.Test(t, func(t *testing.T) {
				app, _ := events(func(ctx context.Context, send send) error {
					select {
					case <-time.After(timeout + timeout/4):
					case <-ctx.Done():
						t.Errorf("the source is ended: %v", ctx.Err())
					}
					return send(respond.Event{Data: "x"})
				}, respond.SendTimeout(10*limit), respond.Heartbeat(0))
				app.Get("/short", func(routing.Context) (routing.Result, error) {
					return respond.Events(func(_ context.Context, send send) error { return send(respond.Event{Data: "short"}) },
						respond.SendTimeout(limit)), nil
				})
				app.Post("/later", func(routing.Context) (routing.Result, error) {
					if timeout == 0 && path == "/short" {
						time.Sleep(limit + limit/4) // longer than the limit of /short
					}
					return routing.Text("later"), nil
				})
				ask := serveTimed(t, app, timeout, false)
				if body := ask("GET", path); body != want {
					t.Errorf("timeout %v, %s: got %q", timeout, path, body)
				}
				if body := ask("POST", "/later"); body != "later" {
					t.Errorf("timeout %v, %s: afterwards: got %q", timeout, path, body)
				}
			})
		}
	}
}

// A silence may be longer than the time to send an event, also where the server has timeouts for
// the whole response and resets the streams of HTTP/2 when their deadlines pass.
func TestEventsWithLongPauses(t *testing.T) {
	const limit = time.Second
	for _, isHTTP2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			app, _ := events(func(_ context.Context, send send) error {
				time.Sleep(2 * limit)
				err := send(respond.Event{Data: "x"})
				time.Sleep(2 * limit)
				return cmp.Or(err, send(respond.Event{Data: "y"}))
			}, respond.SendTimeout(limit), respond.Heartbeat(0))
			ask := serveTimed(t, app, limit, isHTTP2)
			if body, want := ask("GET", "/events"), comment+"data: x\n\ndata: y\n\n"; body != want {
				t.Errorf("HTTP2 %t: got %q", isHTTP2, body)
			}
		})
	}
}

// lastDeadline is a writer that remembers its last deadline.
type lastDeadline struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (w *lastDeadline) SetWriteDeadline(at time.Time) error { w.at = at; return nil }

// The end of the response is sent by the server, within the time of an event.
func TestEndOfEventsHasADeadline(t *testing.T) {
	app, _ := events(func(context.Context, send) error { return nil }, respond.SendTimeout(time.Hour))
	w := &lastDeadline{ResponseRecorder: httptest.NewRecorder()}
	app.ServeHTTP(w, httptest.NewRequest("GET", "/events", nil))
	if left := time.Until(w.at); left < 50*time.Minute || left > time.Hour {
		t.Errorf("the deadline is in %v", left)
	}
}

// By default a comment is sent after 15 seconds of silence, and an event may take 10 seconds.
func TestDefaultsOfEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app, _ := events(func(_ context.Context, send send) error {
			time.Sleep(31 * time.Second)
			err := send(respond.Event{Data: "x"})
			time.Sleep(29 * time.Second)
			return err
		})
		w := &lastDeadline{ResponseRecorder: httptest.NewRecorder()}
		app.ServeHTTP(w, httptest.NewRequest("GET", "/events", nil))
		if got, left := w.Body.String(), time.Until(w.at); got != comment+comment+comment+"data: x\n\n"+comment || left != 10*time.Second {
			t.Errorf("got %q, and %v for the end", got, left)
		}
	})
}

// brokenWriter is a writer whose connection is broken after the comment, or has no deadlines.
type brokenWriter struct {
	*httptest.ResponseRecorder
	writes          int
	write, deadline error
}

func (w *brokenWriter) SetWriteDeadline(time.Time) error { return w.deadline }

func (w *brokenWriter) WriteString(text string) (int, error) {
	if w.writes++; w.writes > 1 {
		return 0, w.write
	}
	return len(text), nil
}

// Send returns the error of an event that was not sent, and ends the source with it. A writer
// without deadlines is not an error.
func TestEventsThatAreNotSent(t *testing.T) {
	broken := errors.New("the connection is broken")
	for name, test := range map[string]struct{ write, deadline, want error }{
		"the write": {broken, nil, broken}, "no deadlines": {nil, http.ErrNotSupported, nil},
	} {
		var got, cause error
		app, _ := events(func(ctx context.Context, send send) error {
			got = send(respond.Event{Data: "x"})
			cause = context.Cause(ctx)
			return nil
		})
		w := &brokenWriter{httptest.NewRecorder(), 0, test.write, test.deadline}
		app.ServeHTTP(w, httptest.NewRequest("GET", "/events", nil))
		if got != test.want || cause != test.want {
			t.Errorf("%s: send returned %v, and the source has ended for %v; want %v", name, got, cause, test.want)
		}
	}
	app, _ := events(func(context.Context, send) error {
		t.Error("a deadline cannot be set, but the source runs")
		return nil
	})
	app.ServeHTTP(&brokenWriter{ResponseRecorder: httptest.NewRecorder(), deadline: broken}, httptest.NewRequest("GET", "/events", nil))
}

// slowConnection is a writer that takes some time for each write and flush, and keeps the
// deadlines.
type slowConnection struct {
	*httptest.ResponseRecorder
	takes time.Duration
	until time.Time
	late  *int // writes and flushes after their deadline
}

func (s *slowConnection) SetWriteDeadline(at time.Time) error { s.until = at; return nil }

func (s *slowConnection) wait() {
	if time.Sleep(s.takes); !s.until.IsZero() && time.Now().After(s.until) {
		*s.late++
	}
}

func (s *slowConnection) Write(p []byte) (int, error) {
	s.wait()
	return s.ResponseRecorder.Write(p)
}

func (s *slowConnection) WriteString(text string) (int, error) { return s.Write([]byte(text)) }
func (s *slowConnection) FlushError() error                    { s.wait(); return nil }

// Writing an event and flushing it have one deadline.
func TestDeadlineCoversWholeEvent(t *testing.T) {
	for takes, want := range map[time.Duration]int{time.Second / 3: 0, time.Second * 2 / 3: 2} { // the comment and the event
		synctest.Test(t, func(t *testing.T) {
			app, _ := events(func(_ context.Context, send send) error { return send(respond.Event{Data: "x"}) },
				respond.SendTimeout(time.Second), respond.Heartbeat(0))
			late := 0
			app.ServeHTTP(&slowConnection{httptest.NewRecorder(), takes, time.Time{}, &late}, httptest.NewRequest("GET", "/events", nil))
			if late != want {
				t.Errorf("with parts that take %v: %d are late, want %d", takes, late, want)
			}
		})
	}
}

// A source may read the request for longer than the server's ReadTimeout.
func TestEventsThatReadTheRequest(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			app := routing.New()
			app.Post("/echo", func(c routing.Context) (routing.Result, error) {
				return respond.Events(func(_ context.Context, send func(respond.Event) error) error {
					text, err := io.ReadAll(c.Request().Body)
					return cmp.Or(err, send(respond.Event{Data: string(text)}))
				}), nil
			})
			server := &http.Server{Handler: app, ReadTimeout: time.Second, WriteTimeout: time.Second, Protocols: new(http.Protocols)}
			server.Protocols.SetHTTP1(!isHTTP2)
			server.Protocols.SetUnencryptedHTTP2(isHTTP2)
			client := testenv.Serve(t, server)
			body, writer := io.Pipe()
			go func() {
				io.WriteString(writer, "slow ")
				time.Sleep(5 * time.Second)
				io.WriteString(writer, "roses")
				writer.Close()
			}()
			r, err := http.NewRequest("POST", "http://shop/echo", body)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if got, err := io.ReadAll(response.Body); err != nil || string(got) != comment+"data: slow roses\n\n" {
				t.Errorf("HTTP/2 %t: got %q, %v", isHTTP2, got, err)
			}
		})
	}
}
