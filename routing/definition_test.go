package routing_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// Definitions that must be mistakes panic. The message says what to write instead.

// Invalid definitions panic. The message says what to write instead.
func TestBadDefinitionsPanic(t *testing.T) {
	app := routing.New()
	for _, test := range []struct {
		name   string
		define func()
		says   []string
	}{
		{"question mark first", func() { app.Get("?x", text("")) }, []string{"routing: ", `"?x"`, "offset 0"}},
		{"two question marks", func() { app.Get("/a??", text("")) }, []string{"routing: ", `"/a??"`, "offset 3"}},
		{"open parenthesis", func() { routing.Must(routing.Rails("/a(b")) }, []string{"routing: ", `"/a(b"`, "offset 2"}},
		{"closing parenthesis", func() { routing.Must(routing.Rails("/a)b")) }, []string{"routing: ", `"/a)b"`, "offset 2"}},
		{"backslash at the end", func() { routing.Must(routing.Rails(`/a\`)) }, []string{"routing: ", "offset 2"}},
		{"not UTF-8", func() { app.Get("/a\xff", text("")) }, []string{"routing: ", "offset 2", "UTF-8"}},
		{"nil action", func() { app.Get("/a", nil) }, []string{"routing: ", "/a"}},
		{"nil handler", func() { app.Handle("GET", "/a", nil) }, []string{"routing: ", "/a"}},
		{"nil pointer as handler", func() { app.Handle("GET", "/a", (*routing.App)(nil)) }, []string{"routing: route GET /a: pass a handler, not nil"}},
		{"nil function as handler", func() { routing.Handler(http.HandlerFunc(nil)) }, []string{"routing: Handler: pass a handler, not nil"}},
		{"nil function mounted", func() { app.Mount("/x", http.HandlerFunc(nil)) }, []string{`routing: mount "/x": pass a handler, not nil`}},
		{"nil app as next handler", func() { routing.New(routing.WithNext((*routing.App)(nil))) }, []string{"routing: WithNext: the handler is a nil *routing.App", "pass a plain nil"}},
		{"nil app behind middleware", func() { app.Middleware((*routing.App)(nil)) }, []string{"routing: Middleware: the handler is a nil *routing.App", "pass a plain nil"}},
		{"nil filter", func() { app.Before(nil) }, []string{"routing: ", "before"}},
		{"nil condition", func() { routing.When(nil) }, []string{"routing: ", "definition_test.go"}},
		{"nil expression", func() { routing.Regexp(nil) }, []string{"routing: "}},
		{"method with a space", func() { app.Route("A B", routing.Pattern{}, text("")) }, []string{"routing: ", `"A B"`}},
		{"base path", func() { routing.WithBasePath("x") }, []string{"routing: ", `"/x"`}},
		{"base path of another host", func() { routing.WithBasePath("//evil") }, []string{"routing: ", `"/evil"`}},
		{"base path with a colon", func() { routing.WithBasePath("/org/:id") }, []string{`routing: base path "/org/:id": `, `write outer.Mount("/org/:id", app)`}},
		{"encoded base path", func() { routing.WithBasePath("/caf%C3%A9") }, []string{`routing: base path "/caf%C3%A9": `, `write "/café"`}},
		{"encoded pattern", func() { app.Get("/caf%C3%A9/:id", text("")) }, []string{`"%C3%A9" is encoded`, `write "é"`, `write "\\%C3\\%A9"`}},
		{"encoded pattern that is not UTF-8", func() { app.Get("/caf%E9", text("")) }, []string{`"%E9" is encoded, but not as UTF-8: write "\\%E9"`}},
		{"encoded special character", func() { app.Group("/a%3ab", func(*routing.Group) {}) }, []string{`write "\\:"`}},
		{"encoded brace", func() { app.Get("/a%7Bb", text("")) }, []string{`write "\\{"`}},
		{"encoded filter of Rails", func() {
			routing.New(routing.WithSyntax(routing.Rails)).Before(func(routing.Context) error { return nil }, routing.On("/a%20b"))
		}, []string{`"%20" is encoded`, `write " "`}},
		{"mount with an empty segment", func() { routing.New().Mount("/a//b", routing.New()) }, []string{`mount "/a//b"`, `"/a/b"`}},
		{"group with an empty segment at its end", func() { app.Group("/a/:b//", func(*routing.Group) {}) }, []string{`group "/a/:b//"`, `"/a/:b"`}},
		{"name with a star", func() { app.Get("/files/*path", text("")) }, []string{`write "{+path}" for a wildcard with a name`}},
		{"class of a regular expression", func() { app.Get(`/a\d`, text("")) }, []string{`a backslash before a letter, "\\d"`}},
		{"class in Rails", func() { routing.New(routing.WithSyntax(routing.Rails)).Get(`/a\w`, text("")) }, []string{`a backslash before a letter, "\\w"`}},
		{"name with a digit in Rails", func() { routing.New(routing.WithSyntax(routing.Rails)).Get(`/t/:1x`, text("")) }, []string{`":1x" is literal text`}},
		{"limit", func() { routing.WithBodyLimit(0) }, []string{"routing: ", "WithBodyLimit(0)"}},
		{"method in small letters", func() { app.Handle("get", "/a", http.NotFoundHandler()) }, []string{"routing: ", "write GET"}},
		{"pattern without a slash", func() { app.Get("a", text("")) }, []string{"routing: route GET a: ", `"/a"`}},
		{"filter without a slash", func() { app.Before(func(routing.Context) error { return nil }, routing.On("admin/*")) },
			[]string{"routing: before filter on admin/*: ", `"/admin/*"`}},
		{"nil middleware", func() { app.Use(nil) }, []string{"routing: middleware"}},
		{"middleware that returns nil", func() { app.Use(func(http.Handler) http.Handler { return nil }) }, []string{"routing: middleware", "return a handler"}},
		{"middleware that returns a nil app", func() { app.Use(func(http.Handler) http.Handler { return (*routing.App)(nil) }) }, []string{"routing: middleware", "return a handler"}},
		{"wrapper that returns nil", func() { app.Get("/a", text(""), routing.Wrap(func(routing.Action) routing.Action { return nil })) },
			[]string{"routing: route GET /a", "return an action"}},
		{"zero condition", func() { app.Get("/a", text(""), routing.Condition{}) }, []string{"routing: ", "When"}},
		{"stream of nothing", func() { routing.Stream("text/plain", nil) }, []string{"routing: Stream"}},
		{"nil middleware of a route", func() { app.Get("/a", text(""), routing.Use(nil)) }, []string{"routing: middleware"}},
		{"mount", func() { app.Mount("x", http.NotFoundHandler()) }, []string{"routing: ", `"/x"`}},
		{"mount of nothing", func() { app.Mount("/x", nil) }, []string{"routing: "}},
		{"empty pattern", func() { app.Get("", text("")) }, []string{"routing: route GET : ", "matches no path"}},
		{"filter on nothing", func() { app.Before(func(routing.Context) error { return nil }, routing.On("")) }, []string{"routing: before filter", "matches no path"}},
		{"parameter without a slash", func() { app.Get(":id", text("")) }, []string{"routing: route GET :id: ", `"/:id"`}},
		{"braces in a group", func() { app.Get("/items/{:id}", text("")) }, []string{`routing: sinatra pattern "/items/{:id}", offset 7`, "write \\{"}},
		{"braces with an expression", func() { app.Handle("GET", "/items/{id:[0-9]+}", http.NotFoundHandler()) },
			[]string{`routing: sinatra pattern "/items/{id:[0-9]+}"`, `write ":id" with Where("id", "[0-9]+")`, `\\{id:`}},
		{"braces for the rest", func() { app.Get("/files/{path...}", text("")) }, []string{`write "{+path}"`}},
		{"braces of Sinatra", func() { routing.New(routing.WithSyntax(routing.Rails)).Get("/files/{+path}", text("")) }, []string{`write "*path"`}},
		{"braces for the end", func() { app.Get("/{$}", text("")) }, []string{"leave it out"}},
		{"a type in angle brackets", func() { app.Get("/x/:id<int>", text("")) }, []string{`":id<int>"`, `write ":id"`}},
		{"two in angle brackets", func() { app.Get(`/x/:id<min(1);max(5)>`, text("")) }, []string{`write ":id"`}},
		{"angle brackets", func() { app.Get("/x/<int:id>", text("")) }, []string{`"<int:id>"`, `write ":id"`}},
		{"expression behind a parameter", func() { app.Get(`/x/:id(\d+)`, text("")) }, []string{"write \":id\" with Where(\"id\", `\\d+`)", `:id\\(`}},
		{"parentheses without effect", func() { app.Get(`/x(y)z`, text("")) }, []string{`"(y)"`, "leave the parentheses out", `write "\\(y\\)"`}},
		{"alternatives of Rails", func() { routing.New(routing.WithSyntax(routing.Rails)).Get("/a(b|c)", text("")) }, []string{"define a route for each"}},
		{"alternative without a slash", func() { app.Get("/a|b", text("")) }, []string{"routing: route GET /a|b: all alternatives must start with /"}},

		{"parameter with a star", func() { app.Get("/a/:b*", text("")) }, []string{`":b*"`, `write "*"`, "Pattern"}},
		{"method in the pattern", func() { app.Get("GET /a/:b", text("")) }, []string{"routing: route GET GET /a/:b: ", `leave the method out: write "/a/:b"`}},
		{"query", func() { app.Get("/search?q=:q", text("")) }, []string{`"?q="`, "Params"}},
		{"filter in angle brackets", func() { app.After(func(routing.Context) error { return nil }, routing.On("/x/<id>")) }, []string{`write ":id"`}},
		{"Rails in braces", func() { routing.New(routing.WithSyntax(routing.Rails)).Get("/x/{id}(.:format)", text("")) }, []string{`write ":id"`}},
		{"mount in angle brackets", func() { app.Mount("/u/<user>", http.NotFoundHandler()) }, []string{`write ":user"`}},
		{"format of Rails", func() { app.Get("/x/:id(.:format)", text("")) }, []string{`write "(.:format)?"`}},
		{"another scope of Rails", func() { app.Get("/(:locale)", text("")) }, []string{`write "/(:locale)?"`}},
		{"optional part of Sinatra", func() { routing.New(routing.WithSyntax(routing.Rails)).Get("(/:locale)?/x", text("")) }, []string{"leave the question mark out"}},
		{"wildcard of Sinatra", func() { routing.New(routing.WithSyntax(routing.Rails)).Get("/files/*", text("")) }, []string{`such as "*path"`}},
		{"mount below a wildcard", func() { app.Mount("/*/x", http.NotFoundHandler()) }, []string{`routing: mount "/*/x"`, "a prefix has no wildcard", "loop over the prefixes"}},
		{"mount with an optional part", func() { app.Mount("(/:locale)?/x", http.NotFoundHandler()) }, []string{`routing: mount "(/:locale)?/x"`, "neither optional parts nor alternatives", `for _, prefix := range []string{"", "/:locale"}`}},
		{"group with alternatives", func() { app.Group("/(de|fr)", func(*routing.Group) {}) }, []string{`routing: group "/(de|fr)"`, "loop over the prefixes"}},
		{"group with a partial segment", func() { app.Group("/v:n", func(*routing.Group) {}) }, []string{`routing: group "/v:n"`, "a parameter of a prefix fills its segment"}},
		{"group with short values and formats", func() {
			railsApp().Group("/:a", func(*routing.Group) {}, routing.Where("a", "[a-z.]+?"))
		}, []string{`routing: group "/:a"`, "ambiguous", "remove the question mark"}},
		{"slash at the end that matching ignores", func() { routing.New(routing.WithOptionalSlash()).Get("/c/", text("")) }, []string{"routing: route GET /c/", `write "/c"`}},
		{"slash at the end of an expression that matching ignores", func() {
			routing.New(routing.WithOptionalSlash()).Before(pass, routing.OnPattern(routing.Regexp(regexp.MustCompile("^/admin/$"))))
		}, []string{"routing: before filter on ", `cannot match "/admin/": write /? in place of the slash`}},
		{"filter on a slash that matching ignores", func() {
			routing.New(routing.WithLooseSlashes()).Before(pass, routing.OnPattern(routing.Must(routing.Sinatra("/c/"))))
		}, []string{"routing: before filter on /c/", `write "/c"`}},
		{"repeated slashes", func() {
			routing.New(routing.WithLooseSlashes()).Route("GET", routing.Must(routing.Sinatra("/c//d")), text(""))
		}, []string{"routing: route GET /c//d", `write "/c/d"`}},
		{"scope of Rails", func() { app.Get("(/:locale)/x", text("")) }, []string{`write "(/:locale)?"`}},
		{"nil option", func() { routing.New(nil) }, []string{"routing: New: option 0 is nil"}},
		{"nil option of a route", func() { app.Get("/a", text(""), routing.Meta("k", 1), nil) }, []string{"routing: option 1 of a route is nil"}},
		{"nil option combined", func() { routing.Combine(nil) }, []string{"routing: option 0 of a route is nil"}},
		{"nil option of a filter", func() { app.Before(func(routing.Context) error { return nil }, nil) }, []string{"routing: before filter: option 0 is nil"}},
		{"wrap with nil", func() { routing.Wrap(nil) }, []string{"routing: Wrap"}},
		{"check with nil", func() { routing.Check(nil) }, []string{"routing: Check"}},
		{"nil handler of RecordRoute", func() { routing.RecordRoute(http.HandlerFunc(nil)) }, []string{"routing: RecordRoute: pass a handler, not nil"}},
		{"nil handler action", func() { routing.Handler(nil) }, []string{"routing: Handler"}},
		{"zero app", func() { new(routing.App).Get("/a", text("")) }, []string{"routing: the zero App", "New"}},
		{"zero app's filter", func() { new(routing.App).Before(func(routing.Context) error { return nil }) }, []string{"routing: the zero App"}},
		{"zero app's handler", func() { new(routing.App).NotFound(text("")) }, []string{"routing: the zero App"}},
		{"zero app's logger", func() { new(routing.App).Logger() }, []string{"routing: the zero App"}},
		{"request to a zero app", func() { get(new(routing.App), "/a") }, []string{"routing: the zero App"}},
		{"mount of a nil app", func() { app.Mount("/x", (*routing.App)(nil)) }, []string{`routing: mount "/x": pass a handler, not nil`}},
		{"app as its own middleware", func() { app.Use(app.Middleware) }, []string{"routing: Middleware: the app would be in front of itself"}},
		{"app as a handler of itself", func() { app.Handle("GET", "/x", app) }, []string{"routing: route GET /x: the handler calls this app", "would loop"}},
		{"app as its own next handler", func() { app.Middleware(app) }, []string{"routing: Middleware: the app would be in front of itself"}},
		{"check", func() {
			app.Get("/a", text(""), routing.Check(func(*routing.Route) error { return errors.New("no") }))
		}, []string{"routing: route GET /a: no"}},
	} {
		func() {
			defer func() {
				got := fmt.Sprint(recover())
				for _, want := range test.says {
					if !strings.Contains(got, want) {
						t.Errorf("%s: panicked with %q, want %q in it", test.name, got, want)
					}
				}
			}()
			test.define()
		}()
	}
}

// A pattern that looks like one of another router is accepted with a backslash, or as a Pattern.
func TestEscapedPatternsOfOtherRouters(t *testing.T) {
	app := routing.New(quiet())
	app.Get(`/a/\{id}`, text("braces"))
	app.Get(`/b/\<id>`, text("angles"))
	app.Get(`/c/:id\(x\)`, text("parentheses"))
	app.Get(`/d\?q=1`, text("query"))
	app.Get(`/e/\:id\*`, text("colon"))
	app.Get(`/f\\h`, text("backslashes"))
	app.Get(`/\.git\+`, text("punctuation"))
	app.Get(`/i\{?j`, text("optional"))
	app.Route("GET", routing.Must(routing.Sinatra("/f(x)")), text("plain"))
	app.Route("GET", routing.Must(routing.Sinatra("/h/<id>")), text("pattern"))
	app.Route("GET", routing.Must(routing.Sinatra("/k/:b*")), text("splat"))
	app.Get("/m/*.txt", text("extension"))
	app.Before(func(c routing.Context) error { c.Header().Set("X-Filter", "ran"); return nil }, routing.OnPattern(routing.Must(routing.Sinatra("/h/<id>"))))
	for path, want := range map[string]string{
		"/a/{id}": "braces", "/b/<id>": "angles", "/c/7(x)": "parentheses", "/d%3Fq=1": "query", "/e/:id*": "colon",
		`/f%5Ch`: "backslashes", "/.git+": "punctuation", "/i{j": "optional", "/ij": "optional", "/f(x)": "plain", "/h/<id>": "pattern", "/k/x/y": "splat",
		"/m/a/b.txt": "extension",
	} {
		if w := get(app, path); w.Body.String() != want || (w.Header().Get("X-Filter") != "") != (path == "/h/<id>") {
			t.Errorf("%s: got %d %q, want %q", path, w.Code, w.Body, want)
		}
	}
}

// The advice for a parameter of another router can be copied, and matches the paths that were
// meant.
func TestAdviceForParametersOfOtherRouters(t *testing.T) {
	for _, test := range []struct {
		foreign string
		rails   bool
		advice  string
		pattern string // as advised
		where   string
		path    string // to the parameter x
	}{
		{"/a/{x:int}", false, `write ":x" with Where("x", "[0-9]+")`, "/a/:x", "[0-9]+", "/a/7"},
		{"/a/{x:int}", true, `write ":x" with Where("x", "[0-9]+")`, "/a/:x", "[0-9]+", "/a/7"},
		{"/a/<int:x>", false, `write ":x" with Where("x", "[0-9]+")`, "/a/:x", "[0-9]+", "/a/7"},
		{"/a/{x:path}", false, `write "{+x}", or`, "/a/{+x}", "", "/a/b/c"},
		{"/a/{x:path}", true, `write "*x", or`, "/a/*x", "", "/a/b/c"},
		{"/a/<path:x>", false, `write "{+x}", or`, "/a/{+x}", "", "/a/b/c"},
		{"/a/{x...}", false, `write "{+x}", or`, "/a/{+x}", "", "/a/b/c"},
		{"/a/{x...}", true, `write "*x", or`, "/a/*x", "", "/a/b/c"},
		{"/a/{x:.*}", false, `write "{+x}", or`, "/a/{+x}", "", "/a/b/c"},
		{"/a/{x:[a-z/]+}", false, `write "{+x}" with Where("x", "[a-z/]+")`, "/a/{+x}", "[a-z/]+", "/a/b/c"},
		{"/a/{x:str}", false, `write ":x", or`, "/a/:x", "", "/a/b"},
		{"/a/<x>", false, `write ":x", or`, "/a/:x", "", "/a/b"},
		{"/a/{x:[0-9]{4}}", false, `write ":x" with Where("x", "[0-9]{4}")`, "/a/:x", "[0-9]{4}", "/a/2026"},
		{"/a/{x:[0-9]{4}}", true, `write ":x" with Where("x", "[0-9]{4}")`, "/a/:x", "[0-9]{4}", "/a/2026"},
		{`/a/{x:^\d+$}`, false, "write \":x\" with Where(\"x\", `\\d+`)", "/a/:x", `\d+`, "/a/7"},
		{`/a/:x(\d+)`, false, "write \":x\" with Where(\"x\", `\\d+`)", "/a/:x", `\d+`, "/a/7"},
		{`/a/{x:uuid}`, false, `write ":x" with Where("x", "[0-9a-f-]+")`, "/a/:x", "[0-9a-f-]+", "/a/6ba7b810-9dad"},
	} {
		options := []routing.Option{quiet()}
		if test.rails {
			options = append(options, routing.WithSyntax(routing.Rails))
		}
		app := routing.New(options...)
		if problem := fmt.Sprint(panicOf(func() { app.Get(test.foreign, text("")) })); !strings.Contains(problem, test.advice) {
			t.Errorf("%s: got panic %s, want %s", test.foreign, problem, test.advice)
		}
		var where []routing.RouteOption
		if test.where != "" {
			where = append(where, routing.Where("x", test.where))
		}
		app.Get(test.pattern, values, where...)
		if w := get(app, test.path); w.Code != http.StatusOK || w.Body.String() != "x="+strings.TrimPrefix(test.path, "/a/") {
			t.Errorf("%s as advised, %s: got %d %s", test.foreign, test.path, w.Code, w.Body)
		}
	}
}
