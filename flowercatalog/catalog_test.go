package flowercatalog_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

func newApp(t testing.TB, options ...flowercatalog.Option) *flowercatalog.App {
	t.Helper()
	app, err := flowercatalog.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// ask sends a request with headers as pairs of name and value.
func ask(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var three = []flowercatalog.Flower{{Slug: "rose", Name: "Red <Rose>"}, {Slug: "gül", Name: "Gül"}, {Slug: "a b", Name: "A & B"}}

const threeJSON = `[{"slug":"rose","name":"Red \u003cRose\u003e"},{"slug":"gül","name":"Gül"},{"slug":"a b","name":"A \u0026 B"}]`

func TestResponses(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...))
	const jsonType = "application/json; charset=utf-8"
	const pageType = "text/html; charset=utf-8"
	const missing = `{"status":404,"message":"Slug Not Found","type":"about:blank","title":"Not Found"}`
	for _, test := range []struct {
		method, target string
		status         int
		contentType    string
		body           string // not compared if empty
	}{
		{"GET", "/flowers", 200, jsonType, threeJSON},
		{"GET", "/flowers/", 200, jsonType, threeJSON},
		{"GET", "/flowers/?name=", 200, jsonType, threeJSON},
		{"GET", "/flowers/?other=x", 200, jsonType, threeJSON},
		{"GET", "/flowers/?name=rose", 200, jsonType, `[{"slug":"rose","name":"Red \u003cRose\u003e"}]`},
		{"GET", "/flowers?name=%20", 200, jsonType, `[{"slug":"rose","name":"Red \u003cRose\u003e"},{"slug":"a b","name":"A \u0026 B"}]`},
		{"GET", "/flowers?name=none", 200, jsonType, `[]`},
		{"GET", "/flowers?name=g%C3%BCl&name=rose", 200, jsonType, `[{"slug":"gül","name":"Gül"}]`},
		{"GET", "/flowers?name=&name=rose", 200, jsonType, threeJSON},
		{"GET", "/flowers?name=%zz", 200, jsonType, `[]`},
		{"GET", "/flowers/rose", 200, jsonType, `{"slug":"rose","name":"Red \u003cRose\u003e"}`},
		{"GET", "/flowers/g%C3%BCl", 200, jsonType, `{"slug":"gül","name":"Gül"}`},
		{"GET", "/flowers/a%20b", 200, jsonType, `{"slug":"a b","name":"A \u0026 B"}`},
		{"GET", "/flowers/Rose", 404, jsonType, missing},
		{"GET", "/flowers/a+b", 404, jsonType, missing},
		{"GET", "/flowers/%3Cscript%3E", 404, jsonType, missing},
		{"HEAD", "/flowers", 200, jsonType, ""},
		{"HEAD", "/flowers/none", 404, jsonType, ""},
		{"GET", "/flowers/rose/", 404, pageType, ""},
		{"GET", "/flowers/a/b", 404, pageType, ""},
		{"GET", "/flowers/rose%2Fx", 404, pageType, ""},
		{"GET", "/flowers//", 404, pageType, ""},
		{"POST", "/flowers/", 404, pageType, ""},
		{"DELETE", "/flowers/rose", 404, pageType, ""},
		{"GET", "/", 404, pageType, ""},
		{"GET", "/api-docs//swagger.json", 404, pageType, ""},
		{"GET", "/api-docs", 404, pageType, ""}, // there is no viewer
	} {
		w := ask(app, test.method, test.target)
		if w.Code != test.status || w.Header().Get("Content-Type") != test.contentType {
			t.Errorf("%s %s: got %d %q, want %d %q", test.method, test.target, w.Code, w.Header().Get("Content-Type"), test.status, test.contentType)
		}
		if got := w.Body.String(); test.body != "" && got != test.body {
			t.Errorf("%s %s: got body %s, want %s", test.method, test.target, got, test.body)
		}
		if test.method == "HEAD" && w.Body.Len() > 0 {
			t.Errorf("HEAD %s has a body", test.target)
		}
		if got := w.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s %s: got X-Content-Type-Options %q, want nosniff", test.method, test.target, got)
		}
	}
}

