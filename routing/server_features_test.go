package routing_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// waysTo returns servers that call handler for /x/7, through each kind of mount and middleware.
func waysTo(t *testing.T, handler http.HandlerFunc) map[string]*httptest.Server {
	plain := func(next http.Handler) http.Handler { return next }
	copying := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(r.Context())) })
	}
	ways := make(map[string]*httptest.Server)
	add := func(name string, h http.Handler) {
		ways[name] = httptest.NewServer(h)
		t.Cleanup(ways[name].Close)
	}
	handled := func(options ...routing.RouteOption) *routing.App {
		app := routing.New(quiet())
		app.Handle("", "/x/:id", handler, options...)
		return app
	}
	mounting := func(prefix string, h http.Handler, options ...routing.RouteOption) *routing.App {
		app := routing.New(quiet())
		app.Mount(prefix, h, options...)
		return app
	}
	inner := routing.New(quiet())
	inner.Handle("", "/:id", handler)
	behind := routing.New(quiet(), routing.WithNext(handler))
	behind.After(func(routing.Context) error { return nil })
	used, overridden := handled(), routing.New(quiet(), routing.WithMethodOverride())
	used.Use(plain, copying)
	overridden.Handle("", "/x/:id", handler)
	mux := http.NewServeMux()
	mux.Handle("/{what}/", handled())
	add("Handle", handled())
	add("Handle behind a filter", func() http.Handler {
		app := handled()
		app.Before(func(c routing.Context) error { c.Params().GetOr("key", ""); return nil })
		return app
	}())
	add("Handle in a method override", overridden)
	add("Use", handled(routing.Use(copying, plain)))
	add("App.Use", used)
	add("Mount", mounting("/x", handler))
	add("Mount with a parameter", mounting("/:what", handler))
	add("mounted app", mounting("/x", inner))
	add("mounted app with a parameter and middleware", mounting("/:what", inner, routing.Use(copying)))
	add("WithNext", behind)
	add("ServeMux around", mux)
	return ways
}

// exchange sends the bytes of a request, and returns the bytes of the response.
func exchange(t *testing.T, server *httptest.Server, parts ...string) string {
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second)) // a hang guard
	received := bufio.NewReader(conn)
	var text strings.Builder
	for _, part := range parts {
		if until, ok := strings.CutPrefix(part, "until "); ok {
			for !strings.HasSuffix(text.String(), until) {
				b, err := received.ReadByte()
				if err != nil {
					return text.String() + err.Error()
				}
				text.WriteByte(b)
			}
			continue
		}
		io.WriteString(conn, part)
	}
	rest, err := io.ReadAll(received)
	if err != nil {
		t.Error(err)
	}
	return text.String() + string(rest)
}

// Handlers behind mounts and middleware have the server's connection, body and trailers.
func TestServerFeaturesThroughMiddlewareAndMounts(t *testing.T) {
	t.Parallel() // one of the servers waits half a second before it closes a connection
	const head = "POST /x/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		parts   []string
		want    []string // in this order
		without string
	}{
		"hijack": {func(w http.ResponseWriter, r *http.Request) {
			conn, buffer, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			line, _ := buffer.ReadString('\n')
			fmt.Fprintf(conn, "taken over: %s", line)
			conn.Close()
		}, []string{"GET /x/7 HTTP/1.1\r\nHost: a\r\n\r\nraw\n"}, []string{"taken over: raw\n"}, "HTTP/1.1"},
		"hijack by assertion": {func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, "taken over")
			conn.Close()
			w.WriteHeader(500) // too late
		}, []string{"GET /x/7 HTTP/1.1\r\nHost: a\r\n\r\n"}, []string{"taken over"}, "HTTP/1.1"},
		"Expect, refused": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(417) },
			[]string{head + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n"}, []string{"417 Expectation Failed"}, "100 Continue"},
		"Expect, read": {func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) },
			[]string{head + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n", "until 100 Continue\r\n\r\n", "a=b"}, []string{"100 Continue", "200 OK", "a=b"}, ""},
		"trailers": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Sent")
			io.Copy(io.Discard, r.Body)
			fmt.Fprintf(w, "sum %s", r.Trailer.Get("X-Sum"))
			w.Header().Set("X-Sent", "yes")
			w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
		}, []string{head + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\na=b\r\n0\r\nX-Sum: 7\r\n\r\n"}, []string{"200 OK", "sum 7", "X-Sent: yes"}, ""},
		"trailers that are not announced": {func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			fmt.Fprintf(w, "sum %s", r.Trailer.Get("X-Sum"))
		}, []string{head + "Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\nX-Sum: 7\r\n\r\n"}, []string{"200 OK", "sum 7"}, ""},
		"early hints": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</a.css>; rel=preload")
			w.WriteHeader(103)
			w.WriteHeader(201)
			io.WriteString(w, "made")
		}, []string{head + "Content-Length: 0\r\n\r\n"}, []string{"103 Early Hints", "rel=preload", "201 Created", "made"}, ""},
		"flush": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "one")
			w.(http.Flusher).Flush()
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, "two")
		}, []string{"GET /x/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "until one\r\n"}, []string{"200 OK", "3\r\none", "3\r\ntwo"}, ""},
		"panic": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Half", "made")
			panic("secret")
		}, []string{"GET /x/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"}, []string{"500 Internal Server Error", "Internal Server Error"}, "secret"},
		"panic afterwards": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic("secret")
		}, []string{"GET /x/7 HTTP/1.1\r\nHost: a\r\n\r\n"}, []string{"200 OK", "half"}, "\r\n0\r\n\r\n"},
		"invalid header": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Split", "a\r\nb: c")
			io.WriteString(w, "half")
		}, []string{"GET /x/7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"}, []string{"500 Internal Server Error"}, "half"},
		"too large": {func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, 2)
			if _, err := io.ReadAll(r.Body); err != nil {
				w.WriteHeader(413)
			}
		}, []string{strings.Replace(head, "Connection: close\r\n", "", 1) + "Content-Length: 3\r\n\r\na=b"}, []string{"413 Request Entity Too Large", "Connection: close"}, ""},
		"form": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PostFormValue("a"), r.FormValue("q")) },
			[]string{strings.Replace(head, "/x/7", "/x/7?q=1", 1) + "Content-Length: 3\r\n\r\na=b"}, []string{"200 OK", "b1"}, ""},
	} {
		for way, server := range waysTo(t, test.handler) {
			switch {
			case way == "WithNext" && (strings.HasPrefix(name, "panic") || name == "invalid header"):
				continue // they are the server's part
			case name == "Expect, refused" && (strings.Contains(way, "filter") || strings.Contains(way, "override")):
				continue // which read the form
			}
			got := exchange(t, server, test.parts...)
			rest := got
			for _, text := range test.want {
				_, after, ok := strings.Cut(rest, text)
				if !ok {
					t.Errorf("%s, %s: got %q, want %q", name, way, got, test.want)
					break
				}
				rest = after
			}
			if test.without != "" && strings.Contains(got, test.without) {
				t.Errorf("%s, %s: got %q, want it without %q", name, way, got, test.without)
			}
			server.Close()
		}
	}
}
