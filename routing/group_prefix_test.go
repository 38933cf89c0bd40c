package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests groups whose prefix is a pattern.

// A request runs a route of a group and its filters if the prefix matches a part of the path, which
// is the same for all patterns, and the pattern the rest.
func TestGroupPrefixes(t *testing.T) {
	sinatra := func(text string) routing.Pattern { return routing.Must(routing.Sinatra(text)) }
	rails := func(text string) routing.Pattern { return routing.Must(routing.Rails(text)) }
	prefixes := map[string][]string{ // with their readings, in order, as expressions
		"/a": {"/a"}, "/:p": {"/[^/]+"}, "(/b)?": {"/b", ""}, "(/a|/b/:p)": {"/a", "/b/[^/]+"}, "/a|/b": {"/a", "/b"},
		"/a(.:f)?": {`/a\.[^/]+`, "/a"}, "/a-:p": {"/a-[^/]+"}, "/ab?": {"/ab", "/a"}, "/a/?": {"/a"}, "/a/(:p)?": {"/a/[^/]+", "/a"},
		"(/:p)?": {"/[^/]+", ""},
	}
	patterns := []routing.Pattern{
		sinatra("/"), sinatra(""), sinatra("/:q"), sinatra("/x/?"), sinatra("/*"), sinatra("/a|/b"), sinatra("/:q.:r"), sinatra("(/:q)?"),
		rails("/:q(.:format)"), rails("(/:q)"), whole(`/(?P<q>\w+)`), {},
	}
	var paths []string
	for _, a := range []string{"", "/", "/a", "/b", "/x", "/ab", "/a.b", "/a-b"} {
		for _, b := range []string{"", "/", "/a", "/x", "/b.c"} {
			for _, c := range []string{"", "/", "/x", "/b/x"} {
				paths = append(paths, "/"+strings.TrimPrefix(a+b+c, "/"))
			}
		}
	}
	refused := 0
	for prefix, texts := range prefixes {
		var readings []*regexp.Regexp
		for _, text := range texts {
			readings = append(readings, regexp.MustCompile("^("+text+")(/.*)?$"))
		}
		for _, p := range patterns {
			app := routing.New(quiet())
			filtered := false
			var route *routing.Route
			if problem := panicOf(func() {
				app.Group(prefix, func(g *routing.Group) {
					g.Before(func(routing.Context) error { filtered = true; return nil })
					route = g.Route("GET", p, text("found"))
				})
			}); problem != nil {
				if refused++; !strings.Contains(fmt.Sprint(problem), "takes a part of the paths") || !strings.Contains(prefix, "(") {
					t.Errorf("%q in %q: %v", p, prefix, problem)
				}
				continue
			}
			for _, path := range paths {
				want := false
				for _, reading := range readings {
					head := reading.FindStringSubmatch(path)
					if head != nil {
						want = restMatches(p, head[2]) || path == "/" && restMatches(p, "")
						break
					}
				}
				filtered = false
				if got := get(app, path).Code == 200; got != want {
					t.Errorf("%q in %q (%s): on %s got %t, want %t", p, prefix, route, path, got, want)
				}
				if want && !filtered {
					t.Errorf("%q in %q: %s avoids the filter", p, prefix, path)
				}
			}
		}
	}
	if refused != 9 {
		t.Errorf("%d patterns were refused", refused)
	}
}

func panicOf(f func()) (problem any) {
	defer func() { problem = recover() }()
	f()
	return nil
}

func restMatches(p routing.Pattern, rest string) bool {
	switch p.String() {
	case "/":
		return rest == "" || rest == "/"
	case "":
		return p.Syntax() == "" || rest == ""
	case "(/:q)":
		return rest != "/" && p.Match(rest)
	}
	return p.Match(rest)
}

