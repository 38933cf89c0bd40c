package flowercafe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing"
)

func newApp(t *testing.T, options ...flowercafe.Option) *flowercafe.App {
	t.Helper()
	app, err := flowercafe.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app
}

func ask(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func flowersOf(slugs ...string) []flowercatalog.Flower {
	var flowers []flowercatalog.Flower
	for _, slug := range slugs {
		flowers = append(flowers, flowercatalog.Flower{Slug: slug, Name: slug})
	}
	return flowers
}

func respondWith(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s %s", text, r.Method, r.URL.Path) })
}

// Every path goes to the application that owns its first segment, below any base path.
func TestMountTable(t *testing.T) {
	for _, base := range []string{"", "/shop", "/a/b", "/x:y", "/x*y", "/é"} {
		app := newApp(t, flowercafe.WithBasePath(base), flowercafe.WithNext(respondWith("next")), flowercafe.WithMount("/own", respondWith("own")))
		for _, test := range []struct {
			method, path string
			status       int
			body         string // the beginning
		}{
			{"GET", "/flowers", 200, `[{"slug":`},
			{"GET", "/flowers/", 200, `[{"slug":`},
			{"GET", "/flowers/rose", 200, `{"slug":"rose"`},
			{"GET", "/flowers/none", 404, `{"status":404`},
			{"GET", "/flowers/rose/", 200, "next GET " + base + "/flowers/rose/"},
			{"POST", "/flowers", 200, "next POST"},
			{"GET", "/flowersx", 200, "next GET"},
			{"GET", "/api-docs/spec.json", 200, "{"},
			{"GET", "/api-docs/none", 200, "next GET"},
			{"GET", "/coffees", 409, "There are no tables. Call db/"},
			{"HEAD", "/db/create-tables", 405, ""},
			{"GET", "/own", 200, "own GET " + base + "/own"},
			{"PATCH", "/own/x/y", 200, "own PATCH " + base + "/own/x/y"},
			{"GET", "/", 200, "next GET " + base + "/"},
			{"GET", "//flowers", 200, "next GET"},
		} {
			w := ask(app, test.method, base+test.path)
			if w.Code != test.status || !strings.HasPrefix(w.Body.String(), test.body) {
				t.Errorf("base %q: %s %s: got %d %.80q, want %d %q", base, test.method, test.path, w.Code, w.Body, test.status, test.body)
			}
		}
		if base != "" {
			if w := ask(app, "GET", "/flowers"); !strings.HasPrefix(w.Body.String(), "next") {
				t.Errorf("base %q: /flowers is served outside of the base path: %.80q", base, w.Body)
			}
			if w := ask(app, "GET", base+"x/flowers"); !strings.HasPrefix(w.Body.String(), "next") {
				t.Errorf("base %q: %sx/flowers is served: %.80q", base, base, w.Body)
			}
		}
	}
}

func TestNotFoundPage(t *testing.T) {
	app := newApp(t, flowercafe.WithBasePath("/shop"))
	for _, path := range []string{"/", "/shop", "/shop/none", "/shop/flowers/a/b", "/other"} {
		w := ask(app, "GET", path)
		if w.Code != 404 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("X-Content-Type-Options") != "nosniff" || strings.Contains(w.Body.String(), "none") {
			t.Errorf("%s: got %d %v %q, want a short HTML page", path, w.Code, w.Header(), w.Body)
		}
	}
}

// Clients that prefer JSON get problem details for what the catalog lacks, and 405 with Allow if
// the option is set. An unknown slug is JSON for all clients.
func TestProblemsOfTheCatalog(t *testing.T) {
	app := newApp(t, flowercafe.WithBasePath("/shop"), flowercafe.WithMethodNotAllowed())
	for _, test := range []struct {
		method, path string
		status       int
		title, allow string
	}{
		{"GET", "/shop/flowers/none", 404, "Not Found", ""},
		{"GET", "/shop/flowers/rose/", 404, "Not Found", ""},
		{"GET", "/shop/flowers/a/b", 404, "Not Found", ""},
		{"POST", "/shop/flowers", 405, "Method Not Allowed", "GET, HEAD, OPTIONS"},
		{"DELETE", "/shop/api-docs/spec.json", 405, "Method Not Allowed", "GET, HEAD, OPTIONS"},
		{"OPTIONS", "/shop/flowers/rose", 204, "", "GET, HEAD, OPTIONS"},
		{"OPTIONS", "/shop/coffees", 204, "", "GET, HEAD, OPTIONS"},
	} {
		for _, accept := range []string{"", "*/*", "text/html,*/*;q=0.8", "application/json", "application/problem+json"} {
			r := httptest.NewRequest(test.method, test.path, nil)
			r.Header.Set("Accept", accept)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != test.status || w.Header().Get("Allow") != test.allow {
				t.Errorf("%s %s: got %d, Allow %q, want %d, %q", test.method, test.path, w.Code, w.Header().Get("Allow"), test.status, test.allow)
			}
			if test.title == "" {
				continue
			}
			if !strings.HasPrefix(accept, "application/") && !strings.HasSuffix(test.path, "/none") {
				if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
					t.Errorf("%s %s for %q: got %s, want a page", test.method, test.path, accept, got)
				}
				continue
			}
			var problem struct {
				Type, Title string
				Status      int
			}
			err := json.Unmarshal(w.Body.Bytes(), &problem)
			if err != nil || problem.Type != "about:blank" || problem.Title != test.title || problem.Status != test.status || !strings.Contains(w.Header().Get("Content-Type"), "json") {
				t.Errorf("%s %s for %q: got %s %s, %v, want problem details", test.method, test.path, accept, w.Header().Get("Content-Type"), w.Body, err)
			}
		}
	}
	if w := ask(app, "PUT", "/shop/coffees"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("PUT /coffees: got %d, Allow %q, want 405", w.Code, w.Header().Get("Allow"))
	}
	if w := ask(newApp(t), "POST", "/flowers"); w.Code != 404 {
		t.Errorf("by default: got %d, want 404", w.Code)
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name   string
		option flowercafe.Option
		says   string
	}{
		{"nil", nil, "option 0 is nil: leave it out"},
		{"nil for the catalog", flowercafe.WithCatalog(nil), "WithCatalog: option 0 is nil: leave it out"},
		{"nil for the coffee demo", flowercafe.WithCoffee(nil), "WithCoffee: option 0 is nil: leave it out"},
		{"base path without a slash", flowercafe.WithBasePath("shop"), `"/shop"`},
		{"base path with a host", flowercafe.WithBasePath("https://cafe.example/shop"), `must be a path alone: write "/shop"`},
		{"base path with a query", flowercafe.WithBasePath("/shop?x=1"), `"/shop"`},
		{"base path with a fragment", flowercafe.WithBasePath("/shop#x"), `"/shop"`},
		{"base path of another host", flowercafe.WithBasePath("//evil"), `"/evil"`},
		{"base path with an empty segment", flowercafe.WithBasePath("/a//b"), `"/a/b"`},
		{"base path with a dot segment", flowercafe.WithBasePath("/a/../b"), `"/b"`},
		{"encoded base path", flowercafe.WithBasePath("/caf%C3%A9"), `write "/café"`},
		{"base path with an encoded space", flowercafe.WithBasePath("/a%20b"), `write "/a b"`},
		{"no connections", flowercafe.WithPoolSize(0), "1"},
		{"no origins", flowercafe.WithAllowedOrigins(), "empty"},
		{"slug with a slash", flowercafe.WithFlowers(flowersOf("a/b")...), "a/b"},
		{"base path of the catalog alone", flowercafe.WithCatalog(flowercatalog.WithBasePath("/x")), "in WithCatalog: write flowercafe.WithBasePath"},
		{"next handler of the catalog alone", flowercafe.WithCatalog(flowercatalog.WithNext(respondWith(""))), "in WithCatalog: write flowercafe.WithNext"},
		{"base path of the coffee demo alone", flowercafe.WithCoffee(coffeedemo.WithBasePath("/x")), "in WithCoffee: write flowercafe.WithBasePath"},
		{"next handler of the coffee demo alone", flowercafe.WithCoffee(coffeedemo.WithNext(respondWith(""))), "in WithCoffee: write flowercafe.WithNext"},
		{"mount without a slash", flowercafe.WithMount("own", respondWith("")), "one literal segment"},
		{"mount of two segments", flowercafe.WithMount("/a/b", respondWith("")), "one literal segment"},
		{"mount with a parameter", flowercafe.WithMount("/:a", respondWith("")), "one literal segment"},
		{"encoded mount", flowercafe.WithMount("/caf%C3%A9", respondWith("")), "write it decoded"},
		{"mount at the root", flowercafe.WithMount("/", respondWith("")), "one literal segment"},
		{"mount of nothing", flowercafe.WithMount("/own", nil), "not nil"},
		{"mount of a nil app", flowercafe.WithMount("/own", (*routing.App)(nil)), "not nil"},
		{"nil app as next handler", flowercafe.WithNext((*routing.App)(nil)), "WithNext: the handler is a nil *routing.App: pass a plain nil"},
		{"nil viewer", flowercafe.WithCatalog(flowercatalog.WithViewer(http.HandlerFunc(nil))), "WithViewer: the handler is a nil http.HandlerFunc: pass a plain nil"},
		{"nil memory", flowercafe.WithCatalog(flowercatalog.WithStore((*flowercatalog.Memory)(nil))), "WithStore(nil)"},
		{"nil database", flowercafe.WithCoffee(coffeedemo.WithStore((*struct{ coffeedemo.Store })(nil))), "WithStore(nil)"},
		{"mount over the flowers", flowercafe.WithMount("/flowers", respondWith("")), "taken"},
		{"mount over the description", flowercafe.WithMount("/api-docs", respondWith("")), "taken"},
		{"mount over the coffees", flowercafe.WithMount("/coffees", respondWith("")), "taken"},
		{"mount over the tables", flowercafe.WithMount("/db", respondWith("")), "taken"},
	} {
		app, err := flowercafe.New(test.option)
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "flowercafe: ") {
			t.Errorf("%s: got error %v, want one of flowercafe that says %q", test.name, err, test.says)
		}
		if app != nil {
			t.Errorf("%s: an App came with the error", test.name)
		}
	}
	if _, err := flowercafe.New(flowercafe.WithMount("/own", respondWith("")), flowercafe.WithMount("/own", respondWith(""))); err == nil {
		t.Error("a prefix was taken twice")
	}
}

