package reason_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/reason"
)

// start serves app on loopback with reason phrases and returns the address.
func start(t *testing.T, app http.Handler) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: app, ConnContext: reason.ConnContext}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(reason.NewListener(listener))
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return listener.Addr().String()
}

func halting(halt routing.HaltError) routing.Action {
	return func(routing.Context) (routing.Result, error) { return routing.Result{}, &halt }
}

func newApp() *routing.App {
	app := routing.New()
	app.Get("/members", halting(routing.HaltError{Status: 403, Reason: "Members Only", Body: routing.Text("no")}))
	app.Get("/odd", halting(routing.HaltError{Status: 799, Reason: "Odd"}))
	app.Get("/nostatus", halting(routing.HaltError{Reason: "Ignored", Body: routing.Text("fine")}))
	app.Get("/illegal", halting(routing.HaltError{Status: 403, Reason: "a\r\nX-Evil: 1"}))
	app.Get("/plain", func(c routing.Context) (routing.Result, error) { return routing.Text("HTTP/1.1 403 in a body"), nil })
	app.Get("/changed", halting(routing.HaltError{Status: 403, Reason: "Members Only"}))
	app.Get("/stream", halting(routing.HaltError{Status: 202, Reason: "On Its Way", Body: routing.Stream("text/plain", strings.NewReader(strings.Repeat("x", 100_000)))}))
	app.After(func(c routing.Context) error { c.SetStatus(410); return nil }, routing.On("/changed"))
	return app
}

func TestStatusLine(t *testing.T) {
	address := start(t, newApp())
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	// All requests use one connection, to see phrases that are kept too long.
	for _, test := range []struct {
		method, path, status string
		length               int
	}{
		{"GET", "/members", "403 Members Only", 2},
		{"GET", "/plain", "200 OK", 22},
		{"HEAD", "/members", "403 Members Only", 0},
		{"GET", "/odd", "799 Odd", 0},
		{"GET", "/nostatus", "200 OK", 4},
		{"GET", "/illegal", "500 Internal Server Error", 21},
		{"GET", "/changed", "410 Gone", 0},
		{"GET", "/stream", "202 On Its Way", 100_000},
		{"GET", "/missing", "404 Not Found", -1},
	} {
		fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\n\r\n", test.method, test.path)
		request := httptest.NewRequest(test.method, test.path, nil)
		response, err := http.ReadResponse(reader, request)
		if err != nil {
			t.Fatalf("%s %s: %v", test.method, test.path, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatalf("%s %s: read body: %v", test.method, test.path, err)
		}
		if response.Status != test.status {
			t.Errorf("%s %s: status is %q, want %q", test.method, test.path, response.Status, test.status)
		}
		if test.length >= 0 && len(body) != test.length {
			t.Errorf("%s %s: body has %d bytes, want %d", test.method, test.path, len(body), test.length)
		}
		if response.Header.Get("X-Evil") != "" {
			t.Errorf("%s %s: a header came from the reason", test.method, test.path)
		}
	}
}

func TestInformationalResponsesAreLeftAlone(t *testing.T) {
	app := newApp()
	early := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		app.ServeHTTP(w, r)
	})
	conn, err := net.Dial("tcp", start(t, early))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /members HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"HTTP/1.1 103 Early Hints\r\n", "HTTP/1.1 403 Members Only\r\n"} {
		if strings.Count(string(all), line) != 1 {
			t.Errorf("the response does not have %q once:\n%s", line, all)
		}
	}
}

func TestHijackedConnection(t *testing.T) {
	const said = "HTTP/1.1 403 Forbidden\r\n\r\n"
	hijack := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, said)
	})
	conn, err := net.Dial("tcp", start(t, hijack))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if all, err := io.ReadAll(conn); err != nil || string(all) != said {
		t.Errorf("the connection said %q, %v; want %q", all, err, said)
	}
}

func TestUnencryptedHTTP2IsLeftAlone(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: newApp(), ConnContext: reason.ConnContext, Protocols: &protocols}
	go server.Serve(reason.NewListener(listener))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	defer client.CloseIdleConnections()
	response, err := client.Get("http://" + listener.Addr().String() + "/members")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.ProtoMajor != 2 || response.StatusCode != 403 || string(body) != "no" {
		t.Errorf("got %s %d %q, %v; want HTTP/2.0 403 \"no\"", response.Proto, response.StatusCode, body, err)
	}
}

// With TLS, the phrase is changed above the encryption, where net/http does not see TLS, and is not
// changed below it.
func TestTLS(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	config := &tls.Config{Certificates: certified.TLS.Certificates}
	for _, test := range []struct {
		name   string
		serve  func(*http.Server, net.Listener) error
		status string
		isTLS  bool
	}{
		{"above", func(s *http.Server, l net.Listener) error {
			return s.Serve(reason.NewListener(tls.NewListener(l, config)))
		}, "403 Members Only", false},
		{"below", func(s *http.Server, l net.Listener) error { return s.ServeTLS(reason.NewListener(l), "", "") }, "403 Forbidden", true},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		app := newApp()
		app.Before(func(c routing.Context) error {
			if c.Request().TLS != nil != test.isTLS || c.Request().ProtoMajor != 1 {
				t.Errorf("%s: got TLS %v and %s", test.name, c.Request().TLS, c.Request().Proto)
			}
			return nil
		})
		server := &http.Server{Handler: app, ConnContext: reason.ConnContext, TLSConfig: config.Clone()}
		done := make(chan struct{})
		go func() {
			defer close(done)
			test.serve(server, listener)
		}()
		response, err := certified.Client().Get("https://" + listener.Addr().String() + "/members")
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		response.Body.Close()
		if response.Status != test.status {
			t.Errorf("%s: the status is %q, want %q", test.name, response.Status, test.status)
		}
		server.Close()
		<-done
	}
}

func Example() {
	app := routing.New()
	app.Get("/club", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Reason: "Members Only"}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &http.Server{Handler: app, ConnContext: reason.ConnContext}
	go server.Serve(reason.NewListener(listener))
	defer server.Shutdown(context.Background())

	response, err := http.Get("http://" + listener.Addr().String() + "/club")
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	fmt.Println(response.Status)
	// Output: 403 Members Only
}
