package inspect_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
)

// This file tests who may see the page.

// browser is a client with cookies.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// open requests an address, and returns the last response and its body.
func open(t *testing.T, client *http.Client, address string) (*http.Response, string) {
	t.Helper()
	response, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// addresses serves the page in several ways, and returns its URL in each.
func addresses(t *testing.T, page http.Handler) map[string]string {
	serve := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	proxy := func(target string) http.Handler {
		to, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		// Like nginx's proxy_pass, without headers about the client.
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	}
	app := routing.New(routing.WithBasePath("/shop"))
	app.Mount("/debug/routes", page)
	mounted := serve(app)
	return map[string]string{
		"mounted":              mounted + "/shop/debug/routes",
		"behind a proxy":       serve(proxy(mounted)) + "/shop/debug/routes",
		"with another prefix":  serve(http.StripPrefix("/outside", proxy(mounted))) + "/outside/shop/debug/routes",
		"below a short prefix": serve(http.StripPrefix("/in", proxy(mounted+"/shop"))) + "/in/debug/routes",
		"at the root":          serve(page) + "/",
	}
}

// The page needs the token, also behind a proxy on the same machine, and the token does not stay in
// the URL.
func TestToken(t *testing.T) {
	page := inspect.New(newShop(), inspect.WithLogger(slog.New(slog.DiscardHandler)))
	for name, address := range addresses(t, page) {
		client := browser(t)
		if r, body := open(t, client, address); r.StatusCode != 403 || strings.Contains(body, "/flowers") {
			t.Errorf("%s: without the token: got %d %s", name, r.StatusCode, body)
		}
		if r, _ := open(t, client, address+"?token=WRONG"); r.StatusCode != 403 || len(r.Cookies()) > 0 {
			t.Errorf("%s: with another token: got %d", name, r.StatusCode)
		}
		r, body := open(t, client, page.URL(address)+"&q=has+a+key&q=%25")
		if r.StatusCode != 200 || !strings.Contains(body, "1 of 7 routes") || r.Request.URL.String() != address+"?q=has+a+key&q=%25" {
			t.Errorf("%s: with the token: got %d at %s", name, r.StatusCode, r.Request.URL)
		}
		if r, _ := open(t, browser(t), page.URL(address+"?q=key#all")); r.StatusCode != 200 || r.Request.URL.String() != address+"?q=key" {
			t.Errorf("%s: with a query and the token: got %d at %s", name, r.StatusCode, r.Request.URL)
		}
		if r, body := open(t, client, address+"?url=/shop/hidden"); r.StatusCode != 200 || !strings.Contains(body, "page") {
			t.Errorf("%s: afterwards: got %d", name, r.StatusCode)
		}
	}
}

// The cookie is not for scripts and not for requests of other origins. Another program on the same
// host has another cookie.
func TestCookie(t *testing.T) {
	page, other := inspect.New(newShop()), inspect.New(routing.New())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other" {
			other.ServeHTTP(w, r)
			return
		}
		page.ServeHTTP(w, r)
	}))
	defer server.Close()
	client := browser(t)
	for range 2 {
		for path, page := range map[string]*inspect.Inspector{"/page": page, "/other": other} {
			if r, _ := open(t, client, page.URL(server.URL+path)); r.StatusCode != 200 {
				t.Errorf("%s: got %d", path, r.StatusCode)
			}
		}
	}
	if r, _ := open(t, client, server.URL+"/page"); r.StatusCode != 200 {
		t.Errorf("after the other: got %d", r.StatusCode)
	}
	for target, isSecure := range map[string]bool{"/page": false, "https://localhost/page": true} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest("GET", page.URL(target), nil))
		cookies := w.Result().Cookies()
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode || cookies[0].Secure != isSecure || cookies[0].MaxAge != 0 {
			t.Errorf("%s: got %v", target, cookies)
		}
		if w.Code != 303 || w.Header().Get("Location") != "?" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %v", target, w.Code, w.Header())
		}
	}
}

// If URL is not called, it is logged once. It has the server's address, since the client's Host
// could lead the developer, with the token, to another server.
func TestAddressIsLogged(t *testing.T) {
	var log bytes.Buffer
	page := inspect.New(newShop(), inspect.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	server := httptest.NewServer(http.StripPrefix("/debug", page))
	defer server.Close()
	for range 2 {
		r, err := http.NewRequest("GET", server.URL+"/debug/routes", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "evil.example"
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	addresses := regexp.MustCompile(`http://[^"]*`).FindAllString(log.String(), -1)
	if len(addresses) != 1 || !strings.HasPrefix(addresses[0], server.URL+"/debug/routes?token=") {
		t.Fatalf("logged %s", log.String())
	}
	if r, body := open(t, browser(t), addresses[0]); r.StatusCode != 200 || !strings.Contains(body, "/flowers") {
		t.Errorf("with the logged address: got %d", r.StatusCode)
	}

	log.Reset()
	printed := inspect.New(routing.New(), inspect.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	printed.URL("http://localhost/routes")
	ask(printed, "")
	if log.Len() > 0 {
		t.Errorf("the address was printed, and is logged too: %s", log.String())
	}
}

// WithAccess replaces the token.
func TestAccess(t *testing.T) {
	for name, c := range map[string]struct {
		allow    []func(*http.Request) bool
		status   int
		hasToken bool
	}{
		"the token":           {nil, 403, true},
		"allowed":             {[]func(*http.Request) bool{func(r *http.Request) bool { return r.Method == "GET" }}, 200, false},
		"refused":             {[]func(*http.Request) bool{func(r *http.Request) bool { return r.Method == "PUT" }}, 403, false},
		"back to the default": {[]func(*http.Request) bool{func(*http.Request) bool { return true }, nil}, 403, true},
	} {
		var options []inspect.Option
		for _, allow := range c.allow {
			options = append(options, inspect.WithAccess(allow))
		}
		page := inspect.New(newShop(), options...)
		if got := strings.Contains(page.URL("/x"), "token="); got != c.hasToken {
			t.Errorf("%s: the URL is %s", name, page.URL("/x"))
		}
		if w := ask(page, ""); w.Code != c.status || strings.Contains(w.Body.String(), "/flowers") != (c.status == 200) {
			t.Errorf("%s: got %d, want %d", name, w.Code, c.status)
		}
	}
}
