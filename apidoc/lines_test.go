package apidoc_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math"
	"net"
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

// This file tests bodies of JSON Lines, in both directions, and events that fail.

type crate struct {
	Name  string `json:"name" minLength:"1"`
	Count int    `json:"count,omitempty" default:"1"`
	Of    *crate `json:"of,omitempty"`
}

func (c crate) Validate(context.Context) ([]apidoc.InputError, error) {
	if c.Name == c.tooMany() {
		return []apidoc.InputError{{Pointer: "/count", Detail: "are too many", Code: "tooMany"}}, nil
	}
	return nil, nil
}

func (c crate) tooMany() string { return strings.Repeat("x", c.Count) }

// countLines reads all lines, and returns a text for each value, error and place of an invalid
// value.
func countLines(lines iter.Seq2[crate, error]) string {
	var got []string
	for c, err := range lines {
		var p *apidoc.Problem
		switch {
		case errors.As(err, &p) && p.Errors != nil:
			got = append(got, places(p.Errors))
		case err != nil:
			got = append(got, err.Error())
		default:
			got = append(got, fmt.Sprint(c.Name, c.Count))
		}
	}
	return strings.Join(got, ", ")
}

func TestLines(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, lines iter.Seq2[crate, error]) (string, error) {
		return countLines(lines) + countLines(lines), nil // the second time there is nothing left
	}, apidoc.ID("count"), apidoc.LineLimit(60), apidoc.BodyLimit(200))
	const wrong = "body line "
	long := `{"name":"` + strings.Repeat("a", 49) + `"}`
	for _, c := range []struct{ name, body, want string }{
		{"none", "", ""},
		{"two", "{\"name\":\"a\"}\n{\"name\":\"b\",\"count\":2}\n", "a1, b2"},
		{"no line break at the end", "{\"name\":\"a\"}\r\n{\"name\":\"b\"}", "a1, b1"},
		{"empty lines", "\n\n {\"name\":\"a\"} \n\t\n\r\n{}\n", "a1, " + wrong + "6 /name required"},
		{"wrong lines do not end them", "{\"name\":\"\"}\n[]\n{\"name\":\"c\"}\n", wrong + "1 /name minLength, " + wrong + "2 type, c1"},
		{"no JSON", "{\"name\":\"a\"}\n{\"name\"\n{\"name\":\"b\"}{\"name\":\"c\"}\n{\"name\":\"\xff\"}\n{\"name\":\"d\"}",
			"a1, The request cannot be read: Line 2 is not JSON, The request cannot be read: Line 3 is not JSON, The request cannot be read: Line 4 is not in UTF-8, d1"},
		{"checks of the type", "{\"name\":\"xx\",\"count\":2}\n{\"name\":\"a\",\"of\":{\"name\":\"x\"}}", wrong + "1 /count tooMany, " + wrong + "2 /of/count tooMany"},
		{"a line of the limit", long + "\r\n" + long, strings.Repeat("a", 49) + "1, " + strings.Repeat("a", 49) + "1"},
		{"a longer line", "{\"name\":\"a\"}\n" + long + " \n{\"name\":\"b\"}", "a1, The request is too large: Line 2 is larger than 60 bytes"},
		{"a longer last line", long + "  ", "The request is too large: Line 1 is larger than 60 bytes"},
	} {
		for _, media := range []string{"application/jsonl", "application/x-ndjson; charset=utf-8"} {
			if w := call(app, "POST", "/", media, c.body); w.Code != 200 || w.Body.String() != c.want {
				t.Errorf("%s: got %d %s, want %s", c.name, w.Code, w.Body, c.want)
			}
		}
	}
	whole := strings.Repeat("{\"name\":\"a\"}\n", 20)
	r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(whole))) // of unknown length
	r.Header.Set("Content-Type", "application/jsonl")
	w := httptest.NewRecorder()
	if app.ServeHTTP(w, r); !strings.HasSuffix(w.Body.String(), "a1, The request is too large: The body is larger than 200 bytes") {
		t.Errorf("a body that is too long: got %d %s", w.Code, w.Body)
	}
	broken := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader("{\"name\":\"a\"}\n{\"na"), truncated{}))
	broken.Header.Set("Content-Type", "application/jsonl")
	w = httptest.NewRecorder()
	if app.ServeHTTP(w, broken); w.Body.String() != "a1, The request cannot be read: The body is incomplete" {
		t.Errorf("a body that breaks off: got %d %s", w.Code, w.Body)
	}
	apidoc.Post(api, "/form", "", func(context.Context, formed) (string, error) { return "done", nil }, apidoc.ID("form"))
	form := httptest.NewRequest("POST", "/form", io.MultiReader(strings.NewReader("a=1&b=1"), broken.Body))
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w = httptest.NewRecorder()
	if app.ServeHTTP(w, form); w.Code != 400 || !strings.Contains(w.Body.String(), "The body is incomplete") {
		t.Errorf("a form that breaks off: got %d %s", w.Code, w.Body)
	}
	for media, status := range map[string]int{"application/jsonl": 413, "application/json": 415, "": 415} {
		if w := call(app, "POST", "/", media, whole); w.Code != status {
			t.Errorf("%q: got %d %s, want %d", media, w.Code, w.Body, status)
		}
	}
}

