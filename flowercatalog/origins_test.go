package flowercatalog_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/cors"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

const (
	docs  = "https://docs.example.com"
	other = "http://127.0.0.1:9000"
)

func TestOrigins(t *testing.T) {
	restricted := []flowercatalog.Option{flowercatalog.WithAllowedOrigins(docs, "HTTP://127.0.0.1:9000")}
	for _, test := range []struct {
		name    string
		options []flowercatalog.Option
		origin  string
		allowed string // the header's value; empty for none
	}{
		{"default", nil, docs, "*"},
		{"default, any page", nil, "https://evil.example", "*"},
		{"default, null", nil, "null", "*"},
		{"star", []flowercatalog.Option{flowercatalog.WithAllowedOrigins("*")}, docs, "*"},
		{"allowed", restricted, docs, docs},
		{"allowed, with a port", restricted, other, other},
		{"letter case", restricted, "HTTPS://Docs.Example.COM", "HTTPS://Docs.Example.COM"},
		{"no origin", restricted, "", ""},
		{"another host", restricted, "https://evil.example", ""},
		{"look-alike behind", restricted, "https://docs.example.com.evil.example", ""},
		{"look-alike in front", restricted, "https://evildocs.example.com", ""},
		{"subdomain", restricted, "https://x.docs.example.com", ""},
		{"parent", restricted, "https://example.com", ""},
		{"another scheme", restricted, "http://docs.example.com", ""},
		{"another port", restricted, "https://docs.example.com:8443", ""},
		{"port of the other", restricted, "http://127.0.0.1:9001", ""},
		{"no port", restricted, "http://127.0.0.1", ""},
		{"with a path", restricted, docs + "/", ""},
		{"null", restricted, "null", ""},
		{"star", restricted, "*", ""},
		{"Kelvin sign", []flowercatalog.Option{flowercatalog.WithAllowedOrigins("https://k.example")}, "https://\u212a.example", ""},
		{"two in one", restricted, docs + ", https://evil.example", ""},
		{"private network", restricted, "https://evil.example", ""},
		{"two in one, spaced", restricted, "https://evil.example " + docs, ""},
		{"nothing but a scheme", restricted, "https://", ""},
	} {
		app := newApp(t, test.options...)
		for _, path := range []string{"/api-docs/spec.json", "/api-docs/swagger.json", "/api-docs/openapi.json"} {
			var headers []string
			if test.origin != "" {
				headers = []string{"Origin", test.origin}
			}
			w := ask(app, "GET", path, headers...)
			want := test.allowed
			if want == "*" && test.origin == "" {
				want = ""
			}
			h := w.Header()
			if got := h.Get("Access-Control-Allow-Origin"); got != want || w.Code != 200 {
				t.Errorf("%s: GET %s from %q: got %d, allowed %q, want 200, %q", test.name, path, test.origin, w.Code, got, want)
			}
			if got := strings.Join(h.Values("Vary"), ", "); !strings.Contains(got, "Origin") {
				t.Errorf("%s: GET %s: got Vary %q, want Origin in it", test.name, path, got)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s: credentials are allowed", test.name)
			}
			if want != "" && !strings.EqualFold(h.Get("Access-Control-Expose-Headers"), "ETag") {
				t.Errorf("%s: got exposed headers %q, want ETag", test.name, h.Get("Access-Control-Expose-Headers"))
			}
			preflight := ask(app, "OPTIONS", path, append(headers, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "if-none-match")...)
			if test.origin == "" {
				continue // no preflight
			}
			if got := preflight.Header().Get("Access-Control-Allow-Origin"); got != want || preflight.Code != 204 {
				t.Errorf("%s: preflight of %s: got %d, allowed %q, want 204, %q", test.name, path, preflight.Code, got, want)
			}
			if got := strings.Join(preflight.Header().Values("Vary"), ", "); !strings.Contains(got, "Origin") {
				t.Errorf("%s: preflight of %s: got Vary %q, want Origin in it", test.name, path, got)
			}
			if want != "" && preflight.Header().Get("Access-Control-Max-Age") != "600" {
				t.Errorf("%s: got max age %q, want 600", test.name, preflight.Header().Get("Access-Control-Max-Age"))
			}
		}
	}
}

func TestPreflights(t *testing.T) {
	app := newApp(t, flowercatalog.WithAllowedOrigins(docs))
	for _, test := range []struct {
		name, method, headers string
		allowed               bool
	}{
		{"GET", "GET", "", true},
		{"HEAD", "HEAD", "", true},
		{"conditional", "GET", "if-none-match", true},
		{"POST", "POST", "", false},
		{"DELETE", "DELETE", "", false},
		{"another header", "GET", "x-requested-with", true},
		{"several headers", "GET", "authorization,content-type,if-none-match", true},
	} {
		headers := []string{"Origin", docs, "Access-Control-Request-Method", test.method}
		if test.headers != "" {
			headers = append(headers, "Access-Control-Request-Headers", test.headers)
		}
		w := ask(app, "OPTIONS", "/api-docs/spec.json", headers...)
		if got := w.Header().Get("Access-Control-Allow-Origin") == docs; w.Code != 204 || got != test.allowed {
			t.Errorf("%s: got %d, allowed %v, want 204, %v", test.name, w.Code, got, test.allowed)
		}
	}
}

