package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests groups whose prefix has parameters.

func panicOf(f func()) (problem any) {
	defer func() { problem = recover() }()
	f()
	return nil
}

// Invalid prefixes of groups panic, and the definition that the message advises is accepted.
func TestBadGroupPrefixes(t *testing.T) {
	nothing := func(*routing.Group) {}
	get := func(pattern string, options ...routing.RouteOption) func(*routing.Group) {
		return func(g *routing.Group) { g.Get(pattern, values, options...) }
	}
	for _, test := range []struct {
		prefix string
		define func(*routing.Group)
		says   string
	}{
		{"a", nothing, `write "/a"`},
		{"/a/*", nothing, "remove the wildcard at the end"},
		{"/{+dir}/files", nothing, "write a parameter"},
		{"/a", nil, "pass a function"},
		{"/:id", get("/posts/:id"), `the prefix "/:id" also has the parameter "id"`},
		{"/:id", func(g *routing.Group) { g.Before(func(routing.Context) error { return nil }, routing.On("/posts/:id")) }, `also has the parameter "id"`},
		{"/:id", func(g *routing.Group) { g.Group("/posts/:id", nothing) }, `also has the parameter "id"`},
		{"/:id", func(g *routing.Group) { g.Route("GET", whole("/(?P<id>x)"), values) }, `also has the parameter "id"`},
		{"/:captures", func(g *routing.Group) { g.Route("GET", whole("/(x)"), values) }, `also has the parameter "captures"`},
		{"/*/a", nothing, "a prefix has no wildcard"},
		{"(/:locale)?", nothing, `for _, prefix := range []string{"", "/:locale"}`},
		{"/a|/b", nothing, "loop over the prefixes"},
	} {
		got := fmt.Sprint(panicOf(func() { routing.New().Group(test.prefix, test.define) }))
		if !strings.HasPrefix(got, "routing: ") || !strings.Contains(got, test.says) {
			t.Errorf("%q: panics with %q, want %q", test.prefix, got, test.says)
		}
	}
	for prefix, says := range map[string]string{"/*/a": "loop over the prefixes", "/a/{": "a brace must begin"} {
		if got := fmt.Sprint(panicOf(func() { routing.New().Mount(prefix, http.NotFoundHandler()) })); !strings.Contains(got, says) {
			t.Errorf("mount %q: panics with %q, want %q", prefix, got, says)
		}
	}
}

// A condition of a group sees the parameters of the prefix and of outer mounts, but not of the
// routes, so its result is the same for filters and routes.
func TestConditionsOfGroups(t *testing.T) {
	has := func(name, value string) routing.Condition {
		return routing.When(func(r *http.Request) bool { return r.PathValue(name) == value })
	}
	for _, test := range []struct {
		name       string
		group, own routing.Condition
		want       string
	}{
		{"a parameter of the outer prefix", has("x", "X"), has("id", "7"), "outer inner route"},
		{"of the prefix", has("y", "Y"), has("x", "X"), "outer inner route"},
		{"of the base path", has("org", "O"), has("org", "O"), "outer inner route"},
		{"of the mount", has("m", "M"), has("m", "M"), "outer inner route"},
		{"of the route, in its own condition alone", has("id", ""), has("id", "7"), "outer inner route"},
		{"of the route", has("id", "7"), has("id", "7"), "outer"},
		{"a false condition of the route", has("x", "X"), has("id", "8"), "outer inner"},
		{"a false condition of the group", has("x", "Y"), has("id", "7"), "outer"},
	} {
		var ran []string
		filter := func(name string) routing.Filter {
			return func(routing.Context) error { ran = append(ran, name); return nil }
		}
		inner := routing.New(quiet())
		inner.Group("/:x", func(g *routing.Group) {
			g.Before(filter("outer"))
			g.Group("/:y", func(g *routing.Group) {
				g.Before(filter("inner"))
				g.Get("/:id", func(routing.Context) (routing.Result, error) {
					ran = append(ran, "route")
					return routing.Text(""), nil
				}, test.own)
			}, routing.Combine(test.group))
		})
		app := routing.New(quiet())
		app.Mount("/:m/:org", inner)
		send(app, httptest.NewRequest("GET", "/M/O/X/Y/7", nil))
		if got := strings.Join(ran, " "); got != test.want {
			t.Errorf("%s: ran %q, want %q", test.name, got, test.want)
		}
	}
	// A filter of the outer group is for the inner group's routes, but has none of their
	// parameters.
	app, filtered := routing.New(quiet()), false
	app.Group("/a", func(g *routing.Group) {
		g.Before(func(routing.Context) error { filtered = true; return nil })
		g.Group("/:id", func(g *routing.Group) { g.Get("/", text("found")) })
	}, has("id", "7"))
	if w := send(app, httptest.NewRequest("GET", "/a/7", nil)); w.Code == http.StatusOK && !filtered {
		t.Error("the route ran without the group's filter")
	}
}

