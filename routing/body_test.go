package routing_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// This file tests that bodies, trailers and connections behave as in net/http.

// A 413 closes an HTTP/1.1 connection, but not an HTTP/2 connection, which other requests share.
func TestConnectionAfter413(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(10))
	app.Post("/action", func(c routing.Context) (routing.Result, error) { return routing.Result{}, c.Params().Err() })
	app.Handle("POST", "/handler", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(413) }))
	for _, isHTTP2 := range []bool{false, true} {
		var connections atomic.Int32
		server := httptest.NewUnstartedServer(app)
		server.EnableHTTP2 = isHTTP2
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		server.StartTLS()
		for _, path := range []string{"/action", "/handler", "/action"} {
			response, err := server.Client().Post(server.URL+path, urlencoded, strings.NewReader("a="+strings.Repeat("x", 100)))
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode != 413 || response.Close == isHTTP2 {
				t.Errorf("%s %s: got %d, and the connection closes: %t", response.Proto, path, response.StatusCode, response.Close)
			}
		}
		if n := connections.Load(); isHTTP2 && n != 1 {
			t.Errorf("HTTP/2: got %d connections, want 1", n)
		}
		server.Close()
	}
}

// Trailers that the client has not announced reach every handler.
func TestTrailersThatAreNotAnnounced(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprint(w, string(body), err, r.Trailer.Get("X-Sum"))
	})
	same := func(next http.Handler) http.Handler { return next }
	inner := routing.New(quiet())
	inner.Use(same)
	inner.Handle("POST", "/x", show)
	app := routing.New(quiet(), routing.WithMethodOverride())
	app.Handle("POST", "/handler", show)
	app.Handle("POST", "/with/:id", show)
	app.Handle("DELETE", "/with/:id", show)
	app.Handle("POST", "/middleware", show, routing.Use(same))
	app.Mount("/mounted/:id", inner)
	app.Mount("/files/:id", show)
	app.Post("/params", func(c routing.Context) (routing.Result, error) {
		k, _ := c.Params().Get("k")
		return routing.Text("k=" + k + "<nil>" + c.Request().Trailer.Get("X-Sum")), nil
	})
	address := strings.TrimPrefix(serve(t, app), "http://")
	for _, path := range []string{"/handler", "/with/1", "/middleware", "/mounted/1/x", "/files/1/x", "/params"} {
		for _, override := range []string{"", "DELETE"} {
			if override != "" && path != "/with/1" {
				continue
			}
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			conn.SetDeadline(time.Now().Add(30 * time.Second))
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: %s\r\nX-HTTP-Method-Override: %s\r\n"+
				"Transfer-Encoding: chunked\r\n\r\n3\r\nk=v\r\n0\r\nX-Sum: 7\r\n\r\n", path, urlencoded, override)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			conn.Close()
			if string(body) != "k=v<nil>7" || err != nil {
				t.Errorf("%s %s: got %d %q, %v; want the body and the trailer", path, override, response.StatusCode, body, err)
			}
		}
	}
}

// A POST becomes a PUT, a DELETE or one of the methods given to WithMethodOverride.
func TestOverriddenMethods(t *testing.T) {
	name := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Request().Method + c.Params().GetOr("a", "")), nil
	}
	plain, more := routing.New(quiet(), routing.WithMethodOverride()), routing.New(quiet(), routing.WithMethodOverride(http.MethodPatch, "PURGE"))
	for app, want := range map[*routing.App]map[string]string{
		plain: {"put": "PUT1", "delete": "DELETE1", "patch": "POST1", "purge": "POST1", "get": "POST1"},
		more:  {"put": "PUT1", "delete": "DELETE1", "patch": "PATCH1", "purge": "PURGE1", "get": "POST1", "query": "POST1"},
	} {
		app.Route("", routing.Pattern{}, name)
		for asked, want := range want {
			if got := send(app, form("/", "_method="+asked+"&a=1")).Body.String(); got != want {
				t.Errorf("_method=%s: got %s, want %s", asked, got, want)
			}
			r := form("/", "a=1")
			r.Header.Set("X-HTTP-Method-Override", asked)
			if got := send(app, r).Body.String(); got != want {
				t.Errorf("the header with %s: got %s, want %s", asked, got, want)
			}
		}
	}
	for field, want := range map[string]string{"put": "PUT1", "get": "DELETE1"} {
		r := form("/", "_method="+field+"&a=1")
		r.Header.Set("X-HTTP-Method-Override", "DELETE")
		if got := send(plain, r).Body.String(); got != want {
			t.Errorf("_method=%s and the header DELETE: got %s, want %s", field, got, want)
		}
	}
	for _, method := range []string{"GET", "HEAD", "QUERY", "POST", "patch", "A B", ""} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.Contains(v, "WithMethodOverride") {
					t.Errorf("%q: got %q, want a panic", method, v)
				}
			}()
			routing.WithMethodOverride(method)
		}()
	}
}

// Middleware may decode a body without changing ContentLength, which then does not show whether the
// body was read.
func TestDecodedBodies(t *testing.T) {
	decode := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			decoded, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Header.Del("Content-Encoding")
			r.Body = decoded
			next.ServeHTTP(w, r)
		})
	}
	title := func(c routing.Context) (routing.Result, error) {
		value, err := c.Params().Require("title")
		return routing.Text(value), err
	}
	app := routing.New(quiet())
	app.Post("/", title)
	app.Post("/route", title, routing.Use(decode))
	inside := routing.New(quiet())
	inside.Use(decode)
	inside.Post("/", title)
	for name, handler := range map[string]http.Handler{"outside": decode(app), "of the app": inside, "of a route": app} {
		for _, length := range []int{1, 5000} {
			want := strings.Repeat("x", length)
			var body bytes.Buffer
			encoded := gzip.NewWriter(&body)
			io.WriteString(encoded, "title="+want)
			encoded.Close()
			path := "/"
			if name == "of a route" {
				path = "/route"
			}
			got := fetch(t, "POST", serve(t, handler)+path, body.String(), "Content-Type", urlencoded, "Content-Encoding", "gzip")
			if got.status != 200 || got.body != want {
				t.Errorf("middleware %s, %d bytes: got %d %.80q", name, length, got.status, got.body)
			}
		}
	}
}

// A decoded body may be empty although the encoded body is not. If the request has
// Content-Encoding, the app does not assume that the body was read before.
func TestEmptyDecodedBodies(t *testing.T) {
	var empty bytes.Buffer
	gzip.NewWriter(&empty).Close()
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "none") + c.Params().GetOr("", "")), nil
	})
	decode := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		decoded, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = decoded
		app.ServeHTTP(w, r)
	})
	for _, contentType := range []string{urlencoded, "application/json"} {
		got := fetch(t, "POST", serve(t, decode)+"/", empty.String(), "Content-Type", contentType, "Content-Encoding", "gzip")
		if got.status != 200 || got.body != "none" {
			t.Errorf("%s: got %d %.80q, want none", contentType, got.status, got.body)
		}
	}
}

// The next handler gets the request with the new method and the whole body.
func TestNextHandlerOfAnOverride(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %v", r.Method, body, err)
	})
	app := routing.New(quiet(), routing.WithMethodOverride(), routing.WithNext(next))
	app.Get("/other", text("other"))
	r := form("/", "_method=put&a=1")
	if got := send(app, r).Body.String(); got != "PUT _method=put&a=1 <nil>" || r.Method != "POST" {
		t.Errorf("the next handler got %q, and the caller's request has the method %s", got, r.Method)
	}
}
