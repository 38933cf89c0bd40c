package routing_test

// This file tests the methods that report routes.

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

func TestURLRoundTrips(t *testing.T) {
	app := routing.New(quiet(), routing.WithBasePath("/b c"))
	for _, test := range []struct {
		pattern routing.Pattern
		pairs   []string
		want    string // empty for an error
	}{
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "Ann Lee"}, "/b%20c/hello/Ann%20Lee"},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "ä?#%"}, "/b%20c/hello/%C3%A4%3F%23%25"},
		{routing.Must(routing.Sinatra("/*/x/*")), []string{"splat", "a/b", "splat", "c"}, "/b%20c/a/b/x/c"},
		{routing.Must(routing.Sinatra("/list/?:page?")), nil, "/b%20c/list"},
		{routing.Must(routing.Rails("/doc/:id(.:format)")), []string{"id", "7", "format", "json"}, "/b%20c/doc/7.json"},
		{routing.Must(routing.Rails("/doc/:id(.:format)")), []string{"id", "7"}, "/b%20c/doc/7"},
		{routing.Must(routing.Sinatra("/hello/:name")), nil, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "a/b"}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", ""}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", ".."}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name", "a", "other", "b"}, ""},
		{routing.Must(routing.Sinatra("/hello/:name")), []string{"name"}, ""},
		{routing.Must(routing.Rails("/doc/:id")), []string{"id", "a.b"}, ""},
		{routing.Regexp(regexp.MustCompile("^/x$")), nil, ""},
		{routing.Pattern{}, nil, ""},
	} {
		var got []string
		route := app.Route("GET", test.pattern, func(c routing.Context) (routing.Result, error) {
			for i := 0; i < len(test.pairs); i += 2 {
				got = c.Params().Values(test.pairs[i])
			}
			return routing.Text("ok"), nil
		})
		address, err := route.URL(test.pairs...)
		if address != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %q: got %q, %v; want %q", test.pattern, test.pairs, address, err, test.want)
			continue
		}
		if test.want == "" {
			continue
		}
		if w := get(app, address); w.Body.String() != "ok" || len(test.pairs) > 0 && !slices.Contains(got, test.pairs[len(test.pairs)-1]) {
			t.Errorf("%s: a request for %s gives %d, %q", test.pattern, address, w.Code, got)
		}
	}
}

func TestShadowedOnGitHub(t *testing.T) {
	data, err := os.ReadFile("testdata/routes.json")
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string][]struct{ Method, Path string }
	if err := json.Unmarshal(data, &tables); err != nil {
		t.Fatal(err)
	}
	app := routing.New()
	for _, r := range tables["github"] {
		path, _, rest := strings.Cut(r.Path, "*")
		if rest {
			path += "*"
		}
		app.Route(r.Method, routing.Must(routing.Sinatra(path)), text(""))
	}
	shadows := app.Shadowed()
	if len(tables["github"]) != 239 || len(shadows) != 15 {
		t.Errorf("of %d routes %d are hidden, want 15 of 239", len(tables["github"]), len(shadows))
	}
	// A request for the address of a hidden route runs the other route.
	for _, s := range shadows {
		target := regexp.MustCompile(`:\w+`).ReplaceAllString(s.Hidden.Pattern().String(), "value")
		r := httptest.NewRequest(s.Hidden.Method(), target, nil)
		get := send(app, r)
		if r.Pattern != s.By.String() || get.Code != 200 {
			t.Errorf("%s: runs %s", s, r.Pattern)
		}
	}
}

func TestExplain(t *testing.T) {
	app := routing.New(routing.WithMethodOverride(), routing.WithBasePath("/b"))
	app.Get("/x/:id", text(""))
	app.Post("/x/:id", text(""))
	app.Get("/x/new", text(""), routing.When(func(r *http.Request) bool { return r.Header.Get("Beta") != "" }).Named("beta"))
	app.Route("", routing.Pattern{}, text(""))
	app.Head("/x/*", text(""))
	want := `GET "/x/new"
  - HEAD /b/x/*: the request's method is GET
  + /b/*: the path matches
  - GET /b/x/new: the condition "beta" does not hold
  - POST /b/x/:id: the request's method is GET
  + GET /b/x/:id: the path matches
`
	e := app.Explain(httptest.NewRequest("GET", "/b/x/new", nil))
	if got := e.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if matched := matchedBy(e); len(matched) != 2 || matched[1].String() != "GET /b/x/:id" {
		t.Errorf("matched %v", matched)
	}
	head := matchedBy(app.Explain(httptest.NewRequest("HEAD", "/b/x/1", nil)))
	if len(head) != 3 || head[0].Method() != "HEAD" || head[1].Method() != "" || head[2].Method() != "GET" {
		t.Errorf("HEAD matched %v", head)
	}
	if e := app.Explain(httptest.NewRequest("GET", "/other", nil)); e.Inside || e.Base != "/b" || e.String() != "GET \"/other\"\n  outside of the base path\n" {
		t.Errorf("outside of the base path: %s", e)
	}
	app.Get("/y", text(""), routing.When(func(*http.Request) bool { panic("no database") }))
	if e := app.Explain(httptest.NewRequest("GET", "/b/y", nil)).String(); !strings.Contains(e, "- GET /b/y: a condition panics: no database\n") {
		t.Errorf("a condition that panics: got %s", e)
	}
	r := httptest.NewRequest("POST", "/b/x/1", nil)
	r.Header.Set("X-HTTP-Method-Override", "DELETE")
	if e := app.Explain(r); e.Method != "DELETE" {
		t.Errorf("overridden method: got %s", e.Method)
	}
	r.Method = "PUT"
	if e := app.Explain(r); e.Method != "PUT" {
		t.Errorf("a header that overrides only POST: got %s", e.Method)
	}
}

func TestRoutesTable(t *testing.T) {
	app := routing.New()
	app.Before(func(routing.Context) error { return nil }, routing.On("/a/*"), routing.OnPattern(routing.Pattern{}))
	app.Get("/x", text(""), routing.When(func(*http.Request) bool { return true }), routing.Meta("k", "v"))
	app.After(func(routing.Context) error { return nil })
	want := "before  *    /a/* or (every path)\nroute   GET  /x  conditions: 1\nafter   *    (every path)\n"
	if got := app.Table().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if v := app.Table()[1].Route.Meta("k"); v != "v" {
		t.Errorf("meta is %v", v)
	}
}
