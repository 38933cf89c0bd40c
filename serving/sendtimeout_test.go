package serving_test

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
	"example.com/flowercafe/serving"
)

// short is the WriteTimeout of these tests. Responses take several times as long.
const short = 200 * time.Millisecond

// slowText is read in two parts, with pauses before them.
type slowText struct{ parts int }

func (s *slowText) Read(p []byte) (int, error) {
	if s.parts++; s.parts > 2 {
		return 0, io.EOF
	}
	time.Sleep(3 * short)
	return copy(p, "part\n"), nil
}

// The WriteTimeout cuts off a long response of a handler, unless it has a SendTimeout.
func TestSendTimeout(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 320<<10) // 5 MiB, more than HTTP/2 sends to a client that does not read
	page := template.Must(template.New("").Parse("The page"))
	define := func(g *routing.Group) {
		g.Get("/file", func(routing.Context) (routing.Result, error) {
			return respond.File(fstest.MapFS{"large": {Data: large, ModTime: time.Unix(1, 0)}}, "large")
		})
		g.Get("/bytes", func(routing.Context) (routing.Result, error) { return routing.Bytes("text/plain", large), nil })
		g.Get("/stream", func(routing.Context) (routing.Result, error) { return routing.Stream("text/plain", new(slowText)), nil })
		g.Get("/template", func(routing.Context) (routing.Result, error) {
			time.Sleep(3 * short)
			return respond.Template(page, "", nil)
		})
		g.Handle("GET", "/handler", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 2 {
				time.Sleep(3 * short)
				io.WriteString(w, "part\n")
				w.(http.Flusher).Flush()
			}
		}))
	}
	wants := map[string]string{"/file": string(large), "/bytes": string(large), "/stream": "part\npart\n", "/template": "The page", "/handler": "part\npart\n"}
	app := routing.New()
	app.Group("/cut", define)
	app.Group("/whole", define, routing.Use(serving.SendTimeout(time.Minute)))
	app.Group("/pauses", define, routing.Use(serving.SendTimeout(2*short))) // less than the next part takes
	serveShort(t, app, func(t *testing.T, client *http.Client) {
		for path, want := range wants {
			for _, group := range []string{"/cut", "/whole", "/pauses"} {
				if isLarge := len(want) == len(large); isLarge && group == "/pauses" {
					continue
				}
				got, err := slowly(client, "http://shop"+group+path)
				if isWhole := got == want && err == nil; isWhole != (group != "/cut") {
					t.Errorf("%s%s: got %d bytes, %v", group, path, len(got), err)
				}
			}
		}
	})
}

// serveShort runs a test with short timeouts, in HTTP/1.1 and in HTTP/2, in a synctest bubble.
func serveShort(t *testing.T, handler http.Handler, test func(*testing.T, *http.Client)) {
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP2 %t", isHTTP2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := serving.NewServer(handler, slog.New(slog.DiscardHandler))
				server.ReadTimeout, server.WriteTimeout, server.Protocols = short, short, protocols(!isHTTP2, isHTTP2)
				test(t, testenv.Serve(t, server))
			})
		})
	}
}

// An upload that takes longer than the ReadTimeout is cut, unless the action sets a deadline.
func TestSlowUploads(t *testing.T) {
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	size := func(c routing.Context) (routing.Result, error) {
		body, err := io.ReadAll(c.Request().Body)
		return routing.Text(fmt.Sprint(len(body))), err
	}
	app.Post("/cut", size)
	app.Post("/whole", func(c routing.Context) (routing.Result, error) {
		if err := c.Controller().SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			return routing.Result{}, err
		}
		return size(c)
	}, routing.Use(serving.SendTimeout(time.Minute))) // the WriteTimeout is over at the end of the body
	app.Post("/both", func(c routing.Context) (routing.Result, error) {
		end := time.Now().Add(time.Minute)
		if err := cmp.Or(c.Controller().SetReadDeadline(end), c.Controller().SetWriteDeadline(end)); err != nil {
			return routing.Result{}, err
		}
		return size(c)
	})
	serveShort(t, app, func(t *testing.T, client *http.Client) {
		for path, isWhole := range map[string]bool{"/cut": false, "/whole": true, "/both": true} {
			var status int
			var body []byte
			response, err := client.Post("http://shop"+path, "text/plain", new(slowText))
			if err == nil {
				status = response.StatusCode
				body, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			if got := status == 200 && string(body) == "10" && err == nil; got != isWhole {
				t.Errorf("%s: got %d %s, %v", path, status, body, err)
			}
		}
	})
}

// slowly reads a response after a pause.
func slowly(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	time.Sleep(3 * short)
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// lastDeadline is a writer that remembers its last deadline.
type lastDeadline struct {
	http.ResponseWriter
	at time.Time
}

func (w *lastDeadline) SetWriteDeadline(at time.Time) error { w.at = at; return nil }

// What the server has buffered at the end is a part too.
func TestSendTimeoutOfTheEnd(t *testing.T) {
	w := &lastDeadline{ResponseWriter: httptest.NewRecorder()}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "text") })
	serving.SendTimeout(time.Hour)(handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if left := time.Until(w.at); left < 50*time.Minute || left > time.Hour {
		t.Errorf("the deadline is in %v", left)
	}
}

