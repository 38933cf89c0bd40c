package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// oldSite is a site before the move. Its pages contain its own URL.
func oldSite() http.Handler { return pages("") }

// movedSite is the site after the move, below a prefix and with some mistakes.
func movedSite(base string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(base+"/", http.StripPrefix(base, pages(base)))
	send := func(path string, status int, contentType, body string) {
		mux.HandleFunc(base+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		})
	}
	send("/wrong/number", 200, "application/json", `{"id":9007199254740993}`)
	send("/wrong/member", 200, "application/json", `{"list":[{"a/b":1}]}`)
	send("/wrong/status", 404, "text/plain", "not found")
	send("/wrong/type", 200, "text/plain", "<p>a</p>")
	send("/wrong/link", 200, "text/html", `<p>Read <a href="/b">this</a></p>`)
	send("/wrong/text", 200, "text/plain; charset=utf-8", "one\nthree\n")
	send("/wrong/bytes", 200, "image/png", "b")
	return mux
}

func pages(base string) http.Handler {
	mux := http.NewServeMux()
	send := func(path, contentType, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			fmt.Fprint(w, body)
		})
	}
	spelling := map[bool]string{true: `{"a":1.0,"b":[true,null,"x"]}`, false: ` {"b": [true, null, "\u0078"], "a": 1}`}
	send("/json", "application/json", spelling[base == ""])
	markup := map[bool]string{
		true:  "<!DOCTYPE html>\n<p class=x>Hello   <b>you</b></p><script>a()</script><a id=1 href='/flowers'>flowers</a>",
		false: "<p>Hello <b>you</b></p>\n<script>b()</script>\n<a href=\"" + base + "/flowers\">flowers</a>\n",
	}
	send("/page", "text/html; charset=UTF-8", markup[base == ""])
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+base+"/page")
		w.WriteHeader(303)
	})
	mux.HandleFunc("/home", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", cmp.Or(base, "/"))
		w.WriteHeader(302)
	})
	mux.HandleFunc("/packed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed, _ := gzip.NewWriterLevel(w, map[bool]int{true: 1, false: 9}[base == ""])
		fmt.Fprint(packed, strings.Repeat("packed ", 1000))
		packed.Close()
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("a") != "1 2" {
			w.WriteHeader(400)
		}
	})
	checked := map[bool]string{true: "<input checked='checked' type=TEXT>", false: `<input type="text" checked>`}
	send("/paths", "text/html", fmt.Sprintf(`<a href="%s">home</a> <a href="%s?a">/workshop/ and /a/shop/b</a>%s<form method=%s>`,
		cmp.Or(base, "/"), cmp.Or(base, "/"), checked[base == ""], map[bool]string{true: "POST", false: "post"}[base == ""]))
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "of " + base, Path: "/"})
	})
	mux.HandleFunc("/me", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err != nil {
			w.WriteHeader(401)
		}
		fmt.Fprint(w, r.Header.Get("X-Own"), r.Header.Get("Host"))
	})
	mux.HandleFunc("/now", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "token=%p;", r) })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	send("/wrong/number", "application/json", `{"id":9007199254740992}`)
	send("/wrong/member", "application/json", `{"list":[{"a/b":2}]}`)
	send("/wrong/status", "text/plain", "found")
	send("/wrong/type", "text/html", "<p>a</p>")
	send("/wrong/link", "text/html", `<p>Read <a href="/a">this</a></p>`)
	send("/wrong/text", "text/plain; charset=utf-8", "one\ntwo\n")
	send("/wrong/bytes", "image/png", "a")
	return mux
}

func compressed(text string) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	fmt.Fprint(w, text)
	w.Close()
	return b.String()
}

// compareSites runs the program for both sites.
func compareSites(t *testing.T, list string, flags ...string) (status int, printed string, err error) {
	t.Helper()
	old := httptest.NewServer(oldSite())
	t.Cleanup(old.Close)
	moved := httptest.NewServer(movedSite("/shop"))
	t.Cleanup(moved.Close)
	var out strings.Builder
	args := append(append([]string{"-quiet"}, flags...), old.URL, moved.URL+"/shop/")
	status, err = run(context.Background(), args, strings.NewReader(list), &out, &out)
	return status, out.String(), err
}

