package flowercafe_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

func fetch(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func withViewer() flowercafe.Option {
	return flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New()))
}

func TestHome(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("hello")) })
	for _, c := range []struct {
		name         string
		options      []flowercafe.Option
		method, path string
		status       int
		location     string
		has, lacks   string
	}{
		{"off", nil, "GET", "/", 404, "", "", "flowers/"},
		{"root", []flowercafe.Option{flowercafe.WithHome()}, "GET", "/", 200, "", `href="flowers/"`, "api-docs/ui/"},
		{"HEAD", []flowercafe.Option{flowercafe.WithHome()}, "HEAD", "/", 200, "", "", "<"},
		{"POST", []flowercafe.Option{flowercafe.WithHome()}, "POST", "/", 404, "", "", "flowers/"},
		{"other paths", []flowercafe.Option{flowercafe.WithHome()}, "GET", "/none", 404, "", "", "flowers/"},
		{"two slashes", []flowercafe.Option{flowercafe.WithHome()}, "GET", "//", 404, "", "", "flowers/"},
		{"base path", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/", 200, "", "<code>/shop</code>", `"/`},
		{"base path without a slash", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/a/shop")}, "GET", "/a/shop", 302, "shop/", "", ""},
		{"base path with a colon", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/a:b")}, "GET", "/a:b", 302, "./a:b/", "", ""},
		{"outside", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/", 404, "", "", "flowers/"},
		{"viewer", []flowercafe.Option{flowercafe.WithHome(), withViewer()}, "GET", "/", 200, "", "api-docs/ui/", ""},
		{"description without a viewer", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs", 302, "./", "", ""},
		{"the same with a slash", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs/", 302, "../", "", ""},
		{"page without a viewer", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs/ui", 302, "../", "", ""},
		{"the same with a slash", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs/ui/", 302, "../../", "", ""},
		{"description with a viewer", []flowercafe.Option{flowercafe.WithHome(), withViewer()}, "GET", "/api-docs", 302, "api-docs/ui/", "", ""},
		{"viewer alone", []flowercafe.Option{withViewer(), flowercafe.WithBasePath("/shop")}, "GET", "/shop/", 302, "api-docs/ui/", "", ""},
		{"viewer alone, without a slash", []flowercafe.Option{withViewer(), flowercafe.WithBasePath("/a:b")}, "GET", "/a:b", 302, "./a:b/api-docs/ui/", "", ""},
		{"viewer alone at the root", []flowercafe.Option{withViewer()}, "GET", "/", 302, "api-docs/ui/", "", ""},
		{"viewer alone, with a next handler", []flowercafe.Option{withViewer(), flowercafe.WithNext(hello)}, "GET", "/", 200, "", "hello", ""},
		{"neither", []flowercafe.Option{flowercafe.WithBasePath("/shop")}, "GET", "/shop/api-docs", 404, "", "", ""},
		{"steps of the coffee demo", []flowercafe.Option{flowercafe.WithHome()}, "GET", "/", 200, "", `href="db/load-data"`, ""},
		{"mounts", []flowercafe.Option{flowercafe.WithHome(), flowercafe.WithMount("/<b>", hello)}, "GET", "/", 200, "", "/&lt;b&gt;</a>", "<b>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			app, err := flowercafe.New(c.options...)
			if err != nil {
				t.Fatal(err)
			}
			defer app.Close()
			w := fetch(app, c.method, c.path)
			if w.Code != c.status || w.Header().Get("Location") != c.location {
				t.Errorf("got %d and location %q, want %d and %q", w.Code, w.Header().Get("Location"), c.status, c.location)
			}
			if body := w.Body.String(); !strings.Contains(body, c.has) || c.lacks != "" && strings.Contains(body, c.lacks) {
				t.Errorf("got %s, want it with %q and without %q", body, c.has, c.lacks)
			}
		})
	}
}

// The page is an ordinary route: logs have its name, a 405 has its methods, and another route may
// replace it.
func TestHomeIsRoute(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithHome(), flowercafe.WithMethodNotAllowed(), flowercafe.WithBasePath("/shop"))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	r := httptest.NewRequest("GET", "/shop/", nil)
	app.ServeHTTP(httptest.NewRecorder(), r)
	if r.Pattern != "GET /shop/" {
		t.Errorf("the route is %q, want GET /shop/", r.Pattern)
	}
	if w := fetch(app, "POST", "/shop/"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: got %d and Allow %q, want 405 and GET, HEAD, OPTIONS", w.Code, w.Header().Get("Allow"))
	}
	app.Coffee().Routes().Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("the host's own"), nil })
	if w := fetch(app, "GET", "/shop/"); w.Body.String() != "the host's own" {
		t.Errorf("got %s, want the host's page", w.Body)
	}
}

// Every link of the page works, in this order, below a base path and behind a proxy that removes a
// prefix.
func TestHomeLinks(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithHome(), flowercafe.WithBasePath("/shop"),
		flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())),
		flowercafe.WithMount("/more", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	links := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(fetch(app, "GET", "/shop/").Body.String(), -1)
	if len(links) < 8 {
		t.Errorf("there are %d links", len(links))
	}
	for _, link := range links {
		if link[1] == "data:," { // no icon
			continue
		}
		if w := fetch(app, "GET", "/shop/"+link[1]); w.Code != 200 {
			t.Errorf("%s: got %d", link[1], w.Code)
		}
	}
}

// The page's policy allows no script and no frame.
func TestHomePolicy(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithHome())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	policy := fetch(app, "GET", "/").Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %q", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("the policy %q is too wide", policy)
	}
}
