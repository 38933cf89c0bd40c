package flowercatalog_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

// The cross-origin rules apply to the description and the flowers, not to the next handler or to
// other routes.
func TestCORSAppliesOnlyToFlowersAndDescription(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(299) })
	host := func(options ...flowercatalog.Option) *flowercatalog.App {
		app := newApp(t, append(options, flowercatalog.WithBasePath("/shop"), flowercatalog.WithNext(next), flowercatalog.WithAllowedOrigins(docs))...)
		app.Routes().Get("/own", func(c routing.Context) (routing.Result, error) { return routing.Text("own"), nil })
		return app
	}
	closed, open := host(), host(flowercatalog.WithCORSOnFlowers())
	for _, test := range []struct {
		path         string
		closed, open bool
	}{
		{"/shop/api-docs/spec.json", true, true},
		{"/shop/api-docs/swagger.json", true, true},
		{"/shop/api-docs/openapi.json", true, true},
		{"/shop/api-docs/other.json", false, false},
		{"/shop/api-docs/spec.json/", false, false},
		{"/shop/flowers", false, true},
		{"/shop/flowers/", false, true},
		{"/shop/flowers/red-rose", false, true},
		{"/shop/flowers/none", false, true},
		{"/shop/flowers/red-rose/", false, false},
		{"/shop/own", false, false},
		{"/shop", false, false},
		{"/flowers", false, false},
		{"/api-docs/spec.json", false, false},
		{"/shopapi-docs/spec.json", false, false},
	} {
		for _, app := range []struct {
			name string
			*flowercatalog.App
			shared bool
		}{{"closed", closed, test.closed}, {"open", open, test.open}} {
			w := ask(app, "GET", test.path, "Origin", docs)
			if got := w.Header().Get("Access-Control-Allow-Origin") == docs; got != app.shared {
				t.Errorf("%s: GET %s: allowed is %v, want %v", app.name, test.path, got, app.shared)
			}
			if got := slices.Contains(w.Header().Values("Vary"), "Origin"); got != app.shared {
				t.Errorf("%s: GET %s: Vary names the origin: %v, want %v", app.name, test.path, got, app.shared)
			}
			w = ask(app, "OPTIONS", test.path, "Origin", docs, "Access-Control-Request-Method", "GET")
			if got := w.Code == http.StatusNoContent; got != app.shared {
				t.Errorf("%s: preflight of %s: got %d, handled is %v, want %v", app.name, test.path, w.Code, got, app.shared)
			}
		}
	}
}

// A POST route at the path of the flowers is not opened to other origins.
func TestCORSOnFlowersAllowsOnlyReading(t *testing.T) {
	app := newApp(t, flowercatalog.WithCORSOnFlowers())
	app.Routes().Post("/flowers/:slug", func(c routing.Context) (routing.Result, error) { return routing.Text("changed"), nil })
	w := ask(app, "POST", "/flowers/red-rose", "Origin", docs)
	if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("POST: got %d, allowed %q; want 200 that no page of another origin may read", w.Code, w.Header().Get("Access-Control-Allow-Origin"))
	}
	w = ask(app, "OPTIONS", "/flowers/red-rose", "Origin", docs, "Access-Control-Request-Method", "POST")
	if got := w.Header().Get("Access-Control-Allow-Methods"); got != "" {
		t.Errorf("preflight for POST: allowed %q, want none", got)
	}
}

// A preflight request carries no credentials, so filters and routes never see it.
func TestPreflightsAreNotRouted(t *testing.T) {
	app := newApp(t, flowercatalog.WithCORSOnFlowers())
	var seen []string
	app.Routes().Before(func(c routing.Context) error {
		seen = append(seen, c.Request().Method+" "+c.Request().URL.Path)
		return &routing.HaltError{Status: http.StatusUnauthorized}
	})
	app.Routes().Options("/flowers/?", func(c routing.Context) (routing.Result, error) { return routing.Text("routed"), nil })
	for _, path := range []string{"/flowers", "/flowers/red-rose", "/api-docs/spec.json"} {
		w := ask(app, "OPTIONS", path, "Origin", docs, "Access-Control-Request-Method", "GET")
		if w.Code != http.StatusNoContent || w.Body.Len() > 0 || len(seen) > 0 {
			t.Errorf("preflight of %s: got %d %q, seen by a filter as %q; want 204 and nothing", path, w.Code, w.Body, seen)
		}
		w = ask(app, "GET", path, "Origin", docs)
		if w.Code != http.StatusUnauthorized || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("GET %s behind a filter that halts: got %d, allowed %q; want 401 that the page may read", path, w.Code, w.Header().Get("Access-Control-Allow-Origin"))
		}
		seen = nil
	}
}