func TestLargestLineLimit(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, lines iter.Seq2[crate, error]) (string, error) {
		return countLines(lines), nil
	}, apidoc.ID("count"), apidoc.LineLimit(math.MaxInt))
	if w := call(app, "POST", "/", "application/jsonl", "{\"name\":\"a\"}\n"); w.Body.String() != "a1" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	apidoc.Post(api, "/default", "", func(_ context.Context, lines iter.Seq2[string, error]) (string, error) {
		for _, err := range lines {
			return "", err
		}
		return "", nil
	}, apidoc.ID("default"))
	for length, want := range map[int]int{64 << 10: 200, 64<<10 + 1: 413} {
		line := `"` + strings.Repeat("a", length-2) + "\"\r\n"
		if w := call(app, "POST", "/default", "application/jsonl", line); w.Code != want {
			t.Errorf("a line of %d bytes: got %d, want %d", length, w.Code, want)
		}
	}
}

// truncated is a body that ends with an error.
type truncated struct{}

func (truncated) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Lines are read when the loop reaches them: before, a client that waits for 100 Continue sends
// nothing. An operation may return before it has read all lines.
func TestLinesAreReadOnDemand(t *testing.T) {
	app, api := newTyped()
	type input struct {
		Read  bool                    `query:"read"`
		Lines iter.Seq2[crate, error] `body:"application/jsonl"`
	}
	apidoc.Post(api, "/", "", func(_ context.Context, in input) (string, error) {
		if !in.Read {
			return "nothing\n", nil
		}
		for c, err := range in.Lines {
			return "first " + c.Name + "\n", err
		}
		return "none", nil
	}, apidoc.ID("first"))
	server := httptest.NewServer(app)
	defer server.Close()
	for _, c := range []struct {
		query, body string
		want        []string
	}{
		{"read=false", "", []string{"HTTP/1.1 200 OK", "nothing"}},
		{"read=true", "{\"name\":\"a\"}\n", []string{"HTTP/1.1 100 Continue", "HTTP/1.1 200 OK", "first a"}},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /?%s HTTP/1.1\r\nHost: a\r\nContent-Type: application/jsonl\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n", c.query)
		lines := bufio.NewScanner(conn)
		for i, want := range c.want {
			for lines.Scan() && lines.Text() != want && i > 0 {
			}
			if lines.Text() != want {
				t.Errorf("%s: got %q %v, want %s", c.query, lines.Text(), lines.Err(), want)
			}
			if strings.Contains(want, "Continue") {
				io.WriteString(conn, c.body) // less than is announced
			}
		}
	}
}

