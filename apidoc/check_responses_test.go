package apidoc_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// CheckResponses knows the Content-Type that net/http adds to a response, that a tag has all types
// of a body, and that a response without a described body has no JSON. It does not read encoded
// bodies, and checks the Content-Type for HEAD.
func TestCheckResponsesWithoutTypeOrBody(t *testing.T) {
	var set http.Header // by the handler
	var text string
	handler := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range set {
			w.Header()[name] = values
		}
		io.WriteString(w, text)
	}))
	app := routing.New()
	app.Get("/text", handler, apidoc.Describe(apidoc.NewOperation[struct{}, string]("text", "")))
	app.Get("/json", handler, apidoc.Describe(apidoc.NewOperation[struct{}, Plum]("json", "")))
	app.Get("/listed", handler, apidoc.Describe(apidoc.NewOperation[struct{}, struct {
		Body Plum `body:"application/json"`
	}]("listed", "")))
	app.Get("/none", handler, apidoc.Describe(apidoc.NewOperation[struct{}, struct{}]("none", "", apidoc.Status(200))))
	var reported string
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = err.Error() })
	json, plum := http.Header{"Content-Type": {"application/json"}}, http.Header{"Content-Type": {"application/vnd.plum+json"}}
	for _, c := range []struct {
		path, text string
		set        http.Header
		want       string
	}{
		{"/json", "\x1f\x8b", http.Header{"Content-Type": json["Content-Type"], "Content-Encoding": {"gzip"}}, ""},
		{"/text", "oak", nil, ""},
		{"/text", "<html>", nil, `operation text: status 200: content type "text/html; charset=utf-8", described is text/plain`},
		{"/text", "oak", http.Header{"Content-Type": nil}, `operation text: status 200: content type "", described is text/plain`},
		{"/text", "oak", http.Header{"Content-Encoding": {"x"}}, `operation text: status 200: content type "", described is text/plain`},
		{"/json", `{"name":"a"}`, plum, ""},
		{"/listed", `{"name":"a"}`, json, ""},
		{"/listed", `{"name":"a"}`, plum, `operation listed: status 200: content type "application/vnd.plum+json", described is application/json`},
		{"/none", `{"a":1}`, json, "operation none: status 200: the response has JSON, described is no body"},
		{"/none", "oak", nil, ""},
		{"/none", "", json, ""},
	} {
		text, set, reported = c.text, c.set, ""
		if call(checked, "GET", c.path, "", ""); reported != c.want {
			t.Errorf("%s %q %v: reported %q, want %q", c.path, c.text, c.set, reported, c.want)
		}
	}
	const want = `operation json: status 200: content type "text/html", described is application/json`
	text, set = "", http.Header{"Content-Type": {"text/html"}}
	if call(checked, "HEAD", "/json", "", ""); reported != want {
		t.Errorf("HEAD: reported %q, want %q", reported, want)
	}
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	call(apidoc.CheckResponses(app, nil), "HEAD", "/json", "", "")
	if !strings.Contains(logged.String(), "ERROR response differs from its description method=HEAD path=/json error=") {
		t.Errorf("without a function, logged %q", &logged)
	}
}

// A body of at most 1 MiB is checked. A 206 or 416 need not be described if a Range asks for it.
// A response that a handler writes to the connection, such as a WebSocket's, is not checked.
func TestCheckResponsesOfHijackedConnections(t *testing.T) {
	app := routing.New()
	app.Get("/", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
		conn.Close()
	})), apidoc.Describe(apidoc.NewOperation[struct{}, Plum]("socket", "")))
	reports, ended := make(chan error, 1), make(chan struct{})
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reports <- err })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		checked.ServeHTTP(w, r)
		close(ended)
	}))
	defer server.Close()
	response, err := http.Get(server.URL)
	<-ended
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("got %v, %v", response, err)
	}
	if len(reports) > 0 {
		t.Errorf("reported %v, want nothing", <-reports)
	}
}

