package coffeedemo

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/flowercafe/internal/appoptions"
	"example.com/flowercafe/internal/health"
	"example.com/flowercafe/internal/home"
	"example.com/flowercafe/routing"
)

// App serves the demo as an [http.Handler]. It is safe for concurrent use. The caller must close
// it.
type App struct {
	routes    *routing.App
	store     Store
	suppliers []Supplier
	coffees   []Coffee
}

// New returns an App, or an error for invalid options.
func New(options ...Option) (*App, error) {
	app, err := newApp(options)
	if err != nil {
		return nil, fmt.Errorf("coffeedemo: %w", err)
	}
	return app, nil
}

func newApp(options []Option) (*App, error) {
	s := settings{suppliers: sampleSuppliers(), coffees: sampleCoffees(), poolSize: 50, wait: 5 * time.Second}
	if err := errors.Join(appoptions.Apply(options, func(o Option) { o.apply(&s) }), s.check()); err != nil {
		return nil, err
	}
	a := &App{routes: s.shared.NewRoutes(), suppliers: s.suppliers, coffees: s.coffees}
	if err := s.shared.AddPages(a.routes, home.Parts{Coffee: true}, health.Part{Name: "coffee", Ping: a.Ping, Closed: ErrClosed}); err != nil {
		return nil, err
	}
	a.define(s.guard, s.shared.MethodNotAllowed)
	if s.hasStore {
		a.store = s.store
		return a, nil
	}
	store, err := OpenSQLite(s.poolSize, s.wait) // last, because the App must close it
	if err != nil {
		return nil, err
	}
	a.store = store
	return a, nil
}

// define adds the routes.
func (a *App) define(guarded, answers405 bool) {
	headers := []string{
		"Cache-Control", "no-store", // a cached response would report a change that did not happen
		"X-Content-Type-Options", "nosniff",
	}
	if guarded {
		headers = append(headers, "X-Robots-Tag", "noindex")
	}
	a.routes.Group("/db", func(db *routing.Group) {
		if guarded {
			db.Before(guard)
		}
		db.Get("/create-tables", a.create)
		db.Get("/load-data", a.load)
		db.Get("/drop-tables", a.drop)
		// Without a HEAD route, a HEAD request would run the GET route and change the tables, which
		// it must not (RFC 9110, 9.3.2).
		for _, pattern := range []string{"/create-tables", "/load-data", "/drop-tables"} {
			db.Head(pattern, onlyGet)
			if answers405 {
				db.After(allowNoHead, routing.On(pattern))
			}
		}
	}, withHeaders(headers...))
	a.routes.Get("/coffees", a.list, withHeaders("X-Content-Type-Options", "nosniff"))
}

func (a *App) create(c routing.Context) (routing.Result, error) {
	if err := a.store.Create(c.Request().Context()); err != nil {
		return routing.Result{}, refusal(c, err)
	}
	return routing.Text(created), nil
}

func (a *App) load(c routing.Context) (routing.Result, error) {
	if err := a.store.Load(c.Request().Context(), a.suppliers, a.coffees); err != nil {
		return routing.Result{}, refusal(c, err)
	}
	return routing.Text(loaded), nil
}

func (a *App) drop(c routing.Context) (routing.Result, error) {
	if err := a.store.Drop(c.Request().Context()); err != nil {
		return routing.Result{}, refusal(c, err)
	}
	return routing.Text(dropped), nil
}

// list collects the page first, so that the connection is released before the response is written,
// even if the client reads slowly.
func (a *App) list(c routing.Context) (routing.Result, error) {
	p := make(page, 0, 512) // about ten lines
	if err := a.store.List(c.Request().Context(), p.add); err != nil {
		return routing.Result{}, refusal(c, err)
	}
	return routing.Bytes("text/html; charset=utf-8", p), nil
}

