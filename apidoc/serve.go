package apidoc

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/precondition"
	"example.com/flowercafe/routing"
)

// This file publishes the description of an API.

// ServeHTTP passes a request to the API's app.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.app.ServeHTTP(w, r) }

// Document returns the description of the app's current operations, including those of mounted
// apps, but not of other APIs of the app that have an [Info].
func (a *API) Document() (*Document, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	size := sizeOf(a.app, map[*registry]bool{a.registry: true}) + a.registry.size()
	if a.latest != nil && a.size == size {
		return a.latest, nil
	}
	d, err := build(a.app, a.info, a.app.BasePath(), a.registry)
	if err != nil {
		return nil, err
	}
	for _, text := range d.Warnings() {
		if a.latest == nil || !slices.Contains(a.latest.Warnings(), text) {
			a.app.Logger().Warn(text)
		}
	}
	a.latest, a.size = d, size
	return d, nil
}

// Serve is [API.ServeAt] for the path /api-docs.
func (a *API) Serve(viewer http.Handler) (*Document, error) { return a.ServeAt("/api-docs", viewer) }

// publishedKey is the key of the API in the metadata of routes that publish its description.
type publishedKey struct{}

// ServeAt adds routes for the description to the app, and returns the description. The formats are
// at swagger.json, openapi.json (3.1), openapi-3.0.json and openapi-3.2.json below the path, which
// consists of literal segments, such as "/admin/docs". If viewer is not nil, its page is at ui/;
// see package viewer.
//
// The routes also describe operations that are defined later. If operations have a parameter of the
// prefix of a mount, mount the app first.
func (a *API) ServeAt(path string, viewer http.Handler) (*Document, error) {
	if err := nilvalue.CheckOptional("API.ServeAt", viewer); err != nil {
		return nil, fmt.Errorf("apidoc: %w", err)
	}
	clean, err := basepath.Prefix(path)
	if err != nil || clean == "" || strings.ContainsAny(clean, `:*?+|(){}<>\`) {
		return nil, fmt.Errorf("apidoc: publish the description at %q: write a path of literal segments, such as /admin/docs", path)
	}
	for _, d := range a.app.Table() {
		if d.Route == nil {
			continue
		}
		other, _ := d.Route.Meta(publishedKey{}).(*API)
		if at := d.Route.Pattern(); other != nil && other != a && (at.Match(clean) || at.Match(clean+"/"+formats[0].file)) {
			return nil, fmt.Errorf("apidoc: publish the description at %q: the API %q has it: "+
				"leave Serve out and pass NewAPI an empty Info to join it, or call ServeAt with another path", path, other.info.Title)
		}
	}
	get := func(below string, action routing.Action) { // in this syntax, even if the app has another
		a.app.Route(http.MethodGet, routing.Must(routing.Sinatra(clean+below)), action, routing.Meta(publishedKey{}, a))
	}
	link := "<" + strings.Repeat("../", strings.Count(clean, "/")) + `>; rel="describes"` // to the API (RFC 6892), for the page
	for i, format := range formats {
		get("/"+format.file, func(c routing.Context) (routing.Result, error) { return a.send(c, i, link) })
	}
	if viewer != nil {
		// The redirects are relative, so that they work behind proxies. They depend on the
		// request's trailing slash, even if an option ignores it.
		page := func(c routing.Context) (routing.Result, error) {
			below, _ := c.Params().Path("splat")
			if below == "" && !strings.HasSuffix(c.Request().URL.Path, "/") {
				return redirect(c, "ui/")
			}
			return routing.Handler(withPath("/"+below, viewer))(c)
		}
		get("/ui/*", page)
		get("/ui/?", page)
		get("/?", func(c routing.Context) (routing.Result, error) {
			if strings.HasSuffix(c.Request().URL.Path, "/") {
				return redirect(c, "ui/")
			}
			return redirect(c, basepath.Below(c.Request().URL, "ui/"))
		})
	}
	return a.Document()
}

func redirect(c routing.Context, to string) (routing.Result, error) {
	c.Header().Set("X-Content-Type-Options", "nosniff")
	return routing.Result{}, routing.Redirect(to)
}

// withPath passes requests to handler with another path. [http.StripPrefix] would need the prefix,
// which differs between the mounts of an app.
func withPath(path string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner, address := *r, *r.URL
		address.Path, address.RawPath = path, ""
		inner.URL = &address
		handler.ServeHTTP(w, &inner)
	})
}

// send responds with a format of the description.
func (a *API) send(c routing.Context, format int, link string) (routing.Result, error) {
	d, err := a.Document()
	if err != nil {
		return routing.Result{}, err
	}
	content, err := d.at(strings.TrimSuffix(c.Path("/"), "/"), format)
	if err != nil {
		return routing.Result{}, err
	}
	return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Add("Link", link)
		h.Set("ETag", content.tag)
		h.Set("Cache-Control", "no-cache") // may be cached, and is validated by its tag
		http.ServeContent(w, precondition.ForContent(r), "", time.Time{}, bytes.NewReader(content.text))
	}))(c)
}