func TestEmptyCatalog(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers())
	for _, target := range []string{"/flowers", "/flowers?name=a"} {
		if got := ask(app, "GET", target).Body.String(); got != "[]" {
			t.Errorf("%s: got %s, want []", target, got)
		}
	}
}

func TestBuiltInFlowers(t *testing.T) {
	var flowers []flowercatalog.Flower
	if err := json.Unmarshal(ask(newApp(t), "GET", "/flowers/").Body.Bytes(), &flowers); err != nil {
		t.Fatal(err)
	}
	nonASCII := slices.ContainsFunc(flowers, func(f flowercatalog.Flower) bool {
		return strings.ContainsFunc(f.Name, func(r rune) bool { return r > 127 })
	})
	if len(flowers) < 12 || !nonASCII {
		t.Errorf("got %d flowers, letters beyond ASCII: %v; want at least 12 and some", len(flowers), nonASCII)
	}
}

// Names are compared by canonical caseless match, whole characters at a time.
func TestSearchIgnoresCase(t *testing.T) {
	for _, test := range []struct {
		name, search string
		found        bool
	}{
		{"Rose", "ROS", true},
		{"STRASSE", "straße", true},
		{"Straße", "STRASSE", true},
		{"ΟΔΟΣ", "οδος", true},
		{"οδός", "ΟΔΌΣ", true},
		{"Gül", "gu", false},
		{"Gül", "GÜL", true},
		{"Gu\u0308l", "gül", true},
		{"Gül", "gu\u0308l", true},
		{"İ", "i\u0307", true},
		{"İ", "i", true}, // folded it is an i and a dot, for which there is no single character
		{"ﬁnch", "FI", true},
		{"Ꭰ", "\uab70", true},
		{"\uab70", "Ꭰ", true},
		{"Ᏸ", "\u13f8", true},
		{"Василёк", "ВАСИЛЁК", true},
		{"桜", "桜", true},
		{"桜", "梅", false},
		{"K", "k", true}, // the Kelvin sign
		{"x", "xx", false},
	} {
		app := newApp(t, flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "f", Name: test.name}))
		r := httptest.NewRequest("GET", "/flowers", nil)
		q := r.URL.Query()
		q.Set("name", test.search)
		r.URL.RawQuery = q.Encode()
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if found := w.Body.String() != "[]"; found != test.found {
			t.Errorf("%q in %q: found is %v, want %v", test.search, test.name, found, test.found)
		}
	}
}

// A search by the index finds the same as a scan.
func TestLargeCatalog(t *testing.T) {
	var flowers []flowercatalog.Flower
	for i := range 10_000 {
		n := strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26))
		flowers = append(flowers, flowercatalog.Flower{Slug: "f" + strings.Repeat("0", i%3) + n + string(rune('A'+i/676)), Name: "Flower " + n})
	}
	seen := make(map[string]bool)
	flowers = slices.DeleteFunc(flowers, func(f flowercatalog.Flower) bool {
		taken := seen[f.Slug]
		seen[f.Slug] = true
		return taken
	})
	app := newApp(t, flowercatalog.WithFlowers(flowers...))
	for _, search := range []string{"f", "xx", "xxxa", "flower xxxxxxz", "q", "zz", "nothing"} {
		var got, want []flowercatalog.Flower
		for _, f := range flowers {
			if strings.Contains(strings.ToLower(f.Name), search) {
				want = append(want, f)
			}
		}
		if err := json.Unmarshal(ask(app, "GET", "/flowers?name="+strings.ReplaceAll(search, " ", "+")).Body.Bytes(), &got); err != nil {
			t.Fatalf("%q: %v", search, err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %d flowers, want %d", search, len(got), len(want))
		}
	}
}