// A group prefix with a parameter works with Where, 405, mounts, nested groups, OnPattern, URLs,
// Shadowed and Explain.
func TestGroupPrefixWithOtherFeatures(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/shop"), routing.WithMethodNotAllowed())
	var book, hidden, part *routing.Route
	var seen []string
	inner := routing.New(quiet())
	link := inner.Get("/:page", values)
	app.Group("/:locale", func(g *routing.Group) {
		g.Before(func(c routing.Context) error {
			seen = append(seen, c.Params().GetOr("locale", "-"))
			return nil
		})
		hidden = g.Get("/books/:id", values, routing.Where("id", "[0-9]+"))
		book = g.Get("/books/:id", values)
		g.Mount("/pages", inner)
		g.Group("/parts", func(g *routing.Group) {
			part = g.Get("/", values)
			g.Before(func(c routing.Context) error { seen = append(seen, "part"); return nil }, routing.OnPattern(whole("/x")))
		})
	}, routing.Where("locale", "de|fr"))
	for request, want := range map[string]string{
		"GET /books/7":     "404 []",
		"GET /de/books/7":  "200 id=7 locale=de [de]",
		"GET /en/books/7":  "404 []",
		"POST /de/books/7": "405 [de]",
		"GET /de/pages/x":  "200 locale=de page=x [de]",
		"GET /de/pages":    "404 [de]",
		"GET /fr/parts/":   "200 locale=fr [fr]",
		"GET /fr/parts/x":  "404 [fr part]",
		"GET /de/de/parts": "404 [de]",
		"GET /de":          "404 [de]",
		"GET /den/books/7": "404 []",
	} {
		seen = nil
		method, path, _ := strings.Cut(request, " ")
		w := send(app, httptest.NewRequest(method, "/shop"+path, nil))
		got := fmt.Sprint(w.Code, " ", w.Body, " ", seen)
		if w.Code != 200 {
			got = fmt.Sprint(w.Code, " ", seen)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", request, got, want)
		}
	}
	for want, address := range map[string]func() (string, error){
		"/shop/de/books/7": func() (string, error) { return book.URL("id", "7", "locale", "de") },
		"/shop/fr/parts":   func() (string, error) { return part.URL("locale", "fr") },
		"/shop/de/pages/x": func() (string, error) { return link.URL("locale", "de", "page", "x") },
		"":                 func() (string, error) { return link.URL("locale", "en", "page", "x") },
	} {
		if got, err := address(); got != want || (err != nil) != (want == "") {
			t.Errorf("got the URL %q, %v, want %q", got, err, want)
		}
	}
	if got := fmt.Sprint(app.Shadowed()); got != fmt.Sprintf("[%s is hidden by %s, which is defined later]", hidden, book) {
		t.Errorf("Shadowed is %s", got)
	}
	e := app.Explain(httptest.NewRequest("GET", "/shop/de/books/7", nil))
	if matched := matchedBy(e); len(matched) != 2 || matched[0] != book || !e.Before[0].Applies || e.Steps[2].Params[0] != (struct{ Name, Value string }{"locale", "de"}) {
		t.Errorf("Explain is %+v", e)
	}
	if got := book.String() + " " + strings.Join(book.Pattern().Names(), " "); got != "GET /shop/:locale/books/:id locale id" {
		t.Errorf("the route is %s", got)
	}
}