func TestSeveralOriginHeaders(t *testing.T) {
	app := newApp(t, flowercatalog.WithAllowedOrigins(docs))
	for _, method := range []string{"GET", "OPTIONS"} {
		w := ask(app, method, "/api-docs/spec.json", "Origin", docs, "Origin", "https://evil.example", "Access-Control-Request-Method", "GET")
		if got := w.Header().Values("Access-Control-Allow-Origin"); len(got) > 0 {
			t.Errorf("%s with two origins, one of them allowed: got %q, want none", method, got)
		}
	}
}

// Every response of a restricted endpoint has Vary: Origin, also 304, 4xx and 500.
func TestVaryOnEveryResponse(t *testing.T) {
	app := newApp(t, flowercatalog.WithAllowedOrigins(docs))
	broken := newApp(t, flowercatalog.WithAllowedOrigins(docs), flowercatalog.WithLogger(slog.New(slog.DiscardHandler)))
	for _, path := range []string{"/again", "/and-again"} { // two operations of one ID
		broken.Routes().Get(path, func(routing.Context) (routing.Result, error) { return routing.Result{}, nil }, apidoc.Describe(apidoc.NewOperation[struct{}, string]("again", "")))
	}
	tag := ask(app, "GET", "/api-docs/spec.json").Header().Get("ETag")
	for _, test := range []struct {
		name   string
		app    *flowercatalog.App
		method string
		header string
		status int
	}{
		{"200", app, "GET", "", 200},
		{"304", app, "GET", tag, 304},
		{"404", app, "POST", "", 404},
		{"500", broken, "GET", "", 500},
	} {
		for _, origin := range []string{"", docs, "https://evil.example"} {
			headers := []string{"If-None-Match", test.header}
			if origin != "" {
				headers = append(headers, "Origin", origin)
			}
			w := ask(test.app, test.method, "/api-docs/spec.json", headers...)
			h := w.Header()
			if w.Code != test.status || !slices.Contains(h.Values("Vary"), "Origin") || h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s from %q: got %d, Vary %q, X-Content-Type-Options %q; want %d, Origin, nosniff", test.name, origin, w.Code, h.Values("Vary"), h.Get("X-Content-Type-Options"), test.status)
			}
			if test.status == 500 && (h.Get("ETag") != "" || strings.Contains(w.Body.String(), "again")) {
				t.Errorf("%s: got ETag %q, body %q; want none and nothing of the cause", test.name, h.Get("ETag"), w.Body)
			}
		}
	}
}

func TestOriginsThatAreRefused(t *testing.T) {
	for _, test := range []struct{ origin, says string }{
		{"NULL", "sandboxed"},
		{"*.example.com", "patterns"},
		{"https://exam*ple.com", "patterns"},
		{"https://a.example,https://b.example", "','"},
		{"https://a.example,b.example", "','"},
		{"https://a.example https://b.example", "scheme and a host"},
		{" https://a.example", "scheme and a host"},
		{"https://a.example#", `"https://a.example"`},
		{"https://a.example/docs", `"https://a.example"`},
		{"//a.example", "scheme and a host"},
		{"https:a.example", "scheme and a host"},
		{"https://:8080", "scheme and a host"},
		{"https://a.example:", `"https://a.example"`},
		{"http://a.example:80", `"http://a.example"`},
		{"https://a.example:0", "65535"},
		{"https://a.example:65536", "65535"},
		{"https://a.example:08443", "65535"},
		{"https://a_b.example%41", "scheme and a host"},
		{"file://", "scheme and a host"},
	} {
		_, err := flowercatalog.New(flowercatalog.WithAllowedOrigins(docs, test.origin))
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.origin) {
			t.Errorf("%q: got error %v, want one that names it and says %q", test.origin, err, test.says)
		}
	}
}

func TestOriginsThatAreAllowed(t *testing.T) {
	for _, origin := range []string{"https://a.example", "http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "http://[::ffff:7f00:1]", "https://a_b.example", "chrome-extension://abcdef", "https://a.example."} {
		app := newApp(t, flowercatalog.WithAllowedOrigins(docs, origin))
		if got := ask(app, "GET", "/api-docs/spec.json", "Origin", origin).Header().Get("Access-Control-Allow-Origin"); got != origin {
			t.Errorf("%s: got %q, want it allowed", origin, got)
		}
	}
}
