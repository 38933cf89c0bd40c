package routing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

func mark(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("X-Trace", name)
			next.ServeHTTP(w, r)
		})
	}
}

func trace(name string) routing.Filter {
	return func(c routing.Context) error { c.Header().Add("X-Trace", name); return nil }
}

// Routes and filters of a group match only below its prefix.
func TestGroups(t *testing.T) {
	named := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Request().Pattern + " " + c.Params().GetOr("user", "-") + " " + c.Params().GetOr("id", "-")), nil
	}
	beta := routing.When(func(r *http.Request) bool { return r.Header.Get("X-Beta") == "1" })
	sub := routing.New(quiet())
	sub.Get("/x", named)
	for name, app := range map[string]*routing.App{
		"sinatra": routing.New(quiet(), routing.WithBasePath("/shop")),
		"rails":   routing.New(quiet(), routing.WithBasePath("/shop"), routing.WithSyntax(routing.Rails)),
	} {
		app.Group("/admin/", func(g *routing.Group) {
			g.Before(trace("guard"))
			g.After(trace("after"))
			g.Before(trace("users"), routing.On("/users/:user"))
			g.Get("/", named)
			g.Get("/users/:user", named)
			g.Post("/users", named)
			g.Put("/put", named)
			g.Delete("/delete", named)
			g.Patch("/patch", named)
			g.Head("/head", named)
			g.Options("/options", named)
			g.Handle("", "/any", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method) }))
			g.Mount("/sub", sub)
			g.Group("/users/:user/orders", func(g *routing.Group) {
				g.Before(func(c routing.Context) error { return trace("orders of " + c.Params().GetOr("user", "-"))(c) })
				g.Get("", named)
				g.Get("/:id", named)
			}, routing.Use(mark("inner")))
		}, routing.Use(mark("outer")))
		app.Group("/beta", func(g *routing.Group) {
			g.Before(trace("beta"))
			g.Get("/x", named)
		}, beta)
		app.Group("", func(g *routing.Group) {
			g.Before(trace("everywhere"))
			g.Get("/plain", named)
		}, beta)
		app.Get("/administration", named)
		address := serve(t, app)
		optional := map[string]string{"sinatra": "/?", "rails": "(/)"}[name]
		for _, test := range []struct {
			method, path, headers string
			status                int
			body, trace           string
		}{
			{"GET", "/admin", "", 200, "GET /shop/admin" + optional + " - -", "guard outer after"},
			{"GET", "/admin/", "", 200, "GET /shop/admin" + optional + " - -", "guard outer after"},
			{"GET", "/admin/users/ann", "", 200, "GET /shop/admin/users/:user ann -", "guard users outer after"},
			{"POST", "/admin/users", "", 200, "POST /shop/admin/users - -", "guard outer after"},
			{"PUT", "/admin/put", "", 200, "PUT /shop/admin/put - -", "guard outer after"},
			{"DELETE", "/admin/delete", "", 200, "DELETE /shop/admin/delete - -", "guard outer after"},
			{"PATCH", "/admin/patch", "", 200, "PATCH /shop/admin/patch - -", "guard outer after"},
			{"HEAD", "/admin/head", "", 200, "", "guard outer after"},
			{"OPTIONS", "/admin/options", "", 200, "OPTIONS /shop/admin/options - -", "guard outer after"},
			{"TRACE", "/admin/any", "", 200, "TRACE", "guard outer after"},
			{"GET", "/admin/sub/x", "", 200, "GET /shop/admin/sub/x - -", "guard outer after"},
			{"GET", "/admin/users/ann/orders", "", 200, "GET /shop/admin/users/:user/orders ann -", "guard orders of ann outer inner after"},
			{"GET", "/admin/users/ann/orders/7", "", 200, "GET /shop/admin/users/:user/orders/:id ann 7", "guard orders of ann outer inner after"},
			{"GET", "/admin/none", "", 404, "", "guard after"},
			{"GET", "/administration", "", 200, "GET /shop/administration - -", ""},
			{"GET", "/beta/x", "", 404, "", ""},
			{"GET", "/beta/x", "1", 200, "GET /shop/beta/x - -", "beta everywhere"},
			{"GET", "/plain", "", 404, "", ""},
			{"GET", "/plain", "1", 200, "GET /shop/plain - -", "everywhere"},
		} {
			got := fetch(t, test.method, address+"/shop"+test.path, "", "X-Beta", test.headers)
			trace := strings.Join(got.header["X-Trace"], " ")
			if got.status != test.status || test.status == 200 && got.body != test.body || trace != test.trace {
				t.Errorf("%s: %s %s: got %d %q by %q, want %d %q by %q", name, test.method, test.path, got.status, got.body, trace, test.status, test.body, test.trace)
			}
		}
	}
}