// An operation may send lines while it reads, also over HTTP/1.1, where a server by default stops
// reading when it responds.
func TestLinesAreReadWhileOthersAreSent(t *testing.T) {
	app, api := newTyped()
	type lines struct {
		Lines iter.Seq2[crate, error] `body:"application/jsonl"`
	}
	apidoc.Post(api, "/lines", "", func(_ context.Context, in lines) (lines, error) { return in, nil }, apidoc.ID("lines"))
	apidoc.Post(api, "/events", "", func(_ context.Context, in lines) (iter.Seq2[crate, error], error) { return in.Lines, nil }, apidoc.ID("events"))
	type text struct {
		Text io.Reader `body:"application/jsonl"`
	}
	apidoc.Post(api, "/text", "", func(_ context.Context, in text) (text, error) {
		return text{struct{ io.Reader }{in.Text}}, nil
	}, apidoc.ID("text"))
	server := httptest.NewServer(app)
	defer server.Close()
	for _, path := range []string{"/lines", "/events", "/text"} {
		most := 30000
		if testing.Short() {
			most = 10000
		}
		for _, count := range []int{1, 1000, most} {
			response, err := http.Post(server.URL+path, "application/jsonl", strings.NewReader(strings.Repeat("{\"name\":\"a\"}\n", count)))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if got := strings.Count(string(body), `{"name":"a"`); got != count || err != nil {
				t.Errorf("%s: got %d of %d lines, %v", path, got, count, err)
			}
		}
	}
}

