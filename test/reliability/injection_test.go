package reliability_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/reason"
)

// If an app copies input to a header, the input never becomes another header or response: the
// header has it unchanged, or the response is a 500 without it. The test uses a recorder, because
// net/http replaces line breaks by spaces.

// An echo copies the parameter v of a request to the head of the response.
type echo struct {
	path   string
	action func(c routing.Context, v string) (routing.Result, error)
	where  string           // the header that has v; empty for none
	status int              // of the response
	legal  func(string) int // 0 if v may be sent, or else the status of the response
}

// refusing returns the status for invalid values.
func refusing(legal func(string) bool) func(string) int {
	return func(v string) int {
		if legal(v) {
			return 0
		}
		return http.StatusInternalServerError
	}
}

var echoes = []echo{
	{"/bytes", func(_ routing.Context, v string) (routing.Result, error) {
		return routing.Bytes("text/plain; x="+v, []byte("ok")), nil
	}, "", 200, refusing(isValue)},
	{"/room", func(c routing.Context, v string) (routing.Result, error) {
		return routing.Bytes("text/plain; x="+v, []byte("ok")), nil
	}, "", 200, refusing(isValue)},
	{"/stream", func(_ routing.Context, v string) (routing.Result, error) {
		return routing.Stream("text/plain; x="+v, strings.NewReader("ok")), nil
	}, "", 200, refusing(isValue)},
	{"/header", func(c routing.Context, v string) (routing.Result, error) {
		c.Header().Set("X-Echo", v)
		return routing.Text("ok"), nil
	}, "X-Echo", 200, refusing(isValue)},
	{"/second", func(c routing.Context, v string) (routing.Result, error) {
		c.Header()["X-Echo"] = []string{v, "2"}
		return routing.Stream("text/plain", strings.NewReader("ok")), nil
	}, "X-Echo", 200, refusing(isValue)},
	{"/type", func(c routing.Context, v string) (routing.Result, error) {
		c.SetContentType("text/plain; x=" + v)
		return routing.Text("ok"), nil
	}, "", 200, refusing(isValue)},
	{"/halt", func(_ routing.Context, v string) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Header: http.Header{"X-Echo": {v}}, Body: routing.Text("no")}
	}, "X-Echo", 403, refusing(isValue)},
	{"/name", func(_ routing.Context, v string) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Header: http.Header{"X-" + v: {"1"}}}
	}, "", 403, refusing(isToken)},
	{"/reason", func(_ routing.Context, v string) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Reason: v}
	}, "", 403, refusing(isValue)},
	{"/redirect", func(_ routing.Context, v string) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(v)
	}, "Location", 302, refusing(isValue)},
	{"/error", func(c routing.Context, v string) (routing.Result, error) {
		c.Header().Set("X-Echo", v)
		return routing.Result{}, io.ErrUnexpectedEOF
	}, "", 500, refusing(isValue)},
	{"/after", func(c routing.Context, v string) (routing.Result, error) { return routing.Text("ok"), nil },
		"X-Echo", 200, refusing(isValue)},
	{"/handler", func(c routing.Context, v string) (routing.Result, error) {
		return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Echo", v)
			io.WriteString(w, "ok")
		}))(c)
	}, "X-Echo", 200, refusing(isValue)},
}

// echoing returns an app with all echoes.
func echoing() *routing.App {
	app := routing.New(discarding())
	for _, e := range echoes {
		app.Get(e.path, func(c routing.Context) (routing.Result, error) { return e.action(c, c.Params().GetOr("v", "")) })
	}
	app.Get("/local", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(routing.LocalURL(c.Params().GetOr("v", ""), "/home"))
	})
	app.After(func(c routing.Context) error {
		c.Header().Set("X-Echo", c.Params().GetOr("v", ""))
		return nil
	}, routing.On("/after"))
	return app
}

