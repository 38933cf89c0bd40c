package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// If a route changes its request and then passes, later routes, mounts and the next handler get the
// request as the filters have seen it.
func TestPassingRoutesLeaveTheRequest(t *testing.T) {
	changes := map[string]func(r *http.Request) *http.Request{
		"nothing":           func(r *http.Request) *http.Request { return r },
		"the path in place": func(r *http.Request) *http.Request { r.URL.Path, r.URL.RawPath = "/in/secret", ""; return r },
		"the URL in place":  func(r *http.Request) *http.Request { r.URL = &url.URL{Path: "/in/secret"}; return r },
		"no URL":            func(r *http.Request) *http.Request { r.URL = nil; return r },
		"the query":         func(r *http.Request) *http.Request { r.URL.RawQuery = "q=2"; return r },
		"the method":        func(r *http.Request) *http.Request { r.Method = http.MethodDelete; return r },
		"a copy": func(r *http.Request) *http.Request {
			r = r.Clone(r.Context())
			r.Method, r.URL = http.MethodPut, &url.URL{Path: "/in/secret"}
			return r
		},
	}
	show := func(r *http.Request) string {
		return fmt.Sprint(r.Method, " ", r.URL.EscapedPath(), "?", r.URL.RawQuery)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, show(r)) })
	later := map[string]func() *routing.App{
		"a mounted app": func() *routing.App {
			app, inner := routing.New(quiet()), routing.New(quiet())
			inner.Handle("", "/*", handler)
			app.Mount("/in", inner)
			return app
		},
		"a mounted app of mounted apps": func() *routing.App {
			app, inner, deep := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
			deep.Handle("", "/*", handler)
			inner.Mount("/", deep)
			app.Mount("/:in", inner, routing.Use(func(next http.Handler) http.Handler { return next }))
			return app
		},
		"a mounted handler": func() *routing.App {
			app := routing.New(quiet())
			app.Mount("/in", handler)
			return app
		},
		"a handler": func() *routing.App {
			app := routing.New(quiet())
			app.Handle("", "/in/*", handler)
			return app
		},
		"an action": func() *routing.App {
			app := routing.New(quiet())
			app.Get("/in/*", func(c routing.Context) (routing.Result, error) { return routing.Text(show(c.Request())), nil })
			return app
		},
		"the next handler": func() *routing.App { return routing.New(quiet(), routing.WithNext(handler)) },
		"the page": func() *routing.App {
			app := routing.New(quiet())
			app.NotFound(func(c routing.Context) (routing.Result, error) {
				c.SetStatus(http.StatusOK)
				return routing.Text(show(c.Request())), nil
			})
			return app
		},
	}
	for changed, change := range changes {
		passing := map[string]func(app *routing.App){
			"in an action": func(app *routing.App) {
				app.Get("/in/*", func(c routing.Context) (routing.Result, error) {
					change(c.Request())
					return routing.Result{}, routing.Pass
				})
			},
			"in middleware": func(app *routing.App) {
				pass := func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }
				use := routing.Use(func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						own := change(r)
						before := own.URL
						next.ServeHTTP(w, own)
						if own.URL != before {
							t.Errorf("changed %s: the middleware has the URL %v afterwards, want its own %v", changed, own.URL, before)
						}
					})
				})
				app.Get("/in/*", pass, use)
				app.Route("GET", routing.Pattern{}, pass, use)
			},
			"in a condition": func(app *routing.App) {
				app.Get("/in/*", text("x"), routing.When(func(r *http.Request) bool { change(r); return false }))
			},
		}
		for where, pass := range passing {
			for what, make := range later {
				app := make()
				var seen string
				app.Before(func(c routing.Context) error { seen = show(c.Request()); return nil })
				pass(app)
				pass(app)
				r := httptest.NewRequest("GET", "/in/a%2Fb?q=1", nil)
				if got := send(app, r).Body.String(); got != "GET /in/a%2Fb?q=1" || got != seen {
					t.Errorf("%s, changed %s, then %s: got %q, and the filter saw %q", changed, where, what, got, seen)
				}
			}
		}
	}
}

