package reliability_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
)

// Clients disconnect after each byte of a request and after each byte of its response, with a FIN
// and with a RST.

// openCoffee serves a coffee demo with full tables. The returned function checks that the demo has
// not changed.
func openCoffee(t *testing.T, options ...coffeedemo.Option) (server *httptest.Server, app *coffeedemo.App, assertHealthy func()) {
	t.Helper()
	const connections = 8
	db, err := coffeedemo.OpenSQLite(connections, hang)
	if err != nil {
		t.Fatal(err)
	}
	app, err = coffeedemo.New(append([]coffeedemo.Option{coffeedemo.WithStore(db), coffeedemo.WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	server = httptest.NewUnstartedServer(app)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	server.Start()
	t.Cleanup(server.Close)
	for _, path := range []string{"/db/create-tables", "/db/load-data"} {
		if status, body := fetch(t, server, path); status != http.StatusOK {
			t.Fatalf("%s: got %d %q, want 200", path, status, body)
		}
	}
	_, want := fetch(t, server, "/coffees")
	return server, app, func() {
		t.Helper()
		if status, got := fetch(t, server, "/coffees"); status != http.StatusOK || got != want {
			t.Errorf("afterwards: got %d %q, want 200 %q", status, got, want)
		}
		for end := time.Now().Add(hang); app.Stats().InUse > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("afterwards: got %+v, want no connection in use", app.Stats())
			}
		}
		assertSound(t, db, connections)
	}
}

func fetch(t *testing.T, server *httptest.Server, path string) (int, string) {
	t.Helper()
	response, err := server.Client().Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestAbortsAtEachByte(t *testing.T) {
	server, _, assertHealthy := openCoffee(t)
	request := "GET /coffees HTTP/1.1\r\nHost: cafe\r\nConnection: close\r\nX-Fill: "
	request += strings.Repeat("x", 300-len(request)-4) + "\r\n\r\n"
	address := server.Listener.Addr().String()
	whole := abort(t, address, request, -1, false)
	if !strings.HasPrefix(whole, "HTTP/1.1 200 ") {
		t.Fatalf("not aborted: got %q, want status 200", whole)
	}
	start, n := time.Now(), 0
	for _, reset := range []bool{false, true} {
		for sent := range len(request) {
			abort(t, address, request[:sent], 0, reset)
			n++
		}
		for read := range len(whole) {
			got := abort(t, address, request, read, reset)
			if !strings.HasPrefix(got, "HTTP/1.1 200 "[:min(read, 13)]) || len(got) != read {
				t.Errorf("aborted after %d bytes of the response: got %q, want the response's start", read, got)
			}
			n++
		}
	}
	t.Logf("%d connections aborted in %v", n, time.Since(start))
	if got := time.Since(start); got > 30*time.Second {
		t.Errorf("got %v for %d connections, want far less: something hangs", got, n)
	}
	assertHealthy()
}

// abort sends a text, reads n bytes of the response (all of it if n is negative), and disconnects.
func abort(t *testing.T, address, text string, read int, reset bool) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(hang))
	if reset {
		conn.(*net.TCPConn).SetLinger(0)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	var from io.Reader = conn
	if read >= 0 {
		from = io.LimitReader(conn, int64(read))
	}
	got, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(fmt.Errorf("read %d bytes: %w", read, err))
	}
	return string(got)
}
