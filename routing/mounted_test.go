package routing_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests that mounted apps inherit the error handlers of outer apps, and that URLs include
// mount prefixes.

func TestMountedAppsInheritHandlers(t *testing.T) {
	says := func(who string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			return routing.Text(fmt.Sprint(who, " ", c.Path("/home"), " ", c.Params().GetOr("user", "-"), " ", c.Params().GetOr("q", "-"))), nil
		}
	}
	handles := func(who string) func(routing.Context, error) (routing.Result, error) {
		return func(c routing.Context, err error) (routing.Result, error) {
			return routing.Text(fmt.Sprint(who, " ", c.Status(), " ", err, " ", c.Path("/home"))), nil
		}
	}
	fails := func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("broken") }
	define := func(app *routing.App) *routing.App {
		app.Get("/fails", fails)
		app.Get("/panics", func(routing.Context) (routing.Result, error) { panic("broken") })
		app.Get("/refuses", func(c routing.Context) (routing.Result, error) {
			_, err := c.Params().Require("none")
			return routing.Result{}, err
		})
		app.After(func(c routing.Context) error { c.Header().Add("X-After", fmt.Sprint(c.Status())); return nil })
		return app
	}
	plain, own, deep := define(routing.New(quiet())), define(routing.New(quiet())), define(routing.New(quiet()))
	own.NotFound(says("own"))
	own.OnError(handles("own"))
	plain.Mount("/deep", deep)
	app := define(routing.New(quiet(), routing.WithBasePath("/shop")))
	app.Mount("/plain", plain)
	app.Mount("/own", own)
	app.Mount("/users/:user", plain)
	app.NotFound(says("app"))
	app.OnError(handles("app"))
	address := serve(t, app)
	check := func(path string, status int, want string) {
		t.Helper()
		got := fetch(t, "GET", address+path, "")
		if got.status != status || got.body != want {
			t.Errorf("%s: got %d %q, want %d %q", path, got.status, got.body, status, want)
		}
	}
	for range 2 { // cached entries change nothing
		check("/shop/none?q=1", 404, "app /shop/home - 1")
		check("/shop/plain/none?q=1", 404, "app /shop/home - 1")
		check("/shop/plain/deep/none?q=1", 404, "app /shop/home - 1")
		check("/shop/own/none", 404, "own /shop/own/home - -")
		check("/shop/users/ann/none", 404, "app /shop/home - -")
		check("/shop/plain/fails", 500, "app 500 broken /shop/home")
		check("/shop/plain/deep/panics", 500, "app 500 broken /shop/home")
		check("/shop/plain/refuses", 400, `app 400 routing: no parameter "none" /shop/home`)
		check("/shop/own/fails", 500, "own 500 broken /shop/own/home")
		check("/shop/users/ann/deep/fails", 500, "app 500 broken /shop/home")
	}
	plain.NotFound(says("plain")) // the nearest handler counts, also one that is set later
	check("/shop/plain/deep/none", 404, "plain /shop/plain/home - -")
	check("/shop/users/a%20b/deep/none", 404, "plain /shop/users/a%20b/home a b -")
	plain.NotFound(nil)
	check("/shop/plain/deep/none", 404, "app /shop/home - -")
	app.NotFound(nil)
	app.OnError(nil)
	if got := fetch(t, "GET", address+"/shop/plain/deep/none", ""); got.status != 404 || !strings.Contains(got.body, "<h1>Not Found") || fmt.Sprint(got.header["X-After"]) != "[0 0 404]" {
		t.Errorf("without a handler: got %d %q, want the default page", got.status, got.body)
	}
	check("/shop/plain/fails", 500, "Internal Server Error")
}

// Errors of a mounted app without a logger go to the outer app's logger.
func TestMountedAppsInheritTheLogger(t *testing.T) {
	var log logBuffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	middle, deep := routing.New(), routing.New()
	app.Mount("/middle", middle)
	middle.Mount("/deep", deep)
	deep.Get("/", func(c routing.Context) (routing.Result, error) {
		c.Logger().Info("own line")
		return routing.Result{}, errors.New("broken")
	})
	get(app, "/middle/deep")
	if lines := log.take(); !strings.Contains(lines, "own line") || !strings.Contains(lines, "error=broken") {
		t.Errorf("logged %q, want both lines", lines)
	}
	own := routing.New(quiet())
	own.Get("/", failsWith(errors.New("broken")))
	app.Mount("/own", own)
	get(app, "/own")
	if lines := log.take(); lines != "" {
		t.Errorf("an app with a logger of its own: the outer app logged %q", lines)
	}
	routing.New(quiet()).Mount("/second", middle)
	if deep.Logger() != app.Logger() {
		t.Error("after a second mount: the app has another logger than that of the first")
	}
}

