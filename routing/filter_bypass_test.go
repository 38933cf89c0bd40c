package routing_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file sends requests that try to pass by a filter on their way to a route or a file.

func denied(routing.Context) error { return &routing.HaltError{Status: http.StatusForbidden} }

// secrets returns a file server with the files open and private/key.
func secrets(t *testing.T) http.Handler {
	folder := t.TempDir()
	for _, name := range []string{"private/key", "open"} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return http.FileServer(http.Dir(folder))
}

// No request gets the secret past the filter.
func TestFiltersAreNotBypassed(t *testing.T) {
	rails := []routing.Option{routing.WithSyntax(routing.Rails), routing.WithFormatSuffix(), routing.WithFirstMatch()}
	secret := text("secret")
	files := secrets(t)
	for name, test := range map[string]struct {
		options  []routing.Option
		define   func(app *routing.App)
		requests []string // each with its status
	}{
		"format of a route, On": {rails, func(app *routing.App) {
			app.Before(denied, routing.On("/backup"))
			app.Get("/backup", secret, routing.Where("format", `tar\.gz|json`))
		}, []string{"GET /backup 403", "GET /backup.json 403", "GET /backup.tar.gz 403", "GET /backup.a.b.c 403", "GET /backups 404"}},
		"any format of a route, On": {rails, func(app *routing.App) {
			app.Before(denied, routing.On("/users/:id"), routing.On("/files/*path"))
			app.Get("/users/:id", secret, routing.Where("format", `[^/]+`))
			app.Get("/files/*path", secret, routing.Where("format", `[^/]+`))
		}, []string{"GET /users/7.tar.gz 403", "GET /users/7. 404", "GET /files/a/b.tar.gz 403", "GET /files/.a.b 403"}},
		"format written in the pattern": {rails, func(app *routing.App) {
			app.Before(denied, routing.On("/backup.:format"))
			app.Get("/backup.:format", secret, routing.Where("format", `tar\.gz`))
		}, []string{"GET /backup.tar.gz 403"}},
		"format of a group": {rails, func(app *routing.App) {
			app.Group("/backup", func(g *routing.Group) {
				g.Before(denied)
				g.Get("", secret, routing.Where("format", `tar\.gz`))
				g.Get("/all", secret, routing.Where("format", `[^/]+`))
			}, routing.Where("format", "json"))
		}, []string{"GET /backup 403", "GET /backup.tar.gz 403", "GET /backup/all.tar.gz 403"}},
		"format of a group, On": {rails, func(app *routing.App) {
			app.Group("/backup", func(g *routing.Group) {
				g.Before(denied, routing.On("/all"))
				g.Get("/all", secret, routing.Where("format", `[^/]+`))
			}, routing.Where("format", "json"))
		}, []string{"GET /backup/all.json 403", "GET /backup/all.tar.gz 403"}},
		"format of a mounted app": {rails, func(app *routing.App) {
			app.Before(denied, routing.On("/in/backup"))
			inner := routing.New(rails...)
			inner.Get("/backup", secret, routing.Where("format", `tar\.gz`))
			app.Mount("/in", inner)
		}, []string{"GET /in/backup.tar.gz 403"}},
		"Where of a mount in a group": {rails, func(app *routing.App) {
			app.Group("/u", func(g *routing.Group) {
				g.Before(denied)
				inner := routing.New(rails...)
				inner.Get("/x", secret)
				g.Mount("/:user", inner, routing.Where("user", "[^/]+"))
			})
		}, []string{"GET /u/a/x 403", "GET /u/a.b/x 403"}},
		"Where of a route in a group": {rails, func(app *routing.App) {
			app.Group("/:user", func(g *routing.Group) {
				g.Before(denied)
				g.Get("/:name", secret, routing.Where("name", "[^/]+"))
			}, routing.Where("user", "[a-z.]+"))
		}, []string{"GET /a.b/a.b 403", "GET /A/a 404"}},
		"line breaks in an expression": {nil, func(app *routing.App) {
			app.Before(denied, routing.OnPattern(routing.WholeRegexp(regexp.MustCompile("/admin/.*"))))
			app.Get("/admin/*", secret)
		}, []string{"GET /admin/a 403", "GET /admin/a%0Ab 403", "GET /admin/%0A 403"}},
		"an optional slash of a group": {[]routing.Option{routing.WithOptionalSlash()}, func(app *routing.App) {
			app.Before(denied, routing.On("/admin"))
			app.Group("/admin", func(g *routing.Group) { g.Get("/", secret) })
			app.Group("/admin", func(g *routing.Group) { g.Route("GET", routing.Must(routing.Sinatra("/")), secret) })
		}, []string{"GET /admin 403", "GET /admin/ 403", "GET /admin// 404", "GET /admin/// 404"}},
		"an optional slash before a file server": {[]routing.Option{routing.WithOptionalSlash()}, func(app *routing.App) {
			app.Before(denied, routing.On("/files/private"), routing.On("/files/private/*"))
			app.Mount("/files", http.StripPrefix("/files", files))
		}, []string{"GET /files/private/ 403", "GET /files/private// 403", "GET /files/x//..//private 307", "GET /files/open// 307", "GET /files/private/key/ 403", "GET /files//private/ 307"}},
		"loose slashes before a file server": {[]routing.Option{routing.WithLooseSlashes()}, func(app *routing.App) {
			app.Before(denied, routing.On("/files/private/*"))
			app.Mount("/files", http.StripPrefix("/files", files))
		}, []string{"GET /files//private///key/ 403", "GET /files/x/..//private/key 307", "GET //files/private/key 403"}},
		"CONNECT": {nil, func(app *routing.App) {
			app.Before(denied, routing.On("/files/private/*"))
			app.Mount("/files", http.StripPrefix("/files", files))
		}, []string{"CONNECT /files/x/../private/key 307", "CONNECT /files//private/key 307", "CONNECT /files/private/key 403", "CONNECT /files/open 200"}},
		"dots below a parameter": {nil, func(app *routing.App) {
			inner := routing.New(quiet())
			inner.Mount("/", files)
			app.Before(denied, routing.On("/private/*"), routing.On("/:user/private/*"))
			app.Mount("/:user", inner)
		}, []string{"GET /../private/key 403", "GET /../open 307", "GET /a/../private/key 307", "GET /./private/key 403", "CONNECT /../open 307"}},
		"dots below the parameter of a group": {nil, func(app *routing.App) {
			app.Before(denied, routing.On("/private/*"))
			app.Group("/:a", func(g *routing.Group) { g.Mount("/:b", files) })
		}, []string{"GET /x/../private/key 307", "GET /../private/key 307", "GET /private/key 403"}},
		"base paths with repeated slashes": {[]routing.Option{routing.WithLooseSlashes(), routing.WithBasePath("/base")}, func(app *routing.App) {
			app.Before(denied, routing.On("/x"))
			app.Get("/x", secret)
		}, []string{"GET //base/x 403", "GET /base//x/ 403", "GET /basex 404"}},
	} {
		app := routing.New(append(test.options, quiet())...)
		test.define(app)
		for _, request := range test.requests {
			fields := strings.Fields(request)
			w := send(app, httptest.NewRequest(fields[0], fields[1], nil))
			if got := fmt.Sprint(w.Code); got != fields[2] || w.Body.String() == "secret" && w.Code != http.StatusOK {
				t.Errorf("%s: %s %s: got %s %s, want %s", name, fields[0], fields[1], got, w.Body, fields[2])
			}
		}
	}
}

