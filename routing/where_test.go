package routing_test

// This file tests Where.

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// values responds with all parameters.
func values(c routing.Context) (routing.Result, error) {
	var pairs []string
	for _, key := range c.Params().Keys() {
		pairs = append(pairs, key+"="+strings.Join(c.Params().Values(key), ","))
	}
	return routing.Text(strings.Join(pairs, " ")), nil
}

func TestWhere(t *testing.T) {
	rails := func(text string) routing.Pattern { return routing.Must(routing.Rails(text)) }
	sinatra := func(text string) routing.Pattern { return routing.Must(routing.Sinatra(text)) }
	for _, test := range []struct {
		pattern    routing.Pattern
		name, is   string
		path, want string // empty for a 404
	}{
		{sinatra("/a/:id"), "id", "[0-9]+", "/a/42", "id=42"},
		{sinatra("/a/:id"), "id", "[0-9]+", "/a/x42", ""},
		{sinatra("/a/:id"), "id", `\d{4}`, "/a/2026", "id=2026"},
		{sinatra("/a/:id"), "id", `\d{4}`, "/a/20261", ""},
		{sinatra("/a/:id"), "id", `\d{2,3}`, "/a/1", ""},
		{sinatra("/a/:id"), "id", "new|[0-9]+", "/a/new", "id=new"},
		{sinatra("/a/:id"), "id", "(n)ew|([0-9])+", "/a/newer", ""},
		{sinatra("/a/:id"), "id", "(?i)[a-f]+", "/a/DEAD", "id=DEAD"},
		{sinatra("/a/:id"), "id", "é+", "/a/%C3%A9%C3%A9", "id=éé"},
		{sinatra("/a/:id"), "id", "[^/]{2}", "/a/%C3%A9a", "id=éa"},
		{sinatra("/a/:id"), "id", "[^/]{2}", "/a/%C3%A9", ""},
		{sinatra("/:y-:m"), "y", "[0-9]+", "/2026-11-1", "m=11-1 y=2026"},
		{sinatra("/:id.?:format?"), "format", "json|xml", "/a.b.json", "format=json id=a.b"},
		{sinatra("/:id.?:format?"), "format", "json|xml", "/a.b", "id=a.b"},
		{sinatra("/files/*"), "splat", "[a-z/]+", "/files/a/b", "splat=a/b"},
		{sinatra("/files/*"), "splat", "[a-z/]+", "/files/", ""},
		{sinatra("/files/*/raw"), "splat", "[a-z/]+", "/files/a/b/raw", "splat=a/b"},
		{rails("/users/:name(.:format)"), "name", "[^/]+", "/users/a.b.json", "name=a.b.json"},
		{rails("/users/:name(.:format)"), "name", "[^/]+?", "/users/a.b.json", "format=json name=a.b"},
		{rails("/users/:name(.:format)"), "name", "[^/]+?", "/users/a.", "name=a."},
		{rails("/users/:name(.:format)"), "name", "[a-z.]+", "/users/a.b.9", "format=9 name=a.b"},
		{rails("/users/:name(.:format)"), "name", "[a-z]+", "/users/a.b.9", ""},
		{rails("(/:locale)/x"), "locale", "en|de", "/x", ""},
		{rails("(/:locale)/x"), "locale", "en|de", "/de/x", "locale=de"},
		{rails("(/:locale)/x"), "locale", "en|de", "/fr/x", ""},
	} {
		app := routing.New(quiet())
		app.Route("GET", test.pattern, values, routing.Where(test.name, test.is))
		app.Route("GET", sinatra("/x"), text(""))
		w := get(app, test.path)
		if got := w.Body.String(); test.want != "" && got != test.want || test.want == "" && w.Code != 404 && test.path != "/x" {
			t.Errorf("%s where %s is %s on %s: got %d %q, want %q", test.pattern, test.name, test.is, test.path, w.Code, got, test.want)
		}
	}
}