// Mounting stays fast if an app is reached by many paths of mounts, here 2 to the power of 60.
func TestAppMountedManyTimes(t *testing.T) {
	inner := routing.New(quiet())
	inner.Get("/", text("found"))
	for range 60 {
		outer := routing.New(quiet())
		for _, prefix := range []string{"", "", "/b", "/a"} {
			outer.Mount(prefix, inner)
		}
		inner = outer
	}
	if w := get(inner, strings.Repeat("/a", 60)); w.Body.String() != "found" {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
}

// The NotFound action of an outer app can read the form that the mounted app has read.
func TestInheritedHandlersReadForms(t *testing.T) {
	sub := routing.New(quiet())
	sub.Before(func(c routing.Context) error { c.Params().GetOr("a", ""); return nil }, routing.On("/read"))
	app := routing.New(quiet())
	app.Mount("/sub", sub)
	app.NotFound(func(c routing.Context) (routing.Result, error) { return routing.Text(c.Params().GetOr("a", "-")), nil })
	address := serve(t, app)
	for _, path := range []string{"/sub/read", "/sub/other", "/none"} {
		if got := fetch(t, "POST", address+path, "a=1", "Content-Type", urlencoded); got.body != "1" {
			t.Errorf("%s: got %d %q, want the value", path, got.status, got.body)
		}
	}
}

func TestURLsOfMountedApps(t *testing.T) {
	once, twice, below, deep := routing.New(), routing.New(), routing.New(routing.WithBasePath("/own")), routing.New()
	app := routing.New(routing.WithBasePath("/my shop"))
	app.Mount("/once", once)
	app.Mount("/first", twice)
	app.Mount("/second", twice)
	app.Mount("/users/:user/x", below)
	below.Mount("/deep", deep)
	show := func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().Keys())), nil
	}
	for _, test := range []struct {
		app     *routing.App
		pattern string
		pairs   []string
		want    string // empty for an error
	}{
		{app, "/a/:b", []string{"b", "ü"}, "/my%20shop/a/%C3%BC"},
		{once, "/a/:b", []string{"b", "1"}, "/my%20shop/once/a/1"},
		{once, "/?", nil, "/my%20shop/once"},
		{once, "/", nil, "/my%20shop/once/"},
		{once, "/files/*", []string{"splat", "a/b"}, "/my%20shop/once/files/a/b"},
		{twice, "/a", nil, ""},
		{below, "/a", []string{"user", "ann lee"}, "/my%20shop/users/ann%20lee/x/own/a"},
		{below, "/files/*", []string{"user", "ann", "splat", "a/b"}, "/my%20shop/users/ann/x/own/files/a/b"},
		{below, "/a", nil, ""},
		{below, "/a", []string{"user", "a/b"}, ""},
		{below, "/a", []string{"user", ".."}, ""},
		{below, "/a", []string{"user", ""}, ""},
		{below, "/a", []string{"user", "a", "user", "b"}, ""},
		{deep, "/:id", []string{"id", "7", "user", "ann"}, "/my%20shop/users/ann/x/own/deep/7"},
		{deep, "/by/:user", []string{"user", "ann", "user", "bob"}, "/my%20shop/users/ann/x/own/deep/by/bob"},
	} {
		route := test.app.Get(test.pattern, show)
		got, err := route.URL(test.pairs...)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %q: got %q, %v, want %q", route, test.pairs, got, err, test.want)
		}
		if got != "" {
			if w := get(app, got); w.Code != 200 {
				t.Errorf("GET %s: got %d, want the route", got, w.Code)
			}
		}
	}
}

// The URL of a mount is the URL of its prefix.
func TestURLsOfMounts(t *testing.T) {
	for prefix, want := range map[string]string{"": "/", "/": "/", "/sub": "/sub", "/:id": "/7"} {
		var pairs []string
		if prefix == "/:id" {
			pairs = []string{"id", "7"}
		}
		for _, handler := range []http.Handler{routing.New(), http.NotFoundHandler()} {
			if got, err := routing.New().Mount(prefix, handler).URL(pairs...); got != want || err != nil {
				t.Errorf("a %T at %q: got %q, %v, want %q", handler, prefix, got, err, want)
			}
		}
	}
}

