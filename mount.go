package flowercafe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/appoptions"
	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/health"
	"example.com/flowercafe/internal/home"
)

// App serves the catalog, the coffee demo and the handlers of [WithMount] below one base path. It
// is safe for concurrent use.
type App struct {
	base    string
	catalog *flowercatalog.App
	coffee  *coffeedemo.App

	// mounts has the handler for each first segment, except of the coffee demo. Its routes have a
	// single method, everyMethod.
	mounts *httprouter.Router
}

const everyMethod = "*"

// New returns an App, which the caller must close, or an error for invalid options.
func New(options ...Option) (*App, error) {
	app, err := newApp(options)
	if err != nil {
		return nil, fmt.Errorf("flowercafe: %w", err)
	}
	return app, nil
}

func newApp(options []Option) (*App, error) {
	var s settings
	err := errors.Join(appoptions.Apply(options, func(o Option) { o.apply(&s) }), s.shared.Check(), appoptions.CheckNested("WithCatalog", s.catalog), appoptions.CheckNested("WithCoffee", s.coffee))
	if err != nil {
		return nil, err
	}
	app := &App{base: s.shared.BasePath}
	if app.catalog, err = flowercatalog.New(append(s.catalogOptions(), s.catalog...)...); err != nil {
		return nil, err
	}
	mounts := []mountPoint{{"/flowers", app.catalog}, {"/api-docs", app.catalog}}
	if s.shared.Health {
		probes := s.shared.NewRoutes()
		ping := func(ctx context.Context) error { return app.coffee.Ping(ctx) }
		health.Add(probes,
			health.Part{Name: "catalog", Ping: app.catalog.Ping, Closed: flowercatalog.ErrClosed},
			health.Part{Name: "coffee", Ping: ping, Closed: coffeedemo.ErrClosed})
		mounts = append(mounts, mountPoint{health.Live, probes}, mountPoint{health.Ready, probes})
	}
	if app.mounts, err = newMountTable(append(mounts, s.mounts...)); err != nil {
		return nil, err
	}
	// Last, because it opens a database.
	if app.coffee, err = coffeedemo.New(append(s.coffeeOptions(), s.coffee...)...); err != nil {
		return nil, err
	}
	if s.shared.Home {
		parts := home.Parts{Catalog: app.catalog.Routes(), Coffee: true, Mounts: s.mountNames()}
		if err := home.Add(app.coffee.Routes(), parts); err != nil {
			return nil, errors.Join(err, app.coffee.Close())
		}
	} else {
		s.shared.AddRedirect(app.coffee.Routes(), app.catalog.Routes())
	}
	return app, nil
}

// coffeeSegments are taken too, though the coffee demo is not in the mount table.
var coffeeSegments = []string{"/coffees", "/db"}

func newMountTable(mounts []mountPoint) (*httprouter.Router, error) {
	table := httprouter.New()
	for _, m := range mounts {
		if err := m.check(); err != nil {
			return nil, err
		}
		taken, _, _ := table.Lookup(everyMethod, m.prefix)
		if taken != nil || slices.Contains(coffeeSegments, m.prefix) {
			return nil, fmt.Errorf("mount %q: the prefix is taken by the catalog, the coffee demo, WithHealth or another mount: write another one", m.prefix)
		}
		handler := m.handler
		table.Handle(everyMethod, m.prefix, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
			handler.ServeHTTP(w, r)
		})
	}
	return table, nil
}

// ServeHTTP implements [http.Handler].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mustBeNew()
	if rest, inside := basepath.Cut(r.URL.Path, a.base); inside {
		if handle, _, _ := a.mounts.Lookup(everyMethod, firstSegment(rest)); handle != nil {
			handle(w, r, nil)
			return
		}
	}
	a.coffee.ServeHTTP(w, r)
}

// mustBeNew panics if New did not make the App.
func (a *App) mustBeNew() {
	if a.coffee == nil {
		panic("flowercafe: the zero App: make one with New")
	}
}

// firstSegment returns path up to its second slash. For a path that does not start with a slash it
// returns "/", which is never mounted.
func firstSegment(path string) string {
	if path == "" || path[0] != '/' {
		return "/"
	}
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[:i+1]
	}
	return path
}

// Catalog returns the flower catalog. The routes and filters of its Routes get only requests below
// /flowers and /api-docs. Add others to the coffee demo.
func (a *App) Catalog() *flowercatalog.App { return a.catalog }

// Coffee returns the coffee demo, to add routes to its Routes and to read its Stats.
func (a *App) Coffee() *coffeedemo.App { return a.coffee }

// Shutdown closes the coffee demo: it refuses new work, waits for work in progress until ctx ends,
// and then interrupts it. Then it closes the store of [flowercatalog.WithStore], if any. The routes
// of a closed store respond with 503.
func (a *App) Shutdown(ctx context.Context) error {
	a.mustBeNew()
	if err := errors.Join(a.coffee.Shutdown(ctx), a.catalog.Close()); err != nil {
		return fmt.Errorf("flowercafe: %w", err)
	}
	return nil
}

// Close is [App.Shutdown], but interrupts work in progress at once.
func (a *App) Close() error {
	a.mustBeNew()
	if err := errors.Join(a.coffee.Close(), a.catalog.Close()); err != nil {
		return fmt.Errorf("flowercafe: %w", err)
	}
	return nil
}

// Mount is New, and registers the App with mux for every method: at the base path, with and without
// a trailing slash, and for everything below. More specific patterns of mux win. Mount returns an
// error if a pattern of mux is the same or conflicts, such as "GET /" with a base path (see
// [http.ServeMux]), and for a base path with percent signs or spaces. After an error do not use
// mux.
func Mount(mux *http.ServeMux, options ...Option) (*App, error) {
	if mux == nil {
		return nil, errors.New("flowercafe: mount: pass a mux, not nil")
	}
	app, err := New(options...)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(app.base, "% ") {
		return nil, errors.Join(fmt.Errorf("flowercafe: mount at %q: a mux reads percent signs and spaces as something else: write another base path", app.base), app.Close())
	}
	patterns := []string{app.base + "/"}
	if app.base != "" {
		patterns = append(patterns, app.base)
	}
	for _, pattern := range patterns {
		if err := register(mux, pattern, app); err != nil {
			return nil, errors.Join(err, app.Close())
		}
	}
	return app, nil
}

// register is mux.Handle with an error instead of the panic.
func register(mux *http.ServeMux, pattern string, handler http.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("flowercafe: mount at %q: the mux refuses this pattern: change its own pattern, or write another base path: %v", pattern, v)
		}
	}()
	mux.Handle(pattern, handler)
	return nil
}
