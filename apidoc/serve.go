package apidoc

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/flowercafe/routing"
)

// This file publishes the description of an API.

// Document returns the description of the app's current operations, including those of [Describe]
// and of mounted apps. See [Build]. The base path is that of the app, without the prefixes of mounts
// in other apps. The app's logger gets a warning for each operation that a later route hides.
// Another call returns the same Document until there are new definitions.
func (a *API) Document() (*Document, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	tags, webhooks := a.frame.content()
	size := sizeOf(a.app, map[*frame]bool{a.frame: true}) + len(tags) + len(webhooks)
	if a.latest != nil && a.size == size {
		return a.latest, nil
	}
	d, err := build(a.app, a.info, a.app.BasePath(), a.frame)
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

// Serve adds routes for the description to the app, and returns the description. The formats are at
// /api-docs/swagger.json, openapi.json and openapi-3.0.json, with ETags. If viewer is not nil, its
// page is at /api-docs/ui/; see package viewer.
//
// The description names the base path by which its request came, with the prefixes of all mounts,
// unless [Info] has Servers. Operations that are defined later, also in mounted apps, are described
// too. It returns an error for operations that cannot be described, such as two with the same ID;
// requests for the description are then a 500.
func (a *API) Serve(viewer http.Handler) (*Document, error) {
	for i, format := range formats {
		a.app.Get("/api-docs/"+format.file, func(c routing.Context) (routing.Result, error) { return a.send(c, i) })
	}
	if viewer != nil {
		const path = "/api-docs/ui"
		a.app.Get(path+"/*", func(c routing.Context) (routing.Result, error) {
			page, err := c.Params().Require("splat")
			return routing.HandlerResult(below("/"+page, viewer)), err
		})
		for _, redirect := range [...]struct{ from, to string }{{"/api-docs", "api-docs/ui/"}, {"/api-docs/", "ui/"}, {path, "ui/"}} {
			a.app.Get(redirect.from, func(c routing.Context) (routing.Result, error) {
				c.Header().Set("X-Content-Type-Options", "nosniff")
				return failed(routing.Redirect(redirect.to)) // relative, so that it works behind proxies
			})
		}
	}
	return a.Document()
}

// below passes requests to handler with another path, as [http.StripPrefix] does. That would need
// the prefix, which differs between the mounts of an app.
func below(path string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner, address := *r, *r.URL
		address.Path, address.RawPath = path, ""
		inner.URL = &address
		handler.ServeHTTP(w, &inner)
	})
}

// send responds with a format of the description.
func (a *API) send(c routing.Context, format int) (routing.Result, error) {
	d, err := a.Document()
	if err != nil {
		return failed(err)
	}
	content := d.at(strings.TrimSuffix(c.Path("/"), "/"), format)
	return routing.HandlerResult(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256(content)
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:16])+`"`)
		h.Set("Cache-Control", "no-cache")                           // may be cached, and is validated by its tag
		if tags := r.Header.Values("If-None-Match"); len(tags) > 1 { // ServeContent reads one line
			r = r.Clone(r.Context())
			r.Header.Set("If-None-Match", strings.Join(tags, ", "))
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})), nil
}