// Names, addresses, Explain, Shadowed, 405 and Where follow the prefix.
func TestGroupPatternElsewhere(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	app.MethodNotAllowed(nil)
	var book, hidden, part *routing.Route
	var seen []string
	inner := routing.New(quiet())
	link := inner.Get("/:page", values)
	app.Group("(/:locale)?", func(g *routing.Group) {
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
		"GET /books/7":     "200 id=7 [-]",
		"GET /de/books/7":  "200 id=7 locale=de [de]",
		"GET /en/books/7":  "404 [-]",
		"POST /de/books/7": "405 [de]",
		"GET /de/pages/x":  "200 locale=de page=x [de]",
		"GET /pages/x":     "200 page=x [-]",
		"GET /pages":       "404 [-]",
		"GET /fr/parts/":   "200 locale=fr [fr]",
		"GET /fr/parts/x":  "404 [fr part]",
		"GET /de/de/parts": "404 [de]",
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
		"/shop/books/7":    func() (string, error) { return book.URL("id", "7") },
		"/shop/de/books/7": func() (string, error) { return book.URL("id", "7", "locale", "de") },
		"/shop/fr/parts":   func() (string, error) { return part.URL("locale", "fr") },
		"/shop/de/pages/x": func() (string, error) { return link.URL("locale", "de", "page", "x") },
		"/shop/pages/x":    func() (string, error) { return link.URL("page", "x") },
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
	if len(e.Matched()) != 2 || e.Matched()[0] != book || !e.Before[0].Applies || e.Steps[2].Params[0] != (routing.PathParam{Name: "locale", Value: "de"}) {
		t.Errorf("Explain is %+v", e)
	}
	if got := book.String() + " " + strings.Join(book.Pattern().Names(), " "); got != "GET /shop(/:locale)?/books/:id locale id" {
		t.Errorf("the route is %s", got)
	}
}

// In Rails' syntax with formats, a prefix needs no question mark.
func TestRailsGroupPrefix(t *testing.T) {
	app := railsApp()
	filtered := 0
	app.Group("(/:locale)", func(g *routing.Group) {
		g.Before(func(routing.Context) error { filtered++; return nil })
		g.Get("/", values)
		g.Get("/books", values)
	}, routing.Where("locale", "de|fr"))
	for path, want := range map[string]string{
		"/": "", "/de": "locale=de", "/de/": "locale=de", "/de.json": "locale=de format=json", "/books": "", "/fr/books.json": "locale=fr format=json",
	} {
		filtered = 0
		w := get(app, path)
		names := strings.Fields(w.Body.String())
		slices.Sort(names)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if w.Code != 200 || !slices.Equal(names, wanted) || filtered != 1 {
			t.Errorf("%s: got %d %q and %d filters, want %q", path, w.Code, w.Body, filtered, want)
		}
	}
	if w := get(app, "/en/books"); w.Code != 404 {
		t.Errorf("got %d", w.Code)
	}
}

// Advice of a panic can be followed.
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
		{"/a/*", nothing, "leave the wildcard at the end out"},
		{"/{+dir}/files", nothing, "write a parameter"},
		{"/a", nil, "pass a function"},
		{"/:id", get("/posts/:id"), `the prefix "/:id" has the parameter "id" too`},
		{"/:id", func(g *routing.Group) { g.Before(func(routing.Context) error { return nil }, routing.On("/posts/:id")) }, `has the parameter "id" too`},
		{"/:id", func(g *routing.Group) { g.Group("/posts/:id", nothing) }, `has the parameter "id" too`},
		{"/:id", func(g *routing.Group) { g.Route("GET", whole("/(?P<id>x)"), values) }, `has the parameter "id" too`},
		{"(/:locale)?", get("/books/:id"), "say with Where what its parameters must be"},
		{"(/:locale)?", get("/books/:id", routing.Where("locale", "de")), "write the Where in the options of the group"},
		{"(/b)?", get("/b/x"), "define routes without the prefix"},
		{"/*/a", func(g *routing.Group) {}, "write a parameter"},
	} {
		got := fmt.Sprint(panicOf(func() { routing.New().Group(test.prefix, test.define) }))
		if !strings.HasPrefix(got, "routing: ") || !strings.Contains(got, test.says) {
			t.Errorf("%q: panics with %q, want %q", test.prefix, got, test.says)
		}
	}
	for prefix, says := range map[string]string{"/*/a": "give the wildcard a name", "/a/{": "a brace must begin"} {
		if got := fmt.Sprint(panicOf(func() { routing.New().Mount(prefix, http.NotFoundHandler()) })); !strings.Contains(got, says) {
			t.Errorf("mount %q: panics with %q, want %q", prefix, got, says)
		}
	}
}