// injections returns the input: texts of this test and payloads of the public lists, as they are
// and percent-decoded.
var injections = []string{
	"", "plain", "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "\r\n\r\n<script>", "\x00", "a\x00b", "\x7f", "\x1b[2J", "\x0b", "\x0c", "a\tb",
	"\r", "\n", "X-Evil: 1\r\n", "é\u2028\u0085", "\xe5\x98\x8a\xe5\x98\x8dX-Evil: 1", "\xff", "%0d%0aX-Evil: 1", " a ", ",", `"`,
	"//evil.example", `/\evil.example`, "/\t/evil.example", "/\n/evil.example", `\/evil.example`, "https:evil.example", "javascript:alert(1)", "/home?a=//b",
}

func TestHeaderInjection(t *testing.T) {
	t.Run("own", func(t *testing.T) { inject(t, injections) })
	t.Run("public", func(t *testing.T) {
		payloads := inputLines(t, append([]string{"crlfinjection.txt"}, redirects...)...)
		payloads = append(payloads, naughtyStrings(t)...)
		var forms []string
		for _, p := range payloads {
			once := percentDecoded(p)
			forms = append(forms, p, once, percentDecoded(once))
		}
		slices.Sort(forms)
		forms = slices.Compact(forms)
		t.Logf("%d payloads in %d forms, put in %d ways", len(payloads), len(forms), len(echoes)+1)
		inject(t, forms)
	})
}

// inLocation returns a value as redirects send it, with characters beyond ASCII percent-encoded.
func inLocation(v string) string {
	return regexp.MustCompile(`[^\x00-\x7f]`).ReplaceAllStringFunc(v, url.PathEscape)
}

func inject(t *testing.T, values []string) {
	app := echoing()
	// A server with reason phrases, which are written separately from headers.
	server := httptest.NewUnstartedServer(app)
	server.Config.ConnContext = reason.ConnContext
	server.Listener = reason.NewListener(server.Listener)
	w := wireToServer(t, server)
	left, refused := 0, 0
	for _, v := range values {
		query := "?v=" + url.QueryEscape(v)
		for _, e := range echoes {
			recorder := httptest.NewRecorder()
			app.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, e.path+query, nil))
			overTCP, _ := w.get(e.path + query)
			for name, header := range map[string]http.Header{"recorder": recorder.Header(), "wire": overTCP.Header} {
				assertLegal(t, name+" "+e.path, v, header)
			}
			want := e.legal(v)
			if want == 0 {
				want = e.status
				left++
			} else {
				refused++
			}
			if recorder.Code != want || overTCP.StatusCode != want {
				t.Errorf("%s with %q: got status %d and over TCP %d, want %d", e.path, v, recorder.Code, overTCP.StatusCode, want)
			}
			if e.where == "" || want != e.status {
				continue
			}
			sent := v
			if e.where == "Location" {
				sent = inLocation(v)
			}
			if got := recorder.Header()[e.where]; len(got) == 0 || got[0] != sent {
				t.Errorf("%s: got %s %q, want %q", e.path, e.where, got, sent)
			}
			// net/http removes white space around values (RFC 9110, 5.5).
			if got := overTCP.Header[e.where]; len(got) == 0 || got[0] != strings.Trim(sent, " \t") {
				t.Errorf("%s over TCP: got %s %q, want %q", e.path, e.where, got, sent)
			}
		}
		response, _ := w.get("/local" + query)
		if got := response.Header.Get("Location"); response.StatusCode != 302 || got != "/home" && (got != strings.Trim(inLocation(v), " \t") || !staysHere(got)) {
			t.Errorf("a local redirect to %q: got %d to %q", v, response.StatusCode, got)
		}
	}
	t.Logf("%d values left as they are, %d were refused", left, refused)
	if left == 0 || refused == 0 {
		t.Error("the test tests only one half")
	}
}

// assertLegal checks that a header has no line breaks, and nothing that the app did not set.
func assertLegal(t *testing.T, way, v string, header http.Header) {
	t.Helper()
	for name, values := range header {
		if !isToken(name) {
			t.Errorf("%s with %q: the header name %q leaves", way, v, name)
		}
		switch name {
		case "Content-Type", "Content-Length", "Date", "X-Echo", "Location", "X-Content-Type-Options", "Connection", "Transfer-Encoding", "Vary":
		case http.CanonicalHeaderKey("X-" + v):
		default:
			t.Errorf("%s with %q: nobody has set the header %q", way, v, name)
		}
		for _, value := range values {
			if !isValue(value) {
				t.Errorf("%s with %q: the value %q of %s leaves", way, v, value, name)
			}
		}
	}
}

// staysHere reports whether a browser stays on the site when it follows location. Browsers ignore
// tabs and line breaks, read a backslash as a slash, and read two slashes as the start of a host
// (URL Standard, 4.4).
func staysHere(location string) bool {
	read := strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(strings.TrimLeft(location, " \x00"))
	base, _ := url.Parse("https://here.example/x")
	ref, err := url.Parse(read)
	return strings.HasPrefix(read, "/") && !strings.HasPrefix(read, "//") && (err != nil || base.ResolveReference(ref).Host == "here.example")
}

// isValue reports whether v is a valid header value (RFC 9110, 5.5).
func isValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// isToken reports whether v is valid in a header name (RFC 9110, 5.6.2).
func isToken(v string) bool {
	return strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~") == ""
}

// percentDecoded decodes the percent-encoded parts of text.
func percentDecoded(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// wireToServer is wireTo for a server that is not started yet.
func wireToServer(t *testing.T, server *httptest.Server) *wire {
	t.Helper()
	server.Start()
	w := &wire{t: t, address: server.Listener.Addr().String()}
	t.Cleanup(func() {
		w.close()
		server.Close()
	})
	return w
}
