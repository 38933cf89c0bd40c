package flowercatalog

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/cors"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/appoptions"
	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/health"
	"example.com/flowercafe/internal/home"
	"example.com/flowercafe/routing"
)

// App is the catalog as an [http.Handler]. It is safe for concurrent use.
type App struct {
	memory    *Memory           // nil if another store has the flowers
	store     *storeWithTimeout // set by WithStore, else nil
	pageLimit int               // 0 without pages

	routes *routing.App
	api    *apidoc.API
	spec   atomic.Pointer[spec] // nil before the first request for it

	placeholders apidoc.Info // what only spec.json shows

	corsHandler          http.Handler // the routes behind rs/cors
	corsMethods          []string     // that other origins may use on the flowers; nil without WithCORSOnFlowers
	listRoute, findRoute *routing.Route
}

// New returns an App, or an error for invalid options. It does not use the store: see [App.Ping].
func New(options ...Option) (*App, error) {
	a, err := newApp(options)
	if err != nil {
		return nil, fmt.Errorf("flowercatalog: %w", err)
	}
	return a, nil
}

func newApp(given []Option) (*App, error) {
	s := settings{flowers: sample(), info: DefaultInfo(), wait: 5 * time.Second}
	if err := errors.Join(appoptions.Apply(given, func(o Option) { o.apply(&s) }), s.check()); err != nil {
		return nil, err
	}
	options, err := s.corsOptions()
	if err != nil {
		return nil, err
	}
	a := &App{pageLimit: s.pageLimit}
	if !s.hasStore {
		l, err := newList(s.flowers)
		if err != nil {
			return nil, err
		}
		a.memory = new(Memory)
		a.memory.current.Store(l)
	}
	if s.corsOnFlowers {
		a.corsMethods = append(options.AllowedMethods, http.MethodOptions)
	}
	a.routes = s.shared.NewRoutes()
	a.corsHandler = cors.New(options).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// rs/cors shares its header values among all responses.
		for name, values := range w.Header() {
			w.Header()[name] = slices.Clone(values)
		}
		a.routes.ServeHTTP(w, r)
	}))
	a.listRoute = a.routes.Get("/flowers/?", a.list, apidoc.Describe(getFlowers(&s)))
	a.findRoute = a.routes.Get("/flowers/:slug", a.find, apidoc.Describe(findBySlug(&s)))
	a.api = apidoc.NewAPI(a.routes, a.published(s.info))
	if _, err := a.api.Serve(s.viewer); err != nil {
		return nil, err
	}
	a.routes.Get(specPath, a.sendSpec)
	if err := s.shared.AddPages(a.routes, home.Parts{Catalog: a.routes}, health.Part{Name: "catalog", Ping: a.Ping, Closed: ErrClosed}); err != nil {
		return nil, err
	}
	if !s.hasStore {
		return a, nil
	}
	// Last, because nothing may fail once the App owns the store.
	a.memory, _ = s.store.(*Memory)
	a.store = &storeWithTimeout{s.store, s.wait}
	return a, nil
}

// SetFlowers is [Memory.SetFlowers] for the App's flowers. No response mixes old and new ones. With
// a store other than a Memory it returns an error.
func (a *App) SetFlowers(flowers ...Flower) error {
	a.mustBeNew()
	if a.memory == nil {
		return errors.New("flowercatalog: the flowers come from WithStore: change them in the store")
	}
	return a.memory.SetFlowers(flowers...)
}

// Ping checks that the store of [WithStore] responds.
func (a *App) Ping(ctx context.Context) error {
	if a.store == nil {
		return nil
	}
	return wrap("flowercatalog", a.store.Ping(ctx))
}

// Close closes the store of [WithStore], if any.
func (a *App) Close() error {
	if a.store == nil {
		return nil
	}
	return wrap("flowercatalog: close the store", a.store.Close())
}

// ServeHTTP implements [http.Handler].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mustBeNew()
	if a.allowsCORS(r.Method, r.URL.Path) {
		a.corsHandler.ServeHTTP(w, r)
		return
	}
	a.routes.ServeHTTP(w, r)
}

// mustBeNew panics if New did not make the App.
func (a *App) mustBeNew() {
	if a.routes == nil {
		panic("flowercatalog: the zero App: make one with New")
	}
}

// allowsCORS reports whether CORS applies to this method and path. It is handled before the
// filters: they would refuse preflight requests, which carry no credentials.
func (a *App) allowsCORS(method, path string) bool {
	path, inside := basepath.Cut(path, a.routes.BasePath())
	if !inside {
		return false
	}
	if slices.Contains(descriptions, path) {
		return true
	}
	return slices.Contains(a.corsMethods, method) && (a.listRoute.Pattern().Match(path) || a.findRoute.Pattern().Match(path))
}

// Routes returns the app's router, for your own routes.
func (a *App) Routes() *routing.App { return a.routes }

// find responds with a flower.
func (a *App) find(c routing.Context) (routing.Result, error) {
	ctx := c.Request().Context()
	body, err := a.flowers().find(ctx, c.Params().GetOr("slug", ""))
	if errors.Is(err, ErrNotFound) {
		return routing.Result{}, halt(slugNotFound)
	}
	if err != nil {
		return routing.Result{}, refusal(ctx, err)
	}
	return jsonWithETag(c, tagOf(body), body)
}

// flowers returns the flowers that this request sees.
func (a *App) flowers() records {
	if a.memory != nil {
		return a.memory.snapshot()
	}
	return a.store
}