// A filter and a route have the same values of parameters for formats that both allow.
func TestFormatsOfFilters(t *testing.T) {
	app := routing.New(quiet(), routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
	var seen string
	see := func(c routing.Context) error {
		seen = fmt.Sprint(c.Params().GetOr("path", "-"), " ", c.Params().GetOr("format", "-"))
		return nil
	}
	app.Before(see, routing.On("/files/*path"))
	app.Get("/files/*path", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().GetOr("path", "-"), " ", c.Params().GetOr("format", "-"))), nil
	})
	for path, want := range map[string]string{
		"/files/a": "a -", "/files/a.b": "a b", "/files/a.b.c": "a.b c", "/files/a.b/c": "a.b/c -", "/files/a/b.c.d": "a/b.c d", "/files/a.": "a. -", "/files/a..b": "a. b",
	} {
		if w := get(app, path); w.Body.String() != want || seen != want {
			t.Errorf("%s: got %q, and %q in the filter, want %q", path, w.Body, seen, want)
		}
	}
}

// A target without a path, such as "http:a/b", does not reach a proxy, which would find another
// path in it than the filters.
func TestOpaqueTargets(t *testing.T) {
	var reached []string
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = append(reached, r.RequestURI) }))
	defer backend.Close()
	address, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(address)
	mounted, behind := routing.New(quiet()), routing.New(quiet(), routing.WithNext(proxy))
	mounted.Mount("/", proxy)
	inFront := routing.New(quiet())
	for name, handler := range map[string]http.Handler{
		"mounted": mounted, "WithNext": behind, "Middleware": inFront.Middleware(proxy), "StrictPaths": respond.StrictPaths(proxy),
	} {
		if app, ok := handler.(*routing.App); ok {
			app.Before(denied, routing.On("/admin/*"))
		}
		inFront.Before(denied, routing.On("/admin/*"))
		server := httptest.NewServer(handler)
		for _, target := range []string{"http:http://a/admin/x", "http:a/admin/x", "x:y"} {
			if status := rawStatus(t, server, "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(status, "HTTP/1.1 400 ") {
				t.Errorf("%s: %s: got %q, want a 400", name, target, status)
			}
		}
		if status := rawStatus(t, server, "GET http://a/open HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(status, "HTTP/1.1 200 ") {
			t.Errorf("%s: a target with a host: got %q, want a 200", name, status)
		}
		server.Close()
	}
	for _, target := range reached {
		if target != "/open" {
			t.Errorf("the proxy sent %s", target)
		}
	}
	r := httptest.NewRequest("GET", "http:a/admin/x", nil)
	if e := mounted.Explain(r); e.Inside {
		t.Errorf("Explain: got %+v, want a request outside of the app", e)
	}
}

