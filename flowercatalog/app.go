package flowercatalog

import (
	"fmt"

	"net/http"
	"strings"
	"sync"

	"github.com/rs/cors"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// App is the catalog as an [http.Handler]: the flowers at /flowers, the description at /api-docs. It is safe for concurrent use.
type App struct {
	catalog *catalog
	routes  *routing.App
	base    string
	info    apidoc.Info

	cors       *cors.Cors
	shared     http.Handler // routes with cross-origin requests answered
	openRoutes bool

	mu          sync.Mutex // guards the description
	described   int        // how many definitions there were when it was built
	description *apidoc.Document
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
	a := &App{catalog: catalog, base: base, info: s.info, openRoutes: s.openRoutes}
	if a.cors, err = newCORS(s.restricted, s.origins); err != nil {
		return nil, err
	}
	a.routes = routing.New(routing.WithBasePath(base), routing.WithNext(s.next), routing.WithLogger(s.logger))
	a.shared = a.cors.Handler(a.routes)
	a.routes.Get("/flowers/?", a.list, apidoc.Describe(getFlowers()))
	a.routes.Get("/flowers/:slug", a.find, apidoc.Describe(findBySlug()))
	for _, form := range forms {
		a.routes.Get(form.path, a.describe(form.bytes))
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
	if a.openRoutes || a.isDescription(r.URL.Path) {
		a.shared.ServeHTTP(w, r)
		return
	}
	a.routes.ServeHTTP(w, r)
}

// Routes returns the app's routes, for routes, filters and described operations of the host's own. Patterns are whole paths below
// the base path, such as /flowers/:slug. Definitions may be added while requests are served.
func (a *App) Routes() *routing.App { return a.routes }

// What every answer of the catalog's own has. Caches may keep an answer, and ask each time whether it is still right: there is an
// ETag, and no time after which a flower changes. The values are shared by all answers and never changed.
type headers struct {
	cache, sniff, tag []string
}

func headersFor(tag string) headers {
	return headers{
		cache: []string{"no-cache"},
		sniff: []string{"nosniff"},
		tag:   []string{tag},
	}
}

const jsonType = "application/json; charset=utf-8"

// tagged answers with a body that has an ETag, or with 304 to a client that has it already.
func tagged(c routing.Context, tag string, body func() routing.Result) (routing.Result, error) {
	h := headersFor(tag)
	header := c.Header()
	header["Etag"] = h.tag
	header["Cache-Control"] = h.cache
	header["X-Content-Type-Options"] = h.sniff
	if matches(c.Request().Header["If-None-Match"], tag) {
		c.SetStatus(http.StatusNotModified)
		return nil, nil
	}
	return body(), nil
}

// matches reports whether the lists of an If-None-Match header name tag. The comparison is weak (RFC 9110, 13.1.2).
func matches(lists []string, tag string) bool {
	for _, list := range lists {
		for list != "" {
			list = strings.TrimLeft(list, " \t,")
			if strings.HasPrefix(list, "*") {
				return true
			}
			list = strings.TrimPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				break
			}
			end := strings.IndexByte(list[1:], '"')
			if end < 0 {
				break
			}
			if list[:end+2] == tag {
				return true
			}
			list = list[end+2:]
		}
	}
	return false
}

// list answers all flowers, or those whose name contains the parameter name.
func (a *App) list(c routing.Context) (routing.Result, error) {
	name, _ := c.Params().Get("name")
	if name == "" {
		return tagged(c, a.catalog.tag, func() routing.Result { return c.Bytes(jsonType, a.catalog.list) })
	}
	sought := fold(name)
	return tagged(c, a.catalog.searchTag(sought), func() routing.Result {
		c.SetContentType(jsonType)
		return routing.HandlerResult(&searchResult{a.catalog, sought})
	})
}

// searchResult writes what a search finds as it is found.
type searchResult struct {
	catalog *catalog
	sought  string
}

// searchBuffer is how much of a result is gathered before it is written.
const searchBuffer = 16 << 10

func (s *searchResult) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return
	}
	buffer := append(make([]byte, 0, searchBuffer), '[')
	s.catalog.search(s.sought, func(run []byte) bool {
		if len(buffer)+len(run) >= searchBuffer && len(buffer) > 1 {
			if _, err := w.Write(buffer); err != nil {
				buffer = nil
				return false
			}
			buffer = buffer[:0]
		}
		buffer = append(buffer, run...)
		buffer = append(buffer, ',')
		return true
	})
	if n := len(buffer); n > 0 && buffer[n-1] == ',' {
		buffer = buffer[:n-1]
	}
	if buffer != nil {
		w.Write(append(buffer, ']'))
	}
}

// notFound is the answer for a slug that no flower has.
var notFound = []byte(`{"status":404,"message":"Slug Not Found"}`)

// find answers one flower.
func (a *App) find(c routing.Context) (routing.Result, error) {
	slug, err := c.Params().Require("slug")
	if err != nil {
		return nil, err
	}
	flower, ok := a.catalog.flower(slug)
	if !ok {
		h := c.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		c.SetStatus(http.StatusNotFound)
		return c.Bytes(jsonType, notFound), nil
	}
	return tagged(c, tagOf(flower), func() routing.Result { return c.Bytes(jsonType, flower) })
}

// mountViewer serves a viewer at /api-docs/ui/, and makes /api-docs lead there. The locations are relative, so that they are right
// behind proxies and prefixes that the app does not know.
func (a *App) mountViewer(viewer http.Handler) {
	const path = "/api-docs/ui"
	a.routes.Handle(http.MethodGet, path+"/*", http.StripPrefix(a.base+path, viewer))
	for from, to := range map[string]string{"/api-docs": "api-docs/ui/", "/api-docs/": "ui/", path: "ui/"} {
		a.routes.Get(from, func(c routing.Context) (routing.Result, error) {
			c.Header().Set("X-Content-Type-Options", "nosniff")
			return nil, routing.Redirect(to)
		})
	}
}
