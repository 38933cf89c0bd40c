package routing_test

// This file tests that routes, mounts, filters and URLs interpret patterns in the same way.

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// If middleware of a mount removes the prefix from the path, the mounted app responds with a 404.
func TestMountWhoseMiddlewareRemovesThePrefix(t *testing.T) {
	inner := routing.New(quiet())
	inner.Get("/", values)
	app := routing.New(quiet())
	app.Mount("/t/:tenant", inner, routing.Use(func(next http.Handler) http.Handler { return http.StripPrefix("/t/ann", next) }))
	if w := get(app, "/t/ann/x?tenant=evil"); w.Code != 404 {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
}

// When, inside Combine, and Where of a group apply to its filters too.
func TestOptionsOfGroupFilters(t *testing.T) {
	beta := routing.When(func(r *http.Request) bool { return r.Header.Get("X-Beta") != "" })
	app := routing.New(quiet())
	app.Group("/g", func(g *routing.Group) {
		g.Before(trace("all"))
		g.Before(trace("one"), routing.On("/:id"))
		g.Get("/:id", values)
	}, routing.Combine(beta, routing.Where("id", "[0-9]+")))
	for _, test := range []struct{ path, beta, want string }{
		{"/g/7", "1", "200 [all one]"}, {"/g/7", "", "404 []"}, {"/g/x", "1", "404 [all]"},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		r.Header.Set("X-Beta", test.beta)
		w := send(app, r)
		if got := fmt.Sprint(w.Code, " ", w.Header()["X-Trace"]); got != test.want {
			t.Errorf("%s: got %s, want %s", test.path, got, test.want)
		}
	}
}

// A base path is literal.
func TestLiteralBasePath(t *testing.T) {
	for _, base := range []string{"/a:b", "/a*", "/(a)", "/a|b"} {
		app := routing.New(quiet(), routing.WithBasePath(base))
		link := app.Get("/x", text("x"))
		if w := send(app, &http.Request{Method: "GET", URL: &url.URL{Path: base + "/x"}}); w.Code != 200 {
			t.Errorf("%s: got %d", base, w.Code)
		}
		if address, err := link.URL(); err != nil || address != (&url.URL{Path: base + "/x"}).EscapedPath() {
			t.Errorf("%s: got the URL %q, %v", base, address, err)
		}
	}
	for base, want := range map[string]string{"/org/:org": "/org/:org", "/org/{org}": "/org/:org", "/:id/": "/:id"} {
		if problem := fmt.Sprint(panicOf(func() { routing.WithBasePath(base) })); !strings.HasSuffix(problem, fmt.Sprintf("it is literal: write outer.Mount(%q, app)", want)) {
			t.Errorf("%s: panicked with %s", base, problem)
		}
		app, outer := routing.New(quiet()), routing.New(quiet()) // as advised
		app.Get("/x", values)
		outer.Mount(want, app)
	}
}

// URL returns an error for a value with a slash that the app ignores.
func TestURLsWithIgnoredSlashes(t *testing.T) {
	loose, slash := routing.New(quiet(), routing.WithLooseSlashes()), routing.New(quiet())
	files := loose.Get("/a/*", values)
	inLoose := slash.Get("/x/", values)
	loose.Mount("/in", slash)
	for _, test := range []struct {
		route *routing.Route
		pairs []string
		want  string // empty for an error
	}{
		{files, []string{"splat", "b/c"}, "/a/b/c"},
		{files, []string{"splat", ""}, ""},
		{files, []string{"splat", "b/"}, ""},
		{files, []string{"splat", "b//c"}, ""},
		{inLoose, nil, ""},
	} {
		address, err := test.route.URL(test.pairs...)
		if address != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %q: got %q, %v, want %q", test.route, test.pairs, address, err, test.want)
		}
	}
}

