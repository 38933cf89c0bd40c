package routing_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// newPagesApp returns an app with every kind of default response.
func newPagesApp(options ...routing.Option) *routing.App {
	app := routing.New(append([]routing.Option{routing.WithLogger(slog.New(slog.DiscardHandler)), routing.WithMethodNotAllowed()}, options...)...)
	app.Get("/fails/?*", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("secret") })
	app.Post("/post", func(routing.Context) (routing.Result, error) { return routing.Result{}, nil })
	app.Handle("GET", "/panics", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
	app.Get("/param", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("name")
		return routing.Result{}, err
	})
	return app
}

// Clients get the format that they prefer. Without a preference a 404 is a page, and an error is a
// text.
func TestDefaultBodies(t *testing.T) {
	const (
		page    = "text/html; charset=utf-8"
		text    = "text/plain; charset=utf-8"
		problem = "application/problem+json"
		json    = "application/json"
		browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
	)
	app := newPagesApp()
	for _, c := range []struct {
		path, accept string
		status       int
		contentType  string
	}{
		{"/none", "", 404, page},
		{"/none", "*/*", 404, page},
		{"/none", browser, 404, page},
		{"/none", "application/json", 404, json},
		{"/none", "application/problem+json", 404, problem},
		{"/none", "application/problem+json, application/json;q=0.9", 404, problem},
		{"/none", "application/json, text/plain, */*", 404, json},
		{"/none", "text/html;q=0.5, application/json", 404, json},
		{"/none", "text/html, application/json;q=0.9", 404, page},
		{"/none", "APPLICATION/JSON ; charset=utf-8 ; Q=1", 404, json},
		{"/none", "application/json;q=0", 404, page},
		{"/none", "application/json;q=nonsense", 404, page},
		{"/none", "text/plain", 404, text},
		{"/post", "", 405, page},
		{"/post", "application/json", 405, json},
		{"/fails", "", 500, text},
		{"/fails", "*/*", 500, text},
		{"/fails", browser, 500, page},
		{"/fails", "application/problem+json", 500, problem},
		{"/panics", browser, 500, page},
		{"/panics", "application/json", 500, json},
		{"/param", "", 400, text},
		{"/param", browser, 400, page},
		{"/param", "application/json", 400, json},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		if c.accept != "" {
			r.Header.Set("Accept", c.accept)
		}
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Content-Type") != c.contentType {
			t.Errorf("%s for %q: got %d %q, want %d %q", c.path, c.accept, w.Code, w.Header().Get("Content-Type"), c.status, c.contentType)
		}
		if w.Header().Get("Vary") != "Accept" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s for %q: headers %v, want Vary: Accept and nosniff", c.path, c.accept, w.Header())
		}
		checkDefaultBody(t, w)
	}
}

// checkDefaultBody checks the content of a body.
func checkDefaultBody(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	body, title := w.Body.String(), http.StatusText(w.Code)
	if strings.Contains(body, "secret") {
		t.Errorf("the body tells the error: %s", body)
	}
	switch contentType := w.Header().Get("Content-Type"); {
	case strings.HasPrefix(contentType, "text/html"):
		for _, has := range []string{`<html lang="en">`, "<title>" + title + "</title>", `name="viewport"`, `content="light dark"`, "<main>\n<h1>" + title + "</h1>"} {
			if !strings.Contains(body, has) {
				t.Errorf("the page lacks %s: %s", has, body)
			}
		}
		if len(body) > 500 {
			t.Errorf("the page has %d bytes", len(body))
		}
	case strings.HasPrefix(contentType, "text/plain"):
		if w.Code == http.StatusBadRequest {
			title += `: The parameter "name" is missing.`
		}
		if body != title {
			t.Errorf("got %q, want %q", body, title)
		}
	default:
		var problem struct {
			Type, Title string
			Status      int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Type != "about:blank" || problem.Title != title || problem.Status != w.Code {
			t.Errorf("got %s, %v; want problem details", body, err)
		}
	}
}

// A default response that replaces another one adds nothing to Vary.
func TestVaryHasEachNameOnce(t *testing.T) {
	app := routing.New(quiet())
	app.After(func(routing.Context) error { return errors.New("instead of the 404") })
	if w := get(app, "/"); w.Code != 500 || !slices.Equal(w.Header()["Vary"], []string{"Accept"}) {
		t.Errorf("got %d with Vary %q, want 500 and Accept once", w.Code, w.Header()["Vary"])
	}
}

// A HEAD request gets only the headers of the page, and earlier values of Vary stay.
func TestDefaultBodyHeaders(t *testing.T) {
	app := newPagesApp()
	app.Before(func(c routing.Context) error {
		c.Header().Set("Vary", "Cookie")
		return nil
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("HEAD", "/none", nil))
	if w.Code != 404 || w.Body.Len() != 0 {
		t.Errorf("HEAD: got %d and %d bytes, want 404 and none", w.Code, w.Body.Len())
	}
	if vary := strings.Join(w.Header()["Vary"], ", "); vary != "Cookie, Accept" {
		t.Errorf("got Vary %q, want Cookie, Accept", vary)
	}
}

// A filter that sets the Content-Type of all responses does not change the type of pages.
func TestDefaultBodyKeepsItsType(t *testing.T) {
	app := newPagesApp()
	setType := func(c routing.Context) error {
		c.SetContentType("application/json")
		return nil
	}
	app.Before(setType)
	app.After(setType)
	app.Get("/json", text("{}"))
	for path, want := range map[string]string{"/json": "application/json", "/none": "text/html; charset=utf-8", "/post": "text/html; charset=utf-8", "/fails": "text/plain; charset=utf-8"} {
		if w := get(app, path); w.Header().Get("Content-Type") != want {
			t.Errorf("%s: got %d %q, want %q", path, w.Code, w.Header()["Content-Type"], want)
		}
	}
}

// Headers that a route has set before it passed do not describe the page.
func TestDefaultBodyAfterPass(t *testing.T) {
	app := newPagesApp()
	app.Get("/passes", func(c routing.Context) (routing.Result, error) {
		for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Type", "Etag", "X-Kept"} {
			c.Header().Set(name, "1")
		}
		return routing.Result{}, routing.Pass
	})
	got := fetch(t, "GET", serve(t, app)+"/passes", "")
	if got.status != 404 || !strings.Contains(got.body, "</html>") {
		t.Errorf("got %d %q, want the whole page", got.status, got.body)
	}
	h := got.header
	if h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Encoding") != "" || h.Get("Etag") != "" || h.Get("X-Kept") != "1" {
		t.Errorf("got the headers %v, want those of the page, and X-Kept", h)
	}
}
