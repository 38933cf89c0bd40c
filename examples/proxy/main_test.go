package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestBehindProxy(t *testing.T) {
	app, err := newApp()
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	inside := httptest.NewServer(http.StripPrefix("/inside", app)) // the target has a path too
	defer inside.Close()
	target, err := url.Parse(inside.URL + "/inside")
	if err != nil {
		t.Fatal(err)
	}
	outside := httptest.NewServer(newProxy("/outside", target))
	defer outside.Close()
	for path, want := range map[string]string{
		"/outside/flowers/rose":       `{"slug":"rose"`,
		"/outside/flowers/a%20b":      "Slug Not Found",
		"/outside/api-docs":           "swagger-ui", // by a relative redirect
		"/outside/api-docs/ui/":       "swagger-ui",
		"/outside/api-docs/spec.json": `"spec": "2.0"`,
	} {
		response, err := http.Get(outside.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(body), want) || !strings.HasPrefix(response.Request.URL.Path, "/outside/") {
			t.Errorf("%s: got %.80q at %s, %v; want %q", path, body, response.Request.URL, err, want)
		}
	}
}
