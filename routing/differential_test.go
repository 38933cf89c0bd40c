package routing_test

// This file compares the router with the reference router of reference_test.go and the matchers of
// reference_pattern_test.go, with random route tables and with fuzzing.

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// ask sends a request of a case to handler, without a connection.
func ask(handler http.Handler, r requestCase) rawResponse {
	request := httptest.NewRequest(r.Method, r.Target, strings.NewReader(r.Body))
	if r.Body == "" {
		request.Body = http.NoBody
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, request)
	body := w.Body.String()
	if r.Method == http.MethodHead && w.Header().Get("Content-Type") == "text/plain" {
		body = "" // the next handler's, which the server would not send
	}
	return rawResponse{status: w.Code, header: w.Result().Header, body: body, host: request.Host}
}

// randomTable makes applications with many overlapping routes: short paths of few segments.
type randomTable struct{ *rand.Rand }

func (r randomTable) oneOf(list ...string) string { return list[r.IntN(len(list))] }

func (r randomTable) pattern(syntax string) string {
	switch syntax {
	case "rails":
		pieces := []string{"/a", "/b", "/:x", "/:y", "(/:z)", "(.:f)", "/*p", "/a.b", "(/b)", ":x", "-", `\(`, "(/a(/:w))", "/é", "/(:x)", "(.:f)"}
		return r.join(pieces)
	case "regex":
		return r.oneOf(`^/a/(\w+)$`, `/b`, `^/(a|b)/(.*)$`, `^/a(.*)b$`, `(\d+)`, `^/a/?$`, `(?i)^/A`, `^/(x)?(y)?$`, `a$`, `^/a/b(/c)?`)
	default:
		pieces := []string{"/a", "/b", "/:x", "/:y", "/*", "/?", "/a?", "/:z?", "/:x.:f", "*", "/ab", "/", "-:y", "/é", ".", "/:x-*", "(/a|/:z)", "/{y}", "/{+w}", "/*p", "(/b)?", "(.:f)?", ".?:f?", "(-:w)?"}
		return r.join(pieces)
	}
}

func (r randomTable) join(pieces []string) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		piece := r.oneOf(pieces...)
		if strings.HasPrefix(piece, "?") || strings.HasSuffix(b.String(), "?") && strings.HasPrefix(piece, "?") {
			continue
		}
		b.WriteString(piece)
	}
	return b.String()
}

func (r randomTable) path() string {
	segments := []string{"/a", "/b", "/ab", "/x", "/a.b", "//", "/", "/5", "/a-b", "/%C3%A9", "/a%2Fb", "/%0A", "/%28", "/A", "/a.b.c", "/.a", "/a-5", "/a."}
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(r.oneOf(segments...))
	}
	if path := b.String(); !strings.HasPrefix(path, "//") {
		return path
	}
	return "/a" + b.String()
}

func (r randomTable) conditions() []condition {
	switch r.IntN(6) {
	case 0:
		return []condition{{kind: "header", pair: [2]string{"X-C", "1"}}}
	case 1:
		return []condition{{kind: "query", pair: [2]string{"q", "1"}}, {kind: "constant", constant: r.IntN(4) > 0}}
	}
	return nil
}

// steps returns an action. name identifies it.
func (r randomTable) steps(name string) []step {
	steps := []step{{do: "trace", text: name}}
	for range r.IntN(3) {
		switch r.IntN(8) {
		case 0:
			steps = append(steps, step{do: "text", text: name})
		case 1:
			steps = append(steps, step{do: "multi", text: r.oneOf("x", "y", "splat", "captures", "q", "z", "p", "f", "")})
		case 2:
			steps = append(steps, step{do: "all"})
		case 3:
			steps = append(steps, step{do: "status", number: 200 + r.IntN(6)})
		case 4:
			steps = append(steps, step{do: "header", pair: [2]string{"X-A", name}})
		case 5:
			steps = append(steps, step{do: "param_get", text: r.oneOf("x", "splat", "q")})
		case 6:
			steps = append(steps, step{do: "content_type", text: "text/css"})
		case 7:
			steps = append(steps, step{do: "param", text: r.oneOf("x", "q")})
		}
	}
	switch r.IntN(12) {
	case 0, 1, 2:
		steps = append(steps, step{do: "pass"})
	case 3:
		steps = append(steps, step{do: "raise", text: "boom " + name})
	case 4:
		body := "halted " + name
		steps = append(steps, step{do: "halt", halt: haltParts{Status: 400 + r.IntN(5), Body: &body}})
	case 5:
		steps = append(steps, step{do: "halt", halt: haltParts{Headers: map[string]string{"X-A": "halt"}}})
	case 6:
		steps = append(steps, step{do: "redirect", text: "/" + name})
	}
	return steps
}