// Below a mount of a handler, paths that are not clean are redirected, as by http.ServeMux: a file
// server cleans them itself, and would serve a file past the filter of its folder.
func TestUncleanPathsOfMounts(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"private/key", "open"} {
		os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := http.FileServer(http.Dir(folder))
	deny := func(routing.Context) error { return &routing.HaltError{Status: http.StatusForbidden} }
	apps := map[string]*routing.App{}
	for name, options := range map[string][]routing.RouteOption{
		"around": nil,
		"in Use": {routing.Use(func(next http.Handler) http.Handler { return http.StripPrefix("/files", next) })},
	} {
		app := routing.New(quiet())
		handler := files
		if options == nil {
			handler = http.StripPrefix("/files", files)
		}
		app.Mount("/files", handler, options...)
		app.Group("/files/private", func(g *routing.Group) { g.Before(deny) })
		apps[name] = app
		outer := routing.New(quiet())
		outer.Mount("/", app)
		apps[name+", mounted"] = outer
	}
	loose := routing.New(routing.WithLooseSlashes())
	loose.Mount("/files", files)
	if w := get(loose, "/files/x/../open"); w.Code != 307 || w.Header().Get("Location") != "/files/open" {
		t.Errorf("with loose slashes: got %d to %q", w.Code, w.Header().Get("Location"))
	}
	for name, app := range apps {
		for request, want := range map[string]string{
			"GET /files/open":                       "200 open",
			"GET /files/private/key":                "403",
			"GET /files//private/key":               "307 /files/private/key",
			"GET /files/x/../private/key":           "307 /files/private/key",
			"GET /files/x/%2e%2e/private/key?a=1":   "307 /files/private/key?a=1",
			"GET /files/%2Fprivate/key":             "307 /files/private/key",
			"GET /files/./open":                     "307 /files/open",
			"POST /files//private/":                 "307 /files/private/",
			"GET /files//%5Cevil.example/":          "307 /files/%5Cevil.example/",
			"GET /files/../files//%0A//a%3Fb%23%25": "307 /files/%0A/a%3Fb%23%25",
			"CONNECT /files/x/../private/key":       "307 /files/private/key",
		} {
			method, target, _ := strings.Cut(request, " ")
			w := send(app, httptest.NewRequest(method, target, nil))
			got := fmt.Sprint(w.Code)
			switch w.Code {
			case http.StatusOK:
				got += " " + w.Body.String()
			case http.StatusTemporaryRedirect:
				got += " " + w.Header().Get("Location")
			}
			if got != want {
				t.Errorf("%s: %s: got %s, want %s", name, request, got, want)
			}
		}
	}
}

// The redirect of a mount keeps encoded slashes, which clients see as parts of a segment.
func TestUncleanPathsStayEncoded(t *testing.T) {
	app := routing.New(routing.WithProxyPrefix("/a b"))
	app.Mount("/files", http.NotFoundHandler())
	w := send(app, httptest.NewRequest("GET", "/files/.//a%2Fb%20c/x/../", nil))
	if got := w.Header().Get("Location"); w.Code != 307 || got != "/a%20b/files/a%2Fb%20c/" {
		t.Errorf("got %d to %s", w.Code, got)
	}
}

// Only handlers at Mount get clean paths: mounted apps, and handlers behind Handle, WithNext and
// Middleware get paths as they are.
func TestUncleanPathsOfMountedAppsAndRoutes(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) })
	app, inner := routing.New(quiet(), routing.WithNext(show)), routing.New(quiet())
	inner.Handle("", "/*", show)
	app.Mount("/app", inner)
	app.Handle("", "/proxy/*", show)
	for name, h := range map[string]http.Handler{"app": app, "Middleware": routing.New(quiet()).Middleware(show)} {
		for _, path := range []string{"/app//x", "/app/a/../b", "/proxy/http://example.com/", "/next/a/../b"} {
			if w := send(h, httptest.NewRequest("GET", path, nil)); w.Code != http.StatusOK || w.Body.String() != path {
				t.Errorf("%s, %s: got %d %q", name, path, w.Code, w.Body)
			}
		}
	}
}

// A mount whose handler leads back to the app, or to an outer app, would loop.
func TestMountLoops(t *testing.T) {
	outer, around, plugin := routing.New(), routing.New(), routing.New()
	around.Mount("/outer", outer)
	other, inFront, handled := routing.New(), routing.New(), routing.New()
	outer.Mount("/front", plugin.Middleware(inFront))
	outer.Group("/group", func(g *routing.Group) { g.Handle("GET", "/handled", handled) })
	for name, define := range map[string]func(){
		"Mount":                          func() { outer.Mount("/x", plugin.Middleware(outer)) },
		"Mount of the app itself":        func() { plugin.Mount("/x", plugin.Middleware(http.NotFoundHandler())) },
		"Mount in a group":               func() { outer.Group("/g", func(g *routing.Group) { g.Mount("/x", plugin.Middleware(outer)) }) },
		"Mount of two":                   func() { outer.Mount("/x", plugin.Middleware(other.Middleware(outer))) },
		"Mount of the app around":        func() { outer.Mount("/x", plugin.Middleware(around)) },
		"Handle":                         func() { outer.Handle("GET", "/x", plugin.Middleware(outer)) },
		"Handle of the app around":       func() { outer.Handle("GET", "/x", around) },
		"the next handler of the next":   func() { outer.Mount("/x", plugin.Middleware(routing.New(routing.WithNext(outer)))) },
		"Mount in an app behind another": func() { inFront.Mount("", outer) },
		"Handle in an app of a route":    func() { handled.Handle("GET", "/*", around) },
		"an app with it in front":        func() { outer.Mount("/x", routing.New(routing.WithNext(plugin.Middleware(outer)))) },
	} {
		text := fmt.Sprint(panicOf(define))
		if !strings.Contains(text, "would loop") {
			t.Errorf("%s: got the panic %q", name, text)
		}
	}
	outer.Mount("/layers", plugin.Middleware(other))
	other.Get("/layers/x", text("x"))
	if w := get(around, "/outer/layers/x"); w.Code != http.StatusNotFound { // plugins see the whole path
		t.Errorf("layers: got %d", w.Code)
	}
	if w := get(outer, "/layers/x"); w.Body.String() != "x" {
		t.Errorf("layers: got %d %s", w.Code, w.Body)
	}
}

