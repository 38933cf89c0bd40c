package apidoc_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/routing"
)

// This file tests streams that last longer than the server's timeouts.

// short is the server's ReadTimeout and WriteTimeout. Streams last several times as long. The
// timeout of each part is twice as long, and the pauses between the parts are longer.
const short = 100 * time.Millisecond

// serveShort runs a test with a server for HTTP/1.1 and one for HTTP/2, in a synctest bubble.
func serveShort(t *testing.T, define func(*apidoc.API), test func(*testing.T, *http.Client)) {
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP2 %t", isHTTP2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				app := routing.New()
				define(apidoc.NewAPI(app, info, apidoc.SendTimeout(2*short)))
				server := &http.Server{Handler: app, ReadTimeout: short, WriteTimeout: short, Protocols: new(http.Protocols)}
				server.Protocols.SetHTTP1(!isHTTP2)
				server.Protocols.SetUnencryptedHTTP2(isHTTP2)
				test(t, testenv.Serve(t, server))
			})
		})
	}
}

// pause is the time before each part of a stream.
const pause = 3 * short

// slowText reads as the numbers 1 to 3, with a pause before each.
type slowText struct {
	pause  time.Duration
	number int // the last number
}

func (s *slowText) Read(p []byte) (int, error) {
	if s.number++; s.number > 3 {
		return 0, io.EOF
	}
	time.Sleep(s.pause)
	return copy(p, fmt.Sprintln(s.number)), nil
}

// Outputs of all kinds outlive the WriteTimeout, also if the function is slow before it returns
// them or an error.
func TestStreamsOutliveTheWriteTimeout(t *testing.T) {
	type lines struct {
		Body iter.Seq[int] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	serveShort(t, func(api *apidoc.API) {
		apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lines, error) {
			time.Sleep(pause)
			return lines{func(yield func(int) bool) {
				for n := range 3 {
					if time.Sleep(pause); !yield(n + 1) {
						return
					}
				}
			}}, nil
		})
		apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (io.Reader, error) { return &slowText{pause: pause}, nil })
		apidoc.Get(api, "/failure", "", func(context.Context, struct{}) (lines, error) {
			time.Sleep(pause)
			return lines{}, noTree
		}, noTree)
		apidoc.Get(api, "/csv", "", func(context.Context, struct{}) (written, error) {
			return written{func(w io.Writer) error {
				table := csv.NewWriter(w)
				for n := range 3 {
					time.Sleep(pause)
					if err := table.Write([]string{itoa(n + 1)}); err != nil {
						return err
					}
					table.Flush()
				}
				return table.Error()
			}}, nil
		})
	}, func(t *testing.T, client *http.Client) {
		if r, err := client.Get("http://shop/failure"); err != nil {
			t.Error(err)
		} else if r.Body.Close(); r.StatusCode != 404 {
			t.Errorf("an error after the WriteTimeout: got %d, want 404", r.StatusCode)
		}
		for path, media := range map[string]string{"/lines": "application/jsonl", "/reader": "application/octet-stream", "/csv": "text/csv"} {
			r, err := client.Get("http://shop" + path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			if got := r.Header.Get("Content-Type"); err != nil || string(body) != "1\n2\n3\n" || !strings.HasPrefix(got, media) {
				t.Errorf("%s: %q, type %q, error %v", path, body, got, err)
			}
		}
	})
}