// A prefix that may be left out.
func ExampleApp_Group_optional() {
	app := routing.New()
	app.Group("(/:locale)?", func(g *routing.Group) {
		g.Get("/about", func(c routing.Context) (routing.Result, error) {
			return routing.Text("about, in " + c.Params().GetOr("locale", "en")), nil
		})
	}, routing.Where("locale", "de|fr"))
	fmt.Println(get(app, "/fr/about").Body)
	fmt.Println(get(app, "/about").Body)
	// Output:
	// about, in fr
	// about, in en
}

// A format after an optional prefix leaves one reading of it, for filters and routes.
func TestFormatAfterOptionalPrefix(t *testing.T) {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFormat(), routing.WithFirstMatch())
	app.Group("(/:locale)", func(g *routing.Group) {
		g.Before(func(c routing.Context) error {
			c.Header().Set("X-Locale", c.Params().GetOr("locale", "none"))
			return nil
		})
		g.Get("/", func(c routing.Context) (routing.Result, error) {
			return routing.Text(c.Params().GetOr("locale", "none") + " " + c.Params().GetOr("format", "html")), nil
		})
	})
	app.Mount("(/:tenant)", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "mounted") }))
	for path, want := range map[string]string{"/": "none none html", "/de": "de de html", "/de.json": "de de json", "/a.b/c": "none mounted"} {
		w := send(app, httptest.NewRequest("GET", path, nil))
		if got := w.Header().Get("X-Locale") + " " + w.Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// A name has one value in a prefix.
func TestNameTwiceInPrefix(t *testing.T) {
	app := routing.New()
	app.Group("(/a/:x|/b/:x)", func(*routing.Group) {})
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, `"x" would have two values: give the second one another name`) {
			t.Errorf("got panic %s", v)
		}
	}()
	app.Group("/:x/:x?", func(*routing.Group) {})
}

// A prefix that begins with partial segments is compared whole before the filters of its group run.
func TestPrefixOfPartialSegments(t *testing.T) {
	app := routing.New(routing.WithSyntax(routing.Rails))
	app.Group("(.:format)(/:z)", func(g *routing.Group) {
		g.Before(func(c routing.Context) error {
			c.Header().Set("X-Z", c.Params().GetOr("z", "none"))
			return nil
		})
		g.Route("GET", routing.Pattern{}, func(c routing.Context) (routing.Result, error) {
			return routing.Text(c.Params().GetOr("z", "none")), nil
		})
	}, routing.Where("z", "[^/]+"))
	w := send(app, httptest.NewRequest("GET", "/./a", nil))
	if got := w.Header().Get("X-Z"); got != "." || w.Body.String() != "." {
		t.Errorf("got z = %q in the filter, %q in the route, want \".\"", got, w.Body)
	}
}

// A condition of a group sees the parameters of the prefix, of outer mounts and of the base path,
// and not those of the routes. So it holds for the filters where it holds for the routes.
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
		inner := routing.New(quiet(), routing.WithBasePath("/{org}"))
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
		app.Mount("/:m", inner)
		send(app, httptest.NewRequest("GET", "/M/O/X/Y/7", nil))
		if got := strings.Join(ran, " "); got != test.want {
			t.Errorf("%s: ran %q, want %q", test.name, got, test.want)
		}
	}
	// A filter of the outer group is for the inner group's routes, but has none of their parameters.
	app, filtered := routing.New(quiet()), false
	app.Group("/a", func(g *routing.Group) {
		g.Before(func(routing.Context) error { filtered = true; return nil })
		g.Group("/:id", func(g *routing.Group) { g.Get("/", text("found")) })
	}, has("id", "7"))
	if w := send(app, httptest.NewRequest("GET", "/a/7", nil)); w.Code == http.StatusOK && !filtered {
		t.Error("the route ran without the group's filter")
	}
}