// A star is a token, so it would be a valid method, but no client sends it.
func TestStarIsNotAMethod(t *testing.T) {
	app := routing.New(quiet())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method) })
	for name, define := range map[string]func(){
		"Handle": func() { app.Handle("*", "/x", handler) },
		"Route":  func() { app.Route("*", routing.Pattern{}, text("x")) },
		"Match":  func() { app.Match([]string{"GET", "*"}, "/x", text("x")) },
	} {
		if text := fmt.Sprint(panicOf(define)); !strings.Contains(text, "routing.Any") {
			t.Errorf("%s: got the panic %q", name, text)
		}
	}
	app.Handle(routing.Any, "/any", handler)
	for _, method := range []string{"GET", "PURGE", "*"} {
		r := httptest.NewRequest("GET", "/any", nil)
		r.Method = method
		if got := send(app, r).Body.String(); got != method {
			t.Errorf("%s: got %q", method, got)
		}
	}
}

// If a filter of an outer app refuses a request, the route is the one that would have run in the
// mounted app.
func TestNameOfRefusedRequests(t *testing.T) {
	app, inner, deep := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
	never := routing.When(func(*http.Request) bool { return false })
	app.Before(func(routing.Context) error { return &routing.HaltError{Status: http.StatusForbidden} })
	app.Get("/own/:id", text("x"))
	app.Mount("/t/:tenant", inner)
	app.Mount("/off", inner, never)
	inner.Get("/users/:id", text("x"))
	inner.Get("/users/:id", text("x"), never)
	inner.Mount("/deep", deep)
	deep.Post("/", text("x"))
	for request, want := range map[string]string{
		"GET /own/1":       "GET /own/:id",
		"GET /t/a/users/1": "GET /t/:tenant/users/:id",
		"POST /t/a/deep":   "POST /t/:tenant/deep/",
		"GET /t/a/deep":    "/t/:tenant/deep/*",
		"GET /t/a/none":    "/t/:tenant/*",
		"GET /off/users/1": "",
		"GET /none":        "",
	} {
		method, target, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, target, nil)
		var name string
		routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r)
			_, name = routing.RouteFromContext(r.Context())
		})).ServeHTTP(httptest.NewRecorder(), r)
		if name != want {
			t.Errorf("%s: got the name %q, want %q", request, name, want)
		}
	}
}

// Context.Path never returns a path that browsers read as another host, such as //host or /\host,
// also with tabs and line breaks in between.
func TestPathIsNotAHost(t *testing.T) {
	app, inner := routing.New(quiet(), routing.WithBasePath("")), routing.New(quiet())
	var got []string
	paths := []string{`\evil.example`, `/\evil.example`, `/\/evil.example`, "/\t/evil.example", "\n\\evil.example", `//evil.example`, "a"}
	action := func(c routing.Context) (routing.Result, error) {
		got = nil
		for _, path := range paths {
			got = append(got, c.Path(path), c.RootPath(path))
		}
		return routing.Text("x"), nil
	}
	app.Get("/", action)
	inner.Get("/", action)
	app.Mount("/in/", inner)
	for _, target := range []string{"/", "/in"} {
		get(app, target)
		for i, path := range got {
			if !strings.HasSuffix(paths[i/2], "a") {
				if strings.ContainsAny(path, "\\\t\n") || strings.HasPrefix(path, "//") || !strings.HasSuffix(path, "/evil.example") {
					t.Errorf("%q: got %q", paths[i/2], path)
				}
			}
		}
		if len(got) != 2*len(paths) {
			t.Errorf("%s: the action has not run", target)
		}
	}
}