// With WithOptionalSlash, filters and routes ignore one slash at the end of a path.
func TestOptionalSlash(t *testing.T) {
	app := routing.New(quiet(), routing.WithOptionalSlash())
	app.Before(trace("filter"), routing.On("/a"))
	app.Get("/", text("home"))
	app.Get("/a", text("a"))
	app.Get("/b/*", values)
	app.Get("/d/:x", text("d"))
	for path, want := range map[string]string{
		"/": "200 home []", "/a": "200 a [filter]", "/a/": "200 a [filter]", "/b/x/": "200 splat=x []", "/b//": "200 splat=/ []", "/d/e/": "200 d []",
	} {
		w := get(app, path)
		if got := fmt.Sprint(w.Code, " ", w.Body, " ", w.Header()["X-Trace"]); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	if w := get(app, "/a//"); w.Code != 404 {
		t.Errorf("two slashes: got %d", w.Code)
	}
}

// With the option in several apps too, one slash is ignored. Of two slashes none is: otherwise the
// path would match a route past a filter on the path without slashes.
func TestOptionalSlashOfGroupsAndMounts(t *testing.T) {
	inner, between := routing.New(quiet(), routing.WithOptionalSlash()), routing.New(quiet(), routing.WithOptionalSlash())
	inner.Get("/", text("home"))
	inner.Get("/a", text("a"))
	inner.Get("/b/*", values)
	between.Mount("/in", inner)
	app := routing.New(quiet(), routing.WithOptionalSlash())
	app.Before(trace("filter"), routing.On("/shop/in"), routing.On("/shop/in/a"), routing.On("/shop/in/b/:x"), routing.On("/admin"))
	app.Mount("/shop", between)
	app.Group("/admin", func(g *routing.Group) { g.Get("/", text("admin")) })
	for path, want := range map[string]string{
		"/shop/in/a": "200 a [filter]", "/shop/in/a/": "200 a [filter]", "/shop/in/a//": "404",
		"/shop/in": "200 home [filter]", "/shop/in/": "200 home [filter]", "/shop/in//": "404", "/shop//in": "404",
		"/admin": "200 admin [filter]", "/admin/": "200 admin [filter]", "/admin//": "404", "/admin///": "404",
		"/shop/in/b/x/": "200 splat=x [filter]", "/shop/in/b/x//": "200 splat=x// []",
	} {
		w := get(app, path)
		got := fmt.Sprint(w.Code)
		if w.Code == 200 {
			got = fmt.Sprint(w.Code, " ", w.Body, " ", w.Header()["X-Trace"])
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// The filters of an app would miss paths of an inner app that ignores more than the app itself.
func TestOptionsOfInnerApps(t *testing.T) {
	loose, optional := []routing.Option{routing.WithLooseSlashes()}, []routing.Option{routing.WithOptionalSlash()}
	rails := []routing.Option{routing.WithSyntax(routing.Rails)}
	formats := append(rails, routing.WithFormatSuffix())
	places := map[string]func(outer []routing.Option, inner *routing.App){
		"Mount":      func(outer []routing.Option, inner *routing.App) { routing.New(outer...).Mount("/in", inner) },
		"Handle":     func(outer []routing.Option, inner *routing.App) { routing.New(outer...).Handle("GET", "/in", inner) },
		"Middleware": func(outer []routing.Option, inner *routing.App) { routing.New(outer...).Middleware(inner) },
		"WithNext": func(outer []routing.Option, inner *routing.App) {
			routing.New(append(slices.Clip(outer), routing.WithNext(inner))...)
		},
		"layers": func(outer []routing.Option, inner *routing.App) {
			routing.New(outer...).Mount("/in", inner.Middleware(http.NotFoundHandler()))
		},
	}
	for _, test := range []struct {
		outer, inner []routing.Option
		missing      string // empty if the inner app is accepted
	}{
		{nil, loose, "WithLooseSlashes"}, {nil, optional, "WithOptionalSlash"}, {rails, formats, "WithFormatSuffix"}, {optional, loose, "WithLooseSlashes"},
		{loose, loose, ""}, {optional, optional, ""}, {formats, formats, ""}, {loose, optional, ""},
		{loose, nil, ""}, {optional, nil, ""}, {formats, nil, ""},
	} {
		for place, use := range places {
			problem := panicOf(func() { use(test.outer, routing.New(test.inner...)) })
			if want := "only the inner app has " + test.missing + ": give it to the outer app too"; test.missing == "" && problem != nil || test.missing != "" && !strings.Contains(fmt.Sprint(problem), want) {
				t.Errorf("%s: %d options around %d: got panic %v, want %q", place, len(test.outer), len(test.inner), problem, test.missing)
			}
		}
	}
	if problem := panicOf(func() { routing.New(append(loose, optional...)...) }); !strings.Contains(fmt.Sprint(problem), "leave one of them out") {
		t.Errorf("both options for slashes: got panic %v", problem)
	}
}

func ExampleWithOptionalSlash() {
	app := routing.New(routing.WithOptionalSlash())
	app.Get("/about", text("about"))
	show(app, "GET", "/about/")
	// Output: 200 about
}

// A path that does not begin with a slash, as behind http.StripPrefix("/api/", …), matches no
// route, with every option for slashes.
func TestPathWithoutItsSlash(t *testing.T) {
	app := routing.New(quiet(), routing.WithLooseSlashes())
	app.Get("/x", text("x"))
	app.Options("/*", text("x"))
	for _, path := range []string{"x", "x/", "x//", "*"} {
		r := httptest.NewRequest("OPTIONS", "/", nil)
		if path != "*" {
			r.Method = "GET"
		}
		r.URL.Path = path
		if w := send(app, r); w.Code != 404 {
			t.Errorf("%s %q: got %d, want 404", r.Method, path, w.Code)
		}
	}
}

// The ignored slashes are removed once for each request, not for each parameter that is read.
func TestManyParametersOfUntidyPath(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	count := func(c routing.Context) (routing.Result, error) {
		allocations := testing.AllocsPerRun(1000, func() { c.Params().Get("b") })
		return routing.Text(fmt.Sprint(c.Params().GetOr("a", ""), c.Params().GetOr("b", ""), " ", allocations)), nil
	}
	inner, app := routing.New(quiet()), routing.New(quiet(), routing.WithLooseSlashes())
	inner.Get("/:a/:b", count)
	inner.Get("/:a/:b/prefix", func(c routing.Context) (routing.Result, error) {
		found := testing.AllocsPerRun(1000, func() { c.Params().Get("m") })
		missing := testing.AllocsPerRun(1000, func() { c.Params().Get("none") })
		return routing.Text(fmt.Sprint(c.Params().GetOr("m", ""), " ", found, " ", missing)), nil
	})
	app.Get("/out/:a/:b", count)
	app.Mount("/in", inner)
	app.Mount("/param/:m", inner)
	for path, want := range map[string]string{"/in//1//2/": "12 0", "/out//1//2/": "12 0", "/param//3//1//2/": "12 0", "/param//3//1//2//prefix": "3 0 0"} {
		if w := get(app, path); w.Body.String() != want {
			t.Errorf("%s: got %q, want %q: the values and no allocation", path, w.Body, want)
		}
	}
}

// If a pattern repeats a name, the path value is the first value, as in Params.Get.
func TestRepeatedParameterName(t *testing.T) {
	var first string
	read := func(r *http.Request) bool { first = r.PathValue("x") + r.PathValue("splat"); return true }
	app := routing.New(quiet())
	app.Get("/:x/*/:x/*", func(c routing.Context) (routing.Result, error) {
		p := c.Params()
		return routing.Text(p.GetOr("x", "") + p.GetOr("splat", "") + c.Request().PathValue("x") + c.Request().PathValue("splat") + fmt.Sprint(p.Values("x"))), nil
	}, routing.When(read), routing.Use(identity))
	if w := get(app, "/1/a/2/b"); w.Body.String() != "1a1a[1 2]" || first != "1a" {
		t.Errorf("got %q, and %q in the condition", w.Body, first)
	}
}

// Conditions see captures in a copy of the request. The path values of the original request do not
// change.
func TestConditionsDoNotChangeTheRequest(t *testing.T) {
	var given *http.Request
	app, r := routing.New(quiet()), httptest.NewRequest("GET", "/x/7", nil)
	r.SetPathValue("id", "outer")
	app.Get("/x/:id", text("x"), routing.When(func(asked *http.Request) bool {
		given = asked
		return r.PathValue("id") == "outer"
	}))
	if w := send(app, r); w.Code != 200 || r.PathValue("id") != "outer" || given.PathValue("id") != "7" {
		t.Errorf("got %d, values %q of the request and %q of the copy", w.Code, r.PathValue("id"), given.PathValue("id"))
	}
}