func TestZeroApps(t *testing.T) {
	for _, test := range []struct {
		name string
		use  func()
		says string
	}{
		{"requests", func() { ask(new(flowercafe.App), "GET", "/") }, "flowercafe: the zero App: make one with New"},
		{"shutdown", func() { new(flowercafe.App).Shutdown(t.Context()) }, "flowercafe: the zero App: make one with New"},
		{"close", func() { new(flowercafe.App).Close() }, "flowercafe: the zero App: make one with New"},
		{"requests to the catalog", func() { ask(new(flowercatalog.App), "GET", "/") }, "flowercatalog: the zero App: make one with New"},
		{"the catalog's description", func() { new(flowercatalog.App).Document() }, "flowercatalog: the zero App: make one with New"},
		{"flowers for the catalog", func() { new(flowercatalog.App).SetFlowers() }, "flowercatalog: the zero App: make one with New"},
		{"requests to the coffee demo", func() { ask(new(coffeedemo.App), "GET", "/") }, "coffeedemo: the zero App: make one with New"},
		{"statistics of the coffee demo", func() { new(coffeedemo.App).Stats() }, "coffeedemo: the zero App: make one with New"},
		{"close of the coffee demo", func() { new(coffeedemo.App).Close() }, "coffeedemo: the zero App: make one with New"},
	} {
		func() {
			defer func() {
				if got := recover(); got != test.says {
					t.Errorf("%s: panicked with %v, want %q", test.name, got, test.says)
				}
			}()
			test.use()
		}()
	}
}