// The Where of a group applies to its patterns and its prefix, the Where of a route to the pattern
// below the prefix, and the Where of a mount to its prefix.
func TestWhereInGroups(t *testing.T) {
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.Group("/users/:id", func(g *routing.Group) {
		g.Get("/", values)
		g.Get("/posts/:post", values, routing.Where("post", "[a-z]+"))
	}, routing.Where("id", "[0-9]+"))
	app.Group("/nested/:id", func(g *routing.Group) {
		g.Group("/", func(g *routing.Group) { g.Get("/", values) })
	}, routing.Where("id", "[0-9]+"))
	inner := routing.New()
	link := inner.Get("/:page", values)
	app.Mount("/m/:lang", inner, routing.Where("lang", "[a-z]{2}"))
	for path, want := range map[string]int{
		"/users/7": 200, "/users/x": 404, "/users/7/posts/a": 200, "/users/7/posts/8": 404, "/users/x/posts/a": 404,
		"/users/7/x": 404, "/nested/7": 200, "/nested/x": 404, "/m/en/a": 200, "/m/eng/a": 404,
	} {
		if w := get(app, path); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
	if address, err := link.URL("lang", "en", "page", "1"); address != "/m/en/1" {
		t.Errorf("got the URL %q, %v", address, err)
	}
	if address, err := link.URL("lang", "eng", "page", "1"); err == nil || !strings.Contains(err.Error(), `value "eng" for "lang" does not match [a-z]{2}`) {
		t.Errorf("got the URL %q, %v", address, err)
	}
}

// Shadowed compares the values of parameters.
func TestWhereShadowed(t *testing.T) {
	for _, test := range []struct {
		hidden, by       string
		hiddenIs, byIs   string // of the parameter id
		hiddenAll, byAll bool   // without Where
		want             bool
	}{
		{hidden: "/a/:id", by: "/a/:id", hiddenIs: "[0-9]+", byIs: "[0-9]+", want: true},
		{hidden: "/a/:id", by: "/a/:id", hiddenIs: "[0-9]+", byIs: "[0-9a-f]+"},
		{hidden: "/a/:id", by: "/a/:id", hiddenIs: "[0-9a-f]+", byIs: "[0-9]+"},
		{hidden: "/a/:id", by: "/a/:id", hiddenIs: "[0-9]+", byIs: "[0-9]{4}"},
		{hidden: "/a/:id", by: "/a/:id", hiddenIs: "en|de", byAll: true, want: true},
		{hidden: "/a/:id", by: "/a/:id", hiddenIs: "en|de", byIs: "en|de", want: true},
		{hidden: "/a/en", by: "/a/:id", hiddenAll: true, byIs: "en|de", want: true},
		{hidden: "/a/fr", by: "/a/:id", hiddenAll: true, byIs: "en|de"},
		{hidden: "/a/{+id}", by: "/a/{+id}", hiddenIs: "[a-z/]+", byAll: true, want: true},
		{hidden: "/a/{+id}", by: "/a/:b", hiddenIs: "[a-z]+(/[a-z]+)*", byAll: true},
		{hidden: "/a/{+id}", by: "/a//*", hiddenIs: "[/a-z]+", byAll: true},
		{hidden: "/a/:id.:f", by: "/a/:id.:f", hiddenIs: "[0-9]+", byIs: "[0-9]+", want: true},
		{hidden: "/a/:id.:f", by: "/a/*", hiddenAll: true, byAll: true, want: true},
		{hidden: "/a/:id.:f", by: "/a/b*", hiddenAll: true, byAll: true},
		{hidden: "/a/:id", by: "/a/:id", hiddenAll: true, byIs: "[a-z]+"},
		{hidden: "/a/0", by: "/a/:id", hiddenAll: true, byIs: "[0-9]+", want: true},
		{hidden: "/a/:id", by: "/a/0", hiddenIs: "[0-9]+", byAll: true},
		{hidden: "/a/:id/b", by: "/a/*", hiddenIs: "[0-9]+", byAll: true, want: true},
		{hidden: "/a/:id", by: "/a/0*", hiddenIs: "[0-9]+", byAll: true},
		{hidden: "/a/:id", by: "/a/:b(.:c)?", hiddenIs: "[.a]+", byAll: true, want: true},
	} {
		app := routing.New()
		for _, d := range []struct {
			pattern, is string
			all         bool
		}{{test.hidden, test.hiddenIs, test.hiddenAll}, {test.by, test.byIs, test.byAll}} {
			if d.all {
				app.Get(d.pattern, text(""))
			} else {
				app.Get(d.pattern, text(""), routing.Where("id", d.is))
			}
		}
		if got := len(app.Shadowed()) > 0; got != test.want {
			t.Errorf("%+v: got %t", test, got)
		}
	}
}

// The pattern of a route keeps its Where in another route.
func TestWhereOfAnotherRoute(t *testing.T) {
	for _, options := range [][]routing.Option{nil, {routing.WithLooseSlashes()}} {
		app := routing.New(append(options, quiet())...)
		p := app.Get("/a/:id/:x", values, routing.Where("id", "[0-9]+")).Pattern()
		app.Route("POST", p, values)
		app.Route("PUT", p, values, routing.Where("x", "[a-z]"))
		app.Group("/g", func(g *routing.Group) { g.Route("POST", p, values) })
		for request, want := range map[string]int{
			"POST /a/7/b": 200, "POST /a/x/b": 404, "PUT /a/7/b": 200, "PUT /a/7/8": 404, "PUT /a/x/b": 404, "POST /g/a/7/b": 200, "POST /g/a/x/b": 404,
		} {
			method, path, _ := strings.Cut(request, " ")
			if w := send(app, httptest.NewRequest(method, path, nil)); w.Code != want {
				t.Errorf("%s: got %d, want %d", request, w.Code, want)
			}
		}
	}
}

func TestBadWhere(t *testing.T) {
	app := routing.New()
	for _, test := range []struct {
		define func()
		says   string
	}{
		{func() { routing.Where("id", "[0-9") }, "routing: Where(\"id\", \"[0-9\"): error parsing regexp"},
		{func() { routing.Where("id", "^[0-9]+$") }, "leave ^, $ and \\b out"},
		{func() { routing.Where("id", `\b\d`) }, "leave ^, $ and \\b out"},
		{func() { routing.Where("id", `[^\x00-\x{10FFFF}]`) }, "a character class has no characters"},
		{func() { app.Get("/:id", values, routing.Where("id", ".+")) }, `"id" must not be ".+": it also matches slashes, which a parameter never has: write [^/]`},
		{func() { app.Get("/:id", values, routing.Where("id", "[0-9]*")) }, "also matches the empty string"},
		{func() { app.Get("/:id", values, routing.Where("ID", "[0-9]+")) }, `route GET /:id: the pattern has no parameter "ID": it has ["id"]`},
		{func() { app.Route("GET", routing.Pattern{}, values, routing.Where("id", "a")) }, `no parameter "id"`},
		{func() {
			app.Route("GET", routing.Regexp(regexp.MustCompile(`(?P<id>x)`)), values, routing.Where("id", "a"))
		}, "restrict the group in the expression"},
		{func() {
			app.Group("/g", func(g *routing.Group) { g.Get("/:id", values) }, routing.Where("ID", "a"))
		}, `routing: group "/g": no route has the parameter "ID" of Where`},
		{func() {
			app.Group("/:a", func(g *routing.Group) { g.Get("/", values, routing.Where("a", "b")) }, routing.Where("a", "c"))
		}, `"a" is a parameter of the group's prefix`},
		{func() { app.Mount("/:a", http.NotFoundHandler(), routing.Where("b", "a")) }, `no parameter "b"`},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.says) {
					t.Errorf("panicked with %q, want %q in it", got, test.says)
				}
			}()
			test.define()
		}()
	}
}

