package serving_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/serving"
)

// Lines are buffered for a tenth of a second or up to 32 KiB. An unbuffered line is written at
// once, after them.
func TestLogBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		b := serving.NewLogBuffer(&out)
		expect := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := out.String(); got != want {
				t.Errorf("got %.40q, want %.40q", got, want)
			}
		}
		fmt.Fprintln(b, "request")
		expect("")
		fmt.Fprintln(b.Unbuffered(), "error")
		expect("request\nerror\n")
		fmt.Fprintln(b, "soon")
		time.Sleep(100 * time.Millisecond)
		long := strings.Repeat("x", 32<<10)
		expect("request\nerror\nsoon\n")
		fmt.Fprint(b, long)
		expect("request\nerror\nsoon\n" + long)
		fmt.Fprintln(b, "kept")
		b.Close()
		fmt.Fprintln(b, "late")
		expect("request\nerror\nsoon\n" + long + "kept\nlate\n")
	})
}

func ExampleLogRequests() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "GET /flowers/:slug" // as a router sets it
		w.WriteHeader(http.StatusNotFound)
	})
	short := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}}
	lines := serving.NewLogBuffer(os.Stdout)
	logged := serving.LogRequests(handler, slog.NewTextHandler(lines, short), func(r *http.Request) slog.Level {
		if r.URL.Path == "/healthz" {
			return slog.LevelDebug
		}
		return slog.LevelInfo
	})
	for _, path := range []string{"/flowers/none", "/healthz"} {
		logged.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	lines.Close()
	// Output: level=INFO msg=request method=GET path=/flowers/none route="GET /flowers/:slug" status=404
}

// The logged status is the one that net/http sends: the first final one.
func TestLogRequestsStatus(t *testing.T) {
	for _, test := range []struct {
		name    string
		respond func(http.ResponseWriter)
		want    int
	}{
		{"nothing", func(http.ResponseWriter) {}, 200},
		{"an informational response first", func(w http.ResponseWriter) { w.WriteHeader(103); w.WriteHeader(204) }, 204},
		{"an upgrade", func(w http.ResponseWriter) { w.WriteHeader(101) }, 101},
		{"a second status", func(w http.ResponseWriter) { w.WriteHeader(201); w.WriteHeader(500) }, 201},
		{"a status after the body", func(w http.ResponseWriter) { io.WriteString(w, "a part"); w.WriteHeader(500) }, 200},
	} {
		var log strings.Builder
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { test.respond(w) })
		serving.LogRequests(next, slog.NewTextHandler(&log, nil), nil).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if want := fmt.Sprintf(" status=%d ", test.want); !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log has %q, want%sin it", test.name, log.String(), want)
		}
	}
}

// Behind the log a handler can flush, and take the connection over, as it can without it.
func TestLogRequestsOfStreamsAndWebSockets(t *testing.T) {
	var log strings.Builder
	mux := http.NewServeMux()
	mux.HandleFunc("/events", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "a part")
		w.(http.Flusher).Flush()
		w.WriteHeader(500) // too late
	})
	mux.HandleFunc("/flush", func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		w.WriteHeader(500) // too late
	})
	mux.HandleFunc("/socket", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) {
		w.(http.CloseNotifier).CloseNotify() //nolint:staticcheck // deprecated, but gin needs it
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.(io.ReaderFrom).ReadFrom(strings.NewReader("a file"))
		w.WriteHeader(500) // too late
	})
	logged := serving.LogRequests(mux, slog.NewTextHandler(&log, nil), nil)
	var running sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Done()
		logged.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // the late statuses
	server.Start()
	var got []int
	for _, path := range []string{"/events", "/flush", "/socket", "/file", "/gone"} {
		r, err := http.NewRequest("GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "echo")
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		got = append(got, response.StatusCode)
	}
	server.Close()
	running.Wait() // Close waits for no connection that a handler took over
	if want := []int{200, 200, 101, 200, 200}; !slices.Equal(got, want) {
		t.Errorf("got the statuses %v, want %v", got, want)
	}
	for i, path := range []string{"/events", "/flush", "/socket", "/file", "/gone"} {
		if want := fmt.Sprintf(" path=%s route=%s status=%d ", path, path, got[i]); !strings.Contains(log.String(), want) {
			t.Errorf("the log has no%s: %s", want, log.String())
		}
	}
}

// Flush of a writer that cannot flush sends no status.
func TestLogRequestsFlushWithoutSupport(t *testing.T) {
	var log strings.Builder
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); w.WriteHeader(409) })
	serving.LogRequests(next, slog.NewTextHandler(&log, nil), nil).
		ServeHTTP(struct{ http.ResponseWriter }{httptest.NewRecorder()}, httptest.NewRequest("GET", "/", nil))
	if !strings.Contains(log.String(), " status=409 ") {
		t.Errorf("the log has %s, want the status 409", log.String())
	}
}

// The method and the path are those of the request, even if a handler changes them in place.
func TestLogRequestsOfChangedRequest(t *testing.T) {
	var log strings.Builder
	next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { r.Method, r.URL.Path = "PUT", "/internal" })
	serving.LogRequests(next, slog.NewTextHandler(&log, nil), nil).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/sent", nil))
	if !strings.Contains(log.String(), " method=GET path=/sent ") {
		t.Errorf("the log has %s, want GET /sent", log.String())
	}
}

// A request that a handler aborts is logged too.
func TestLogRequestsThatAreAborted(t *testing.T) {
	var log strings.Builder
	logged := serving.LogRequests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a part")
		panic(http.ErrAbortHandler)
	}), slog.NewTextHandler(&log, nil), nil)
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("got the panic %v, want ErrAbortHandler", got)
		}
		if got := log.String(); !strings.Contains(got, " path=/part ") || !strings.Contains(got, " aborted=true ") || strings.Contains(got, "status") {
			t.Errorf("the log says %q, want the path, that it was aborted, and no status", got)
		}
	}()
	logged.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/part", nil))
}