func TestMount(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", respondWith("host"))
	mux.Handle("GET /shop/flowers/special", respondWith("special"))
	app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"), flowercafe.WithNext(respondWith("next")))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	for _, test := range []struct{ method, path, body string }{
		{"GET", "/shop/flowers/rose", `{"slug":"rose"`},
		{"GET", "/shop/flowers/special", "special"},
		{"GET", "/shop", "next GET /shop"},
		{"POST", "/shop/", "next POST /shop/"},
		{"GET", "/other", "host"},
		{"GET", "/shopping", "host"},
	} {
		if w := ask(mux, test.method, test.path); !strings.HasPrefix(w.Body.String(), test.body) {
			t.Errorf("%s %s: got %.80q, want %q", test.method, test.path, w.Body, test.body)
		}
	}
	root := http.NewServeMux()
	all, err := flowercafe.Mount(root)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if w := ask(root, "GET", "/flowers/rose"); w.Code != 200 {
		t.Errorf("at the root: got %d, want 200", w.Code)
	}
}

func TestMountRefuses(t *testing.T) {
	for _, taken := range []string{"/shop/", "/shop"} {
		mux := http.NewServeMux()
		mux.Handle(taken, respondWith("host"))
		app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"))
		if err == nil || app != nil || !strings.Contains(err.Error(), `mount at "`+taken+`"`) {
			t.Errorf("%s is taken: got %v, %v; want an error that names it", taken, app, err)
		}
	}
	conflicting := http.NewServeMux()
	conflicting.Handle("GET /", respondWith("host"))
	if _, err := flowercafe.Mount(conflicting, flowercafe.WithBasePath("/shop")); err == nil || !strings.Contains(err.Error(), "change its own pattern") {
		t.Errorf("beside GET /: got %v, want an error", err)
	}
	if _, err := flowercafe.Mount(nil); err == nil {
		t.Error("there is an App in no mux")
	}
	for _, base := range []string{"/{shop}", "/a b", "/a%20b"} {
		if _, err := flowercafe.Mount(http.NewServeMux(), flowercafe.WithBasePath(base)); err == nil {
			t.Errorf("Mount at %q: got no error, want one, for a mux reads it otherwise", base)
		}
	}
	if _, err := flowercafe.Mount(http.NewServeMux(), flowercafe.WithBasePath("shop")); err == nil {
		t.Error("a bad base path was mounted")
	}
}