func TestBadGroupsPanic(t *testing.T) {
	in := func(prefix string, define func(*routing.Group)) func() {
		return func() { routing.New().Group(prefix, define, routing.Meta("k", 1)) }
	}
	rails := func(pattern string) func() {
		return func() {
			app := routing.New(routing.WithSyntax(routing.Rails))
			app.Group("/a", func(g *routing.Group) { g.Get(pattern, text("")) })
		}
	}
	nothing := func(*routing.Group) {}
	pass := func(routing.Context) error { return nil }
	for name, test := range map[string]struct {
		define func()
		says   string
	}{
		"no slash":         {in("admin", nothing), `"/admin"`},
		"wildcard":         {in("/a/*", nothing), "remove the wildcard at the end"},
		"optional prefix":  {in("(/:locale)", nothing), `write "(/:locale)?"`},
		"query":            {in("/a?b=1", nothing), "leave the query out"},
		"nil function":     {in("/a", nil), "pass a function"},
		"route":            {in("/a", func(g *routing.Group) { g.Get("b", text("")) }), `"/b"`},
		"route with star":  {in("/a", func(g *routing.Group) { g.Get("*", text("")) }), `"/*"`},
		"optional slash":   {in("/a", func(g *routing.Group) { g.Get("/?:page?", text("")) }), "outside of the group"},
		"optional slash *": {in("/a", func(g *routing.Group) { g.Before(pass, routing.On("/?*")) }), "outside of the group"},
		"optional format":  {rails("(.:format)"), "outside of the group"},
		"nested format":    {rails("(/:id)(.:format)"), "outside of the group"},
		"filter":           {in("/a", func(g *routing.Group) { g.Before(pass, routing.On("b")) }), `"/b"`},
		"filter's pattern": {in("/a", func(g *routing.Group) { g.Before(pass, routing.OnPattern(whole("b"))) }), "outside"},
		"filter's option":  {in("/a", func(g *routing.Group) { g.After(pass, nil) }), "after filter: option 0 is nil"},
		"option":           {func() { routing.New().Group("/a", func(g *routing.Group) { g.Get("/b", text("")) }, nil) }, "option 0 of a route is nil"},
		"action":           {in("/a", func(g *routing.Group) { g.Get("/b", nil) }), "GET /a/b"},
		"zero app":         {func() { new(routing.App).Group("/a", nothing) }, "the zero App"},
		"own syntax": {func() {
			routing.New(routing.WithSyntax(func(string) (routing.Pattern, error) { return routing.Pattern{}, nil })).Group("/a", nothing)
		}, "the zero Pattern is not a prefix"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "routing: ") || !strings.Contains(got, test.says) {
					t.Errorf("%s: panicked with %q, want %q in it", name, got, test.says)
				}
			}()
			test.define()
		}()
	}
}

// Patterns with optional groups are accepted if they match no path outside the prefix.
func TestOptionalPartsInGroups(t *testing.T) {
	for pattern, read := range map[string]func(string) (routing.Pattern, error){
		"/:x?": routing.Sinatra, "/?": routing.Sinatra, "/x?y": routing.Sinatra,
		"(/:x)": routing.Rails, "(/x)(/y)": routing.Rails, "((/x)/y)": routing.Rails, strings.Repeat("()", 60): routing.Rails, "/x(.:format)": routing.Rails,
	} {
		app := routing.New(routing.WithSyntax(read))
		app.Group("/a", func(g *routing.Group) { g.Get(pattern, text("")) })
	}
}

// Filters and options of a group apply to the prefix and everything below it.
func ExampleApp_Group() {
	app := routing.New()
	requireLogin := func(c routing.Context) error {
		if c.Request().Header.Get("Authorization") == "" {
			return &routing.HaltError{Status: http.StatusUnauthorized, Body: routing.Text("log in first")}
		}
		return nil
	}
	app.Group("/admin", func(g *routing.Group) {
		g.Before(requireLogin)
		g.Get("/", text("dashboard"))
		g.Get("/users/:name", text("a user"))
	})
	app.Get("/administration", text("for everyone"))
	show(app, "GET", "/admin")
	show(app, "GET", "/admin/users/ann")
	show(app, "GET", "/administration")
	// Output:
	// 401 log in first
	// 401 log in first
	// 200 for everyone
}
