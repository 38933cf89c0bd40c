package routing_test

// This file tests the options for paths as Rails has them: WithFormatSuffix and WithLooseSlashes.

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

func railsApp(options ...routing.Option) *routing.App {
	return routing.New(append([]routing.Option{quiet(), routing.WithSyntax(routing.Rails), routing.WithFormatSuffix(), routing.WithLooseSlashes()}, options...)...)
}

func TestRailsPaths(t *testing.T) {
	for _, test := range []struct{ pattern, path, want string }{
		{"/users/:id", "/users/7", "id=7"},
		{"/users/:id", "/users/7.json", "format=json id=7"},
		{"/users/:id", "//users///7.json/", "format=json id=7"},
		{"/users/:id", "/users/7.json.gz", "404"},
		{"/users/:id", "/users/7.", "404"},
		{"/users/:id", "/users/.json", "404"},
		{"/users", "/users.json", "format=json"},
		{"/users.:format", "/users", "404"},
		{"/users(.:format)", "/users.xml.json", "404"},
		{"/", "/", ""},
		{"/", "/.json", "404"},
		{"/tree/*path", "/tree/a/b.c", "format=c path=a/b"},
		{"/tree/*path", "/tree/a.b/c/", "path=a.b/c"},
		{"/tree/*path/edit", "/tree/a/b/edit.js", "format=js path=a/b"},
		{"/s/:id/(:title)", "/s/1", "id=1"},
		{"/s/:id/(:title)", "/s/1/t.html", "format=html id=1 title=t"},
		{"(projects/:id)/search", "/projects/7/search", "id=7"},
		{"(projects/:id)/search", "/search", ""},
		{"(/:locale)", "/", ""},
		{"(/:locale)", "/en", "locale=en"},
		{"/(:locale)/about", "/about", ""},
	} {
		app := railsApp()
		app.Get(test.pattern, values)
		w := get(app, "http://x"+test.path)
		if got := w.Body.String(); test.want != "404" && (got != test.want || w.Code != 200) || test.want == "404" && w.Code != 404 {
			t.Errorf("%s on %s: got %d %q, want %q", test.pattern, test.path, w.Code, got, test.want)
		}
	}
}

// Filters cannot be bypassed by other slashes or formats in a path.
func TestRailsPathsDoNotBypassFilters(t *testing.T) {
	app := railsApp()
	refuse := func(c routing.Context) error { return &routing.HaltError{Status: http.StatusForbidden} }
	app.Group("/admin", func(g *routing.Group) {
		g.Before(refuse)
		g.Get("", text("secret"))
		g.Get("/", text("secret"))
		g.Get("/users/:id", text("secret"))
	})
	app.Before(refuse, routing.On("/reports/:id"))
	app.Get("/reports/:id", text("secret"))
	inner := routing.New()
	inner.Before(refuse, routing.On("/x/*"))
	inner.Get("/x/:y", text("secret"))
	app.Mount("/m/:a", inner)
	for _, path := range []string{"/admin", "/admin/users/7", "/reports/1", "/m/b/x/c"} {
		for _, spelled := range []string{path, path + "/", "/" + path, strings.ReplaceAll(path, "/", "///"), path + ".json", path + ".json//", path + "%2F", "%2F" + path[1:], path + "//.json"} {
			r := httptest.NewRequest("GET", "http://x/", nil)
			if u, err := r.URL.Parse("http://x/" + strings.TrimPrefix(spelled, "/")); err == nil {
				r.URL = u
			}
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != http.StatusForbidden && w.Code != http.StatusNotFound {
				t.Errorf("%s: got %d %q", spelled, w.Code, w.Body)
			}
			if spelled == path+"/" && w.Code != http.StatusForbidden {
				t.Errorf("%s: got %d", spelled, w.Code)
			}
		}
	}
}

// The slashes of patterns given as strings are ignored too.
func TestLooseSlashesInPatterns(t *testing.T) {
	mark := func(c routing.Context) error { c.Header().Set("Filtered", "yes"); return nil }
	inner := routing.New(quiet())
	inner.Get("/x", values)
	for name, options := range map[string][]routing.Option{
		"Sinatra": nil,
		"Rails":   {routing.WithSyntax(routing.Rails), routing.WithFormatSuffix()},
	} {
		app := routing.New(append(options, quiet(), routing.WithLooseSlashes())...)
		app.Get("/a//:id/", values)
		app.Before(mark, routing.On("//a//:id//"))
		app.Group("/g//h/", func(g *routing.Group) {
			g.Get("//:id//", values)
			g.Before(mark, routing.On("/:id/"))
		})
		app.Before(mark, routing.On("/m/x/"))
		app.Mount("/m//", inner)
		paths := map[string]string{"/a/7": "id=7", "//a//7//": "id=7", "/g/h/7": "id=7", "/g//h//7/": "id=7", "/m/x": "", "/m//x/": ""}
		if name == "Rails" {
			paths["/a/7.json/"], paths["/g/h/7.json"] = "format=json id=7", "format=json id=7"
		}
		for path, want := range paths {
			if w := get(app, path); w.Code != 200 || w.Body.String() != want || w.Header().Get("Filtered") == "" {
				t.Errorf("%s, %s: got %d %q, filtered %q, want %q", name, path, w.Code, w.Body, w.Header().Get("Filtered"), want)
			}
		}
	}
}

