package resources_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/resources"
)

func ok(routing.Context) (routing.Result, error) { return routing.Text("ok"), nil }

var all = resources.Actions{Index: ok, New: ok, Create: ok, Show: ok, Edit: ok, Update: ok, Destroy: ok}

// single has the actions of a resource with one member.
var single = resources.Actions{New: ok, Create: ok, Show: ok, Edit: ok, Update: ok, Destroy: ok}

// draw draws the routes of testdata/routes.rb.
func draw(r *resources.Scope) {
	r.Root(ok)
	r.Get("about-us/team", ok)
	r.Get("pages/:page", ok)
	r.Get("p/:page", ok, resources.As("page"))
	r.Match([]string{"GET", "POST"}, "login", ok)
	r.Resources("posts", "post", all, resources.Inside(func(r *resources.Scope) {
		r.Member(func(r *resources.Scope) {
			r.Post("publish", ok)
			r.Get("history/:version", ok, resources.As("version"))
		})
		r.Collection(func(r *resources.Scope) { r.Get("search", ok) })
		r.New(func(r *resources.Scope) { r.Get("preview", ok) })
		r.Get("stats", ok)
		r.Resources("comments", "comment", all, resources.Only("index", "create", "destroy"), resources.Inside(func(r *resources.Scope) {
			r.Member(func(r *resources.Scope) { r.Post("flag", ok) })
		}))
		r.Resource("cover", single, resources.Except("destroy"))
		r.Namespace("admin", func(r *resources.Scope) { r.Get("audit", ok) })
	}))
	r.Resource("profile", single, resources.Inside(func(r *resources.Scope) {
		r.Get("card", ok)
		r.Resources("keys", "key", all, resources.Only("index"))
		r.Member(func(r *resources.Scope) { r.Post("lock", ok) })
	}))
	r.Resources("people", "person", all, resources.Param("slug"), resources.Path("team"), resources.Where("slug", "[a-z-]+"),
		resources.Inside(func(r *resources.Scope) { r.Resources("houses", "house", all, resources.Only("show")) }))
	r.Resources("news", "news", all, resources.Only("index", "show"))
	r.Namespace("admin", func(r *resources.Scope) {
		r.Root(ok)
		r.Resources("users", "user", all, resources.Only("index", "show"), resources.Inside(func(r *resources.Scope) {
			r.Collection(func(r *resources.Scope) { r.Delete("purge", ok) })
		}))
		r.Get("log", ok)
	})
	r.Scope("(/:locale)", func(r *resources.Scope) {
		r.Root(ok, resources.As("localized"))
		r.Resources("pages", "page", all, resources.Only("index", "show"))
	}, resources.Where("locale", "[a-z]{2}"))
	r.Scope("/shop", func(r *resources.Scope) {
		r.Resources("orders", "order", all, resources.Only("new", "edit"))
		r.Get("cart", ok)
	}, resources.As("shop"), resources.PathName("new", "neu"), resources.PathName("edit", "aendern"))
	r.Namespace("v1", func(r *resources.Scope) {
		r.Resources("magazines", "magazine", all, resources.Only("index", "show"), resources.Inside(func(r *resources.Scope) {
			r.Resources("ads", "ad", all, resources.Only("index", "show", "new"), resources.Inside(func(r *resources.Scope) {
				r.Resources("clicks", "click", all, resources.Only("index", "show"))
				r.Get("cost", ok)
			}))
		}))
	}, resources.Shallow())
	r.Resources("books", "book", resources.Actions{}, resources.Inside(func(r *resources.Scope) {
		r.Resources("chapters", "chapter", all, resources.Shallow(), resources.Only("index", "edit"))
	}))
	r.Resources("archives", "archive", all, resources.Path("old//"), resources.Only("index", "show"))
	r.Get("months/(:month)", ok, resources.As("month"))
	r.Scope("(:year)/(:day)", func(r *resources.Scope) { r.Root(ok, resources.As("day")) },
		resources.Where("year", `\d{4}`), resources.Where("day", `\d{3}`))
	r.Resources("wiki_page", "wiki_page", all, resources.Path("wiki"), resources.Only("index", "show"))
	r.Resources("issues", "issue", all, resources.Only("show"), resources.Where("id", `\d+`), resources.Inside(func(r *resources.Scope) {
		r.Member(func(r *resources.Scope) { r.Get("tab/:name", ok, resources.As("tab")) })
		r.Resources("relations", "relation", all, resources.Only("index"))
	}))
}

