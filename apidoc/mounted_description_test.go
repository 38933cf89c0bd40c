package apidoc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the description of an app at the places where it is mounted.

type leaf struct {
	Tenant string `path:"tenant"`
	N      int    `path:"n"`
}

func getLeaf(_ context.Context, in leaf) (string, error) { return in.Tenant + " " + itoa(in.N), nil }

// The description and the viewer name the path by which their request came, at any depth.
func TestDescriptionFollowsTheMounts(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "viewer "+r.URL.RequestURI()) })
	for _, c := range []struct {
		name  string
		place func(*routing.App) http.Handler
		base  string // of the request
		want  string // in the description
	}{
		{"below no prefix", func(app *routing.App) http.Handler { return app }, "", ""},
		{"below a mount", func(app *routing.App) http.Handler {
			outer := routing.New()
			outer.Mount("/api/v1", app)
			return outer
		}, "/api/v1", "/api/v1"},
		{"below two mounts with base paths", func(app *routing.App) http.Handler {
			middle, outer := routing.New(routing.WithBasePath("/b")), routing.New(routing.WithBasePath("/a"))
			outer.Mount("/middle", middle)
			middle.Group("/group", func(g *routing.Group) { g.Mount("/api v1", app) })
			return outer
		}, "/a/middle/b/group/api%20v1", "/a/middle/b/group/api%20v1"},
		{"below a parameter", func(app *routing.App) http.Handler {
			outer := routing.New()
			outer.Mount("/of/:tenant", app)
			return outer
		}, "/of/a%22b", "/of/a%22b"},
		{"below two mounts of one app", func(app *routing.App) http.Handler {
			outer := routing.New()
			outer.Mount("/old", app)
			outer.Mount("/new", app)
			return outer
		}, "/old", "/old"},
		{"below what was removed", func(app *routing.App) http.Handler { return http.StripPrefix("/gone", app) }, "/gone", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := routing.New(routing.WithBasePath("/own"))
			api := apidoc.NewAPI(app, info)
			apidoc.Get(api, "/trees", "", whoami)
			if _, err := api.Serve(page); err != nil {
				t.Fatal(err)
			}
			handler, base := c.place(app), c.base+"/own"
			for range 2 { // the second time from what was kept
				swagger := decode(t, call(handler, "GET", base+"/api-docs/swagger.json", "", "").Body.Bytes())
				if got, _ := swagger["basePath"].(string); got != c.want+"/own" || swagger.at("paths", "/trees") == nil {
					t.Errorf("Swagger 2.0: the base path is %q, want %q; paths %v", got, c.want+"/own", swagger["paths"])
				}
				for _, form := range []string{"openapi", "openapi-3.0", "openapi-3.2"} {
					open := decode(t, call(handler, "GET", base+"/api-docs/"+form+".json", "", "").Body.Bytes())
					if got := open["servers"].([]any)[0].(map[string]any)["url"]; got != c.want+"/own" {
						t.Errorf("%s: the server is %q, want %q", form, got, c.want+"/own")
					}
				}
			}
			if w := call(handler, "GET", base+"/api-docs/ui/page.js?v=%20", "", ""); w.Body.String() != "viewer /page.js?v=%20" {
				t.Errorf("the viewer: %d %s", w.Code, w.Body)
			}
			for from, to := range map[string]string{"/api-docs": "api-docs/ui/", "/api-docs/": "ui/", "/api-docs/ui": "ui/"} {
				if w := call(handler, "GET", base+from, "", ""); w.Header().Get("Location") != to {
					t.Errorf("%s leads to %q, want %q", from, w.Header().Get("Location"), to)
				}
			}
		})
	}
}