// A client that reads nothing is disconnected.
func TestSendTimeoutOfClientThatReadsNothing(t *testing.T) {
	t.Parallel() // waits most of the time
	ended := make(chan error, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	})
	server := httptest.NewServer(serving.SendTimeout(short)(handler))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := <-ended; !err.(net.Error).Timeout() {
		t.Errorf("got %v", err)
	}
}

// A handler gets the error of a writer that cannot flush.
func TestSendTimeoutOfWriterThatCannotFlush(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("got %v", err)
		}
	})
	w := struct{ http.ResponseWriter }{httptest.NewRecorder()}
	serving.SendTimeout(1)(handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
}

// countsNothing is a writer of middleware that returns 0 from Write.
type countsNothing struct{ *httptest.ResponseRecorder }

func (w countsNothing) Write(p []byte) (int, error) { w.ResponseRecorder.Write(p); return 0, nil }

// Each part is sent once, whatever number of bytes the writer returns.
func TestSendTimeoutOfWriterThatCountsNothing(t *testing.T) {
	w := countsNothing{httptest.NewRecorder()}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 100<<10)) })
	serving.SendTimeout(time.Minute)(handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Body.Len() != 100<<10 {
		t.Errorf("got %d bytes", w.Body.Len())
	}
}

// brokenConnection is a writer whose deadline cannot be set. Its connection, if any, can be
// hijacked.
type brokenConnection struct {
	*httptest.ResponseRecorder
	conn   net.Conn
	buffer *bufio.ReadWriter
	err    error
}

func (w brokenConnection) SetWriteDeadline(time.Time) error { return w.err }
func (w brokenConnection) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.conn, w.buffer, w.err
}

// A handler gets the error if no deadline can be set, and the connection that it hijacks.
func TestSendTimeoutOfBrokenConnection(t *testing.T) {
	conn, other := net.Pipe()
	defer conn.Close()
	defer other.Close()
	for _, want := range []brokenConnection{{conn: conn, buffer: new(bufio.ReadWriter)}, {err: errors.New("the connection is broken")}} {
		want.ResponseRecorder = httptest.NewRecorder()
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := w.Write([]byte("text"))
			_, textErr := io.WriteString(w, "text")
			control := http.NewResponseController(w)
			if flushErr := control.Flush(); err != want.err || textErr != want.err || flushErr != want.err {
				t.Errorf("got %v, %v and %v, want %v", err, textErr, flushErr, want.err)
			}
			if conn, buffer, err := control.Hijack(); conn != want.conn || buffer != want.buffer || err != want.err {
				t.Errorf("got %v, %v, %v", conn, buffer, err)
			}
		})
		serving.SendTimeout(time.Minute)(handler).ServeHTTP(want, httptest.NewRequest("GET", "/", nil))
	}
}

// Invalid arguments cause a panic when the middleware is made, not when it serves a request.
func TestSendTimeoutRefusesInvalidArguments(t *testing.T) {
	for want, wrap := range map[string]func(){
		"serving: SendTimeout(0s): write a duration above 0": func() { serving.SendTimeout(0) },
		"serving: SendTimeout: pass a handler, not nil":      func() { serving.SendTimeout(time.Second)(nil) },
		"serving: LogRequests: pass two handlers, not nil":   func() { serving.LogRequests(http.NotFoundHandler(), nil, nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("got the panic %v, want %s", got, want)
				}
			}()
			wrap()
		}()
	}
}

// deadlines has a connection's last write deadline, and whether it was hijacked.
type deadlines struct {
	*httptest.ResponseRecorder
	last    time.Time
	isTaken bool
}

func (w *deadlines) SetWriteDeadline(t time.Time) error {
	w.last = t
	return nil
}

func (w *deadlines) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.isTaken = true
	return nil, nil, nil
}

// A hijacked connection keeps the deadlines that the handler sets, even when the handler has
// returned. The 500 after a panic has a deadline.
func TestSendTimeoutEnds(t *testing.T) {
	owners := time.Unix(7, 0)
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    func(last time.Time) bool
	}{
		"returned": {func(http.ResponseWriter, *http.Request) {}, time.Now().Before},
		"panic":    {func(http.ResponseWriter, *http.Request) { panic("boom") }, time.Now().Before},
		"taken":    {func(w http.ResponseWriter, _ *http.Request) { w.(http.Hijacker).Hijack() }, time.Time.IsZero},
		"taken by the controller, with a deadline": {func(w http.ResponseWriter, _ *http.Request) {
			http.NewResponseController(w).Hijack()
			http.NewResponseController(w).SetWriteDeadline(owners)
			w.Write([]byte("too late"))
		}, owners.Equal},
	} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		func() {
			defer func() { recover() }()
			serving.SendTimeout(time.Minute)(test.handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		}()
		if !test.want(w.last) || strings.HasPrefix(name, "taken") != w.isTaken {
			t.Errorf("%s: the deadline is %v, taken: %t", name, w.last, w.isTaken)
		}
	}
}