// A link to a route of an app around has the prefixes of the request, if that app is mounted
// several times.
func TestURLsOfOuterApps(t *testing.T) {
	top, middle, inner := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
	list := middle.Get("/list", text("list"))
	inner.Get("/", func(c routing.Context) (routing.Result, error) {
		address, err := c.URL(list)
		return routing.Text(address), err
	})
	middle.Mount("/in", inner)
	top.Mount("/a", middle)
	top.Mount("/:shop", middle)
	for path, want := range map[string]string{"/b/in": "/b/list", "/c%20d/in": "/c%20d/list"} {
		if w := get(top, path); w.Body.String() != want {
			t.Errorf("%s: got %q, want %q", path, w.Body, want)
		}
	}
	fromOutside := func(c routing.Context) (routing.Result, error) {
		_, err := c.URL(list)
		return routing.Text(fmt.Sprint(err)), nil
	}
	top.Get("/", fromOutside)
	_, err := list.URL()
	for what, got := range map[string]string{"Route.URL": fmt.Sprint(err), "Context.URL of an outer app": get(top, "/").Body.String()} {
		if !strings.Contains(got, "use Context.URL in a request to that app") {
			t.Errorf("%s: got error %s", what, got)
		}
	}
}

// Links in a response have the mount prefix of the request, if an app is mounted several times.
func TestURLsInResponses(t *testing.T) {
	sub := routing.New(quiet())
	flower := sub.Get("/flowers/:slug", text("flower"))
	app := routing.New(quiet(), routing.WithBasePath("/my shop"))
	home := app.Get("/home", text("home"))
	links := func(c routing.Context) (routing.Result, error) {
		own, err := c.URL(flower, "slug", "rose 1")
		other, err2 := c.URL(home)
		return routing.Text(own + " " + other + " " + c.Path("/a?b=c")), errors.Join(err, err2)
	}
	sub.Get("/links", links)
	sub.Post("/links", links)
	sub.Get("/used", links, routing.Use(func(next http.Handler) http.Handler { return http.StripPrefix("/my shop", next) }))
	sub.Get("/go", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(c.Path("/home"))
	})
	sub.Post("/go", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.SeeOther(c.Path("home?x=1"))
	})
	sub.Get("/evil", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(c.Path("//evil"))
	})
	app.Mount("/one", sub)
	app.Mount("/users/:user", sub)
	address := serve(t, app)
	for prefix, escaped := range map[string]string{"/my%20shop/one": "/my%20shop/one", "/my%20shop/users/ann": "/my%20shop/users/ann", "/my%20shop/users/%3Fx": "/my%20shop/users/%3Fx"} {
		want := escaped + "/flowers/rose%201 /my%20shop/home " + escaped + "/a?b=c"
		for path, method := range map[string]string{"/links": "GET", "/used": "GET", "/links?": "POST"} {
			if got := fetch(t, method, address+prefix+path, "a=b", "Content-Type", urlencoded); got.body != want {
				t.Errorf("%s %s%s: got %q, want %q", method, prefix, path, got.body, want)
			}
		}
		if got := fetch(t, "GET", address+prefix+"/go", ""); got.status != 302 || got.header.Get("Location") != escaped+"/home" {
			t.Errorf("redirect: got %d %q", got.status, got.header)
		}
		if got := fetch(t, "POST", address+prefix+"/go", ""); got.status != 303 || got.header.Get("Location") != escaped+"/home?x=1" {
			t.Errorf("see other: got %d %q", got.status, got.header)
		}
	}
	if got := get(sub, "/evil").Header().Get("Location"); got != "/evil" {
		t.Errorf("got the location %q, want no other host", got)
	}
	var zero routing.Context
	if got := zero.Path("/x"); got != "/x" {
		t.Errorf("the zero Context: got %q", got)
	}
	if got, err := zero.URL(home); got != "/my%20shop/home" || err != nil {
		t.Errorf("the zero Context: got %q, %v", got, err)
	}
}