func ExampleWhere() {
	app := routing.New()
	show := func(c routing.Context) (routing.Result, error) {
		return routing.Text("user " + c.Params().GetOr("id", "")), nil
	}
	route := app.Get("/users/:id", show, routing.Where("id", "[0-9]+"))
	for _, path := range []string{"/users/7", "/users/ann"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(path, w.Code)
	}
	_, err := route.URL("id", "ann")
	fmt.Println(err)
	// Output:
	// /users/7 200
	// /users/ann 404
	// routing: URL of GET /users/:id: value "ann" for "id" does not match [0-9]+
}

// A route must not match paths of its group that the group's filters miss: only the group has a
// Where for a parameter of its prefix.
func TestWhereForPrefix(t *testing.T) {
	type group = *routing.Group
	anything := routing.Where("user", "[^/]+")
	for name, test := range map[string]struct {
		define  func(group)
		options []routing.RouteOption
		refused bool
	}{
		"a route":         {func(g group) { g.Get("/posts", values, anything) }, nil, true},
		"a nested group":  {func(g group) { g.Group("/posts", func(g group) { g.Get("/", values) }, anything) }, nil, true},
		"a mount":         {func(g group) { g.Mount("/posts", http.NotFoundHandler(), anything) }, nil, true},
		"less":            {func(g group) { g.Get("/posts", values, routing.Where("user", "[a-z]+")) }, nil, true},
		"alternatives":    {func(g group) { g.Get("/posts", values, routing.Where("user", "ann|bob")) }, nil, true},
		"with a dot":      {func(g group) { g.Get("/posts", values, routing.Where("user", `ann|b\.b`)) }, nil, true},
		"the whole group": {func(g group) { g.Get("/posts", values) }, []routing.RouteOption{anything}, false},
	} {
		app := routing.New(quiet(), routing.WithSyntax(routing.Rails))
		message := ""
		func() {
			defer func() { message, _ = recover().(string) }()
			app.Group("/users/:user", func(g group) {
				g.Before(func(c routing.Context) error { return &routing.HaltError{Status: 401} })
				test.define(g)
			}, test.options...)
		}()
		if (message != "") != test.refused || test.refused && !strings.Contains(message, "options of the group") {
			t.Errorf("%s: panics with %q, want a panic: %t", name, message, test.refused)
		}
		for _, path := range []string{"/users/a.b/posts", "/users/a.b/1.5", "/users/ann/posts"} {
			if w := get(app, path); w.Code == 200 {
				t.Errorf("%s: %s avoids the filter of the group", name, path)
			}
		}
	}
}
