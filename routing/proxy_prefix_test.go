package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// Paths and URLs that an app makes begin with the prefix that a proxy removes; patterns do not.
func TestProxyPrefix(t *testing.T) {
	for _, test := range []struct {
		prefix, base, want string // in front of the paths
	}{
		{"", "", ""}, {"/", "", ""}, {"/shop", "", "/shop"}, {"/shop/", "/v1", "/shop/v1"}, {"/a b/ü", "", "/a%20b/%C3%BC"},
	} {
		app := routing.New(routing.WithProxyPrefix(test.prefix), routing.WithBasePath(test.base))
		inner := routing.New(routing.WithBasePath("/in"))
		show := inner.Get("/show/:id", func(routing.Context) (routing.Result, error) { return routing.Text("shown"), nil })
		inner.Get("/links", func(c routing.Context) (routing.Result, error) {
			own, err := c.URL(show, "id", "7")
			if err != nil {
				return routing.Result{}, err
			}
			if err := c.SetCookie(&http.Cookie{Name: "a", Value: "b", Path: c.Path("/")}); err != nil {
				return routing.Result{}, err
			}
			return routing.Text(strings.Join([]string{own, c.Path("/x"), c.RootPath("/x"), c.Request().Pattern}, " ")), nil
		})
		inner.Get("/go", func(c routing.Context) (routing.Result, error) {
			return routing.Result{}, routing.Redirect(c.Path("/links"))
		})
		app.Mount("/houses/:house", inner)
		app.Mount("/files", http.NotFoundHandler())
		get := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest("GET", test.base+path, nil))
			return w
		}
		place := test.want + "/houses/mill/in"
		w := get("/houses/mill/in/links")
		want := fmt.Sprintf("%[1]s/show/7 %[1]s/x %[2]s/x GET %[3]s/houses/:house/in/links", place, test.want, test.base)
		if got := w.Body.String(); got != want {
			t.Errorf("%q: got %s, want %s", test.prefix, got, want)
		}
		if got, want := w.Header().Get("Set-Cookie"), "a=b; Path="+place+"/"; got != want {
			t.Errorf("%q: the cookie is %s, want %s", test.prefix, got, want)
		}
		if got := get("/houses/mill/in/go").Header().Get("Location"); got != place+"/links" {
			t.Errorf("%q: redirected to %s", test.prefix, got)
		}
		if got, want := get("/files//a").Header().Get("Location"), test.want+"/files/a"; got != want {
			t.Errorf("%q: the unclean path is redirected to %s, want %s", test.prefix, got, want)
		}
		if test.want != "" {
			if w := get(test.want + "/houses/mill/in/links"); w.Code != 404 {
				t.Errorf("%q: the path with the prefix gets %d", test.prefix, w.Code)
			}
		}
		if got, err := show.URL("house", "mill", "id", "7"); got != place+"/show/7" || err != nil {
			t.Errorf("%q: Route.URL: got %s, %v", test.prefix, got, err)
		}
	}
}

// Behind a proxy that removes the prefix, each link leads to its route.
func TestBehindAProxy(t *testing.T) {
	app := routing.New(routing.WithProxyPrefix("/shop"))
	list := app.Get("/list", func(routing.Context) (routing.Result, error) { return routing.Text("the list"), nil })
	app.Post("/list", func(c routing.Context) (routing.Result, error) {
		to, err := c.URL(list)
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Result{}, routing.SeeOther(to)
	})
	server := httptest.NewServer(app)
	defer server.Close()
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.StripPrefix("/shop", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}))
	defer proxy.Close()
	response, err := proxy.Client().Post(proxy.URL+"/shop/list", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 || response.Request.URL.Path != "/shop/list" {
		t.Errorf("the redirect leads to %s with %d", response.Request.URL, response.StatusCode)
	}
}

func TestInvalidProxyPrefixes(t *testing.T) {
	for want, f := range map[string]func(){
		`WithProxyPrefix: base path "shop": must start with /`: func() { routing.WithProxyPrefix("shop") },
		`must not contain empty or dot segments`:               func() { routing.WithProxyPrefix("/a//b") },
		`WithProxyPrefix: base path "/{org}"`:                  func() { routing.WithProxyPrefix("/{org}") },
		`mount "/in": the app has WithProxyPrefix("/shop"): set it on the outermost app`: func() {
			routing.New().Mount("/in", routing.New(routing.WithProxyPrefix("/shop")))
		},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("panicked with %s, want %s", text, want)
				}
			}()
			f()
		}()
	}
}

// Layers are not mounted: each has its own prefix, and is outermost for RootPath.
func TestLayersBehindAProxy(t *testing.T) {
	action := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Path("/x") + " " + c.RootPath("/x")), nil
	}
	prefix := routing.WithProxyPrefix("/shop")
	with, without := routing.New(quiet(), prefix, routing.WithBasePath("/in")), routing.New(quiet(), routing.WithBasePath("/in"))
	with.Get("/with", action)
	without.Get("/without", action)
	outer := routing.New(quiet(), routing.WithProxyPrefix("/shop"))
	outer.Mount("/in", with.Middleware(without))
	for path, want := range map[string]string{"/in/with": "/shop/in/x /shop/in/x", "/in/without": "/in/x /in/x"} {
		if w := get(outer, path); w.Body.String() != want {
			t.Errorf("%s: got %q, want %q", path, w.Body, want)
		}
	}
}