// A request whose body is a stream outlives both timeouts, but not the total of ReceiveTimeout.
func TestImportsOutliveTheTimeouts(t *testing.T) {
	count := func(_ context.Context, in iter.Seq2[int, error]) (n int, _ error) {
		for _, err := range in {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	serveShort(t, func(api *apidoc.API) {
		apidoc.Post(api, "/import", "", count)
		apidoc.Post(api, "/pauses", "", func(ctx context.Context, in iter.Seq2[int, error]) (int, error) {
			return count(ctx, func(yield func(int, error) bool) {
				in(func(n int, err error) bool {
					if n == 0 {
						time.Sleep(pause + short) // the operation may be slower than the client
					}
					return yield(n, err)
				})
			})
		}, apidoc.ReceiveTimeout(pause, time.Hour), apidoc.ID("pauses"))
		apidoc.Post(api, "/short", "", count, apidoc.ReceiveTimeout(short/2, short), apidoc.ID("short"))
		apidoc.Post(api, "/bytes", "", func(_ context.Context, in io.Reader) (int, error) {
			time.Sleep(pause) // before the first read
			content, err := io.ReadAll(in)
			return len(content), err
		}, apidoc.ID("bytes"))
		apidoc.Post(api, "/late", "", func(_ context.Context, in io.Reader) (int, error) {
			time.Sleep(pause)
			content, err := io.ReadAll(in) // has arrived before the limits
			return len(content), err
		}, apidoc.ID("late"), apidoc.ReceiveTimeout(short, short))
	}, func(t *testing.T, client *http.Client) {
		for _, c := range []struct {
			path, media string
			body        io.Reader
			want        string
		}{
			{"/import", "application/jsonl", &slowText{pause: pause}, "200 3"},
			{"/pauses", "application/jsonl", &slowText{pause: short, number: -1}, "200 4"},
			{"/bytes", "application/octet-stream", &slowText{pause: pause}, "200 6"},
			{"/late", "application/octet-stream", strings.NewReader("abc"), "200 3"},
		} {
			r, err := client.Post("http://shop"+c.path, c.media, c.body)
			if err != nil {
				t.Errorf("%s: %v", c.path, err)
				continue
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			if got := fmt.Sprint(r.StatusCode, " ", string(body)); err != nil || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %s, error %v, want %s", c.path, got, err, c.want)
			}
		}
		transport := client.Transport.(*http.Transport)
		if !transport.Protocols.HTTP1() {
			return
		}
		// The client stops sending, so that the response is not lost when the server closes.
		connection, err := transport.DialContext(t.Context(), "tcp", "shop:80")
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		io.WriteString(connection, "POST /short HTTP/1.1\r\nHost: x\r\nContent-Type: application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n1\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 408 || !strings.Contains(string(body), `"code":"request_timeout"`) {
			t.Errorf("too slow: %d %s, error %v", r.StatusCode, body, err)
		}
	})
}

// Without events, a comment is sent every 15 seconds, unless Heartbeat says otherwise.
func TestIntervalOfHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app, api := newTyped()
		wait := func(context.Context, struct{}) (iter.Seq[int], error) {
			return func(func(int) bool) { time.Sleep(40 * time.Second) }, nil
		}
		apidoc.Get(api, "/default", "", wait, apidoc.ID("default"))
		apidoc.Get(api, "/often", "", wait, apidoc.ID("often"), apidoc.Heartbeat(6*time.Second))
		apidoc.Get(api, "/never", "", wait, apidoc.ID("never"), apidoc.Heartbeat(0))
		for path, want := range map[string]int{"/default": 2, "/often": 6, "/never": 0} {
			w := call(app, "GET", path, "", "")
			if got := strings.Count(w.Body.String(), ":") - 1; got != want { // one is sent at the beginning
				t.Errorf("%s: got %d comments, want %d", path, got, want)
			}
		}
	})
}

// deadlineWriter is a writer that records its last write deadline and all read deadlines.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	write *time.Time
	reads *[]time.Time
}

func (w deadlineWriter) SetWriteDeadline(at time.Time) error { *w.write = at; return nil }
func (w deadlineWriter) SetReadDeadline(at time.Time) error {
	*w.reads = append(*w.reads, at)
	return nil
}

// Each read of a request's body has a deadline, within the total. At the end it is removed.
func TestDeadlinesOfParts(t *testing.T) {
	synctest.Test(t, testDeadlinesOfParts)
}

