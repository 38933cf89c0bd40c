// Package home serves the page of WithHome, which links to the parts of an app.
package home

import (
	_ "embed"
	"net/http"
	"net/url"
	"path"
	"strings"

	"example.com/flowercafe/internal/page"
	"example.com/flowercafe/routing"
)

var (
	//go:embed home.html
	html string
	//go:embed home.css
	style string
)

// Parts are what the page links to.
type Parts struct {
	Catalog *routing.App // the routes of the catalog; or nil
	Coffee  bool
	Mounts  []string // names of the handlers of WithMount
}

// Add adds the page at the base path of routes, with and without a slash at its end.
func Add(routes *routing.App, parts Parts) error {
	p, err := page.New(html, style, "")
	if err != nil {
		return err
	}
	routes.Handle(http.MethodGet, "/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "" && !strings.HasSuffix(r.URL.Path, "/") {
			// The page's links are relative to the path with the slash. This location is relative
			// too, so that it works behind proxies that add a prefix.
			location := url.URL{Path: path.Base(r.URL.Path) + "/"}
			w.Header().Set("Location", location.String())
			w.WriteHeader(http.StatusFound)
			return
		}
		data := struct {
			Parts
			Base   string
			Viewer bool
		}{parts, routes.BasePath(), hasViewer(parts.Catalog, r)}
		if err := p.Serve(w, r, data); err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	}))
	return nil
}

// hasViewer reports whether the catalog has a route for a viewer: the host may have added one.
func hasViewer(catalog *routing.App, r *http.Request) bool {
	if catalog == nil {
		return false
	}
	viewer := r.Clone(r.Context())
	viewer.Method, viewer.URL.Path, viewer.URL.RawPath = http.MethodGet, catalog.BasePath()+"/api-docs/ui/", ""
	return len(catalog.Explain(viewer).Matched()) > 0
}