// Mounted apps match the same path, and see the base path and parameters of outer apps.
func TestLooseSlashesInMounts(t *testing.T) {
	inner := routing.New(quiet(), routing.WithBasePath("/api"))
	inner.Get("/x/:y", values, routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Path-Value", r.PathValue("y"))
			next.ServeHTTP(w, r)
		})
	}))
	app := routing.New(quiet(), routing.WithLooseSlashes(), routing.WithBasePath("/base"))
	app.Mount("/m/:a", inner)
	app.Post("/form/:id", values)
	app.NotFound(func(c routing.Context) (routing.Result, error) {
		return routing.Text("none at " + c.Request().URL.Path), nil
	})
	for path, want := range map[string]string{
		"/base//m//b//api/x//c//": "a=b y=c", "/base/m/b/api/x/c": "a=b y=c", "/base//nothing/": "none at /base//nothing/",
		"/base/m//b//api/nothing/": "none at /base/m//b//api/nothing/",
	} {
		r := httptest.NewRequest("GET", path, nil)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if w.Body.String() != want {
			t.Errorf("%s: got %d %q, want %q", path, w.Code, w.Body, want)
		}
		if strings.HasSuffix(want, "y=c") && (w.Header().Get("Path-Value") != "c" || r.Pattern != "GET /base/m/:a/api/x/:y") {
			t.Errorf("%s: the path value is %q, the name %q", path, w.Header().Get("Path-Value"), r.Pattern)
		}
		if e := app.Explain(r); strings.HasSuffix(want, "y=c") && (len(matchedBy(e)) != 1 || len(matchedBy(*e.Steps[len(e.Steps)-1].Mounted)) != 1) {
			t.Errorf("%s: Explain says\n%s", path, e)
		}
	}
	r := httptest.NewRequest("POST", "/base/form//7/", strings.NewReader("a=b"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if w := send(app, r); w.Body.String() != "a=b id=7" {
		t.Errorf("got %q", w.Body)
	}
}

// Shadowed sees routes with formats.
func TestFormatShadowed(t *testing.T) {
	app := railsApp(routing.WithFirstMatch())
	app.Get("/users/:id", text(""))
	app.Get("/users/new", text(""))
	app.Get("/users/:id/edit", text(""))
	app.Get("/users/:id.json", text(""))
	app.Get("/*path", text(""))
	app.Get("/about", text(""))
	const want = "[GET /users/new(.:format) is hidden by GET /users/:id(.:format), which is defined earlier" +
		" GET /about(.:format) is hidden by GET /*path(.:format), which is defined earlier]"
	if got := fmt.Sprint(app.Shadowed()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestWholeRegexp(t *testing.T) {
	app := routing.New(quiet())
	app.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/a|/b/(?P<c>\d+)`)), values)
	for path, want := range map[string]string{"/a": "captures=", "/b/7": "c=7 captures=7", "/ab": "404", "/x/a": "404", "/b/7x": "404"} {
		w := get(app, path)
		if got := w.Body.String(); want == "404" && w.Code != 404 || want != "404" && got != want {
			t.Errorf("%s: got %d %q, want %q", path, w.Code, got, want)
		}
	}
	quoted := routing.WholeRegexp(regexp.MustCompile(`/\Qa.b`))
	if !quoted.Match("/a.b") || quoted.Match("/axb") || quoted.Match("/a.b)") {
		t.Errorf("%s does not match /a.b alone", quoted)
	}
}

func ExampleWithFormatSuffix() {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
	app.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text("user " + c.Params().GetOr("id", "") + " as " + c.Params().GetOr("format", "html")), nil
	})
	show(app, "GET", "/users/7")
	show(app, "GET", "/users/7.json")
	// Output:
	// 200 user 7 as html
	// 200 user 7 as json
}

func ExampleWithLooseSlashes() {
	app := routing.New(routing.WithLooseSlashes())
	app.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text("user " + c.Params().GetOr("id", "")), nil
	})
	show(app, "GET", "/users//7/")
	// Output: 200 user 7
}

func ExampleWholeRegexp() {
	app := routing.New()
	app.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/year/(\d+)`)), func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("captures", "")), nil
	})
	show(app, "GET", "/year/2026")
	fmt.Println(get(app, "/archive/year/2026").Code)
	// Output:
	// 200 2026
	// 404
}
