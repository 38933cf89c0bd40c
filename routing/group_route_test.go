package routing_test

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests patterns of any syntax in groups, and routes of several methods.

func whole(expression string) routing.Pattern {
	return routing.WholeRegexp(regexp.MustCompile(expression))
}

func TestGroupRoute(t *testing.T) {
	show := func(c routing.Context) (routing.Result, error) {
		p := c.Params()
		return routing.Text(fmt.Sprint(p.GetOr("user", "-"), p.GetOr("id", "-"), p.Values("captures"), p.Values("splat"))), nil
	}
	inner := routing.New(quiet())
	inner.Group("/a.b/:user", func(g *routing.Group) {
		g.Before(func(c routing.Context) error { c.Header().Set("X-Filter", "ran"); return nil })
		g.Route("GET", whole(`/n(\d+)|/m/(?P<id>[a-z]+)`), show)
		g.Route("POST", routing.Pattern{}, show)
		g.Route("GET", routing.Must(routing.Rails("/r/:id(.:format)")), show)
		g.Route("GET", routing.Must(routing.Sinatra("/s/:id/?")), show)
		g.Group("/deep", func(g *routing.Group) { g.Route("GET", whole(`/(.*)`), show) })
	}, routing.Use(tag("m")))
	inner.Group("/w/:user", func(g *routing.Group) { g.Route("GET", whole(`/n(\d+)`), show) }, routing.Where("user", "(a|b)+"))
	inner.Group("", func(g *routing.Group) { g.Route("GET", routing.Regexp(regexp.MustCompile("free")), show) })
	app := routing.New(quiet())
	app.Mount("/in", inner)
	for request, want := range map[string]string{
		"GET /a.b/ann/n7":       "200 ann-[7 ] []",
		"GET /a.b/ann/m/x":      "200 annx[ x] []",
		"HEAD /a.b/ann/m/x":     "200 ",
		"GET /a.b/ann/m/x?id=q": "200 annx[ x] []",
		"GET /a.b/ann/n7?id=q":  "200 annq[7 ] []",
		"GET /axb/ann/n7":       "404",
		"GET /a.b/ann/n7/":      "404",
		"GET /a.b/ann/x/n7":     "404",
		"POST /a.b/ann":         "200 ann-[] []",
		"POST /a.b/ann/x/y":     "200 ann-[] []",
		"POST /a.b":             "404",
		"GET /a.b/ann/r/7.json": "200 ann7[] []",
		"GET /a.b/ann/s/7/":     "200 ann7[] []",
		"GET /a.b/ann/deep/x/y": "200 ann-[x/y] []",
		"GET /a.b/ann/deep":     "404",
		"GET /w/ab/n7":          "200 ab-[7] []",
		"GET /x/free/y":         "200 --[] []",
		"GET /a.b/an/n/n7":      "404",
		"GET /a.b/a%0Ab/n7":     "200 a\nb-[7 ] []",
	} {
		method, path, _ := strings.Cut(request, " ")
		for prefix, handler := range map[string]*routing.App{"": inner, "/in": app} {
			w := send(handler, httptest.NewRequest(method, prefix+path, nil))
			if got := fmt.Sprint(w.Code, " ", w.Body); got != want && (want != "404" || w.Code != 404) {
				t.Errorf("%s%s: got %q, want %q", prefix, request, got, want)
			}
			if w.Code == 200 && strings.HasPrefix(path, "/a.b") && w.Header().Get("X-Filter") == "" {
				t.Errorf("%s%s: the filter did not run", prefix, request)
			}
		}
	}
	for _, test := range []struct {
		pattern routing.Pattern
		problem string
	}{
		{routing.Regexp(regexp.MustCompile("^/a$")), "use WholeRegexp"},
		{routing.Regexp(regexp.MustCompile(`\A(?:/a)|(?:/b)\z`)), "use WholeRegexp"},
		{whole("^/a$"), "leave the anchors out"},
		{whole("/a|b"), "begin with a slash"},
		{whole("ing"), "begin with a slash"},
		{whole("(/a)?"), "begin with a slash"},
		{routing.Must(routing.Rails("(.:format)")), "also matches paths outside"},
		{routing.Must(routing.Sinatra("a")), "must start with /"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.problem) {
					t.Errorf("%s: panics with %q, want %q", test.pattern, got, test.problem)
				}
			}()
			inner.Group("/g/:user", func(g *routing.Group) { g.Route("GET", test.pattern, show) })
		}()
	}
}

// A Where of a group applies to its prefix, even if the route's pattern is a regular expression.
func TestWhereBesideExpression(t *testing.T) {
	app := routing.New(quiet())
	app.Group("/g/:id", func(g *routing.Group) {
		g.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/(?P<n>\d)`)), text("matched"))
	}, routing.Where("id", "[0-9]+"))
	for path, want := range map[string]int{"/g/7/1": 200, "/g/x/1": 404, "/g/7/x": 404} {
		if w := get(app, path); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
	problem := panicOf(func() {
		app.Route("GET", routing.Regexp(regexp.MustCompile(`(?P<n>.)`)), text(""), routing.Where("n", "x"))
	})
	if !strings.Contains(fmt.Sprint(problem), "restrict the group in the expression") {
		t.Errorf("Where for a group of an expression: panicked with %v", problem)
	}
}

func TestMatch(t *testing.T) {
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.OnError(func(_ routing.Context, err error) (routing.Result, error) { return routing.Text("handled"), nil })
	app.Group("/g", func(g *routing.Group) {
		if got := fmt.Sprint(g.Match([]string{"GET", "PURGE"}, "/:id", text("matched"))); got != "[GET /g/:id PURGE /g/:id]" {
			t.Errorf("defined %s", got)
		}
		g.Match([]string{"GET", "POST"}, "/fails", func(routing.Context) (routing.Result, error) { panic("broken") })
	})
	for request, want := range map[string]string{
		"GET /g/7": "200 matched", "HEAD /g/7": "200 ", "PURGE /g/7": "200 matched", "POST /g/7": "405 ", "POST /g/fails": "500 handled",
	} {
		method, path, _ := strings.Cut(request, " ")
		w := send(app, httptest.NewRequest(method, path, nil))
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", request, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Match without a method does not panic")
		}
	}()
	app.Match(nil, "/x", text(""))
}

// A group with an expression for the rest of the path.
func ExampleGroup_Route() {
	app := routing.New()
	app.Group("/archive/:name", func(g *routing.Group) {
		g.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/(?P<year>\d{4})`)), func(c routing.Context) (routing.Result, error) {
			name, _ := c.Params().Path("name")
			year, _ := c.Params().Path("year")
			return routing.Text(name + " in " + year), nil
		})
	})
	fmt.Println(get(app, "/archive/roses/1984").Body)
	fmt.Println(get(app, "/archive/roses/84").Code)
	// Output:
	// roses in 1984
	// 404
}

func ExampleApp_Match() {
	app := routing.New()
	app.Match([]string{"GET", "POST"}, "/search", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Request().Method + " " + c.Params().GetOr("q", "")), nil
	})
	fmt.Println(get(app, "/search?q=rose").Body)
	fmt.Println(send(app, form("/search", "q=lily")).Body)
	// Output:
	// GET rose
	// POST lily
}