// Error responses of a restricted endpoint have Vary: Origin too.
func TestVaryOnNotFound(t *testing.T) {
	app := newApp(t, flowercatalog.WithAllowedOrigins(docs))
	for _, method := range []string{"POST", "DELETE", "OPTIONS"} {
		w := ask(app, method, "/api-docs/spec.json", "Origin", "https://evil.example")
		if w.Code != http.StatusNotFound || !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Origin") {
			t.Errorf("%s: got %d, Vary %q; want 404 with Origin", method, w.Code, w.Header().Values("Vary"))
		}
	}
}

func TestCORSOnFlowers(t *testing.T) {
	closed := newApp(t, flowercatalog.WithAllowedOrigins(docs))
	open := newApp(t, flowercatalog.WithAllowedOrigins(docs), flowercatalog.WithCORSOnFlowers())
	for _, path := range []string{"/flowers", "/flowers/rose", "/flowers/none"} {
		if got := ask(closed, "GET", path, "Origin", docs).Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: the flowers allow %q without the option", path, got)
		}
		if got := ask(open, "GET", path, "Origin", docs).Header().Get("Access-Control-Allow-Origin"); got != docs {
			t.Errorf("%s: the flowers allow %q with the option, want %q", path, got, docs)
		}
		if got := ask(open, "GET", path, "Origin", other).Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: the flowers allow %q to another origin", path, got)
		}
	}
}

// FuzzOrigins compares the result with equality of the origins, with ASCII letters in lower case.
func FuzzOrigins(f *testing.F) {
	f.Add("https://a.example", "https://A.example")
	f.Add("https://a.example", "https://a.example.evil")
	f.Fuzz(func(t *testing.T, allowed, origin string) {
		app, err := flowercatalog.New(flowercatalog.WithAllowedOrigins(allowed))
		if err != nil || allowed == "*" || origin == "" {
			t.Skip()
		}
		got := ask(app, "GET", "/api-docs/spec.json", "Origin", origin).Header().Get("Access-Control-Allow-Origin")
		want := ""
		if asciiLower(origin) == asciiLower(allowed) {
			want = origin
		}
		if got != want {
			t.Errorf("allowed %q, origin %q: got %q, want %q", allowed, origin, got, want)
		}
	})
}

func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// The host sets the other options of rs/cors.
func TestOptionsOfCORS(t *testing.T) {
	app := newApp(t, flowercatalog.WithAllowedOrigins(docs), flowercatalog.WithCORSOnFlowers(), flowercatalog.WithCORS(cors.Options{
		AllowedMethods: []string{"GET", "PUT"}, AllowedHeaders: []string{"X-Shop"}, ExposedHeaders: []string{"X-Price"},
		MaxAge: 30, AllowCredentials: true,
	}))
	app.Routes().Put("/flowers/:slug", func(routing.Context) (routing.Result, error) { return routing.Text("put"), nil })
	for _, test := range []struct {
		method, header string
		allowed        bool
	}{{"PUT", "x-shop", true}, {"GET", "x-shop", true}, {"PUT", "x-other", false}, {"DELETE", "", false}} {
		headers := []string{"Origin", docs, "Access-Control-Request-Method", test.method}
		if test.header != "" {
			headers = append(headers, "Access-Control-Request-Headers", test.header)
		}
		h := ask(app, "OPTIONS", "/flowers/rose", headers...).Header()
		if got := h.Get("Access-Control-Allow-Origin") == docs; got != test.allowed {
			t.Errorf("preflight for %s with %q: allowed is %v, want %v", test.method, test.header, got, test.allowed)
		}
		if test.allowed && (h.Get("Access-Control-Max-Age") != "30" || h.Get("Access-Control-Allow-Credentials") != "true") {
			t.Errorf("preflight for %s: got %v, want the host's age and credentials", test.method, h)
		}
	}
	w := ask(app, "PUT", "/flowers/rose", "Origin", docs)
	if h := w.Header(); w.Code != 200 || h.Get("Access-Control-Allow-Origin") != docs || h.Get("Access-Control-Expose-Headers") != "Etag, X-Price" {
		t.Errorf("PUT: got %d %v, want it open, with its header and ETag exposed", w.Code, h)
	}
	for says, options := range map[string]cors.Options{
		"write them with WithAllowedOrigins":        {AllowedOrigins: []string{docs}},
		"write the origins with WithAllowedOrigins": {AllowCredentials: true},
	} {
		if _, err := flowercatalog.New(flowercatalog.WithCORS(options)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: got %v, want an error that says %q", options, err, says)
		}
	}
}

// Methods may be in any letter case. If the list is empty, only reading is allowed.
func TestMethodsOfCORS(t *testing.T) {
	methods := []string{"get", "post", "DELETE"}
	for _, test := range []struct {
		methods   []string
		get, post string // the allowed origin
	}{
		{nil, "*", ""},
		{methods[:0], "*", ""},
		{methods[:2], "*", "*"},
	} {
		app := newApp(t, flowercatalog.WithCORSOnFlowers(), flowercatalog.WithCORS(cors.Options{AllowedMethods: test.methods}))
		for method, want := range map[string]string{"GET": test.get, "POST": test.post} {
			preflight := ask(app, "OPTIONS", "/flowers", "Origin", docs, "Access-Control-Request-Method", method)
			request := ask(app, method, "/flowers", "Origin", docs)
			for _, w := range []*httptest.ResponseRecorder{preflight, request} {
				if got := w.Header().Get("Access-Control-Allow-Origin"); got != want {
					t.Errorf("%v, %s: got the allowed origin %q, want %q", test.methods, method, got, want)
				}
			}
		}
	}
	if methods[2] != "DELETE" {
		t.Errorf("got %v: the host's list has changed", methods)
	}
}