func TestAlike(t *testing.T) {
	const har = `{"log":{"entries":[
		{"request":{"method":"POST","url":"https://shop.example/login","headers":[{"name":"Host","value":"shop.example"}],"postData":{"text":"name=ann"}}},
		{"request":{"method":"GET","url":"https://shop.example/me?all=1#top","headers":[
			{"name":"X-Own","value":"kept"},{"name":"Cookie","value":"session=another"},{"name":"if-none-match","value":"\"1\""},{"name":":authority","value":"x"}]}}
	]}}`
	for name, c := range map[string]struct {
		list   string
		flags  []string
		counts string // at the end of what is printed
	}{
		"lines":               {"/json\n\n# a comment\nGET /page\nHEAD /page\nGET /redirect\n", nil, "4 requests listed: 4 alike, 0 differ, 0 without a response"},
		"two slashes":         {"GET /page\nGET //host/page\n", nil, "2 requests listed: 2 alike"},
		"repeated":            {"/json\n/json\n", nil, "1 alike, 0 differ, 0 without a response, 1 repeated"},
		"common log":          {`127.0.0.1 - ann [10/Oct/2000:13:55:36 -0700] "GET /json HTTP/1.0" 200 2326`, nil, "1 alike"},
		"combined log":        {`shop:80 ::1 - - [10/Oct/2000:13:55:36 +0000] "GET /page?a=\"b\" HTTP/1.1" 200 1 "http://x/" "Mozilla/5.0 \"x\""` + "\n" + `::1 - - [x] "-" 400 0 "-" "-"`, nil, "1 requests listed: 1 alike"},
		"nginx's binary line": {`::1 - - [x] "\x16\x03\x01" 400 0` + "\n" + `::1 - - [x] "GET /json HTTP/1.1" 200 0`, []string{"-format", "log"}, "1 requests listed: 1 alike"},
		"JSON lines":          {`{"request":{"method":"GET","uri":"/json"},"status":200}` + "\n" + `{"event":"start"}` + "\n" + `{"method":"GET","path":"/page"}` + "\n" + `{"request":"GET /redirect HTTP/1.1"}` + "\n", nil, "3 requests listed: 3 alike"},
		"left out":            {"POST /login\n/json\n", nil, "1 alike, 0 differ, 0 without a response, 1 left out because they may change data (-unsafe sends them)"},
		"HAR with a login":    {har, []string{"-unsafe"}, "2 requests listed: 2 alike"},
		"what is ignored":     {"/now\n", []string{"-ignore", "token=[^;]*"}, "1 alike"},
		"a HAR in one line":   {strings.Join(strings.Fields(har), " ") + "\n", []string{"-unsafe"}, "2 requests listed: 2 alike"},
		"HAR of a page": {"\ufeff" + `{"log":{"entries":[
			{"request":{"method":"GET","url":"data:image/png;base64,AA=="}},
			{"request":{"method":"GET","url":"https://shop.example/page"}},
			{"request":{"method":"GET","url":"https://fonts.example/css?family=x"}},
			{"request":{"method":"GET","url":"wss://shop.example/live"}},
			{"request":{"method":"POST","url":"https://shop.example/echo","headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"}],
				"postData":{"params":[{"name":"a","value":"1 2"}]}}}]}}`, []string{"-unsafe"}, "2 requests listed: 2 alike, 0 differ, 0 without a response, 3 skipped"},
		"a line that was cut":  {`{"method":"GET","path":"/json"}` + "\n" + `{"method":"GET","pa`, nil, "1 alike, 0 differ, 0 without a response, 1 skipped"},
		"bytes in a log":       {`::1 - - [x] "GET /page?q=\xE2\x98\x83\x22 HTTP/1.1" 200 0`, nil, "1 requests listed: 1 alike"},
		"compressed log":       {compressed(`::1 - - [x] "GET /json HTTP/1.1" 200 0` + "\n"), nil, "1 requests listed: 1 alike"},
		"compressed responses": {"/packed\nHEAD /packed\n", []string{"-H", "Accept-Encoding: gzip"}, "2 alike"},
		"paths below a prefix": {"/paths\n", nil, "1 alike"},
		"the redirect to it":   {"/home\n", nil, "1 alike"},
		"a header of its own":  {"/me\n", []string{"-H", "Cookie: session=1"}, "1 alike"},
	} {
		t.Run(name, func(t *testing.T) {
			status, printed, err := compareSites(t, c.list, c.flags...)
			if status != exitEqual || err != nil || !strings.Contains(printed, c.counts) {
				t.Errorf("got status %d, error %v and:\n%swant status 0 and %q", status, err, printed, c.counts)
			}
		})
	}
}