func TestAppsShareNothing(t *testing.T) {
	one, two := newApp(t), newApp(t)
	if w := ask(one, "GET", "/db/create-tables"); w.Code != 200 {
		t.Fatalf("create: got %d", w.Code)
	}
	if w := ask(two, "GET", "/coffees"); w.Code != 409 {
		t.Errorf("the other app has the tables: got %d", w.Code)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if w := ask(two, "GET", "/db/create-tables"); w.Code != 200 {
		t.Errorf("the other app was closed too: got %d", w.Code)
	}
}

// Behind StripPrefix the app has no base path.
func TestStripPrefix(t *testing.T) {
	h := http.StripPrefix("/shop", newApp(t))
	if w := ask(h, "GET", "/shop/flowers/rose"); w.Code != 200 {
		t.Errorf("got %d, want 200", w.Code)
	}
}

func TestPatternNamesTheRoute(t *testing.T) {
	app := newApp(t, flowercafe.WithBasePath("/shop"))
	r := httptest.NewRequest("GET", "/shop/flowers/rose", nil)
	app.ServeHTTP(httptest.NewRecorder(), r)
	if r.Pattern != "GET /shop/flowers/:slug" {
		t.Errorf("got pattern %q", r.Pattern)
	}
}

// A store of WithStore is closed with the app. Flowers in memory are still served.
func TestCloseClosesTheStore(t *testing.T) {
	for name, end := range map[string]func(*flowercafe.App) error{
		"Close":    (*flowercafe.App).Close,
		"Shutdown": func(app *flowercafe.App) error { return app.Shutdown(t.Context()) },
	} {
		memory, err := flowercatalog.NewMemory()
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			options []flowercafe.Option
			status  int
		}{
			{[]flowercafe.Option{flowercafe.WithCatalog(flowercatalog.WithStore(memory))}, 503},
			{nil, 200},
		} {
			app, err := flowercafe.New(test.options...)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := end(app); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest("GET", "/flowers/", nil))
			if w.Code != test.status {
				t.Errorf("%s: got %d, want %d", name, w.Code, test.status)
			}
		}
		if err := memory.Ping(t.Context()); !errors.Is(err, flowercatalog.ErrClosed) {
			t.Errorf("%s: the store is not closed: %v", name, err)
		}
	}
}