// The page is reached by its redirects, whatever options its app and the app around have.
func TestThePageWithEachOption(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "viewer ", r.URL.Path) })
	rails := []routing.Option{routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithFormatSuffix(), routing.WithLooseSlashes()}
	for name, options := range map[string][]routing.Option{
		"none":           nil,
		"first match":    {routing.WithFirstMatch()},
		"optional slash": {routing.WithOptionalSlash()},
		"rails":          rails,
	} {
		for where, outer := range map[string]*routing.App{"": nil, "/same": routing.New(options...), "/rails": routing.New(rails...)} {
			app := routing.New(options...)
			api := apidoc.NewAPI(app, info)
			if _, err := api.Serve(page); err != nil {
				t.Fatal(err)
			}
			handler := app
			if outer != nil {
				outer.Mount(where, app)
				handler = outer
			}
			for _, from := range []string{"/api-docs", "/api-docs/", "/api-docs/ui", "/api-docs/ui/"} {
				at := &url.URL{Path: where + from}
				w := call(handler, "GET", at.Path, "", "")
				for range 3 {
					if w.Code == http.StatusFound {
						at = at.ResolveReference(&url.URL{Path: w.Header().Get("Location")})
						w = call(handler, "GET", at.Path, "", "")
					}
				}
				if w.Body.String() != "viewer /" || at.Path != where+"/api-docs/ui/" {
					t.Errorf("%s in %q: %s leads to %s: %d %s", name, where, from, at, w.Code, w.Body)
				}
			}
			for _, path := range []string{"/api-docs/ui/page.js", "/api-docs/ui/a/b"} {
				if w := call(handler, "GET", where+path, "", ""); w.Body.String() != "viewer "+strings.TrimPrefix(path, "/api-docs/ui") {
					t.Errorf("%s in %q: %s: %d %s", name, where, path, w.Code, w.Body)
				}
			}
			if w := call(handler, "GET", where+"/api-docs/openapi.json", "", ""); w.Code != 200 {
				t.Errorf("%s in %q: the description: %d", name, where, w.Code)
			}
		}
	}
}

// The header Link leads from each format to the API, wherever that is mounted.
func TestDescriptionsLinkToTheAPI(t *testing.T) {
	app, outer := routing.New(routing.WithBasePath("/own")), routing.New()
	outer.Mount("/of/:tenant", app)
	for _, path := range []string{"/docs", "/admin/docs"} {
		api := apidoc.NewAPI(app, info)
		if _, err := api.ServeAt(path, nil); err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{"swagger", "openapi", "openapi-3.0", "openapi-3.2"} {
			at := &url.URL{Path: "/of/a b/own" + path + "/" + form + ".json"}
			link := call(outer, "GET", at.String(), "", "").Header().Get("Link")
			to, isLink := strings.CutSuffix(strings.TrimPrefix(link, "<"), `>; rel="describes"`)
			if api, err := at.Parse(to); !isLink || err != nil || api.Path != "/of/a b/own/" {
				t.Errorf("%s has the link %s, to %v, error %v", at.Path, link, api, err)
			}
		}
	}
}

// The path of the description may have characters that a URL does not.
func TestRedirectsToThePageAreEscaped(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "viewer ", r.URL.Path) })
	for path, want := range map[string]string{"/a b": "a%20b/ui/", "/docs/a\"b": "a%22b/ui/", "/50% é": "50%25%20%C3%A9/ui/"} {
		app := routing.New()
		if _, err := apidoc.NewAPI(app, info).ServeAt(path, page); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		at := &url.URL{Path: path}
		w := call(app, "GET", at.EscapedPath(), "", "")
		got := w.Header().Get("Location")
		if w.Code != http.StatusFound || got != want {
			t.Errorf("%s: %d to %q, want %q", path, w.Code, got, want)
		}
		to, err := at.Parse(got)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if w := call(app, "GET", to.String(), "", ""); w.Body.String() != "viewer /" {
			t.Errorf("%s: %s: %d %s", path, to, w.Code, w.Body)
		}
	}
}

// An API is mounted as its app, and never in itself.
func TestAnAPIIsMountedAsItsApp(t *testing.T) {
	app, outer := routing.New(), routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "", whoami)
	if route := outer.Mount("/of/:tenant", api); route.Mounted() != app {
		t.Errorf("%s mounts %v", route, route.Mounted())
	}
	if w := call(outer, "GET", "/of/a/trees", "", ""); w.Code != 200 {
		t.Errorf("the operation: %d %s", w.Code, w.Body)
	}
	if document, err := apidoc.Build(outer, info, ""); err != nil || !strings.Contains(string(document.OpenAPI()), `"/of/{tenant}/trees"`) {
		t.Errorf("the description: %v", err)
	}
	for name, define := range map[string]func(){
		"Mount":      func() { app.Mount("/x", api) },
		"Handle":     func() { app.Handle("", "/x", api) },
		"Middleware": func() { app.Middleware(api) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of the API in its app did not panic", name)
				}
			}()
			define()
		}()
	}
}

