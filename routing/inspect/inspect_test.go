package inspect_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
)

func empty(routing.Context) (routing.Result, error) { return routing.Result{}, nil }

func pass(routing.Context) error { return nil }

// shown returns the page of apps, for everybody.
func shown(app *routing.App, more ...*routing.App) *inspect.Inspector {
	return inspect.New(app, inspect.WithApps(more...), inspect.WithAccess(func(*http.Request) bool { return true }))
}

// ask requests the page.
func ask(h http.Handler, query string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/debug/routes"+query, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	blanks = regexp.MustCompile(`\s+`)
)

// textOf returns the visible text of a page.
func textOf(page string) string {
	page = page[strings.Index(page, "<body>"):]
	return strings.TrimSpace(blanks.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(page, " ")), " "))
}

// section returns the text of the section that begins with a heading.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	for _, s := range strings.Split(page, "<section")[1:] {
		s, _, _ = strings.Cut("<body><section"+s, "</section>")
		if text := textOf(s); strings.HasPrefix(text, heading) {
			return text
		}
	}
	return ""
}

// newShop returns an app with a route or filter of every kind.
func newShop() *routing.App {
	type bySlug struct {
		Slug string `path:"slug"`
	}
	inner := routing.New(routing.WithBasePath("/v1"))
	inner.After(pass)
	inner.Get("/items/:item", empty)
	app := routing.New(routing.WithBasePath("/shop"))
	app.Before(pass)
	app.Before(pass, routing.On("/admin/*"), routing.On("/admin"))
	app.Before(pass, routing.OnPattern(routing.Regexp(regexp.MustCompile(`secret`))))
	app.Get("/flowers/:slug", empty, apidoc.Describe(apidoc.NewOperation[bySlug, string]("findBySlug", "Find a flower")))
	app.Get("/admin/users", empty)
	app.Route("POST", routing.Must(routing.Rails("/doc/:id(.:format)")), empty, routing.When(func(r *http.Request) bool { return r.Header.Get("Key") != "" }).Named("has a key"))
	app.Get("/hidden", empty)
	app.Get("/:page", empty)
	app.Mount("/users/:user", inner)
	return app
}

func TestTable(t *testing.T) {
	text := section(t, ask(shown(newShop()), "").Body.String(), "All routes")
	// The page lists routes in the order in which they are tried, with their details.
	rest := text
	for _, want := range []string{
		"7 routes",
		"/shop inspect",
		"Before filters, which run first, in this order", "every path", "/admin/* or /admin", "secret",
		"any /users/:user/* mount the app at /shop/users/:user/v1", "before every path",
		"GET /:page sinatra", "before every path", "before /admin/* or /admin (for some paths)", "before secret (perhaps)", "inspect/inspect_test.go:",
		"GET /hidden sinatra hidden by GET /:page", "before every path",
		"POST /doc/:id(.:format) rails if has a key",
		"GET /admin/users sinatra", "before /admin/* or /admin",
		"GET /flowers/:slug sinatra", "findBySlug Find a flower",
		"/shop/users/:user/v1 inspect", "GET /items/:item sinatra", "after every path",
		"After filters, which run last, in this order",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("the page lacks %q behind what comes before it; there is %q", want, rest)
		}
		rest = after
	}
	if strings.Contains(text, "GET /hidden sinatra hidden by GET /:page before every path before /admin") {
		t.Error("a filter of other paths is said to run for /hidden")
	}
}

// A HEAD request tries the routes of HEAD first, wherever they are defined.
func TestHeadRoutesAreFirst(t *testing.T) {
	for name, app := range map[string]*routing.App{"last": routing.New(), "first": routing.New(routing.WithFirstMatch())} {
		app.Head("/:a", empty)
		app.Get("/:b", empty)
		app.Head("/:c", empty)
		app.Route("", routing.Must(routing.Sinatra("/:d")), empty)
		page := ask(shown(app), "?method=HEAD&url=/x").Body.String()
		all := section(t, page, "All routes")
		var listed []string
		for _, m := range regexp.MustCompile(`(?:HEAD|GET|any) (/:\w) sinatra`).FindAllStringSubmatch(all, -1) {
			listed = append(listed, m[1])
		}
		tried := app.Explain(httptest.NewRequest("HEAD", "/x", nil)).Steps
		for i, step := range tried {
			if len(listed) != len(tried) || listed[i] != step.Route.Pattern().String() {
				t.Fatalf("%s: the page lists %q, a HEAD request tries %v", name, listed, tried)
			}
		}
	}
}

func TestHidden(t *testing.T) {
	page := ask(shown(newShop()), "").Body.String()
	if text := section(t, page, "Hidden routes"); !strings.Contains(text, "GET /hidden is hidden by GET /:page") {
		t.Errorf("got %q", text)
	}
	none := routing.New()
	none.Get("/a", empty)
	if page := ask(shown(none), "").Body.String(); strings.Contains(page, "Hidden routes") {
		t.Error("there is a section, but no route is hidden")
	}
}

