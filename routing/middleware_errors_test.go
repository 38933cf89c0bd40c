package routing_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// This file tests route middleware that responds itself, too late, or with an invalid response.

func TestMiddlewareWithInvalidResponse(t *testing.T) {
	app := routing.New(quiet())
	app.Before(func(c routing.Context) error { c.Header().Set("X-User", "a\x01b"); return nil }, routing.On("/header"))
	responds := func(status int) routing.RouteOption {
		return routing.Use(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		})
	}
	app.Get("/header", text("x"), responds(401))
	app.Get("/status", text("x"), responds(1000))
	for _, path := range []string{"/header", "/status"} {
		if w := get(app, path); w.Code != http.StatusInternalServerError {
			t.Errorf("%s: got %d, want 500", path, w.Code)
		}
	}
}

// If an after filter fails after middleware has responded, even with a nil pointer, the response
// does not change.
func TestMiddlewareBeforeFailingFilters(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/", text("x"), routing.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "own") })
	}))
	app.After(func(routing.Context) error { return (*routing.HaltError)(nil) })
	if w := get(app, "/"); w.Code != 200 || w.Body.String() != "own" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// A client that stops sending the body does not delay the response of http.TimeoutHandler.
func TestTimeoutWithSlowBody(t *testing.T) {
	timeout := func(next http.Handler) http.Handler { return http.TimeoutHandler(next, 20*time.Millisecond, "late") }
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("a", "")), nil
	}, routing.Use(timeout))
	server := httptest.NewServer(app)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\na=1")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 503") {
		t.Errorf("got %q, %v; want the 503 before the body has come", line, err)
	}
}

// closingStream records that it was closed.
type closingStream struct {
	strings.Reader
	closed bool
}

func (c *closingStream) Close() error { c.closed = true; return nil }

func TestAbortClosesStream(t *testing.T) {
	stream := new(closingStream)
	app := routing.New(quiet())
	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Stream("", stream), nil })
	app.After(func(routing.Context) error { panic(http.ErrAbortHandler) })
	func() {
		defer func() { recover() }()
		get(app, "/")
	}()
	if !stream.closed {
		t.Error("the stream was not closed")
	}
}

// The captures of a route that has passed are not path values of the next route.
func TestPathValuesAfterPass(t *testing.T) {
	app := routing.New(quiet())
	app.Handle(http.MethodGet, "/:id", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "id=%s admin=%s", r.PathValue("id"), r.PathValue("admin"))
	}))
	after := ""
	reading := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			after = r.PathValue("admin") + r.PathValue("id")
		})
	}
	app.Get("/:admin", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Use(tag("m"), reading))
	if got := get(app, "/7").Body.String(); got != "id=7 admin=" || after != "7" {
		t.Errorf("got %q, want no admin; the middleware has %q afterwards, want the admin alone", got, after)
	}
}