// Servers of the Info replace the way of the request, where something has removed a part of it.
func TestServersReplaceTheMounts(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1", Servers: []apidoc.Server{{URL: "https://trees.example/shop/v1/"}}})
	if _, err := api.Serve(nil); err != nil {
		t.Fatal(err)
	}
	outer := routing.New()
	outer.Mount("/v1", app)
	handler := http.StripPrefix("/shop", outer)
	if got := decode(t, call(handler, "GET", "/shop/v1/api-docs/swagger.json", "", "").Body.Bytes())["basePath"]; got != "/shop/v1" {
		t.Errorf("the base path is %v", got)
	}
	servers := decode(t, call(handler, "GET", "/shop/v1/api-docs/openapi.json", "", "").Body.Bytes())["servers"].([]any)
	if got := servers[0].(map[string]any)["url"]; len(servers) != 1 || got != "https://trees.example/shop/v1/" {
		t.Errorf("the servers are %v", servers)
	}
}

// A typed field reads a parameter of a mount's prefix, whether the app is mounted before the
// operation is defined or after.
// The outer description has it in the path, the inner one in the base path.
func TestParametersOfPrefixes(t *testing.T) {
	for _, mountedFirst := range []bool{true, false} {
		outer, inner := routing.New(), routing.New()
		outerAPI, innerAPI := apidoc.NewAPI(outer, info), apidoc.NewAPI(inner, info)
		if mountedFirst {
			outer.Mount("/of/:tenant", inner)
		}
		apidoc.Get(innerAPI, "/leaves/:n", "", getLeaf)
		if !mountedFirst {
			outer.Mount("/of/:tenant", inner)
		}
		if _, err := innerAPI.Serve(nil); err != nil {
			t.Fatal(err)
		}
		if w := call(outer, "GET", "/of/ann/leaves/7", "", ""); w.Body.String() != "ann 7" {
			t.Errorf("the operation: %d %s", w.Code, w.Body)
		}
		names := func(document []byte, path string) (names []string) {
			list, _ := decode(t, document).at("paths", path, "get")["parameters"].([]any)
			for _, p := range list {
				names = append(names, p.(map[string]any)["name"].(string))
			}
			return names
		}
		d, err := outerAPI.Document()
		if err != nil {
			t.Fatal(err)
		}
		if got := names(d.OpenAPI(), "/of/{tenant}/leaves/{n}"); !slices.Equal(got, []string{"tenant", "n"}) {
			t.Errorf("the outer description has the parameters %q", got)
		}
		within := call(outer, "GET", "/of/ann/api-docs/openapi.json", "", "").Body.Bytes()
		if got := names(within, "/leaves/{n}"); !slices.Equal(got, []string{"n"}) {
			t.Errorf("the inner description has the parameters %q", got)
		}
	}
}

// An app may be mounted several times. Its operations have an ID for each place. A parameter cannot
// be in the prefix and in the pattern.
func TestOperationsOfAppMountedTwice(t *testing.T) {
	outer, inner := routing.New(), routing.New()
	innerAPI, outerAPI := apidoc.NewAPI(inner, info), apidoc.NewAPI(outer, info)
	apidoc.Get(innerAPI, "/trees", "", whoami, apidoc.ID("list"))
	apidoc.Get(innerAPI, "/trees/:n", "", func(context.Context, struct {
		N int `path:"n"`
	}) (int, error) {
		return 0, nil
	}, apidoc.ID("get"))
	for _, prefix := range []string{"/a", "/b", "/c"} {
		outer.Mount(prefix, inner)
	}
	d, err := outerAPI.Document()
	if err != nil {
		t.Fatal(err)
	}
	paths := decode(t, d.OpenAPI()).at("paths")
	for path, want := range map[string]string{"/a/trees": "list", "/b/trees": "list2", "/c/trees": "list3", "/c/trees/{n}": "get3"} {
		if got := paths.at(path, "get")["operationId"]; got != want {
			t.Errorf("%s: the ID is %v, want %s", path, got, want)
		}
	}
	outer.Mount("/of/:n", inner)
	const want = `the parameter "n" is also in the prefix of the mount, /of/{n}: give them different names`
	if _, err := outerAPI.Document(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error %v, want %s", err, want)
	}
}