// TestDifferences compares what is printed with a golden file.
func TestDifferences(t *testing.T) {
	list := "/json\n/wrong/number\n/wrong/member\n/wrong/status\n/wrong/type\n/wrong/link\n/wrong/text\n/wrong/bytes\n/now?1\n"
	status, printed, err := compareSites(t, list, "-ignore", "0x[0-9a-f]+", "-show", "7")
	if status != exitDiffer || err != nil {
		t.Errorf("got status %d and error %v, want 1", status, err)
	}
	name := filepath.Join("testdata", "differences.txt")
	if *update {
		if err := os.WriteFile(name, []byte(printed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if printed != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", printed, want)
	}
}

func TestNoResponse(t *testing.T) {
	status, printed, err := compareSites(t, "/gone\n/json\n")
	if status != exitError || err != nil || !strings.Contains(printed, "not compared") || !strings.Contains(printed, "1 alike, 0 differ, 1 without") {
		t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		input string
		want  string
	}{
		"one address":    {[]string{"http://a"}, "", "compare OLD NEW [FILE]"},
		"no address":     {[]string{"a", "http://b"}, "", `"a" is not the URL of a server`},
		"unknown format": {[]string{"-format", "xml", "http://a", "http://b"}, "", "unknown format"},
		"missing file":   {[]string{"http://a", "http://b", "testdata/missing"}, "", "no such file"},
		"no path":        {[]string{"http://a", "http://b"}, "GET flowers", "line 1: the path"},
		"no method":      {[]string{"http://a", "http://b"}, "get /flowers", "line 1: \"get\" is not a method"},
		"not a HAR file": {[]string{"-format", "har", "http://a", "http://b"}, "{}", "the member \"log\" is missing"},
		"not JSON":       {[]string{"-format", "json", "http://a", "http://b"}, "/a", "it has no request in the format \"json\""},
		"none at once":   {[]string{"-parallel", "0", "http://a", "http://b"}, "", "must be above 0"},
		"expression":     {[]string{"-ignore", "(", "http://a", "http://b"}, "", "missing closing )"},
		"no request":     {[]string{"http://a", "http://b"}, "# nothing\n", "it has no request in the format \"lines\""},
		"broken gzip":    {[]string{"http://a", "http://b"}, "\x1f\x8b\x08", "unexpected EOF"},
		"broken HAR":     {[]string{"http://a", "http://b"}, `{"log":{"entries":[`, "not a HAR file"},
		"two hosts":      {[]string{"-H", "Host: a", "-H", "host: b", "http://a", "http://b"}, "", "a request has one Host"},
		"no such header": {[]string{"-headers", "-X-Shop", "http://a", "http://b"}, "", "X-Shop is not among the compared ones"},
		"a body of GET":  {[]string{"http://a", "http://b"}, "GET /a b", "line 1: \"b\" after the path is a body"},
		"a long line":    {[]string{"http://a", "http://b"}, "/a\n/" + strings.Repeat("b", 64<<20), "line 2 is longer than 64 MiB"},
		"header":         {[]string{"-H", "a", "http://a", "http://b"}, "", "Name: value"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			status, err := run(context.Background(), c.args, strings.NewReader(c.input), &out, &out)
			if status != exitError || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got status %d and error %v, want 2 and %q", status, err, c.want)
			}
		})
	}
}

// Requests of a recording run in order, and each server sees the cookies that it has set.
func TestRecordingsRunInOrder(t *testing.T) {
	status, printed, err := compareSites(t, "/me\nPOST /login\n/me\n", "-unsafe")
	if status != exitEqual || err != nil || !strings.Contains(printed, "3 alike") {
		t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{`1e2`, `[1,{"a":null}]`, `1e999999999`, `"\ud800"`, `{"a":1,"a":2}`, ``} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if found, ok := compareJSON(text, text); len(found) > 0 || ok != (utf8.ValidString(text) && json.Valid([]byte(text))) {
			t.Errorf("%q differs from itself: %v, %v", text, found, ok)
		}
		compareJSON(text, `[]`)
		linesOf(text)
	})
}

// No list causes a panic, and each request that is read can be sent.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`{"log":{"entries":[{"request":{"method":"GET","url":"http://a/b"}}]}}`, `x "GET /\xE2 HTTP/1.1"`, `{"method":"GET","uri":"/a"}`, "GET /a\n/b"} {
		f.Add(text, "auto")
	}
	f.Fuzz(func(t *testing.T, text, format string) {
		found, err := read(strings.NewReader(text), format)
		if err != nil {
			return
		}
		for _, r := range found.requests {
			if _, err := http.NewRequest(r.method, "http://127.0.0.1"+r.target, strings.NewReader(r.body)); err != nil {
				t.Errorf("%q cannot be sent: %v", r, err)
			}
		}
	})
}
