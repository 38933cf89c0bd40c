package respond_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

func copyBody(w io.Writer, response *http.Response) error {
	defer response.Body.Close()
	_, err := io.Copy(w, response.Body)
	return err
}

func TestRedirectAction(t *testing.T) {
	inner := routing.New()
	inner.Get("/old/:id", respond.RedirectAction(302, "/new/:id"))
	app, _ := quiet(routing.WithBasePath("/b c"))
	app.Mount("/u/:user", inner)
	app.Get("/x/:id", respond.RedirectAction(301, "/y/:id"))
	app.Get("/all/*", respond.RedirectAction(303, "/*splat"))
	app.Get("/site/*", respond.RedirectAction(308, "https://example.com:8080/*splat"))
	app.Get("/format/:id.?:format?", respond.RedirectAction(307, "/f/:id(.:format)"))
	app.Get("/missing/:id", respond.RedirectAction(301, "/y/:other"))
	app.Get("/literal", respond.RedirectAction(301, "/a b\\:c/ü"))
	app.Get("/find/:q/*", respond.RedirectAction(302, "/search(/:lang)?q=:q&in=*splat&page=1#results"))
	app.Get("/find", respond.RedirectAction(302, "https://example.com/search?q=(:q)&t=12:30"))
	app.Group("/g/:a", func(g *routing.Group) { g.Get("/:b", respond.RedirectAction(301, "/:b/:a")) })
	for path, want := range map[string]string{
		"/x/7":               "301 /b%20c/y/7",
		"/x/7?q=1":           "301 /b%20c/y/7",
		"/x/a%20b%3Fc%23":    "301 /b%20c/y/a%20b%3Fc%23",
		"/x/%0D%0AX:1":       "301 /b%20c/y/%0D%0AX:1",
		"/all/a/b":           "303 /b%20c/a/b",
		"/all//evil.com":     "303 /b%20c/evil.com",
		"/all/%5Cevil.com":   "303 /b%20c/%5Cevil.com",
		"/site/a%20b/c":      "308 https://example.com:8080/a%20b/c",
		"/site/@evil.com":    "308 https://example.com:8080/@evil.com",
		"/site//evil.com":    "308 https://example.com:8080//evil.com",
		"/format/7":          "307 /b%20c/f/7",
		"/format/7.json":     "307 /b%20c/f/7.json",
		"/missing/7":         "500 ",
		"/missing/7?other=9": "500 ",
		"/literal":           "301 /b%20c/a%20b:c/%C3%BC",
		"/find/a%20b&c/d/é?": "302 /b%20c/search?q=a+b%26c&in=d%2F%C3%A9&page=1#results",
		"/find":              "302 https://example.com/search?q=&t=12:30",
		"/g/1/2":             "301 /b%20c/2/1",
		"/u/ann/old/7":       "302 /b%20c/u/ann/new/7",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest(method, "/b%20c"+path, nil))
			if got := fmt.Sprint(w.Code, " ", w.Header().Get("Location")); got != want {
				t.Errorf("%s %s: got %s, want %s", method, path, got, want)
			}
		}
	}
	for target, status := range map[string]int{"/a": 300, "/b": 200, "a": 301, "": 301, "ftp://a/b": 301, "https:///b": 301, "https://a": 301, "//a/b": 0, "/(": 301, "/?(": 301, "/a%20b/:id": 301} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("RedirectAction(%d, %q) does not panic", status, target)
				}
			}()
			respond.RedirectAction(status, target)
		}()
	}
}

func TestBackURL(t *testing.T) {
	app := routing.New(routing.WithBasePath("/base"))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.SeeOther(respond.BackURL(c, c.Path("/home")))
	})
	for referer, want := range map[string]string{
		"":                                "/base/home",
		"http://example.com/form?a=1#top": "/form?a=1",
		"https://EXAMPLE.com/form":        "/form",
		"http://example.com":              "/",
		"http://example.com:8080/form":    "/base/home",
		"http://evil.com/form":            "/base/home",
		"http://example.com@evil.com/x":   "/base/home",
		"http://example.com//evil.com":    "/base/home",
		`http://example.com/\evil.com`:    `/%5Cevil.com`,
		"//example.com/x":                 "/base/home",
		"/form":                           "/base/home",
		"javascript:alert(1)":             "/base/home",
		"http://%zz":                      "/base/home",
	} {
		r := httptest.NewRequest("POST", "/base", nil)
		r.Header.Set("Referer", referer)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); w.Code != 303 || got != want {
			t.Errorf("%s: got %d %s, want %s", referer, w.Code, got, want)
		}
	}
}

func ExampleRedirectAction() {
	app := routing.New()
	app.Get("/stories/:id", respond.RedirectAction(http.StatusMovedPermanently, "/articles/:id"))
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/stories/7", nil))
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output: 301 /articles/7
}

func ExampleBackURL() {
	app := routing.New()
	app.Post("/cart", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.SeeOther(respond.BackURL(c, c.Path("/")))
	})
	r := httptest.NewRequest("POST", "/cart", strings.NewReader(""))
	r.Header.Set("Referer", "http://example.com/flowers?page=2")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output: 303 /flowers?page=2
}

// A target may have optional parts alone, and a space in a fragment is %20.
func TestRedirectActionOptionalParts(t *testing.T) {
	app := routing.New()
	app.Get("/home/?:lang?", respond.RedirectAction(301, "/(:lang)"))
	app.Get("/find/:q", respond.RedirectAction(302, "/search?q=:q#:q"))
	app.Get("/old/*", respond.RedirectAction(302, "https://example.com/(:lang)*splat")) // a value is no part of the host
	for path, want := range map[string]string{"/old/.evil.example/x": "302 https://example.com/.evil.example/x",
		"/home": "301 /", "/home/de": "301 /de", "/find/a%20b": "302 /search?q=a+b#a%20b"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if got := fmt.Sprint(w.Code, " ", w.Header().Get("Location")); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