// rawStatus sends a request as it is, and returns the first line of the response.
func rawStatus(t *testing.T, server *httptest.Server, request string) string {
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	response, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(response), "\r\n")
	return line
}

// A pattern that needs a slash that the app ignores would match nothing, so a filter on it would
// never run.
func TestPatternsThatNeedAnIgnoredSlash(t *testing.T) {
	optional, loose := routing.WithOptionalSlash(), routing.WithLooseSlashes()
	regular := func(text string) routing.Pattern { return routing.Regexp(regexp.MustCompile(text)) }
	whole := func(text string) routing.Pattern { return routing.WholeRegexp(regexp.MustCompile(text)) }
	sinatra := func(text string) routing.Pattern { return routing.Must(routing.Sinatra(text)) }
	rails := func(text string) routing.Pattern { return routing.Must(routing.Rails(text)) }
	for _, test := range []struct {
		pattern         any    // a text or a Pattern
		optional, loose string // the reading to write, or of an expression the reading that matches nothing; empty if the pattern is accepted
	}{
		{"/admin/|/private/", "/admin", "/admin"},
		{"/admin(/users/)?", "/admin/users", "/admin/users"},
		{"/admin(/|/*)", "/admin", "/admin"},
		{"/admin//(users)?", "/admin", "/admin"},
		{"/list/:page?", "/list", "/list"},
		{"/*/", "/*", ""}, // the text loses its slash
		{"/", "", ""}, {"/a/?", "", ""}, {"/a/?:b?", "", ""}, {"/a(/:b)?/?", "", ""}, {"/a/*", "", ""}, {"/(a|b)", "", ""}, {"*", "", ""},
		{"/a//b", "", ""}, // in texts, WithLooseSlashes joins slashes
		{sinatra("/a//b"), "", "/a/b"}, {sinatra("/a(//b)?"), "", "/a/b"}, {sinatra("/a/(/b)?"), "/a", "/a/b"}, {sinatra("/a/"), "/a", "/a"},
		{rails("/a/:b/"), "/a/:b", "/a/:b"}, {rails("/a(/)"), "", ""},
		{regular("^/admin/$"), "/admin/", "/admin/"}, {regular("^/admin/?$"), "", ""}, {regular("^/admin/"), "", ""}, {regular("^/$"), "", ""},
		{regular("^/admin/(users/)?$"), "/admin/users/", "/admin/users/"}, {regular("^/a(/.*)?$"), "", ""}, {regular("^/a(/|/b)$"), "/a/", "/a/"},
		{whole("/admin/|/private/"), "/admin/", "/admin/"}, {whole("/(a|b)/?"), "", ""}, {whole("/(a|b)/"), "/[ab]/", "/[ab]/"}, {whole("/a/.*"), "", ""}, {whole("/a//.*"), "", "/a//(?s:.*)"},
		{regular("^/admin/+$"), "/admin/", "/admin/"}, {regular("^/a(/b/){1,3}$"), "/a/b/", "/a/b/"}, {regular("^/a/*$"), "", ""}, {regular("^/a(/b)+$"), "", ""},
		{`/admin\/`, "/admin", "/admin"},
		{"/files/{+path}/", "/files/{+path}", ""}, {"/{a}b/", "/{a}b", ""}, {`/faq\?/`, `/faq\?`, ""}, {`/a\{b}/`, `/a\{b}`, ""},
		{`/\<id>/`, `/\<id>`, ""}, {`/100\%20/`, `/100\%20`, ""}, {`/a\\/`, `/a\\`, `/a\\`}, {regular(`^/a\.b/$`), `/a\.b/`, `/a\.b/`},
		{rails("/:id(s)/"), "/:id(s)", "/:id(s)"}, {rails("/*a(b/)"), "/*a(b)", "/*a(b)"}, {regular("^/(?P<id>[0-9]+)/$"), "/[0-9]/", "/[0-9]/"},
		{rails("/a/*splat/"), "/a/*splat", "/a/*splat"}, {rails("/a/*b/"), "/a/*b", "/a/*b"}, {rails(`/a\(b/`), `/a\(b`, `/a\(b`},
	} {
		for _, ignored := range []struct {
			option routing.Option
			want   string
		}{{optional, test.optional}, {loose, test.loose}} {
			for place, define := range map[string]func(app *routing.App, p routing.Pattern){
				"filter": func(app *routing.App, p routing.Pattern) { app.Before(denied, routing.OnPattern(p)) },
				"route":  func(app *routing.App, p routing.Pattern) { app.Route("GET", p, text("")) },
			} {
				problem := panicOf(func() {
					app := routing.New(quiet(), ignored.option)
					if p, ok := test.pattern.(routing.Pattern); ok {
						define(app, p)
					} else if place == "filter" {
						app.Before(denied, routing.On(test.pattern.(string)))
					} else {
						app.Get(test.pattern.(string), text(""))
					}
				})
				want := fmt.Sprintf("write %q in place of", ignored.want)
				if p, _ := test.pattern.(routing.Pattern); p.Syntax() == "regexp" {
					want = fmt.Sprintf("cannot match %q: write /?", ignored.want)
				}
				if ignored.want == "" && problem != nil || ignored.want != "" && !strings.Contains(fmt.Sprint(problem), want) {
					t.Errorf("%s on %v: got panic %v, want %q", place, test.pattern, problem, want)
				}
			}
			syntax := routing.Sinatra
			switch p, _ := test.pattern.(routing.Pattern); p.Syntax() {
			case "regexp":
				continue
			case "rails":
				syntax = routing.Rails
			}
			if problem := panicOf(func() { routing.New(quiet(), ignored.option, routing.WithSyntax(syntax)).Get(ignored.want, text("")) }); ignored.want != "" && problem != nil {
				t.Errorf("the advice for %v, %q, panics: %v", test.pattern, ignored.want, problem)
			}
		}
	}
	panicked := panicOf(func() {
		routing.New(optional).Group("/g", func(g *routing.Group) { g.Get("/(:a)?", text("")) })
	})
	if !strings.Contains(fmt.Sprint(panicked), `write "" in place of "/"`) {
		t.Errorf("in a group: got panic %v", panicked)
	}
}