func (r randomTable) app() appCase {
	app := appCase{
		Style: r.oneOf("servlet", "servlet", "filter"), Mount: r.oneOf("", "", "/m"), MethodOverride: r.IntN(4) == 0, FirstMatch: r.IntN(2) == 0,
		LooseSlashes: r.IntN(4) == 0, Format: r.IntN(4) == 0,
	}
	for i := range 1 + r.IntN(14) {
		d := definition{Action: r.steps(strconv.Itoa(i)), Conditions: r.conditions()}
		syntax := r.oneOf("sinatra", "sinatra", "sinatra", "rails", "regex", "none")
		pattern := r.pattern(syntax)
		switch r.IntN(12) {
		case 0:
			d.Before = r.filter(app.defaultSyntax())
		case 1:
			d.After = r.filter(app.defaultSyntax())
		case 2:
			d = definition{NotFound: true, Action: d.Action}
		case 3:
			d = definition{Error: true, Action: append(d.Action, step{do: "error_message"})}
		default:
			d.Route, d.Syntax, d.Pattern = r.oneOf("GET", "GET", "GET", "POST", "HEAD", "PUT", "QUERY"), syntax, &pattern
			if syntax == "none" {
				d.Pattern = nil
			}
			if app.Format && syntax == "rails" && pattern != "/" && !strings.HasSuffix(pattern, "/") && r.IntN(3) == 0 {
				d.Where = [][2]string{{"format", r.oneOf("[a-z]", `b\.c`, "[^/]+", "[a-z.]+")}}
			} else if name := r.oneOf("x", "y", "z", "f", "p"); syntax != "regex" && strings.ContainsAny(pattern, ":*") && r.IntN(3) == 0 && regexp.MustCompile(`[:*]`+name+`\b`).MatchString(pattern) {
				d.Where = [][2]string{{name, r.oneOf("[0-9]+", "[a-z]+", "[^/]+", "[^/]+?", "a|b|5", "[a-z.]+", "[a-z]{2}", "é|[a-z]+")}}
			}
		}
		app.Define = append(app.Define, d)
	}
	return app
}

func (r randomTable) filter(syntax string) filterPattern {
	f := filterPattern{given: true}
	if r.IntN(2) == 0 {
		pattern := r.pattern(syntax)
		f.pattern = &pattern
	}
	return f
}

