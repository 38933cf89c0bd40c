// Package home serves the page of WithHome, which links to the parts of an app, and redirects from
// paths where users look for a page. All redirects are relative, so that they work behind proxies
// that add a prefix.
package home

import (
	_ "embed"
	"net/http"
	"net/url"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/page"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

var (
	//go:embed home.html
	html string
	//go:embed home.css
	style string
)

// Parts are the applications that the page links to.
type Parts struct {
	Catalog *routing.App // the routes of the catalog; or nil
	Coffee  bool
	Mounts  []string // names of the handlers of WithMount
}

// Add adds the page at the base path of routes, with and without a slash at its end. If the catalog
// has no viewer, the paths of a viewer redirect to the page.
func Add(routes *routing.App, parts Parts) error {
	p, err := page.New(html, style, "")
	if err != nil {
		return err
	}
	routes.Handle(http.MethodGet, "/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := below(r, ""); to != "" {
			// The page's links are relative to the path with the slash.
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		data := struct {
			Parts
			Base   string
			Viewer bool
		}{parts, private.ProxyPrefix(routes) + routes.BasePath(), hasViewer(parts.Catalog)}
		if err := p.Serve(w, r, data); err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	}))
	if parts.Catalog == nil || hasViewer(parts.Catalog) {
		return nil
	}
	for from, to := range map[string]string{"/api-docs": "./", "/api-docs/": "../", "/api-docs/ui": "../", "/api-docs/ui/": "../../"} {
		toPage := func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Redirect(to) }
		parts.Catalog.Get(from, toPage, routing.Meta(redirectKey{}, true))
	}
	return nil
}

// RedirectToViewer redirects the base path of routes to the catalog's viewer, if it has one.
func RedirectToViewer(routes, catalog *routing.App) {
	if hasViewer(catalog) {
		routes.Get("/", func(c routing.Context) (routing.Result, error) {
			return routing.Result{}, routing.Redirect(below(c.Request(), viewerPath[1:]))
		})
	}
}

// below returns a relative URL of a path below the base path. The request is for the base path,
// with or without a slash at its end.
func below(r *http.Request, to string) string {
	if r.URL.Path == "" || strings.HasSuffix(r.URL.Path, "/") {
		return to
	}
	return basepath.Below(r.URL, to)
}

// redirectKey is the key of redirects from the viewer's paths in the metadata of routes.
type redirectKey struct{}

const viewerPath = "/api-docs/ui/"

// hasViewer reports whether the catalog has a route for a viewer: the host may have added one.
func hasViewer(catalog *routing.App) bool {
	if catalog == nil {
		return false
	}
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: catalog.BasePath() + viewerPath}}
	for _, step := range catalog.Explain(r).Steps {
		if step.Matched {
			return step.Route.Meta(redirectKey{}) == nil
		}
	}
	return false
}