// A host may change the headers of a response in place. That changes no other response of this App
// or another one, and no other header.
func TestHeaderValuesAreCopies(t *testing.T) {
	app := newApp(t, flowercafe.WithHome())
	for _, path := range []string{
		"/", "/none", "/flowers", "/flowers/rose", "/flowers/none", "/flowers?name=o", "/flowers?after=none", "/api-docs", "/api-docs/spec.json",
		"/coffees", "/db/drop-tables", "/db/create-tables", "/db/load-data", "/coffees", "/db/drop-tables",
	} {
		w := ask(app, "GET", path)
		before := w.Result().Header // a copy
		for name, values := range w.Header() {
			_ = append(values, "appended")
			if got := w.Header(); !maps.EqualFunc(got, before, slices.Equal) {
				t.Errorf("%s: a value appended to %s makes the headers %v, want %v", path, name, got, before)
			}
		}
		for _, values := range w.Header() {
			for i := range values {
				values[i] = "changed"
			}
		}
		for _, other := range []http.Handler{app, newApp(t, flowercafe.WithHome())} {
			for name, values := range ask(other, "GET", path).Result().Header {
				if slices.Contains(values, "changed") {
					t.Errorf("%s: the header %s of the next response is %q", path, name, values)
				}
			}
		}
	}
}

// All constructors refuse a base path with parameters, as an error with the same advice.
func TestBasePathWithParameters(t *testing.T) {
	for base, want := range map[string]string{"/:id": "/:id", "/org/{org}": "/org/:org", "/a/:b/c/": "/a/:b/c"} {
		for name, construct := range map[string]func() error{
			"flowercafe.New": func() error { _, err := flowercafe.New(flowercafe.WithBasePath(base)); return err },
			"flowercafe.Mount": func() error {
				_, err := flowercafe.Mount(http.NewServeMux(), flowercafe.WithBasePath(base))
				return err
			},
			"flowercatalog.New": func() error { _, err := flowercatalog.New(flowercatalog.WithBasePath(base)); return err },
			"coffeedemo.New":    func() error { _, err := coffeedemo.New(coffeedemo.WithBasePath(base)); return err },
		} {
			if err := construct(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("base path %q: it is literal: write outer.Mount(%q, app)", base, want)) {
				t.Errorf("%s with %s: got error %v", name, base, err)
			}
		}
	}
}

func TestBasePathClean(t *testing.T) {
	for _, test := range []struct {
		name, base, want string
		says             string // in the error; empty if base is valid
	}{
		{"none", "", "", ""},
		{"the root", "/", "", ""},
		{"one segment", "/shop", "/shop", ""},
		{"a slash at the end", "/shop/", "/shop", ""},
		{"two segments", "/a/b", "/a/b", ""},
		{"spaces and letters beyond ASCII", "/café au lait", "/café au lait", ""},
		{"a colon", "/a:b", "/a:b", ""},
		{"a percent sign that encodes nothing", "/100%", "/100%", ""},
		{"dots in a name", "/v1.2/...", "/v1.2/...", ""},

		{"a parameter", "/org/:org", "", `it is literal: write outer.Mount("/org/:org", app)`},
		{"a parameter in braces", "/org/{org}/x/", "", `it is literal: write outer.Mount("/org/:org/x", app)`},
		{"a part in braces", "/a{b}c", "", `it is literal: leave "a{b}c" out`},
		{"a wildcard", "/a/*", "", `it is literal, and everything below it is served anyway: leave "*" out`},
		{"a wildcard with a name", "/a/*path", "", `it is literal, and everything below it is served anyway: leave "*path" out`},
		{"a star in a segment", "/a*", "/a*", ""},
		{"a colon alone", "/:", "", `it is literal: leave ":" out`},

		{"no slash in front", "shop", "", `must start with /: write "/shop"`},
		{"no slash in front, and more", "shop//x?y", "", `must start with /: write "/shop/x"`},
		{"an address", "https://cafe.example/shop", "", `must be a path alone: write "/shop"`},
		{"an address without a path", "https://cafe.example", "", `must be a path alone: write "/"`},
		{"another host", "//evil", "", `must not contain empty or dot segments: write "/evil"`},
		{"two slashes", "//", "", `must not contain empty or dot segments: write "/"`},
		{"two slashes at the end", "/shop//", "", `must not contain empty or dot segments: write "/shop"`},
		{"an empty segment", "/a//b", "", `must not contain empty or dot segments: write "/a/b"`},
		{"a dot segment", "/a/./b", "", `must not contain empty or dot segments: write "/a/b"`},
		{"a double dot segment", "/a/../b", "", `must not contain empty or dot segments: write "/b"`},
		{"a double dot at the end", "/a/..", "", `must not contain empty or dot segments: write "/"`},
		{"an encoded character", "/caf%C3%A9", "", `paths are compared decoded: write "/café"`},
		{"an encoded character, no slash in front", "shop%41", "", `must start with /: write "/shopA"`},
		{"an encoded character in an address", "https://cafe.example/%2541", "", `must be a path alone: write "/A"`},
		{"an encoded character and a query", "/%41?x", "", `must not contain a query or fragment: write "/A"`},
		{"an encoded question mark", "/a%3Fx", "", `paths are compared decoded: write "/a"`},
		{"an encoded slash", "/a%2F/b", "", `paths are compared decoded: write "/a/b"`},
		{"encoded twice", "/%2541", "", `paths are compared decoded: write "/A"`},
		{"an encoded character after dot segments", "/100%/../%41", "", `must not contain empty or dot segments: write "/A"`},
		{"a query", "/shop?x=1", "", `must not contain a query or fragment: write "/shop"`},
		{"a fragment", "/shop#x", "", `must not contain a query or fragment: write "/shop"`},
	} {
		got, err := basepath.Clean(test.base)
		switch {
		case test.says == "" && (err != nil || got != test.want):
			t.Errorf("%s: Clean(%q): got %q and error %v, want %q", test.name, test.base, got, err, test.want)
		case test.says != "" && (err == nil || !strings.HasSuffix(err.Error(), test.says)):
			t.Errorf("%s: Clean(%q): got error %v, want one that says %q", test.name, test.base, err, test.says)
		}
	}
}