func testDeadlinesOfParts(t *testing.T) {
	app, api := newTyped()
	read := func(_ context.Context, in io.Reader) (struct{}, error) {
		_, err := io.ReadAll(in)
		return struct{}{}, err
	}
	apidoc.Post(api, "/part", "", read, apidoc.ReceiveTimeout(time.Minute, time.Hour), apidoc.ID("part"))
	apidoc.Post(api, "/whole", "", read, apidoc.ReceiveTimeout(time.Hour, time.Hour), apidoc.ID("whole"))
	apidoc.Post(api, "/default", "", read, apidoc.ID("default"))
	for path, want := range map[string][]time.Duration{ // after pauses of 200 seconds
		"/part":    {60 * time.Second, 260 * time.Second, 460 * time.Second, 660 * time.Second},
		"/whole":   {time.Hour, time.Hour, time.Hour, time.Hour},
		"/default": {10 * time.Second, 210 * time.Second, 410 * time.Second, 10 * time.Minute},
	} {
		var reads []time.Time
		r := httptest.NewRequest("POST", path, &slowText{pause: 200 * time.Second})
		begin := time.Now()
		app.ServeHTTP(deadlineWriter{httptest.NewRecorder(), new(time.Time), &reads}, r)
		if len(reads) != len(want)+1 || !reads[len(want)].IsZero() {
			t.Errorf("%s: got the deadlines %v, want %d, and none at the end", path, reads, len(want))
			continue
		}
		for i, after := range want {
			if got := reads[i].Sub(begin); got != after {
				t.Errorf("%s: read %d: got the deadline after %v, want %v", path, i, got, after)
			}
		}
	}
}

// The timeout of the response to a streamed body begins when the body has been read. The end of a
// streamed response has a timeout too.
func TestEndOfStreamHasADeadline(t *testing.T) {
	synctest.Test(t, testEndOfStreamHasADeadline)
}

func testEndOfStreamHasADeadline(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/import", "", func(_ context.Context, in io.Reader) (int, error) {
		_, err := io.ReadAll(in)
		return 1, err
	}, apidoc.SendTimeout(time.Hour), apidoc.ID("import"))
	type lines struct {
		Body iter.Seq[int] `body:"application/jsonl"`
	}
	apidoc.Post(api, "/lines", "", func(context.Context, string) (lines, error) {
		return lines{func(yield func(int) bool) { yield(1) }}, nil
	}, apidoc.SendTimeout(time.Hour), apidoc.ID("lines"))
	apidoc.Post(api, "/default", "", func(context.Context, string) (io.Reader, error) { return strings.NewReader("1"), nil }, apidoc.ID("default"))
	apidoc.Post(api, "/usual", "", func(context.Context, string) (int, error) { return 1, nil }, apidoc.ID("usual"))
	for path, want := range map[string]time.Duration{"/import": time.Hour, "/lines": time.Hour, "/default": 10 * time.Second, "/usual": 0} {
		var at time.Time
		r := httptest.NewRequest("POST", path, strings.NewReader(`"text"`))
		if path != "/import" {
			r.Header.Set("Content-Type", "application/json")
		}
		w := deadlineWriter{httptest.NewRecorder(), &at, new([]time.Time)}
		app.ServeHTTP(w, r)
		if left := time.Until(at); w.Code != 200 || (want == 0) != at.IsZero() || want > 0 && left != want {
			t.Errorf("%s: got %d %s and the deadline %v", path, w.Code, w.Body, at)
		}
	}
}

// unflushable is a writer that cannot flush, and whose connection may be broken.
type unflushable struct {
	http.ResponseWriter
	err error
}

func (w unflushable) Write(p []byte) (int, error) { return len(p), w.err }

// A function that writes gets the error of a broken connection, but not of a writer that cannot
// flush.
func TestWriterOfFunctions(t *testing.T) {
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	for _, want := range []error{nil, io.ErrClosedPipe} {
		app, api := newTyped()
		apidoc.Get(api, "/", "", func(context.Context, struct{}) (written, error) {
			return written{func(w io.Writer) error {
				_, err := io.WriteString(w, strings.Repeat("a", 5000))
				if err != want {
					t.Errorf("got %v, want %v", err, want)
				}
				return err
			}}, nil
		}, apidoc.ID("get"))
		app.ServeHTTP(unflushable{httptest.NewRecorder(), want}, httptest.NewRequest("GET", "/", nil))
	}
}