func onlyGet(routing.Context) (routing.Result, error) {
	return routing.Result{}, &routing.HaltError{Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": {http.MethodGet}}}
}

// allowNoHead removes HEAD from the Allow header, which has it together with GET.
func allowNoHead(c routing.Context) error {
	if allow := c.Header().Get("Allow"); allow != "" {
		c.Header().Set("Allow", strings.Replace(allow, "GET, HEAD", "GET", 1))
	}
	return nil
}

// withHeaders sets response headers, pairs of name and value, before the action runs, so that
// errors have them too.
func withHeaders(pairs ...string) routing.RouteOption {
	return routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			// A copy for this response, because a filter of the host may change values in place.
			header, pairs := c.Header(), slices.Clone(pairs)
			for i := 0; i < len(pairs); i += 2 {
				header[pairs[i]] = pairs[i+1 : i+2 : i+2]
			}
			return action(c)
		}
	})
}

// The messages name the paths of routes relative to the base path, so that they are also correct
// behind a proxy that removes a prefix.
const (
	created = "Tables created. Call db/load-data next."
	loaded  = "Data loaded. Call coffees next."
	dropped = "Tables dropped."

	outcomeUnknown = "The database did not confirm the change, which may have been made. Call coffees to find out."
)

func conflict(sentence string) *routing.HaltError {
	return &routing.HaltError{Status: http.StatusConflict, Body: routing.Text(sentence)}
}

func unavailable(sentence string) *routing.HaltError {
	return &routing.HaltError{
		Status: http.StatusServiceUnavailable,
		Header: http.Header{"Retry-After": {"1"}}, // seconds
		Body:   routing.Text(sentence),
	}
}

// refusal returns the response to an error that [Store] documents. Any other error is returned
// unchanged: it is logged, and the client gets a 500 without its text.
func refusal(c routing.Context, err error) error {
	var obstacle interface{ Obstacle() string } // of a shared database, such as a view with the name of a table
	switch {
	case errors.As(err, &obstacle):
		return conflict("The database has " + obstacle.Obstacle() + ", which prevents this. Rename or drop it there.")
	case errors.Is(err, ErrTablesExist):
		return conflict("The tables exist already. Call db/drop-tables first.")
	case errors.Is(err, ErrTablesMissing):
		return conflict("There are no tables. Call db/create-tables first.")
	case errors.Is(err, ErrDataLoaded):
		return conflict("The data is loaded already. Call db/drop-tables to begin again.")
	case errors.Is(err, ErrOutcomeUnknown): // without Retry-After: a repeated change would be a conflict
		return &routing.HaltError{Status: http.StatusServiceUnavailable, Body: routing.Text(outcomeUnknown)}
	case errors.Is(err, ErrClosed):
		return unavailable("The database is closed.")
	case errors.Is(err, ErrBusy), c.Request().Context().Err() != nil: // also if the request's deadline has passed
		return unavailable("The database is busy. Try again later.")
	}
	return err
}

// page is the body of /coffees, as HTML.
type page []byte

// add adds a line.
func (p *page) add(coffee, supplier string) error {
	b := *p
	if len(b) > 0 {
		b = append(b, "<br />"...)
	}
	b = append(b, "  "...)
	b = append(b, html.EscapeString(coffee)...)
	b = append(b, " supplied by "...)
	*p = append(b, html.EscapeString(supplier)...)
	return nil
}

// ServeHTTP implements [http.Handler].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mustStore()
	a.routes.ServeHTTP(w, r)
}

// mustStore returns the store. It panics for an App that New did not return.
func (a *App) mustStore() Store {
	if a.store == nil {
		panic("coffeedemo: the zero App: make one with New")
	}
	return a.store
}

// Routes returns the app's router, for your own routes.
func (a *App) Routes() *routing.App { return a.routes }

// Stats returns the current use of the connections.
func (a *App) Stats() Stats { return a.mustStore().Stats() }

// Ping checks that the database responds.
func (a *App) Ping(ctx context.Context) error { return a.mustStore().Ping(ctx) }

// Shutdown closes the database. It refuses new work ([ErrClosed]), and waits for work in progress
// until ctx ends. If it then interrupts work, it returns an error that wraps the cause of ctx.
func (a *App) Shutdown(ctx context.Context) error { return a.mustStore().Shutdown(ctx) }

// Close closes the database, and interrupts work in progress.
func (a *App) Close() error { return a.mustStore().Close() }