func TestBasePathCut(t *testing.T) {
	for _, test := range []struct {
		path, base, want string
		inside           bool
	}{
		{"/flowers", "", "/flowers", true},
		{"/", "", "/", true},
		{"", "", "/", true},
		{"*", "", "*", true},
		{"/shop/flowers", "/shop", "/flowers", true},
		{"/shop/", "/shop", "/", true},
		{"/shop", "/shop", "/", true},
		{"/shop//flowers", "/shop", "//flowers", true},
		{"/shopping", "/shop", "", false},
		{"/sho", "/shop", "", false},
		{"/Shop/flowers", "/shop", "", false},
		{"", "/shop", "", false},
	} {
		if got, inside := basepath.Cut(test.path, test.base); got != test.want || inside != test.inside {
			t.Errorf("Cut(%q, %q): got %q, %v, want %q, %v", test.path, test.base, got, inside, test.want, test.inside)
		}
	}
}

var advice = regexp.MustCompile(`write (".*")$`)

// The result of Clean is valid, and so is the path that an error of Prefix says to write.
func FuzzBasePathClean(f *testing.F) {
	for _, base := range []string{"", "/", "/shop/", "//evil", "/a/../b", "shop?x", "https://h//x/", "/a\\b"} {
		f.Add(base)
	}
	f.Fuzz(func(t *testing.T, base string) {
		if _, err := basepath.Prefix(base); err != nil {
			instead, unquoteErr := strconv.Unquote(advice.FindStringSubmatch(err.Error())[1])
			if _, again := basepath.Prefix(instead); unquoteErr != nil || again != nil {
				t.Errorf("Prefix(%q) says %v; of that: %v, %v", base, err, again, unquoteErr)
			}
		}
		clean, err := basepath.Clean(base)
		if err != nil {
			return
		}
		if again, err := basepath.Clean(clean); again != clean || err != nil {
			t.Errorf("Clean(%q) is %q, and of that %q and error %v", base, clean, again, err)
		}
		if strings.Contains(clean+"/", "//") && clean != "" || strings.ContainsAny(clean, "?#") || strings.Contains(clean+"/", "/../") {
			t.Errorf("Clean(%q): got %q", base, clean)
		}
	})
}

// Behind a proxy that removes a prefix, the description and the home page name the path outside.
func TestWithProxyPrefix(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithProxyPrefix("/cafe/"), flowercafe.WithBasePath("/shop"), flowercafe.WithHome())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	for path, want := range map[string]string{
		"/shop/api-docs/swagger.json": `"basePath": "/cafe/shop"`,
		"/shop/api-docs/openapi.json": `"url": "/cafe/shop"`,
		"/shop/":                      "<code>/cafe/shop</code>",
		"/shop/flowers/rose":          "rose",
	} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
	for prefix, want := range map[string]string{"cafe": `write "/cafe"`, "/a//b": `write "/a/b"`, "/{org}": "WithProxyPrefix"} {
		if _, err := flowercafe.New(flowercafe.WithProxyPrefix(prefix)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("WithProxyPrefix(%q): got error %v, want %s", prefix, err, want)
		}
	}
}