func TestSequencesAreDescribed(t *testing.T) {
	app, api := newTyped()
	type failure struct {
		Message string `json:"message"`
	}
	failed := apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) failure { return failure{p.Title} })
	none := func(context.Context, struct{}) (events iter.Seq2[crate, error], err error) { return nil, nil }
	apidoc.Post(api, "/", "", func(context.Context, iter.Seq2[crate, error]) (out struct {
		Lines iter.Seq[crate] `body:"application/x-ndjson,application/jsonl"`
	}, err error) {
		return out, nil
	}, apidoc.ID("lines"), apidoc.RequestExample(crate{Name: "a"}))
	apidoc.Get(api, "/", "", none, apidoc.ID("events"))
	apidoc.Get(api, "/own", "", none, apidoc.ID("own"), failed)
	d := build(t, app, "")
	plain := func(text []byte) string { return strings.NewReplacer(" ", "", "\n", "").Replace(string(text)) }
	for _, c := range []struct {
		text []byte
		want string
	}{
		{d.OpenAPI(), `"requestBody":{"content":{"application/jsonl":{"schema":{"$ref":"#/components/schemas/crate"},"example":{"name":"a"}},"application/x-ndjson":{`},
		{d.OpenAPI(), `"content":{"application/x-ndjson":{"schema":{"$ref":"#/components/schemas/crate"}},"application/jsonl":{`},
		{d.OpenAPI(), `"contentSchema":{"anyOf":[{"$ref":"#/components/schemas/crate"},{"$ref":"#/components/schemas/Problem"}]}`},
		{d.OpenAPI(), `"contentSchema":{"anyOf":[{"$ref":"#/components/schemas/crate"},{"$ref":"#/components/schemas/failure"}]}`},
		{d.OpenAPI(), "thelasteventhasthenameproblem"},
		{d.OpenAPI30(), `"application/jsonl":{"schema":{"type":"string","format":"binary","description":"JSONLines:eachlineisacrate"}}`},
		{d.OpenAPI30(), `"description":"JSONLines:eachlineisacrate"},"example":"{\"name\":\"a\"}"}`},
		{d.OpenAPI30(), "thelasteventhasthenameproblem"},
		{d.Swagger(), `"consumes":["application/jsonl","application/x-ndjson"]`},
		{d.Swagger(), `{"name":"body","in":"body","required":false,"schema":{"type":"string","format":"binary","description":"JSONLines:eachlineisacrate"}`},
		{d.Swagger(), `"schema":{"type":"file"}`},
	} {
		if got := plain(c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s is not in %s", c.want, got)
		}
	}
	type void = struct{}
	for _, c := range []struct{ name, got, want string }{
		{"a sequence without errors", refusal[iter.Seq[crate], void]("POST"), "a line may be invalid: write iter.Seq2[apidoc_test.crate, error]"},
		{"a sequence of a JSON body", refusal[struct {
			A iter.Seq2[crate, error] `body:"application/json"`
		}, void]("POST"), "an iter.Seq2 reads a body of application/jsonl or application/x-ndjson, not of application/json"},
		{"elements without JSON", refusal[iter.Seq2[func(), error], void]("POST"), "JSON cannot represent it"},
		{"a second value that is no error", refusal[iter.Seq2[string, int], void]("POST"), "JSON cannot represent it"},
		{"a body of a GET", refusal[iter.Seq2[crate, error], void]("GET"), "a GET has no body"},
		{"a response of text/csv", refusal[void, struct {
			A iter.Seq[crate] `body:"text/csv"`
		}]("GET"), "a sequence is sent as text/event-stream, or as application/jsonl, not as text/csv"},
		{"lines of events", refusal[void, struct {
			A iter.Seq[apidoc.Event[int]] `body:"application/jsonl"`
		}]("GET"), "an Event is sent as text/event-stream: write a sequence of int"},
		{"a limit of 0", panicOf(func() { apidoc.LineLimit(0) }), "LineLimit(0): write a limit of at least 1"},
		{"a negative heartbeat", panicOf(func() { apidoc.Heartbeat(-1) }), "Heartbeat(-1ns): write a duration of at least 0"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// An error of a sequence becomes a last event, and truncates a response of lines. Its text is only
// in the log.
func TestSequencesThatFail(t *testing.T) {
	var logs bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logs, nil))))
	api := apidoc.NewAPI(app, info)
	type failure struct {
		Message string `json:"message"`
	}
	failed := apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) failure { return failure{p.Title + p.Detail} })
	failing := func(err error) iter.Seq2[any, error] {
		return func(yield func(any, error) bool) {
			_ = yield(1, nil) && err != nil && yield(nil, err)
			if err == nil {
				yield(func() {}, nil) // cannot be encoded
			}
		}
	}
	secret := errors.New("secret")
	for i, c := range []struct {
		err       error
		options   []apidoc.Option
		want, log string
	}{
		{secret, nil, `{"type":"about:blank","title":"Internal Server Error","status":500}`, "error=secret"},
		{fmt.Errorf("wrapped: %w", secret), []apidoc.Option{failed}, `{"message":"Internal Server Error"}`, "wrapped: secret"},
		{nil, nil, `{"type":"about:blank","title":"Internal Server Error","status":500}`, "encode an event"},
		{fmt.Errorf("wrapped: %w", conflict.Detailf("twice")), nil, `{"type":"about:blank","title":"` + conflict.Title + `","status":409,"detail":"twice"}`, ""},
		{conflict, []apidoc.Option{failed, conflict}, `{"message":"` + conflict.Title + `"}`, ""},
	} {
		logs.Reset()
		path := fmt.Sprint("/", i)
		apidoc.Get(api, path, "", func(context.Context, struct{}) (iter.Seq2[any, error], error) { return failing(c.err), nil },
			append(c.options, apidoc.ID("get"+path))...)
		w := call(app, "GET", path, "", "")
		if got := strings.TrimPrefix(w.Body.String(), ":\n\ndata: 1\n\n"); got != "event: problem\ndata: "+c.want+"\n\n" {
			t.Errorf("%v: got %q, want %s", c.err, got, c.want)
		}
		if log := logs.String(); !strings.Contains(log, c.log) || c.log == "" && log != "" {
			t.Errorf("%v: logged %q, want %q", c.err, log, c.log)
		}
	}
	type lines struct {
		Lines iter.Seq2[any, error] `body:"application/jsonl"`
	}
	apidoc.Get(api, "/lines", "", func(context.Context, struct{}) (lines, error) { return lines{failing(secret)}, nil }, apidoc.ID("lines"))
	server := httptest.NewServer(app)
	defer server.Close()
	logs.Reset()
	response, err := http.Get(server.URL + "/lines")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	server.Close() // waits until the request has ended
	if string(body) != "1\n" || !errors.Is(err, io.ErrUnexpectedEOF) || response.Header.Get("Content-Type") != "application/jsonl" {
		t.Errorf("lines that fail: got %q %v %v", body, err, response.Header)
	}
	if !strings.Contains(logs.String(), "send the body: secret") {
		t.Errorf("lines that fail: logged %s", logs.String())
	}
}