func TestRefusals(t *testing.T) {
	flower := func(slug, name string) flowercatalog.Option {
		return flowercatalog.WithFlowers(flowercatalog.Flower{Slug: slug, Name: name})
	}
	for _, test := range []struct {
		name   string
		option flowercatalog.Option
		says   string
	}{
		{"empty slug", flower("", "Nameless"), "Nameless"},
		{"slash", flower("a/b", ""), `"a/b"`},
		{"dot", flower(".", ""), `"."`},
		{"two dots", flower("..", ""), `".."`},
		{"slug that is not UTF-8", flower("\xff", ""), `"\xff"`},
		{"name that is not UTF-8", flower("x", "\xff"), `"x"`},
		{"slug twice", flowercatalog.WithFlowers(three[0], three[1], three[0]), `"rose"`},
		{"base path without slash", flowercatalog.WithBasePath("shop"), `"/shop"`},
		{"base path with query", flowercatalog.WithBasePath("/shop?x"), "must not contain a query"},
		{"base path of another host", flowercatalog.WithBasePath("//evil"), `"/evil"`},
		{"base path with a dot segment", flowercatalog.WithBasePath("/a/../b"), `"/b"`},
		{"no title", flowercatalog.WithInfo(apidoc.Info{Version: "1"}), "title"},
		{"no version", flowercatalog.WithInfo(apidoc.Info{Title: "t"}), "version"},
		{"no origins", flowercatalog.WithAllowedOrigins(), "empty"},
		{"empty origin", flowercatalog.WithAllowedOrigins(""), "scheme and a host"},
		{"null", flowercatalog.WithAllowedOrigins("null"), "sandboxed"},
		{"star among others", flowercatalog.WithAllowedOrigins("https://a.example", "*"), "alone"},
		{"pattern", flowercatalog.WithAllowedOrigins("https://*.example"), "patterns"},
		{"path", flowercatalog.WithAllowedOrigins("https://a.example/"), `"https://a.example"`},
		{"query", flowercatalog.WithAllowedOrigins("https://a.example?"), `"https://a.example"`},
		{"user", flowercatalog.WithAllowedOrigins("https://u@a.example"), `"https://a.example"`},
		{"no scheme", flowercatalog.WithAllowedOrigins("a.example"), "scheme and a host"},
		{"default port", flowercatalog.WithAllowedOrigins("https://a.example:443"), `"https://a.example"`},
		{"letters beyond ASCII", flowercatalog.WithAllowedOrigins("https://ä.example"), "xn--"},
		{"short address", flowercatalog.WithAllowedOrigins("http://127.1"), "shortest form"},
		{"hexadecimal address", flowercatalog.WithAllowedOrigins("http://0x7f.1:80"), "shortest form"},
		{"long address", flowercatalog.WithAllowedOrigins("https://[0:0:0:0:0:0:0:1]:8080"), "shortest form"},
		{"address with a dot at its end", flowercatalog.WithAllowedOrigins("http://127.0.0.1."), "shortest form"},
		{"IPv4 inside IPv6", flowercatalog.WithAllowedOrigins("http://[::ffff:127.0.0.1]"), "shortest form"},
		{"zeros in an address", flowercatalog.WithAllowedOrigins("https://[::0001]"), "shortest form"},
	} {
		_, err := flowercatalog.New(test.option)
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "flowercatalog: ") {
			t.Errorf("%s: got error %v, want one of flowercatalog that says %q", test.name, err, test.says)
		}
	}
}