// A path parameter that nothing has is the program's mistake, not the client's.
func TestParametersWithoutPrefix(t *testing.T) {
	var logged bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	apidoc.Get(apidoc.NewAPI(app, info), "/leaves/:n", "", getLeaf)
	const want = `the path parameter \"tenant\" is neither in the pattern nor in the prefix of a mount`
	if w := call(app, "GET", "/leaves/7", "", ""); w.Code != 500 || !strings.Contains(logged.String(), want) {
		t.Errorf("status %d and logged %s", w.Code, &logged)
	}
}

// Serve returns an error for a path parameter that neither the pattern nor a mount has.
func TestServeRefusesParametersWithoutPrefix(t *testing.T) {
	inner, shop, site := routing.New(), routing.New(), routing.New()
	innerAPI, siteAPI := apidoc.NewAPI(inner, info), apidoc.NewAPI(site, info)
	apidoc.Get(innerAPI, "/leaves/:n", "", getLeaf)
	refused := func(when string, api *apidoc.API, path string) {
		t.Helper()
		const want = `the path parameter "tenant" is neither in the pattern nor in the prefix of a mount: write it there, remove the field, or mount the app before it is described`
		if _, err := api.ServeAt(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got the error %v, want %s", when, err, want)
		}
	}
	refused("before it is mounted", innerAPI, "/docs1")
	shop.Mount("/public", inner)
	refused("without the parameter", innerAPI, "/docs2")
	site.Mount("/of/:tenant", shop)
	for name, api := range map[string]*apidoc.API{"inner": innerAPI, "site": siteAPI} {
		if _, err := api.Serve(nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	site.Mount("/plain", shop)
	refused("at another place without it", siteAPI, "/docs3")
}

// What is defined in a mounted app after the first look at the description is described too.
func TestLateDefinitionsInMountedApps(t *testing.T) {
	outer, inner := routing.New(), routing.New()
	outerAPI, innerAPI := apidoc.NewAPI(outer, info), apidoc.NewAPI(inner, info)
	outer.Mount("/inner", inner)
	apidoc.Get(innerAPI, "/first", "", whoami, apidoc.ID("first"))
	for _, api := range []*apidoc.API{outerAPI, innerAPI} {
		if _, err := api.Serve(nil); err != nil {
			t.Fatal(err)
		}
	}
	tags := make(map[string]bool)
	look := func(path string) (paths, webhooks []string) {
		w := call(outer, "GET", path+"/api-docs/openapi.json", "", "")
		tags[w.Header().Get("ETag")] = true
		d := decode(t, w.Body.Bytes())
		return slices.Sorted(maps.Keys(d.at("paths"))), slices.Sorted(maps.Keys(d.at("webhooks")))
	}
	look("")
	look("/inner")
	for _, step := range []struct {
		define                 func()
		paths, inner, webhooks []string
	}{
		{func() { apidoc.Get(innerAPI, "/second", "", whoami, apidoc.ID("second")) }, []string{"/inner/first", "/inner/second"}, []string{"/first", "/second"}, nil},
		{func() { apidoc.Webhook[int](innerAPI, "ping", "") }, []string{"/inner/first", "/inner/second"}, []string{"/first", "/second"}, []string{"ping"}},
	} {
		step.define()
		if paths, webhooks := look(""); !slices.Equal(paths, step.paths) || !slices.Equal(webhooks, step.webhooks) {
			t.Errorf("the outer description has %q and %q, want %q and %q", paths, webhooks, step.paths, step.webhooks)
		}
		if paths, webhooks := look("/inner"); !slices.Equal(paths, step.inner) || !slices.Equal(webhooks, step.webhooks) {
			t.Errorf("the inner description has %q and %q, want %q and %q", paths, webhooks, step.inner, step.webhooks)
		}
	}
	if len(tags) != 6 {
		t.Errorf("six descriptions have %d ETags", len(tags))
	}
}

// The description has an ETag, answers preconditions, and HEAD has no body.
func TestDescriptionsHaveTags(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", whoami)
	if _, err := api.Serve(nil); err != nil {
		t.Fatal(err)
	}
	const path = "/api-docs/openapi.json"
	whole := call(app, "GET", path, "", "")
	tag := whole.Header().Get("ETag")
	if len(tag) < 10 || whole.Header().Get("Cache-Control") != "no-cache" || whole.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("headers are %v", whole.Header())
	}
	for _, header := range [][]string{
		{"If-None-Match", tag}, {"If-None-Match", "W/" + tag}, {"If-None-Match", "*"}, {"If-None-Match", `"a", ` + tag},
		{"If-None-Match", `"a"`, "If-None-Match", tag},
	} {
		if w := call(app, "GET", path, "", "", header...); w.Code != 304 || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
			t.Errorf("%q: %d with %d bytes", header, w.Code, w.Body.Len())
		}
	}
	if w := call(app, "GET", path, "", "", "If-None-Match", `"a"`); w.Code != 200 || w.Body.String() != whole.Body.String() {
		t.Errorf("another tag: %d", w.Code)
	}
	if w := call(app, "HEAD", path, "", ""); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
		t.Errorf("HEAD: %d with %d bytes", w.Code, w.Body.Len())
	}
}

