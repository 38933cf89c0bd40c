package flowercatalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing"
)

// App is the catalog as an [http.Handler]: the flowers at /flowers, the description at /api-docs.
// It is safe for concurrent use.
type App struct {
	memory    *Memory // nil where another store has the flowers
	stored    stored
	given     Store     // by WithStore
	arrays    sync.Pool // of *array, for lists that are streamed
	pageLimit int       // 0 without pages

	routes *routing.App
	base   string
	info   apidoc.Info
	logger *slog.Logger

	shared               http.Handler // routes, within the rules of cross-origin requests
	openRoutes           bool
	listRoute, findRoute *routing.Route

	mu          sync.Mutex // guards what follows
	described   int        // how many definitions there were when the description was built
	description *description
}

// New makes an App. The error says which option is invalid and what to write instead.
func New(options ...Option) (*App, error) {
	a, err := newApp(options)
	if err != nil {
		return nil, fmt.Errorf("flowercatalog: %w", err)
	}
	return a, nil
}

func newApp(options []Option) (*App, error) {
	s := settings{flowers: sample(), info: defaultInfo(), wait: 5 * time.Second}
	for i, o := range options {
		if o == nil {
			return nil, fmt.Errorf("option %d is nil: leave it out", i)
		}
		o.apply(&s)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	base, err := basepath.Clean(s.base)
	if err != nil {
		return nil, err
	}
	exposed := []string{"ETag"}
	if s.hasPages {
		exposed = append(exposed, "Link")
	}
	cors, err := newCORS(s.restricted, s.origins, exposed)
	if err != nil {
		return nil, err
	}
	a := &App{base: base, info: s.info, logger: s.logger, openRoutes: s.openRoutes, pageLimit: s.pageLimit}
	routes := []routing.Option{routing.WithBasePath(base), routing.WithNext(s.next), routing.WithLogger(s.logger), routing.Problems()}
	if s.tellMethods {
		routes = append(routes, routing.WithMethodNotAllowed())
	}
	a.routes = routing.New(routes...)
	a.shared = cors.Handler(a.routes)
	a.listRoute = a.routes.Get("/flowers/?", a.list, apidoc.Describe(getFlowers(&s)))
	a.findRoute = a.routes.Get("/flowers/:slug", a.find, apidoc.Describe(findBySlug(&s)))
	for i := range formats {
		a.routes.Get(formats[i].path, a.describe(i))
	}
	if s.viewer != nil {
		a.mountViewer(s.viewer)
	}
	if _, err := a.Document(); err != nil {
		return nil, err
	}
	return a, a.open(s)
}

// open opens the store. It comes last, because nothing may fail once the App owns the store.
func (a *App) open(s settings) (err error) {
	if !s.hasStore {
		a.memory, err = newMemory(s.flowers)
		return err
	}
	a.memory, _ = s.store.(*Memory)
	a.stored = stored{s.store, s.wait}
	ctx, cancel := context.WithTimeoutCause(context.Background(), s.wait, a.stored.busy())
	defer cancel()
	if err := s.store.Ping(ctx); err != nil {
		return fmt.Errorf("ping the store: %w", err)
	}
	a.given = s.store
	return nil
}

// SetFlowers replaces the flowers of [WithFlowers] while the App serves them. The new list is
// checked and built beside the old one, which takes as much memory again, and then replaces it: no
// response mixes the two. ETags change where the content does. The errors are those of
// [WithFlowers], and one for an App whose store is not a [Memory]. An error changes nothing.
func (a *App) SetFlowers(flowers ...Flower) error {
	if a.memory == nil {
		return errors.New("flowercatalog: the flowers are those of WithStore: change them in the store")
	}
	return a.memory.SetFlowers(flowers...)
}

// Close closes the store of [WithStore]; without one it does nothing. It may be called again.
func (a *App) Close() error {
	if a.given == nil {
		return nil
	}
	if err := a.given.Close(); err != nil {
		return fmt.Errorf("flowercatalog: close the store: %w", err)
	}
	return nil
}

// ServeHTTP responds, or passes the request on to the handler of [WithNext].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.allowsCORS(r.Method, r.URL.Path) {
		a.shared.ServeHTTP(w, r)
		return
	}
	a.routes.ServeHTTP(w, r)
}

// allowsCORS reports whether the cross-origin rules are for this path. They come before the
// filters. So filters never see a preflight request, which carries no credentials, and all
// responses tell browsers the same.
func (a *App) allowsCORS(method, path string) bool {
	path, inside := basepath.Cut(path, a.base)
	if !inside {
		return false
	}
	for i := range formats {
		if path == formats[i].path {
			return true
		}
	}
	reads := method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
	return a.openRoutes && reads && (a.listRoute.Pattern().Match(path) || a.findRoute.Pattern().Match(path))
}

// Routes returns the app's routes, for routes, filters and described operations of the host.
// Patterns are whole paths below the base path, such as /flowers/:slug. Definitions may be added
// while requests are served. In a flowercafe.App, only requests below /flowers and /api-docs arrive
// here.
func (a *App) Routes() *routing.App { return a.routes }

const jsonType = "application/json; charset=utf-8"

// find responds with one flower.
func (a *App) find(c routing.Context) (routing.Result, error) {
	slug, err := c.Params().Require("slug")
	if err != nil {
		return routing.Result{}, err
	}
	ctx := c.Request().Context()
	v, err := a.view()
	if err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	flower, tag, err := v.find(ctx, slug)
	if errors.Is(err, ErrNotFound) {
		return routing.Result{}, slugNotFound.halt()
	}
	if err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	return jsonWithETag(c, tag, flower), nil
}

// view returns the flowers as this request sees them.
func (a *App) view() (view, error) {
	if a.memory != nil {
		return a.memory.now()
	}
	return a.stored, nil
}

// jsonWithETag responds with JSON and its tag, or with 304 to a client that has it already.
func jsonWithETag(c routing.Context, tag entityTag, body []byte) routing.Result {
	tag.set(c.Header())
	if tag.isKnown(c.Request()) {
		c.SetStatus(http.StatusNotModified)
		return routing.Result{}
	}
	return routing.Bytes(jsonType, body)
}

// mountViewer serves a viewer at /api-docs/ui/, and makes /api-docs lead there. The locations are
// relative, so that they are right behind proxies and prefixes that the app does not know.
func (a *App) mountViewer(viewer http.Handler) {
	const path = "/api-docs/ui"
	a.routes.Handle(http.MethodGet, path+"/*", http.StripPrefix(a.base+path, viewer))
	for _, redirect := range [...]struct{ from, to string }{{"/api-docs", "api-docs/ui/"}, {"/api-docs/", "ui/"}, {path, "ui/"}} {
		a.routes.Get(redirect.from, func(c routing.Context) (routing.Result, error) {
			c.Header()["X-Content-Type-Options"] = noSniffValue
			return routing.Result{}, routing.Redirect(redirect.to)
		})
	}
}