func TestTags(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...))
	same := newApp(t, flowercatalog.WithFlowers(three...))
	other := newApp(t, flowercatalog.WithFlowers(three[:2]...))
	for _, target := range []string{"/flowers", "/flowers/?name=e", "/flowers/rose", "/api-docs/spec.json", "/api-docs/swagger.json", "/api-docs/openapi.json"} {
		first := ask(app, "GET", target)
		tag := first.Header().Get("ETag")
		if len(tag) < 10 || tag[0] != '"' {
			t.Fatalf("%s: got ETag %q, want a strong one", target, tag)
		}
		if got := ask(same, "GET", target).Header().Get("ETag"); got != tag {
			t.Errorf("%s: another app with the same content has %s, want %s", target, got, tag)
		}
		if got := ask(other, "GET", target).Header().Get("ETag"); strings.HasPrefix(target, "/flowers?") && got == tag {
			t.Errorf("%s: an app with other content has the same ETag", target)
		}
		if got := first.Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: got Cache-Control %q, want no-cache", target, got)
		}
		for _, test := range []struct {
			header string
			status int
		}{
			{tag, 304}, {"W/" + tag, 304}, {"*", 304}, {`"other", ` + tag, 304}, {`W/"other",` + tag + `,"third"`, 304}, {"  " + tag, 304},
			{`"other"`, 200}, {"", 200}, {tag[:len(tag)-1], 200}, {tag[1 : len(tag)-1], 200}, {`"a,` + tag, 200}, {"nonsense, " + tag, 200},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				w := ask(app, method, target, "If-None-Match", test.header)
				if w.Code != test.status {
					t.Errorf("%s %s, If-None-Match %s: got %d, want %d", method, target, test.header, w.Code, test.status)
				}
				if w.Code == 304 && (w.Body.Len() > 0 || w.Header().Get("ETag") != tag || w.Header().Get("Content-Type") != "") {
					t.Errorf("%s %s: a 304 with body %q, ETag %s, type %q", method, target, w.Body, w.Header().Get("ETag"), w.Header().Get("Content-Type"))
				}
			}
		}
		for header, status := range map[string]int{tag: 200, "*": 200, `"other", ` + tag: 200, `"other"`: 412, "W/" + tag: 412} {
			if w := ask(app, "GET", target, "If-Match", header); w.Code != status {
				t.Errorf("%s, If-Match %s: got %d, want %d", target, header, w.Code, status)
			}
		}
		if w := ask(app, "GET", target, "If-None-Match", `"x"`, "If-None-Match", tag); w.Code != 304 {
			t.Errorf("%s: the tag in a second header: got %d, want 304", target, w.Code)
		}
	}
	if w := ask(app, "GET", "/flowers/rose", "If-Match", `"x"`); w.Body.String() != `{"status":412,"message":"The content has changed","type":"about:blank","title":"Precondition Failed"}` {
		t.Errorf("If-Match: got %s", w.Body)
	}
	if tag := ask(app, "GET", "/flowers/none").Header().Get("ETag"); tag != "" {
		t.Errorf("a flower that is not there has the ETag %s", tag)
	}
}

func TestHEADHasTheHeadersOfGET(t *testing.T) {
	server := httptest.NewServer(newApp(t))
	defer server.Close()
	for _, path := range []string{"/flowers", "/flowers/rose", "/flowers/none", "/api-docs/openapi.json", "/nothing"} {
		get, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, get.Body)
		get.Body.Close()
		head, err := http.Head(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		head.Body.Close()
		get.Header.Del("Date")
		head.Header.Del("Date")
		for name, want := range get.Header {
			if got := head.Header[name]; !slices.Equal(got, want) {
				t.Errorf("%s: HEAD has %s %q, GET %q", path, name, got, want)
			}
		}
		if head.StatusCode != get.StatusCode {
			t.Errorf("%s: HEAD is %d, GET %d", path, head.StatusCode, get.StatusCode)
		}
	}
}

func TestBasePathAndNext(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "next "+r.Method+" "+r.URL.Path) })
	app := newApp(t, flowercatalog.WithBasePath("/shop/"), flowercatalog.WithNext(next), flowercatalog.WithFlowers(three...))
	for _, test := range []struct{ method, target, body string }{
		{"GET", "/shop/flowers/rose", `{"slug":"rose","name":"Red \u003cRose\u003e"}`},
		{"GET", "/flowers/rose", "next GET /flowers/rose"},
		{"GET", "/shopflowers", "next GET /shopflowers"},
		{"GET", "/shop/flowers/rose/", "next GET /shop/flowers/rose/"},
		{"POST", "/shop/flowers", "next POST /shop/flowers"},
		{"GET", "/shop", "next GET /shop"},
	} {
		w := ask(app, test.method, test.target)
		if got := w.Body.String(); got != test.body {
			t.Errorf("%s %s: got %q, want %q", test.method, test.target, got, test.body)
		}
		if strings.HasPrefix(test.body, "next") && w.Header().Get("X-Content-Type-Options") != "" {
			t.Errorf("%s %s: the next handler's response has a header of ours", test.method, test.target)
		}
	}
}

