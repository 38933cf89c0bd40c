package flowercafe

import (
	_ "embed"
	"net/http"
	"net/url"
	"path"
	"slices"

	"example.com/flowercafe/internal/page"
)

// This file serves the page of WithHome, which links to the parts of the app.

var (
	//go:embed home.html
	homeHTML string
	//go:embed home.css
	homeStyle string
)

// home is the handler of the base path, with and without a slash at its end.
type home struct {
	app    *App
	page   *page.Page
	mounts []string // the prefixes of WithMount
}

// addHome adds the page to the coffee demo, which serves the base path.
func (a *App) addHome(mounts []mountPoint) error {
	p, err := page.New(homeHTML, homeStyle, "")
	if err != nil {
		return err
	}
	h := &home{app: a, page: p}
	for _, m := range mounts {
		h.mounts = append(h.mounts, m.prefix[1:])
	}
	slices.Sort(h.mounts)
	a.coffee.Routes().Handle(http.MethodGet, "/", h)
	return nil
}

func (h *home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.app.base != "" && r.URL.Path == h.app.base {
		// The page's links are relative to the path with the slash. This location is relative too,
		// so that it works behind proxies that add a prefix.
		location := url.URL{Path: path.Base(h.app.base) + "/"}
		w.Header().Set("Location", location.String())
		w.WriteHeader(http.StatusFound)
		return
	}
	data := struct {
		Base   string
		Viewer bool
		Mounts []string
	}{h.app.base, h.hasViewer(r), h.mounts}
	if err := h.page.Serve(w, r, data); err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// hasViewer reports whether the catalog has a route for the viewer: the host may have added one.
func (h *home) hasViewer(r *http.Request) bool {
	viewer := r.Clone(r.Context())
	viewer.Method, viewer.URL.Path, viewer.URL.RawPath = http.MethodGet, h.app.base+"/api-docs/ui/", ""
	return len(h.app.catalog.Routes().Explain(viewer).Matched()) > 0
}