// If a sequence ends because the deadline of the request has passed, the response is incomplete,
// even if the sequence returns no error.
func TestSequencesThatAreLate(t *testing.T) { synctest.Test(t, testSequencesThatAreLate) }

func testSequencesThatAreLate(t *testing.T) {
	app, api := newTyped()
	type lines struct {
		Lines iter.Seq[int] `body:"application/jsonl"`
	}
	type fallible struct {
		Lines iter.Seq2[int, error] `body:"application/jsonl"`
	}
	type written struct {
		Body func(io.Writer) error `body:"text/plain"`
	}
	silent := func(ctx context.Context) iter.Seq[int] {
		return func(yield func(int) bool) {
			yield(1)
			<-ctx.Done()
		}
	}
	telling := func(ctx context.Context, err error) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			yield(1, nil)
			if <-ctx.Done(); err != nil {
				yield(0, err)
			}
		}
	}
	apidoc.Get(api, "/lines/silent", "", func(ctx context.Context, _ struct{}) (lines, error) { return lines{silent(ctx)}, nil }, apidoc.ID("a"))
	apidoc.Get(api, "/lines/fallible", "", func(ctx context.Context, _ struct{}) (fallible, error) { return fallible{telling(ctx, nil)}, nil }, apidoc.ID("b"))
	apidoc.Get(api, "/lines/telling", "", func(ctx context.Context, _ struct{}) (fallible, error) {
		return fallible{telling(ctx, context.DeadlineExceeded)}, nil
	}, apidoc.ID("c"))
	apidoc.Get(api, "/events/silent", "", func(ctx context.Context, _ struct{}) (iter.Seq[int], error) { return silent(ctx), nil }, apidoc.ID("d"))
	apidoc.Get(api, "/events/fallible", "", func(ctx context.Context, _ struct{}) (iter.Seq2[int, error], error) { return telling(ctx, nil), nil }, apidoc.ID("e"))
	apidoc.Get(api, "/events/telling", "", func(ctx context.Context, _ struct{}) (iter.Seq2[int, error], error) {
		return telling(ctx, context.DeadlineExceeded), nil
	}, apidoc.ID("f"))
	apidoc.Get(api, "/written", "", func(ctx context.Context, _ struct{}) (written, error) {
		return written{func(w io.Writer) error {
			_, err := io.WriteString(w, "1\n")
			w.(http.Flusher).Flush()
			<-ctx.Done()
			return cmp.Or(err, ctx.Err())
		}}, nil
	}, apidoc.ID("g"))
	client := testenv.Serve(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		app.ServeHTTP(w, r.WithContext(ctx))
	})})
	const problem = "event: problem\ndata: {\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503}\n\n"
	for path, end := range map[string]string{
		"/lines/silent": "", "/lines/fallible": "", "/lines/telling": "", "/written": "",
		"/events/silent": "", "/events/fallible": problem, "/events/telling": problem,
	} {
		response, err := client.Get("http://shop" + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		isCut := errors.Is(err, io.ErrUnexpectedEOF)
		if isCut != (end == "") || !strings.Contains(string(body), "1\n") || !strings.HasSuffix(string(body), end) {
			t.Errorf("%s: got %q, %v", path, body, err)
		}
	}
}

// Complete lines are read, even if the rest of the body cannot be.
func TestLinesBeforeAnError(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, lines iter.Seq2[crate, error]) (string, error) {
		return countLines(lines), nil
	}, apidoc.ID("count"), apidoc.BodyLimit(40))
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(`{"name":"a"}`+"\n"+`{"name":"b"}`+"\n"+`{"name":"ccccccccccccccccccc"}`+"\n")))
	r.Header.Set("Content-Type", "application/jsonl")
	app.ServeHTTP(w, r)
	if got := w.Body.String(); !strings.HasPrefix(got, "a1, b1, ") || !strings.Contains(got, "larger than 40 bytes") {
		t.Errorf("got %s", got)
	}
}