func (r randomTable) request(app appCase) requestCase {
	request := requestCase{
		Method:  r.oneOf("GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "QUERY", "CONNECT"),
		Target:  r.oneOf(app.Mount, app.Mount, app.Mount, "") + r.path() + r.oneOf("", "", "?q=1", "?q=2&x=q", "?=v&y=%zz"),
		Headers: map[string]string{},
	}
	if r.IntN(50) == 0 && request.Method != "CONNECT" {
		request.Target = r.oneOf("http:a/b", "http:http://a/a/b")
	}
	if r.IntN(3) == 0 {
		request.Headers["X-C"] = "1"
	}
	if request.Method != "GET" && request.Method != "HEAD" {
		switch r.IntN(3) {
		case 0:
			request.Headers["Content-Type"] = "application/x-www-form-urlencoded"
			request.Body = r.oneOf("x=form&q=f", "_method=put", "_method=nonsense&x=1", "")
		case 1:
			request.Headers["Content-Type"] = "application/json"
			request.Body = r.oneOf(`{"a":1}`, "")
		}
		if r.IntN(4) == 0 {
			request.Headers["X-HTTP-METHOD-OVERRIDE"] = r.oneOf("DELETE", "put", "PATCH")
		}
	}
	return request
}

// TestRandomTables compares thousands of random applications with the reference router.
// RANDOM_TABLES says how many, RANDOM_TABLES_SEED gives a seed. About half of the tables that are
// made have a pattern that cannot be read: they are not counted.
func TestRandomTables(t *testing.T) {
	seed := rand.Uint64()
	if given := os.Getenv("RANDOM_TABLES_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("RANDOM_TABLES_SEED=%d", seed)
	r := randomTable{rand.New(rand.NewPCG(seed, 0))}
	tables, requests := runs(100, 2000), 12
	if given := os.Getenv("RANDOM_TABLES"); given != "" {
		var err error
		if tables, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	for compared := 0; compared < tables; {
		app := r.app()
		handler, err := buildCase(app, raiseReturned)
		if err != nil {
			continue
		}
		compared++
		for range requests {
			request := r.request(app)
			request.Expect = referenceResponse(app, request)
			if err := request.Expect.compare(ask(handler, request)); err != nil {
				t.Fatalf("%s %s: %v\n%s", request.Method, request.Target, err, asCase(app, request))
			}
		}
	}
}

// comparePattern compares a pattern with both matchers.
func comparePattern(t *testing.T, syntax, text, path string, read func(string) (routing.Pattern, error)) {
	pattern, err := read(text)
	wanted, wantErr := newReferencePattern(syntax, &text, rules{})
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("pattern %q: got error %v, want %v", text, err, wantErr)
	}
	if err != nil {
		return
	}
	captures, want := wanted.match(path)
	if got := pattern.Match(path); got != want {
		t.Fatalf("pattern %q on %q: match is %v, want %v", text, path, got, want)
	}
	list, err := readReference(syntax, text, rules{})
	if err != nil {
		t.Fatalf("pattern %q: the trying matcher cannot read it: %v", text, err)
	}
	tried, also, err := (&backtrackingMatcher{steps: 20_000}).match(list, path)
	if err == nil && (also != want || want && !slices.Equal(tried, captures)) {
		t.Fatalf("pattern %q on %q: the references disagree: %v %v, %v %v", text, path, captures, want, tried, also)
	}
	if !want {
		return
	}
	// No definition may have an alternative that matches no path, whatever the others match.
	defer func() {
		if v := recover(); v != nil && !strings.Contains(fmt.Sprint(v), "all alternatives must start with /") {
			panic(v)
		}
	}()
	app := routing.New()
	app.Route(http.MethodGet, pattern, func(c routing.Context) (routing.Result, error) {
		for _, key := range c.Params().Keys() {
			if want := valuesIn(captures, key); !slices.Equal(c.Params().Values(key), want) {
				t.Errorf("pattern %q on %q: values of %q are %q, want %q", text, path, key, c.Params().Values(key), want)
			}
		}
		for _, capture := range captures {
			if value, ok := c.Params().Get(capture.key); !ok || value != valuesIn(captures, capture.key)[0] {
				t.Errorf("pattern %q on %q: %q is %q %v, want %q", text, path, capture.key, value, ok, capture.value)
			}
		}
		return routing.Text("matched"), nil
	})
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.URL.Path = path
	w := httptest.NewRecorder()
	app.ServeHTTP(w, request)
	if w.Body.String() != "matched" {
		t.Fatalf("pattern %q on %q: matches, but the index does not find it: %d", text, path, w.Code)
	}
}

// pathOf makes a path from the fuzzer's input: with a leading slash, and within the limit.
func pathOf(path string) string {
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	return path[:min(len(path), 200)]
}

func FuzzSinatra(f *testing.F) {
	for _, pattern := range []string{"/", "/:a", "/*", "*", "/a?", "/:a?/b", "/:a.:b", "/*/x/*", "/ab/?", "/:a?x?", "/ü?", "?", "a??", "/:", "/a*b*", "//", "", "/(a|b)?/:c", "/{a}/{+b}/*c", "/:a(.:b)?", "/:a.?:b?/c", "/:a(-:b)?", "(/a|/:b)?c", "/((a)|)", "*a|", `/a\{b`, `/\:x\*?`, `/a\b?`} {
		for _, path := range []string{"/", "/a", "/a/b", "/a.b.c", "/a\nb", "/ü", "/\xff", "//", "/x/x/x", "/xx"} {
			f.Add(pattern, path)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 40 || pattern != strings.ToValidUTF8(pattern, "") {
			t.Skip()
		}
		comparePattern(t, "sinatra", pattern, pathOf(path), routing.Sinatra)
	})
}

func FuzzRails(f *testing.F) {
	for _, pattern := range []string{"/", "/:a", "/*a", "/:a(.:b)", "(/:a)(/:b)", "/a(/b(/c))", `/\:a`, `\`, "(", ")", "/:1", "/*", "()", "(/a)/a", ":a-:b", "/:a:b", "/a/(:b)", "(a/:b)/c", "/(/a(b))", "/((a)b)(.:c)"} {
		for _, path := range []string{"/", "/a", "/a/b", "/a.b", "/a.b.c", "/:a", "/a-b", "/ab", "/\xff.\n"} {
			f.Add(pattern, path)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 40 || pattern != strings.ToValidUTF8(pattern, "") {
			t.Skip()
		}
		comparePattern(t, "rails", pattern, pathOf(path), routing.Rails)
	})
}

// FuzzApp lets the fuzzer choose a table by its seed, and the request.
func FuzzApp(f *testing.F) {
	f.Add(uint64(1), "GET", "/a", "", "")
	f.Add(uint64(7), "POST", "/a/b?q=1", "application/x-www-form-urlencoded", "_method=put&x=%zz")
	f.Add(uint64(9), "PUT", "/b", "application/json", "{}")
	f.Fuzz(func(t *testing.T, seed uint64, method, target, contentType, body string) {
		request := requestCase{Method: method, Target: target, Body: body, Headers: map[string]string{}}
		if contentType != "" {
			request.Headers["Content-Type"] = contentType
		}
		if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY"}, method) || !sendable(target) || len(body) > 1000 || strings.ContainsAny(contentType, "\r\n\x00") {
			t.Skip()
		}
		app := randomTable{rand.New(rand.NewPCG(seed, 1))}.app()
		handler, err := buildCase(app, raisePanicked)
		if err != nil {
			t.Skip()
		}
		request.Expect = referenceResponse(app, request)
		if err := request.Expect.compare(ask(handler, request)); err != nil {
			t.Fatalf("%v\n%s", err, asCase(app, request))
		}
	})
}

// sendable reports whether target can be sent as it is.
func sendable(target string) bool {
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || len(target) > 1000 || strings.ContainsAny(target, " #\\") {
		return false
	}
	for i := range len(target) {
		if target[i] <= ' ' || target[i] >= 0x7f {
			return false
		}
	}
	r, err := http.NewRequest("GET", "http://x"+target, nil)
	return err == nil && fmt.Sprint(r.URL.RequestURI()) == target
}