func TestHostsAddOperations(t *testing.T) {
	type bySlug struct {
		Slug string `path:"slug"`
	}
	app := newApp(t)
	before := ask(app, "GET", "/api-docs/swagger.json")
	ok := func(c routing.Context) (routing.Result, error) { return routing.Text("ok"), nil }
	app.Routes().Get("/flowers/:slug/price", ok, apidoc.Describe(apidoc.NewOperation[bySlug, string]("getPrice", "")))
	app.Routes().Get("/silent", ok)
	say := func(context.Context, struct{}) (string, error) { return "", nil }
	apidoc.Get(apidoc.NewAPI(app.Routes(), apidoc.Info{}), "/typed", "", say, apidoc.ID("getTyped"))
	apidoc.Get(apidoc.NewAPI(app.Routes(), apidoc.Info{Title: "Another", Version: "1"}), "/another", "", say, apidoc.ID("getAnother"))
	mounted := routing.New()
	apidoc.Get(apidoc.NewAPI(mounted, apidoc.Info{Title: "Mounted", Version: "1"}), "/", "", say, apidoc.ID("getMounted"))
	app.Routes().Mount("/mounted", mounted)
	after := ask(app, "GET", "/api-docs/swagger.json")
	for name, want := range map[string]bool{`"getPrice"`: true, "silent": false, `"getTyped"`: true, "getAnother": false, `"getMounted"`: true} {
		if got := strings.Contains(after.Body.String(), name); got != want {
			t.Errorf("the description has %s: %t, want %t", name, got, want)
		}
	}
	if before.Header().Get("ETag") == after.Header().Get("ETag") {
		t.Error("the description has changed and its ETag has not")
	}
	if got := ask(app, "GET", "/flowers/rose/price").Body.String(); got != "ok" {
		t.Errorf("the host's route: got %q", got)
	}
	if _, err := app.Document(); err != nil {
		t.Errorf("Document: %v", err)
	}
	app.Routes().Get("/again", ok, apidoc.Describe(apidoc.NewOperation[struct{}, string]("getPrice", "")))
	if _, err := app.Document(); err == nil || !strings.Contains(err.Error(), "getPrice") {
		t.Errorf("two operations with one ID: got error %v, want one that names it", err)
	}
	w := ask(app, "GET", "/api-docs/swagger.json")
	if w.Code != 500 || strings.Contains(w.Body.String(), "getPrice") {
		t.Errorf("a description that cannot be made: got %d %q", w.Code, w.Body)
	}
}

func TestViewer(t *testing.T) {
	viewer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "viewer "+r.URL.Path) })
	app := newApp(t, flowercatalog.WithBasePath("/shop"), flowercatalog.WithViewer(viewer))
	for _, test := range []struct{ target, location, body string }{
		{"/shop/api-docs", "api-docs/ui/", ""},
		{"/shop/api-docs/", "ui/", ""},
		{"/shop/api-docs/ui", "ui/", ""},
		{"/shop/api-docs/ui/", "", "viewer /"},
		{"/shop/api-docs/ui/page.js", "", "viewer /page.js"},
	} {
		w := ask(app, "GET", test.target)
		if got := w.Header().Get("Location"); got != test.location || w.Body.String() != test.body {
			t.Errorf("%s: got Location %q, body %q; want %q, %q", test.target, got, w.Body, test.location, test.body)
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("Straße", "SS")
	f.Add("Gül", "u")
	f.Add("İ", "i̇")
	f.Fuzz(func(t *testing.T, name, search string) {
		app, err := flowercatalog.New(flowercatalog.WithFlowers(flowercatalog.Flower{Slug: "f", Name: name}))
		if err != nil || search == "" || !utf8.ValidString(search) || !isAssigned(name+search) {
			t.Skip()
		}
		r := httptest.NewRequest("GET", "/flowers", nil)
		q := r.URL.Query()
		q.Set("name", search)
		r.URL.RawQuery = q.Encode()
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		want := strings.Contains(reference(name), reference(search))
		if found := w.Body.String() != "[]"; found != want {
			t.Errorf("%q in %q: found is %v, want %v", search, name, found, want)
		}
	})
}
