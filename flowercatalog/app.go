package flowercatalog

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// App is the catalog as an [http.Handler]: the flowers at /flowers, the description at /api-docs. It is safe for concurrent use.
type App struct {
	catalog *catalog
	routes  *routing.App
	base    string
	info    apidoc.Info

	shared     http.Handler // routes, with cross-origin requests answered
	openRoutes bool
	list, find *routing.Route

	mu          sync.Mutex // guards what follows
	described   int        // how many definitions there were when the description was built
	description *description
}

// New makes an App. The error tells which option cannot be right and what to write instead.
func New(options ...Option) (*App, error) {
	a, err := newApp(options)
	if err != nil {
		return nil, fmt.Errorf("flowercatalog: %w", err)
	}
	return a, nil
}

func newApp(options []Option) (*App, error) {
	s := settings{flowers: sample(), info: defaultInfo()}
	for _, o := range options {
		o.apply(&s)
	}
	base, err := checkBase(s.base)
	if err != nil {
		return nil, err
	}
	catalog, err := newCatalog(s.flowers)
	if err != nil {
		return nil, err
	}
	cors, err := newCORS(s.restricted, s.origins)
	if err != nil {
		return nil, err
	}
	a := &App{catalog: catalog, base: base, info: s.info, openRoutes: s.openRoutes}
	a.routes = routing.New(routing.WithBasePath(base), routing.WithNext(s.next), routing.WithLogger(s.logger))
	a.shared = cors.Handler(a.routes)
	a.list = a.routes.Get("/flowers/?", a.showAll, apidoc.Describe(getFlowers()))
	a.find = a.routes.Get("/flowers/:slug", a.findBySlug, apidoc.Describe(findBySlug()))
	for i := range forms {
		a.routes.Get(forms[i].path, a.describe(i))
	}
	if s.viewer != nil {
		a.mountViewer(s.viewer)
	}
	if _, err := a.Document(); err != nil {
		return nil, err
	}
	return a, nil
}

// ServeHTTP answers the request, or passes it on to the handler of [WithNext].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.isShared(r.Method, r.URL.Path) {
		a.shared.ServeHTTP(w, r)
		return
	}
	a.routes.ServeHTTP(w, r)
}

// isShared reports whether pages of other origins may ask for path. It is asked before the filters, so that these never see a
// preflight request, which carries no credentials, and all answers tell browsers the same.
func (a *App) isShared(method, path string) bool {
	path, inside := strings.CutPrefix(path, a.base)
	if !inside {
		return false
	}
	for i := range forms {
		if path == forms[i].path {
			return true
		}
	}
	reads := method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
	return a.openRoutes && reads && (a.list.Pattern().Match(path) || a.find.Pattern().Match(path))
}

// Routes returns the app's routes, for routes, filters and described operations of the host's own. Patterns are whole paths below
// the base path, such as /flowers/:slug. Definitions may be added while requests are served. Where the catalog is a part of a
// flowercafe.App, only what is below /flowers and /api-docs reaches it.
func (a *App) Routes() *routing.App { return a.routes }

const jsonType = "application/json; charset=utf-8"

// showAll answers all flowers, or those whose name contains the parameter name.
func (a *App) showAll(c routing.Context) (routing.Result, error) {
	name, err := nameOf(c)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return tagged(c, a.catalog.tag, a.catalog.list), nil
	}
	sought := a.catalog.sought(name)
	if a.catalog.searchTag(sought).isFresh(c.Header(), c.Request()) {
		c.SetStatus(http.StatusNotModified)
		return nil, nil
	}
	c.SetContentType(jsonType)
	return routing.HandlerResult(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead { // its headers are set, and nobody waits for what the search finds
			a.catalog.search(w, sought) // it ends early where the client has gone
		}
	})), nil
}

// nameOf returns the first value of the parameter name; without one it is empty.
func nameOf(c routing.Context) (string, error) {
	if c.Request().URL.RawQuery == "" {
		return "", nil
	}
	name, err := c.Params().Require("name")
	if errors.Is(err, routing.ErrNoParam) {
		return "", nil
	}
	return name, err
}

// slugNotFound is the answer for a slug that no flower has. It says nothing of the request.
var slugNotFound = []byte(`{"status":404,"message":"Slug Not Found"}`)

// findBySlug answers one flower.
func (a *App) findBySlug(c routing.Context) (routing.Result, error) {
	slug, err := c.Params().Require("slug")
	if err != nil {
		return nil, err
	}
	flower, tag, ok := a.catalog.flower(slug)
	if !ok {
		header := c.Header()
		header["Cache-Control"] = noCacheValue
		header["X-Content-Type-Options"] = noSniffValue
		c.SetStatus(http.StatusNotFound)
		return c.Bytes(jsonType, slugNotFound), nil
	}
	return tagged(c, tag, flower), nil
}

// tagged answers JSON with its tag, or with 304 a client that has it already.
func tagged(c routing.Context, tag entityTag, body []byte) routing.Result {
	if tag.isFresh(c.Header(), c.Request()) {
		c.SetStatus(http.StatusNotModified)
		return nil
	}
	return c.Bytes(jsonType, body)
}

// mountViewer serves a viewer at /api-docs/ui/, and makes /api-docs lead there. The locations are relative, so that they are right
// behind proxies and prefixes that the app does not know.
func (a *App) mountViewer(viewer http.Handler) {
	const path = "/api-docs/ui"
	a.routes.Handle(http.MethodGet, path+"/*", http.StripPrefix(a.base+path, viewer))
	for _, redirect := range [...]struct{ from, to string }{{"/api-docs", "api-docs/ui/"}, {"/api-docs/", "ui/"}, {path, "ui/"}} {
		a.routes.Get(redirect.from, func(c routing.Context) (routing.Result, error) {
			c.Header()["X-Content-Type-Options"] = noSniffValue
			return nil, routing.Redirect(redirect.to)
		})
	}
}
