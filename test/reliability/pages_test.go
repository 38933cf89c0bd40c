package reliability_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// Pages show input of clients and data of the database as text or not at all, never as HTML.

// scripts are texts that would be markup in a page.
var scripts = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "</title><script>alert(1)</script>", "&lt;script&gt;", "&#60;b&#62;", "&", "&amp;amp;",
	"<", ">", `"`, "'", "<!--", "-->", "<br />", "]]>", "\u2028<", "é<ü>", "a\x01b<", "`<`", "+ADw-script+AD4-", "\xff<", "\ufeff<script>",
}

// TestDefaultPagesDoNotDependOnRequest: the router's pages contain nothing of the request, so they
// are always the same.
func TestDefaultPagesDoNotDependOnRequest(t *testing.T) {
	t.Run("own", func(t *testing.T) { askPages(t, scripts) })
	t.Run("public", func(t *testing.T) {
		payloads := naughtyStrings(t)
		t.Logf("%d strings as path, query, header and form", len(payloads))
		askPages(t, payloads)
	})
}

func askPages(t *testing.T, payloads []string) {
	app := routing.New(routing.WithMethodNotAllowed(), discarding())
	strict := respond.StrictPaths(app)
	app.Get("/panic/*", func(c routing.Context) (routing.Result, error) { panic(c.Params().GetOr("q", "")) })
	app.Get("/require/*", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("need") // whose name is the action's
		return routing.Result{}, err
	})
	app.Delete("/delete/*", func(c routing.Context) (routing.Result, error) { return routing.Result{}, nil })
	app.Get("/limit/*", func(c routing.Context) (routing.Result, error) { return routing.Text(c.Params().GetOr("q", "")), nil })
	pages := []struct {
		name, path, query string
		app               http.Handler
		status            int
		contentType       string
		body              string
	}{
		{"not found", "/missing/", "", app, 404, "text/html; charset=utf-8", "not set"},
		{"not allowed", "/delete/", "", app, 405, "text/html; charset=utf-8", "not set"},
		{"panic", "/panic/", "", app, 500, "text/plain; charset=utf-8", "Internal Server Error"},
		{"error", "/require/", "", app, 400, "text/plain; charset=utf-8", `Bad Request: The parameter "need" is missing.`},
		{"strict", "/a//", "", strict, 400, "text/plain; charset=utf-8", "Bad Request\n"},
	}
	for _, page := range pages {
		for _, v := range payloads {
			r := httptest.NewRequest(http.MethodGet, "/?q="+url.QueryEscape(v)+page.query, nil)
			r.URL.Path = page.path + v
			r.Header["Referer"], r.Header["X-A"] = []string{v}, []string{v}
			w := httptest.NewRecorder()
			page.app.ServeHTTP(w, r)
			body := w.Body.String()
			if page.body == "not set" {
				page.body = body // the page of the first payload; all others must be the same
				if strings.Contains(body, "alert") || !strings.Contains(body, http.StatusText(page.status)) {
					t.Errorf("%s: got the page %q", page.name, body)
				}
			}
			if w.Code != page.status || body != page.body {
				t.Errorf("%s with %q: got %d %q, want %d %q", page.name, v, w.Code, body, page.status, page.body)
			}
			if got := w.Header(); !slices.Equal(got["Content-Type"], []string{page.contentType}) || !slices.Equal(got["X-Content-Type-Options"], []string{"nosniff"}) {
				t.Errorf("%s with %q: got type %q, %q; want %q, nosniff", page.name, v, got["Content-Type"], got["X-Content-Type-Options"], page.contentType)
			}
			for name, values := range w.Header() {
				if v != "" && name != "Content-Type" && len(v) > 2 && strings.Contains(strings.Join(values, " "), v) {
					t.Errorf("%s with %q: it is in the header %s: %q", page.name, v, name, values)
				}
			}
		}
	}
}

// TestCoffeesAreText inserts names into the database and parses the page like a browser.
func TestCoffeesAreText(t *testing.T) {
	t.Run("own", func(t *testing.T) { sell(t, scripts) })
	t.Run("public", func(t *testing.T) { sell(t, naughtyStrings(t)) })
}

func sell(t *testing.T, names []string) {
	var suppliers []coffeedemo.Supplier
	var coffees []coffeedemo.Coffee
	suppliedBy := map[string]string{}
	for _, name := range names {
		if name == "" || suppliedBy[name] != "" || !utf8.ValidString(name) || strings.Contains(name, "\x00") {
			continue // what the demo's options refuse
		}
		// Each name is a coffee and a supplier. A coffee's supplier has another name.
		supplier := coffeedemo.Supplier{ID: len(suppliers) + 1, Name: names[len(names)-1-len(suppliers)%len(names)] + "." + name}
		if !utf8.ValidString(supplier.Name) || strings.Contains(supplier.Name, "\x00") {
			supplier.Name = name
		}
		suppliers = append(suppliers, supplier)
		coffees = append(coffees, coffeedemo.Coffee{Name: name, SupplierID: supplier.ID})
		suppliedBy[name] = supplier.Name
	}
	app, err := coffeedemo.New(coffeedemo.WithSuppliers(suppliers...), coffeedemo.WithCoffees(coffees...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	var w *httptest.ResponseRecorder
	for _, path := range []string{"/db/create-tables", "/db/load-data", "/coffees"} {
		w = httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
	if h := w.Header(); h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("got type %q, %q; want HTML in UTF-8, nosniff", h.Get("Content-Type"), h.Get("X-Content-Type-Options"))
	}
	var want []string
	for name := range suppliedBy {
		want = append(want, name)
	}
	slices.Sort(want)
	lines := strings.Split(w.Body.String(), "<br />")
	if len(lines) != len(want) {
		t.Fatalf("got %d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		if found := strings.IndexAny(line, `<>"'`); found >= 0 {
			t.Errorf("the line %q has a raw %q", line, line[found])
		}
		for rest := line; ; {
			_, behind, more := strings.Cut(rest, "&")
			if !more {
				break
			}
			if entity, _, ok := strings.Cut(behind, ";"); !ok || !slices.Contains([]string{"amp", "lt", "gt", "quot", "#34", "#39"}, entity) {
				t.Errorf("the line %q has an ampersand that begins %.10q", line, behind)
			}
			rest = behind
		}
		if got := html.UnescapeString(line); got != "  "+want[i]+" supplied by "+suppliedBy[want[i]] {
			t.Errorf("line %d reads as %q, want %q", i, got, want[i])
		}
	}
	t.Logf("%d coffees of %d strings", len(coffees), len(names))
}