func newApp(options ...routing.Option) *routing.App {
	return routing.New(append([]routing.Option{routing.WithSyntax(routing.Rails)}, options...)...)
}

// The routes, their order and names are the same as those that Rails has made of routes.rb.
func TestSameRoutesAsRails(t *testing.T) {
	recorded, err := os.ReadFile("testdata/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	constraints := regexp.MustCompile(`(?m) \w+=.*$`) // TestConstraints has these
	want := strings.Split(strings.TrimSpace(constraints.ReplaceAllString(string(recorded), "")), "\n")
	app := newApp(routing.WithFirstMatch())
	routes := resources.Draw(app, draw)
	names := make(map[*routing.Route]string)
	for _, name := range routes.Names() {
		names[routes.Route(name)] = name
	}
	var got []string
	for _, entry := range app.Table() {
		got = append(got, fmt.Sprintf("%s %s %s", entry.Method, entry.Patterns[0], cmp.Or(names[entry.Route], "-")))
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("Rails (-) and these routes (+) differ:\n%s", diff)
	}
}

func TestConstraints(t *testing.T) {
	for _, order := range [][]routing.Option{{routing.WithFirstMatch()}, nil} {
		app := newApp(order...)
		resources.Draw(app, draw)
		for path, pattern := range map[string]string{
			"/posts/new":           "/posts/new", // and not /posts/:id
			"/posts/7":             "/posts/:id",
			"/team/ann-lee":        "/team/:slug",
			"/team/Ann":            "",
			"/team/ann/houses/1":   "/team/:person_slug/houses/:id",
			"/team/ANN/houses/1":   "",
			"/en":                  "/(:locale)",
			"/eng":                 "",
			"/en/pages":            "(/:locale)/pages",
			"/pages/7":             "/pages/:page",
			"/issues/7":            "/issues/:id",
			"/issues/x":            "",
			"/issues/x/relations":  "",
			"/issues/7/relations":  "/issues/:issue_id/relations",
			"/issues/7/tab/people": "/issues/:id/tab/:name",
		} {
			r := httptest.NewRequest("GET", path, nil)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if got := strings.TrimPrefix(r.Pattern, "GET "); got != pattern || (w.Code == 200) != (pattern != "") {
				t.Errorf("first match %v, %s: got %d by %q, want %q", order != nil, path, w.Code, got, pattern)
			}
		}
	}
}

func TestURL(t *testing.T) {
	app := newApp(routing.WithFirstMatch(), routing.WithBasePath("/app"))
	var routes *resources.Routes
	app.Get("/urls", func(c routing.Context) (routing.Result, error) {
		var lines []string
		for _, asked := range [][]string{
			{"edit_post", "id", "7"}, {"post_comments", "post_id", "7"}, {"posts"}, {"localized"}, {"localized", "locale", "de"},
			{"person", "slug", "ann"}, {"person", "slug", "Ann"}, {"nothing"},
		} {
			url, err := routes.URL(c, asked[0], asked[1:]...)
			if err != nil {
				url = "an error"
			}
			lines = append(lines, url)
		}
		return routing.Text(strings.Join(lines, " ")), nil
	})
	routes = resources.Draw(app, draw)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/app/urls", nil))
	want := "/app/posts/7/edit /app/posts/7/comments /app/posts /app/ /app/de /app/team/ann an error an error"
	if got := w.Body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if route := routes.Route("nothing"); route != nil {
		t.Errorf("an unknown name: got %v, want nil", route)
	}
}

// Options apply to all routes of their definition, and to no others.
func TestRouteOptions(t *testing.T) {
	app := newApp(routing.WithFirstMatch())
	isMobile := routing.When(func(r *http.Request) bool { return r.Header.Get("Mobile") != "" })
	resources.Draw(app, func(r *resources.Scope) {
		r.Scope("", func(r *resources.Scope) {
			r.Resources("posts", "post", resources.Actions{Show: func(routing.Context) (routing.Result, error) { return routing.Text("mobile"), nil }})
		}, resources.Route(isMobile))
		r.Resources("posts", "post", resources.Actions{Show: ok})
	})
	for mobile, want := range map[string]string{"": "ok", "1": "mobile"} {
		r := httptest.NewRequest("GET", "/posts/7", nil)
		r.Header.Set("Mobile", mobile)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if got := w.Body.String(); got != want {
			t.Errorf("header Mobile %q: got %q, want %q", mobile, got, want)
		}
	}
}

// Where, NoFormat and Match apply to requests.
func TestFormatsAndMethods(t *testing.T) {
	for _, order := range []routing.Option{routing.WithFirstMatch(), routing.WithLogger(nil)} {
		app := routing.New(order, routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
		echo := func(c routing.Context) (routing.Result, error) {
			return routing.Text(c.Request().Method + " " + c.Params().GetOr("id", "-") + " " + c.Params().GetOr("format", "-")), nil
		}
		resources.Draw(app, func(r *resources.Scope) {
			r.Namespace("exports", func(r *resources.Scope) {
				r.Resources("posts", "post", resources.Actions{Index: echo, Show: echo})
			}, resources.Where("format", "csv|txt"))
			r.Namespace("api", func(r *resources.Scope) {
				r.Resources("posts", "post", resources.Actions{Show: echo}, resources.Where("id", "[^/]+"))
			}, resources.NoFormat())
			r.Match([]string{""}, "hooks/:id", echo, resources.As("hook"), resources.NoFormat())
		})
		for request, want := range map[string]string{
			"GET /exports/posts.csv":    "GET - csv",
			"GET /exports/posts/7":      "GET 7 -",
			"GET /exports/posts/7.txt":  "GET 7 txt",
			"GET /exports/posts/7.html": "",
			"GET /api/posts/7.html":     "GET 7.html -",
			"PURGE /hooks/7":            "PURGE 7 -",
			"PUT /hooks/7.json":         "",
		} {
			method, path, _ := strings.Cut(request, " ")
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if got := w.Body.String(); w.Code != 200 && want != "" || w.Code == 200 && got != want {
				t.Errorf("%s: got %d %q, want %q", request, w.Code, got, want)
			}
		}
	}
}

// The source of a route is its line in the drawing, in each order of matching.
func TestSource(t *testing.T) {
	for name, options := range map[string][]routing.Option{"the last": nil, "the first": {routing.WithFirstMatch()}} {
		var line int
		routes := resources.Draw(newApp(options...), func(r *resources.Scope) {
			show := func(routing.Context) (routing.Result, error) { return routing.Text(""), nil }
			_, _, line, _ = runtime.Caller(0)
			r.Get("hook", show)
			r.Resources("posts", "post", resources.Actions{Show: show})
		})
		for i, route := range []string{"hook", "post"} {
			if source, want := routes.Route(route).Source(), fmt.Sprint("/resources_test.go:", line+1+i); !strings.HasSuffix(source, want) {
				t.Errorf("%s: the source of %s is %q, want %s", name, route, source, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	in := func(draw func(*resources.Scope)) func() {
		return func() { resources.Draw(newApp(), draw) }
	}
	none := func(*resources.Scope) {}
	cases := map[string]struct {
		define func()
		want   string
	}{
		"no drawing":          {func() { resources.Draw(newApp(), nil) }, "pass a function"},
		"another syntax":      {func() { resources.Draw(routing.New(), func(r *resources.Scope) { r.Get("a", ok) }) }, "WithSyntax(routing.Rails)"},
		"no action":           {in(func(r *resources.Scope) { r.Get("a", nil) }), "pass an action"},
		"no method":           {in(func(r *resources.Scope) { r.Match(nil, "a", ok) }), "at least one method"},
		"another method":      {in(func(r *resources.Scope) { r.Match([]string{"get"}, "a", ok) }), "write GET"},
		"a name twice":        {in(func(r *resources.Scope) { r.Get("a", ok); r.Get("b", ok, resources.As("a")) }), `another route is named "a"`},
		"a name with a slash": {in(func(r *resources.Scope) { r.Resources("a/b", "c", all) }), `the name "a/b"`},
		"as of a list":        {in(func(r *resources.Scope) { r.Resources("blog", "post", all, resources.As("articles")) }), `write both names, and this path: Resources("articles", its singular, …, Path("blog"))`},
		"unknown action":      {func() { resources.Only("shwo") }, `no action "shwo"`},
		"an action that is nil": {in(func(r *resources.Scope) {
			r.Resources("posts", "post", resources.Actions{Index: ok}, resources.Only("index", "show"))
		}), `Only: the action "show" is nil`},
		"unknown path name": {func() { resources.PathName("show", "zeigen") }, "only new and edit"},
		"a nil option":      {in(func(r *resources.Scope) { r.Get("a", ok, nil) }), "an option is nil"},
		"an index of one":   {in(func(r *resources.Scope) { r.Resource("a", all) }), "no index"},
		"member outside":    {in(func(r *resources.Scope) { r.Member(none) }), "use it in Inside"},
		"root of a resource": {in(func(r *resources.Scope) {
			r.Resources("a", "b", all, resources.Inside(func(r *resources.Scope) { r.Root(ok) }))
		}), "use Index"},
		"no namespace": {in(func(r *resources.Scope) { r.Namespace("a", nil) }), "pass a function"},
		"inside nil":   {func() { resources.Inside(nil) }, "pass a function"},
		"an unused Where": {in(func(r *resources.Scope) {
			r.Resources("posts", "post", all, resources.Param("slug"), resources.Where("id", "a"))
		}), `resources: Resources "posts": no route has the parameter "id" of Where`},
		"expression": {in(func(r *resources.Scope) { r.Get("a/:b", ok, resources.Where("b", "(")) }), "missing closing )"},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, cases[name].want) {
					t.Errorf("got panic %q, want one with %q", got, cases[name].want)
				}
			}()
			cases[name].define()
		})
	}
}

// The second route of a path has no name, a single resource is not shallow, and a namespace in a
// resource has a root.
func TestNamesAndPaths(t *testing.T) {
	app := newApp(routing.WithFirstMatch())
	routes := resources.Draw(app, func(r *resources.Scope) {
		r.Get("login", ok)
		r.Post("login", ok)
		r.Resources("posts", "post", resources.Actions{}, resources.Shallow(), resources.Inside(func(r *resources.Scope) {
			r.Resources("comments", "comment", resources.Actions{Show: ok})
			r.Resource("cover", resources.Actions{Show: ok})
			r.Namespace("admin", func(r *resources.Scope) { r.Root(ok) })
		}))
	})
	got := make(map[string]string)
	for _, name := range routes.Names() {
		got[name] = routes.Route(name).String()
	}
	want := map[string]string{"login": "GET /login", "comment": "GET /comments/:id", "post_cover": "GET /posts/:post_id/cover",
		"post_admin_root": "GET /posts/:post_id/admin"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// A Where does not apply to routes without the parameter, such as a Root, which has no format. An
// inner Where replaces an outer one.
func TestWhereOfSomeRoutes(t *testing.T) {
	app := newApp(routing.WithFormatSuffix())
	resources.Draw(app, func(r *resources.Scope) {
		r.Scope("", func(r *resources.Scope) {
			r.Root(ok)
			r.Get("list", ok)
			r.Scope("/:user", func(r *resources.Scope) {
				r.Get("page", ok, resources.Where("user", "[0-9]+"))
			}, resources.Where("user", "[a-z]+"))
		}, resources.Where("format", "json"))
	})
	for path, want := range map[string]int{
		"/": 200, "/list": 200, "/list.json": 200, "/list.xml": 404, "/7/page": 200, "/a/page": 404, "/7/page.json": 200,
	} {
		w := httptest.NewRecorder()
		if app.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
}

// Only without actions leaves out all of them, as "only: []" of Rails does.
func TestOnlyWithoutActions(t *testing.T) {
	routes := resources.Draw(newApp(), func(r *resources.Scope) {
		r.Resources("books", "book", all, resources.Only(), resources.Inside(func(r *resources.Scope) { r.Get("preview", ok) }))
	})
	if got := routes.Names(); !slices.Equal(got, []string{"book_preview"}) {
		t.Errorf("got %q, want the route inside alone", got)
	}
}

// A route of several methods has them all, with and without WithFirstMatch.
func TestSeveralMethods(t *testing.T) {
	for name, options := range map[string][]routing.Option{
		"first": {routing.WithSyntax(routing.Rails), routing.WithFirstMatch()}, "last": {routing.WithSyntax(routing.Rails)},
	} {
		app := routing.New(options...)
		show := func(routing.Context) (routing.Result, error) { return routing.Text("shown"), nil }
		routes := resources.Draw(app, func(r *resources.Scope) {
			r.Match([]string{"GET", "POST"}, "search", show)
			r.Resources("posts", "post", resources.Actions{Update: show})
		})
		for _, request := range []string{"GET /search", "POST /search", "PATCH /posts/7", "PUT /posts/7"} {
			method, path, _ := strings.Cut(request, " ")
			w := httptest.NewRecorder()
			if app.ServeHTTP(w, httptest.NewRequest(method, path, nil)); w.Code != 200 {
				t.Errorf("%s match: %s: got %d", name, request, w.Code)
			}
		}
		if route := routes.Route("search"); route == nil || route.Method() != "GET" {
			t.Errorf("%s match: the route named search is %v", name, route)
		}
	}
}
