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

// A request runs a route of a group and its filters if the prefix matches a part of the path, and
// the pattern the rest.
func TestGroupPrefixes(t *testing.T) {
	sinatra := func(text string) routing.Pattern { return routing.Must(routing.Sinatra(text)) }
	rails := func(text string) routing.Pattern { return routing.Must(routing.Rails(text)) }
	prefixes := []routing.Pattern{
		sinatra("/a"), sinatra("/:p"), sinatra("(/:p)?"), sinatra("(/a|/b/:p)"), sinatra("/a|/b"), sinatra("/a(.:f)?"), sinatra("/a-:p"),
		sinatra("/*/a"), sinatra("/ab?"), rails("(/:p)"), rails("/a(/:p)"), rails("/:p"), whole("/(a|b)"), whole("(/(?P<p>a))?"), whole("/.*"),
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
	for _, prefix := range prefixes {
		for _, p := range patterns {
			app := routing.New(quiet())
			filtered := false
			var route *routing.Route
			if problem := panicOf(func() {
				app.GroupPattern(prefix, func(g *routing.Group) {
					g.Before(func(routing.Context) error { filtered = true; return nil })
					route = g.Route("GET", p, text("found"))
				})
			}); problem != nil {
				t.Errorf("%q in %q: %v", p, prefix, problem)
				continue
			}
			for _, path := range paths {
				want := path == "/" && prefixMatches(prefix, "") && restMatches(p, "")
				for i := range len(path) + 1 {
					head, rest := path[:i], path[i:]
					if i == len(path) || path[i] == '/' {
						want = want || prefixMatches(prefix, head) && restMatches(p, rest)
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
}

func panicOf(f func()) (problem any) {
	defer func() { problem = recover() }()
	f()
	return nil
}

// prefixMatches reports whether a prefix matches the first part of a path. A pattern of optional
// parts also matches "/", a prefix does not.
func prefixMatches(p routing.Pattern, head string) bool {
	return p.Match(head) && (p.Syntax() == "regexp" || !strings.HasSuffix(head, "/"))
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
func TestBadGroupPatterns(t *testing.T) {
	nothing := func(*routing.Group) {}
	for _, test := range []struct {
		prefix routing.Pattern
		define func(*routing.Group)
		says   string
	}{
		{routing.Pattern{}, nothing, "use Group with an empty prefix"},
		{routing.Regexp(regexp.MustCompile("^/a")), nothing, "use WholeRegexp"},
		{whole("/a$"), nothing, "leave the anchors out"},
		{whole("^/a"), nothing, "leave the anchors out"},
		{routing.Must(routing.Sinatra("a")), nothing, `write "/a"`},
		{routing.Must(routing.Rails("/a/*rest")), nothing, "leave the wildcard at the end out"},
		{whole("/a"), func(g *routing.Group) { g.Get("/:x", values, routing.Where("x", "a")) }, "in the regular expression itself"},
		{whole("/a"), func(g *routing.Group) { g.Mount("/x", http.NotFoundHandler()) }, "mount it elsewhere"},
		{whole("/a"), func(g *routing.Group) { g.GroupPattern(whole("b"), nothing) }, "begin with a slash"},
		{routing.Must(routing.Sinatra("/*/a")), func(g *routing.Group) { g.Mount("/x", http.NotFoundHandler()) }, "mount it elsewhere"},
		{whole("/a"), nil, "pass a function"},
		{routing.New().Mount("/x", http.NotFoundHandler()).Pattern(), nothing, "leave the wildcard at the end out"},
	} {
		got := fmt.Sprint(panicOf(func() { routing.New().GroupPattern(test.prefix, test.define) }))
		if !strings.HasPrefix(got, "routing: ") || !strings.Contains(got, test.says) {
			t.Errorf("%q: panics with %q, want %q", test.prefix, got, test.says)
		}
	}
}

// A group below a regular expression.
func ExampleApp_GroupPattern() {
	app := routing.New()
	locale := routing.WholeRegexp(regexp.MustCompile("/(?P<locale>de|fr)"))
	app.GroupPattern(locale, func(g *routing.Group) {
		g.Get("/books/:id", func(c routing.Context) (routing.Result, error) {
			locale, _ := c.Params().Path("locale")
			id, _ := c.Params().Path("id")
			return routing.Text("book " + id + " in " + locale), nil
		})
	})
	fmt.Println(get(app, "/de/books/7").Body)
	fmt.Println(get(app, "/en/books/7").Code)
	// Output:
	// book 7 in de
	// 404
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