func TestFilterByText(t *testing.T) {
	for _, c := range []struct{ query, has, lacks string }{
		{"?q=FLOWERS", "1 of 7 routes", "/admin/users"},
		{"?q=has+a+key", "1 of 7 routes", "/flowers"},
		{"?q=find+a+flower", "1 of 7 routes", "/doc"},
		{"?q=get+/admin", "1 of 7 routes", "/doc"},
		{"?q=rails", "1 of 7 routes", "/flowers/:slug"},
		{"?q=nothing+has+this", "0 of 7 routes", "/flowers/:slug"},
	} {
		text := section(t, ask(shown(newShop()), c.query).Body.String(), "All routes")
		if !strings.Contains(text, c.has) || strings.Contains(text, c.lacks) {
			t.Errorf("%s: got %q, want %q in it and not %q", c.query, text, c.has, c.lacks)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		method, url string
		has         []string
	}{
		{"GET", "/shop/flowers/rose?x=1", []string{
			"before filter runs: it applies to every path", "before filter /admin/* or /admin does not run: the path \"/flowers/rose\" does not match",
			"Runs GET /shop/flowers/:slug inspect/inspect_test.go:", "slug rose", "Why not the 5 others", "POST /shop/doc/:id(.:format) the request's method is GET",
		}},
		{"GET", "http://example.com/shop/hidden", []string{"Runs GET /shop/:page", "page hidden", "GET /shop/hidden the path matches; it runs if those before pass"}},
		{"POST", "/shop/doc/7.txt", []string{"No route runs for the path /doc/7.txt", `the condition "has a key" does not hold`}},
		{"GET", "/shop/users/ann/v1/items/a%2Fb%3Cc%3E", []string{"Runs /shop/users/:user/*", "user ann", "/shop/users/ann/v1 inspect No route runs for the path /items/a/b<c>"}},
		{"GET", "/shop/users/ann/v1/items/7", []string{"Runs /shop/users/:user/*", "user ann", "/shop/users/ann/v1 inspect", "Runs GET /v1/items/:item", "item 7", "after filter runs"}},
		{"GET", "/other", []string{"The URL is outside of its base path."}},
		{"", "/shop/flowers/rose", []string{"Runs GET"}},
		{"NO METHOD", "/shop", []string{`"NO METHOD" is not a method`}},
		{"GET", "shop", []string{`"shop" must start with /: write a path such as /shop`}},
		{"GET", "mailto:ann", []string{`"mailto:ann" is not a URL`}},
		{"GET", "/%zz", []string{`"/%zz" is not a URL`}},
	} {
		query := url.Values{"method": {c.method}, "url": {c.url}}
		w := ask(shown(newShop()), "?"+query.Encode())
		text := section(t, w.Body.String(), "Which route")
		for _, has := range c.has {
			if !strings.Contains(text, has) {
				t.Errorf("%s %s: the page lacks %q: %s", c.method, c.url, has, text)
			}
		}
	}
}

// Each of several apps is explained, since the page cannot know which one gets a request.
func TestExplainSeveralApps(t *testing.T) {
	const note = "Each app is explained as if it got the request."
	one, other := routing.New(), routing.New()
	one.Get("/a", empty)
	other.Get("/a", empty)
	for has, page := range map[bool]*inspect.Inspector{false: shown(one), true: shown(one, other)} {
		if text := section(t, ask(page, "?url=/a").Body.String(), "Which route"); strings.Contains(text, note) != has {
			t.Errorf("got %q, want %q in it: %t", text, note, has)
		}
	}
}

// If a condition panics, for example because the request lacks a value, the page shows that.
func TestConditionThatPanics(t *testing.T) {
	app := routing.New()
	app.Get("/a", empty, routing.When(func(*http.Request) bool { panic("no session") }))
	w := ask(shown(app), "?url=/a")
	if text := textOf(w.Body.String()); w.Code != 200 || !strings.Contains(text, "a condition panics: no session") {
		t.Errorf("got %d %s", w.Code, text)
	}
}

// Input, names and patterns are escaped.
func TestEscaping(t *testing.T) {
	app := routing.New()
	app.Route("GET", routing.Must(routing.Sinatra("/<script>")), empty, routing.When(func(*http.Request) bool { return false }).Named("<b>"))
	page := ask(shown(app), "?q=%22%3E%3Cscript&url=/%3Cscript%3E%22&method=%3Cb%3E").Body.String()
	if strings.Contains(page, "<script") || strings.Contains(page, "<b>\"") || strings.Contains(page, `""><`) {
		t.Errorf("the page has unescaped text: %s", page)
	}
}

// The page allows only GET and HEAD, and no caching, scripts or frames.
func TestMethodsAndHeaders(t *testing.T) {
	page := shown(newShop())
	for method, status := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "DELETE": 405} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		if w.Code != status || (status == 405) != (w.Header().Get("Allow") == "GET, HEAD") || method == "HEAD" && w.Body.Len() > 0 {
			t.Errorf("%s: got %d, Allow %q and %d bytes", method, w.Code, w.Header().Get("Allow"), w.Body.Len())
		}
		if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s: got the headers %v", method, w.Header())
		}
		policy := w.Header().Get("Content-Security-Policy")
		if status == 200 && (!strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe")) {
			t.Errorf("%s: got the policy %q", method, policy)
		}
	}
}

func TestNil(t *testing.T) {
	for says, f := range map[string]func(){
		"inspect: pass apps, not":  func() { inspect.New(nil) },
		"inspect: pass apps":       func() { inspect.WithApps(routing.New(), nil) },
		"inspect: option 0 is nil": func() { inspect.New(routing.New(), nil) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, says) {
					t.Errorf("got the panic %q, want one that says %q", text, says)
				}
			}()
			f()
		}()
	}
}