// With WithMethodNotAllowed, the response is a 405 even if there is a not-found action, and OPTIONS
// lists the methods. ErrorBody makes the body, also in mounted apps.
func TestMethodsOfAPath(t *testing.T) {
	sub := routing.New(quiet())
	sub.Put("/b", text("put"))
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.Get("/a", text("get"))
	app.Options("/own", text("own options"))
	app.Get("/own", text("own"))
	app.Route("", routing.Must(routing.Sinatra("/any")), text("any"))
	app.Mount("/sub", sub)
	app.NotFound(text("nothing here"))
	app.After(func(c routing.Context) error { c.Header().Set("X-After", fmt.Sprint(c.Status())); return nil })
	address := serve(t, app)
	check := func(method, path string, status int, allow, body string) {
		t.Helper()
		got := fetch(t, method, address+path, "")
		if got.status != status || got.header.Get("Allow") != allow || !strings.Contains(got.body, body) || status == 204 && got.body != "" {
			t.Errorf("%s %s: got %d, Allow %q, %q, want %d, %q, %q", method, path, got.status, got.header.Get("Allow"), got.body, status, allow, body)
		}
		if after := got.header.Get("X-After"); status > 200 && !strings.HasPrefix(path, "/sub") && after != fmt.Sprint(status) {
			t.Errorf("%s %s: the after filter saw %s, want %d", method, path, after, status)
		}
	}
	check("POST", "/a", 405, "GET, HEAD, OPTIONS", "<h1>Method Not Allowed")
	check("OPTIONS", "/a", 204, "GET, HEAD, OPTIONS", "")
	check("OPTIONS", "/own", 200, "", "own options")
	check("DELETE", "/own", 405, "GET, HEAD, OPTIONS", "")
	check("OPTIONS", "/any", 200, "", "any")
	check("OPTIONS", "/none", 404, "", "nothing here")
	check("GET", "/sub/b", 405, "OPTIONS, PUT", "<h1>Method Not Allowed")
	check("OPTIONS", "/sub/b", 204, "OPTIONS, PUT", "")
	check("OPTIONS", "/sub/none", 404, "", "nothing here")
	app.ErrorBody(onStatus(func(c routing.Context) (routing.Result, error) {
		return routing.Text("not " + c.Request().Method + " but " + c.Header().Get("Allow")), nil
	}, 405))
	check("POST", "/a", 405, "GET, HEAD, OPTIONS", "not POST but GET, HEAD, OPTIONS")
	check("GET", "/sub/b", 405, "OPTIONS, PUT", "not GET but OPTIONS, PUT")
	app.ErrorBody(nil)
	check("POST", "/a", 405, "GET, HEAD, OPTIONS", "<h1>Method Not Allowed")

	off := serve(t, routing.New(quiet()).Middleware(http.NotFoundHandler()))
	if got := fetch(t, "OPTIONS", off+"/a", ""); got.status != 404 {
		t.Errorf("off by default: got %d", got.status)
	}
	next := routing.New(routing.WithMethodNotAllowed(), quiet())
	next.Get("/a", text("get"))
	if got := fetch(t, "POST", serve(t, next.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "next") })))+"/a", ""); got.body != "next" {
		t.Errorf("filter style: got %d %q, want the next handler's", got.status, got.body)
	}
}

// Of two apps that are mounted in each other at the same time, at most one mount succeeds.
func TestAppsMountedInEachOther(t *testing.T) {
	for range 200 {
		a, b := routing.New(quiet()), routing.New(quiet())
		var mounted atomic.Int32
		var wg sync.WaitGroup
		for _, pair := range [][2]*routing.App{{a, b}, {b, a}} {
			wg.Go(func() {
				defer func() { recover() }()
				pair[0].Mount("/other", pair[1])
				mounted.Add(1)
			})
		}
		wg.Wait()
		if n := mounted.Load(); n > 1 {
			t.Fatalf("%d mounts succeeded", n)
		}
	}
}

// A mounted app matches the path that middleware of the mount has set.
func TestRewrittenPathsOfMounts(t *testing.T) {
	inner := routing.New(quiet())
	inner.Get("/*", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("splat", "") + " " + c.Request().URL.Path), nil
	})
	for _, loose := range [][]routing.Option{nil, {routing.WithLooseSlashes()}} {
		for _, want := range []string{"a", "b", "bcd"} {
			app := routing.New(append(loose, quiet())...)
			app.Mount("/in", inner, routing.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					r.URL.Path = "/in/" + want
					next.ServeHTTP(w, r)
				})
			}))
			for _, query := range []string{"", "?q=" + strings.Repeat("x", 1000)} {
				if got := get(app, "/in/a"+query).Body.String(); got != want+" /in/"+want {
					t.Errorf("%q, loose: %t: got %q, want %q", query, loose != nil, got, want)
				}
			}
		}
	}
}

// With loose slashes, outer middleware sees the values and the route of a mounted app, however many
// slashes the path has.
func TestLooseSlashesOfMounts(t *testing.T) {
	user := routing.NewKey[string]()
	inner := routing.New(quiet())
	inner.Before(func(c routing.Context) error { user.Set(c, "ann"); return nil })
	inner.Get("/x", text("x"))
	app := routing.New(quiet(), routing.WithLooseSlashes())
	app.Mount("/in", inner)
	for _, path := range []string{"/in/x", "/in//x", "/in/x/", "//in/x"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = path
		w := send(app, r)
		if name, _ := user.From(r.Context()); w.Code != 200 || name != "ann" || r.Pattern != "GET /in/x" {
			t.Errorf("%s: got %d, user %q, pattern %q", path, w.Code, name, r.Pattern)
		}
	}
}