func TestInvalidTimeouts(t *testing.T) {
	for name, test := range map[string]struct {
		set    func()
		panics bool
	}{
		"send":            {func() { apidoc.SendTimeout(1) }, false},
		"send nothing":    {func() { apidoc.SendTimeout(0) }, true},
		"receive":         {func() { apidoc.ReceiveTimeout(1, 1) }, false},
		"no part":         {func() { apidoc.ReceiveTimeout(0, 1) }, true},
		"a shorter whole": {func() { apidoc.ReceiveTimeout(2, 1) }, true},
	} {
		func() {
			defer func() {
				if v := recover(); (v != nil) != test.panics {
					t.Errorf("%s: got the panic %v", name, v)
				}
			}()
			test.set()
		}()
	}
}

// A func(io.Writer) error is described with its media type, is refused without one, and fails like
// other streams.
func TestWrittenBodies(t *testing.T) {
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/none", "", func(context.Context, struct{}) (written, error) { return written{}, nil }, apidoc.ID("none"))
	apidoc.Get(api, "/fails", "", func(context.Context, struct{}) (written, error) {
		return written{func(io.Writer) error { return fmt.Errorf("the disk is away") }}, nil
	}, apidoc.ID("fails"))
	if w := call(app, "GET", "/none", "", ""); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("no function: %d %s", w.Code, w.Body)
	}
	if w := call(app, "HEAD", "/fails", "", ""); w.Code != 200 {
		t.Errorf("HEAD: got %d, want no call of the function", w.Code)
	}
	if w := call(app, "GET", "/fails", "", ""); w.Code != 500 || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("a function that fails: %d %s", w.Code, w.Body)
	}
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	content := decode(t, document.OpenAPI()).at("paths", "/none", "get", "responses", "200", "content")
	if got := fmt.Sprint(content); !strings.Contains(got, "text/csv") {
		t.Errorf("described as %s", got)
	}
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, `body:"text/csv"`) {
			t.Errorf("without a type: %s", v)
		}
	}()
	apidoc.Get(api, "/untyped", "", func(context.Context, struct{}) (func(io.Writer) error, error) { return nil, nil })
}

// slowConnection is a writer that takes some time for each write and flush, and checks its
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

// Writing a part and flushing it have a common deadline. A long part has several, also if the
// writer cannot flush.
func TestDeadlineCoversWholePart(t *testing.T) {
	type lines struct {
		Body iter.Seq[string] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"text/csv"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.SendTimeout(time.Second))
	text := ""
	apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lines, error) {
		return lines{func(yield func(string) bool) { yield(text) }}, nil
	})
	apidoc.Get(api, "/written", "", func(context.Context, struct{}) (written, error) {
		return written{func(w io.Writer) error {
			_, err := io.WriteString(w, text+"x\n") // sent at the end
			return err
		}}, nil
	})
	apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (io.Reader, error) { return strings.NewReader(text + "x\n"), nil })
	for _, path := range []string{"/lines", "/written", "/reader"} {
		text = "a"
		for takes, want := range map[time.Duration]int{time.Second / 3: 0, time.Second * 2 / 3: 1} {
			if path == "/written" {
				want = 0 // it is not flushed
			}
			synctest.Test(t, func(t *testing.T) {
				late := 0
				app.ServeHTTP(&slowConnection{httptest.NewRecorder(), takes, time.Time{}, &late}, httptest.NewRequest("GET", path, nil))
				if late != want {
					t.Errorf("%s: with parts that take %v: %d are late, want %d", path, takes, late, want)
				}
			})
		}
		text = strings.Repeat("a", 200_000)
		w := httptest.NewRecorder()
		app.ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequest("GET", path, nil))
		if got := w.Body.Len(); got < len(text) || got > len(text)+3 {
			t.Errorf("%s: %d bytes without flushing, want those of %d characters", path, got, len(text))
		}
	}
}