// Each line is sent immediately.
func TestLinesAreSentImmediately(t *testing.T) {
	app, api := newTyped()
	next := make(chan int)
	type lines struct {
		Lines iter.Seq[int] `body:"application/x-ndjson"`
	}
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (lines, error) {
		return lines{func(yield func(int) bool) {
			for n := range next {
				if !yield(n) {
					return
				}
			}
		}}, nil
	}, apidoc.ID("get"))
	server := httptest.NewServer(apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) }))
	defer server.Close()
	go func() { next <- 0 }()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text := bufio.NewScanner(response.Body)
	for n := range 3 {
		if n > 0 {
			next <- n
		}
		if !text.Scan() || text.Text() != fmt.Sprint(n) {
			t.Fatalf("got %q, want %d", text.Text(), n)
		}
	}
	close(next)
	if text.Scan() || text.Err() != nil {
		t.Errorf("at the end: %q %v", text.Text(), text.Err())
	}
	if w := call(app, "HEAD", "/", "", ""); w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("HEAD: got %d %s", w.Code, w.Body)
	}
}

// CheckResponses reports lines that differ from their description.
func TestLinesAreChecked(t *testing.T) {
	app := routing.New()
	app.Get("/", func(routing.Context) (routing.Result, error) {
		return routing.Bytes("application/jsonl", []byte("{\"name\":\"a\"}\n{\"name\":1}\n")), nil
	}, apidoc.Describe(apidoc.OperationOf(apidoc.Get(apidoc.NewAPI(routing.New(), info), "/", "", func(context.Context, struct{}) (out struct {
		Lines iter.Seq[crate] `body:"application/jsonl"`
	}, err error) {
		return out, nil
	}, apidoc.ID("lines")))))
	var got string
	call(apidoc.CheckResponses(app, func(_ *http.Request, err error) { got += err.Error() }), "GET", "/", "", "")
	if want := "operation lines: status 200: body /name must be a string"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Heartbeat sets the interval of comments.
func TestHeartbeats(t *testing.T) {
	app, api := newTyped()
	leave := make(chan struct{})
	apidoc.Get(api, "/", "", func(ctx context.Context, _ struct{}) (iter.Seq[int], error) {
		return func(func(int) bool) {
			select {
			case <-leave:
			case <-ctx.Done():
			}
		}, nil
	}, apidoc.ID("wait"), apidoc.Heartbeat(time.Millisecond))
	server := httptest.NewServer(app)
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text := bufio.NewScanner(response.Body)
	for range 6 { // the first comment, and two more
		if !text.Scan() || strings.Trim(text.Text(), ":") != "" {
			t.Fatalf("got %q %v, want comments", text.Text(), text.Err())
		}
	}
	close(leave)
}

// The value that comes with an error is zero, also after parts of it were decoded.
func TestValueOfInvalidLineIsZero(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, lines iter.Seq2[crate, error]) (string, error) {
		for c, err := range lines {
			if isZero := c == (crate{}); isZero != (err != nil) {
				t.Errorf("got %+v with the error %v", c, err)
			}
		}
		return "", nil
	})
	body := `{"name":"a","count":2}` + "\n" + `{"name":"b","count":"x"}` + "\n" + `{"name":"xx","count":2}` + "\n{\n" + strings.Repeat("x", 1<<17)
	if w := call(app, "POST", "/", "application/jsonl", body); w.Code != 200 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// A line has nothing of the line before it.
func TestLinesAreIndependent(t *testing.T) {
	type link struct {
		Name string         `json:"name,omitempty"`
		Next *int           `json:"next,omitempty"`
		Of   map[string]int `json:"of,omitempty"`
		Any  any            `json:"any,omitempty"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, lines iter.Seq2[link, error]) (all []link, _ error) {
		for l, err := range lines {
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
		return all, nil
	}, apidoc.ID("link"))
	const full = `{"name":"a","next":1,"of":{"x":1},"any":{"y":2}}`
	w := call(app, "POST", "/", "application/jsonl", full+"\n{}\n"+`{"next":2,"of":{"z":3},"any":{}}`)
	if got, want := w.Body.String(), "["+full+`,{},{"next":2,"of":{"z":3},"any":{}}]`; got != want {
		t.Errorf("got %d %s, want %s", w.Code, got, want)
	}
}