// RootPath returns the same path in all apps.
func TestRootPath(t *testing.T) {
	action := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.RootPath("/login?a=1") + " " + c.Path("/x")), nil
	}
	app, inner := routing.New(routing.WithBasePath("/shop")), routing.New(routing.WithBasePath("/v1"))
	app.Get("/here", action)
	inner.Get("/here", action)
	app.Mount("/t/:tenant", inner)
	for path, want := range map[string]string{
		"/shop/here":        "/shop/login?a=1 /shop/x",
		"/shop/t/a/v1/here": "/shop/login?a=1 /shop/t/a/v1/x",
	} {
		if got := get(app, path).Body.String(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	if got := (routing.Context{}).RootPath("x"); got != "/x" {
		t.Errorf("the zero Context: got %s", got)
	}
}

// If middleware of a mount changes the path, the inner app serves the new path, or responds with a
// 404 if the path is not below the prefix. A client cannot set a parameter of the prefix.
func TestMiddlewareOfAMountChangesThePath(t *testing.T) {
	inner, deep := routing.New(), routing.New()
	show := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("tenant", "-") + " " + c.Params().GetOr("id", "-")), nil
	}
	inner.Get("/", show)
	inner.Get("/:id", show)
	deep.Get("/?*", show)
	inner.Mount("/deep", deep)
	app := routing.New(quiet())
	rewrite := routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			u := *r.URL
			u.Path = r.Header.Get("To")
			r2 := *r
			r2.URL = &u
			next.ServeHTTP(w, &r2)
		})
	})
	app.Mount("/t/:tenant", inner, rewrite)
	for to, want := range map[string]string{
		"/":           "404",
		"/x":          "404",
		"/t":          "404",
		"/t/b/7":      "200 b 7",
		"/t/b/deep/x": "200 b -",
	} {
		r := httptest.NewRequest("GET", "/t/a/1?tenant=evil", nil)
		r.Header.Set("To", to)
		w := send(app, r)
		got := fmt.Sprint(w.Code)
		if w.Code == 200 {
			got += " " + w.Body.String()
		}
		if got != want {
			t.Errorf("to %s: got %s, want %s", to, got, want)
		}
	}
}

// A filter for a path of a mounted app sees all spellings of it, in each of the apps.
func TestFiltersOfMountedAppWithLooseSlashes(t *testing.T) {
	deny := func(routing.Context) error { return &routing.HaltError{Status: http.StatusForbidden} }
	for place, guard := range map[string]func(outer, inner *routing.App){
		"in the outer app":         func(outer, _ *routing.App) { outer.Before(deny, routing.On("/shop/admin")) },
		"in the mounted app":       func(_, inner *routing.App) { inner.Before(deny, routing.On("/admin")) },
		"in a group of the prefix": func(outer, _ *routing.App) { outer.Group("/shop", func(g *routing.Group) { g.Before(deny) }) },
	} {
		options := []routing.Option{routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithFormatSuffix(), routing.WithLooseSlashes()}
		outer, inner := routing.New(options...), routing.New(options...)
		guard(outer, inner)
		inner.Get("/admin", func(routing.Context) (routing.Result, error) { return routing.Text("secret"), nil })
		outer.Mount("/shop", inner)
		for _, path := range []string{"/shop/admin", "/shop/admin/", "/shop//admin", "/shop/admin.json", "/shop/%2Fadmin", "/shop%2F%2Fadmin.json/"} {
			w := httptest.NewRecorder()
			if outer.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != http.StatusForbidden {
				t.Errorf("%s: %s: got %d %s", place, path, w.Code, w.Body)
			}
		}
	}
}

// The filters of the app run before the handler of a mount, also the after filters.
func TestFiltersRunBeforeTheMountedHandler(t *testing.T) {
	var order []string
	step := func(name string) routing.Filter {
		return func(routing.Context) error { order = append(order, name); return nil }
	}
	inner := routing.New(quiet())
	inner.Get("/", func(routing.Context) (routing.Result, error) {
		order = append(order, "app")
		return routing.Text("shop"), nil
	})
	app := routing.New(quiet())
	app.Before(step("before"))
	app.After(step("after"))
	app.Mount("/app", inner)
	app.Mount("/handler", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { order = append(order, "handler") }))
	for _, name := range []string{"app", "handler"} {
		order = nil
		fetch(t, "GET", serve(t, app)+"/"+name, "")
		if got, want := fmt.Sprint(order), "[before after "+name+"]"; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