// A list in a header may be in one line (RFC 9110, 5.3).
func TestCheckResponsesWithListsInHeaders(t *testing.T) {
	type output struct {
		IDs    []int    `header:"X-IDs"`
		Cookie []string `header:"Set-Cookie" pattern:"^id="`
	}
	var set http.Header
	app := routing.New()
	app.Get("/", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range set {
			w.Header()[name] = values
		}
	})), apidoc.Describe(apidoc.NewOperation[struct{}, output]("listed", "", apidoc.Status(200))))
	var reported string
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = err.Error() })
	for _, c := range []struct {
		name   string
		values []string
		want   string
	}{
		{"X-Ids", []string{"1", "2"}, ""},
		{"X-Ids", []string{"1, 2", "3,4"}, ""},
		{"X-Ids", []string{"1, x"}, "operation listed: header X-IDs must be an integer"},
		{"Set-Cookie", []string{"id=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT"}, ""},
	} {
		set, reported = http.Header{c.name: c.values}, ""
		if call(checked, "GET", "/", "", ""); reported != c.want {
			t.Errorf("%s %q: reported %q, want %q", c.name, c.values, reported, c.want)
		}
	}
}

// CheckResponses detects a Content-Type as a server does, which sends it with the first bytes.
func TestCheckResponsesDetectsTypes(t *testing.T) {
	const png = "\x89PNG\x0D\x0A\x1A\x0A"
	var writes []string // "" is an empty write, "flush" a flush
	app := routing.New()
	app.Get("/", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, text := range writes {
			if text == "flush" {
				http.NewResponseController(w).Flush()
				continue
			}
			io.WriteString(w, text)
		}
	})), apidoc.Describe(apidoc.NewOperation[struct{}, struct {
		Body []byte `body:"image/png"`
	}]("image", "")))
	var reported string
	ended := make(chan struct{}, 1)
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = err.Error() })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reported = ""
		checked.ServeHTTP(w, r)
		ended <- struct{}{}
	}))
	defer server.Close()
	for _, c := range [][]string{
		{png},
		{"", png},
		{png[:1], png[1:]},
		{png + strings.Repeat("x", 1<<20)},
		{png, "flush", "more"},
		{"flush", png},
		{png[:1], "flush", png[1:]},
	} {
		writes = c
		response, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		<-ended
		want := ""
		if sent := response.Header.Get("Content-Type"); sent != "image/png" {
			want = fmt.Sprintf("operation image: status 200: content type %q, described is image/png", sent)
		}
		if reported != want {
			t.Errorf("%.20q: reported %q, want %q", c, reported, want)
		}
	}
}

func TestCheckResponsesOfOtherLetterCase(t *testing.T) {
	app := routing.New()
	app.Get("/", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-RateLimit"] = []string{"many"}
	})), apidoc.Describe(apidoc.NewOperation[struct{}, struct {
		Limit int `header:"X-RateLimit"`
	}]("limited", "", apidoc.Status(200))))
	var reported string
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = err.Error() })
	if call(checked, "GET", "/", "", ""); !strings.HasPrefix(reported, "operation limited: header X-RateLimit ") {
		t.Errorf("reported %q, want the header", reported)
	}
}

func TestCheckResponsesOfLargeBodiesAndRanges(t *testing.T) {
	status, size := 200, 0
	app := routing.New()
	app.Get("/", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, strings.Repeat("x", size))
	})), apidoc.Describe(apidoc.NewOperation[struct{}, Plum]("plum", "")))
	var reported string
	checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = err.Error() })
	for _, c := range []struct {
		name         string
		status, size int
		headers      []string
		want         string
	}{
		{"1 MiB", 200, 1 << 20, nil, "operation plum: status 200: the body is not JSON"},
		{"more than 1 MiB", 200, 1<<20 + 1, nil, ""},
		{"a range", 206, 1, []string{"Range", "bytes=0-0"}, ""},
		{"a range that is not satisfiable", 416, 1, []string{"Range", "bytes=9-"}, ""},
		{"a 206 without a Range", 206, 1, nil, "operation plum: status 206 is not described"},
	} {
		status, size, reported = c.status, c.size, ""
		if call(checked, "GET", "/", "", "", c.headers...); reported != c.want {
			t.Errorf("%s: reported %q, want %q", c.name, reported, c.want)
		}
	}
}