// Two operations of one place are an error, also if one hides the other. One that another path
// hides is a warning in the log, once.
func TestOperationsWithOnePath(t *testing.T) {
	var logged bytes.Buffer
	newAPI := func() (*routing.App, *apidoc.API) {
		logged.Reset()
		app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
		return app, apidoc.NewAPI(app, info)
	}
	events := func(api *apidoc.API, pattern, id string) {
		apidoc.Get(api, pattern, "", whoami, apidoc.ID(id))
	}
	app, api := newAPI()
	events(api, "/a/events", "one")
	events(api, "/a/events", "two")
	const same = "operations one (GET /a/events) and two (GET /a/events) are both described as GET /a/events"
	if _, err := api.Serve(nil); err == nil || !strings.Contains(err.Error(), same) {
		t.Errorf("Serve: %v, want %s", err, same)
	}
	if _, err := apidoc.Build(app, info, ""); err == nil || !strings.Contains(err.Error(), same) {
		t.Errorf("Build: %v, want %s", err, same)
	}

	app, api = newAPI()
	events(api, "/a/events", "one")
	apidoc.Get(api, "/a/:n", "", func(context.Context, struct {
		N string `path:"n"`
	}) (string, error) {
		return "", nil
	})
	d, err := api.Serve(nil)
	const hidden = "GET /a/events is hidden by GET /a/:n, which is defined later: it is described, though requests don't reach it"
	if err != nil || !slices.Equal(d.Warnings(), []string{hidden}) {
		t.Errorf("Serve: %v, want the warning %s", err, hidden)
	}
	events(api, "/b", "three")
	call(app, "GET", "/api-docs/openapi.json", "", "")
	if n := strings.Count(logged.String(), hidden); n != 1 || !strings.Contains(logged.String(), "level=WARN") {
		t.Errorf("the warning is logged %d times in %s", n, &logged)
	}
}

// Two APIs of an app cannot be described at one path. Without an Info, one joins the other.
func TestTwoAPIsAtOnePath(t *testing.T) {
	app := routing.New()
	shop := apidoc.NewAPI(app, apidoc.Info{Title: "Shop", Version: "1"})
	if _, err := shop.Serve(nil); err != nil {
		t.Fatal(err)
	}
	_, err := apidoc.NewAPI(app, apidoc.Info{Title: "Own", Version: "1"}).Serve(nil)
	const want = `apidoc: publish the description at "/api-docs": the API "Shop" has it: ` +
		"leave Serve out and pass NewAPI an empty Info to join it, or call ServeAt with another path"
	if fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	apidoc.Get(apidoc.NewAPI(app, apidoc.Info{}), "/plums", "", func(context.Context, struct{}) ([]Plum, error) { return nil, nil })
	d, err := shop.Document()
	if err != nil || decode(t, d.OpenAPI()).at("paths", "/plums") == nil {
		t.Errorf("got %v and no operation of the API without an Info", err)
	}
}
