package coffeedemo

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"example.com/flowercafe/internal/appoptions"
	"example.com/flowercafe/internal/nilvalue"
)

// Option configures an [App]. If an option is given twice, the last one counts.
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// sharedOption is an option of package appoptions, such as a base path.
type sharedOption struct{ appoptions.Option }

func (o sharedOption) apply(s *settings) { o.Set(&s.shared) }

// settings holds the options.
type settings struct {
	shared    appoptions.Settings
	guard     bool
	suppliers []Supplier
	coffees   []Coffee

	store     Store
	hasStore  bool // WithStore was given, perhaps with nil
	poolSize  int
	wait      time.Duration
	hasLimits bool // WithPoolSize or WithAcquireTimeout was given
}

// WithBasePath sets the path below which the app is reached, such as "/shop" for /shop/coffees. See
// flowercafe.WithBasePath for its form.
func WithBasePath(path string) Option { return sharedOption{appoptions.BasePath(path)} }

// WithProxyPrefix sets the prefix that a proxy removes from the paths of requests. See
// flowercafe.WithProxyPrefix for its form.
func WithProxyPrefix(path string) Option { return sharedOption{appoptions.ProxyPrefix(path)} }

// WithNext sets the handler of requests that match no route of the app. If it is nil or the
// option is not used, the app sends a short 404 page.
func WithNext(next http.Handler) Option { return sharedOption{appoptions.Next(next)} }

// WithMethodNotAllowed responds with 405, and to OPTIONS with 204. See
// flowercafe.WithMethodNotAllowed.
func WithMethodNotAllowed() Option { return sharedOption{appoptions.MethodNotAllowed()} }

// WithLogger sets the logger for errors. The default is [slog.Default]. Nil means the default.
func WithLogger(logger *slog.Logger) Option { return sharedOption{appoptions.Logger(logger)} }

// WithHome serves a page with links at the base path. See flowercafe.WithHome.
func WithHome() Option { return sharedOption{appoptions.Home()} }

// WithHealth serves /healthz and /readyz for balancers. See flowercafe.WithHealth. Here they are
// routes like the others, so filters that were added to [App.Routes] run for them too.
func WithHealth() Option { return sharedOption{appoptions.Health()} }

// WithPoolSize sets the maximum number of connections to the database, 50 by default. New opens the
// first one, and others are opened on demand. New returns an error for fewer than 1, and together
// with [WithStore].
func WithPoolSize(connections int) Option {
	return option(func(s *settings) { s.poolSize, s.hasLimits = connections, true })
}

// WithAcquireTimeout sets how long a request waits for a connection, 5 seconds by default. Then the
// response is a 503. New returns an error for a limit of 0 or less, and together with [WithStore].
func WithAcquireTimeout(wait time.Duration) Option {
	return option(func(s *settings) { s.wait, s.hasLimits = wait, true })
}

// WithStore sets the store of the tables. The default is a [SQLite] database in memory. If New
// returns no error, the App owns the store, and [App.Shutdown] or [App.Close] closes it. New
// returns an error for nil.
func WithStore(store Store) Option {
	return option(func(s *settings) { s.store, s.hasStore = store, true })
}

// WithSuppliers replaces the suppliers that /db/load-data inserts; without arguments there are
// none. New returns an error for rows that a database would refuse: without a name, with a
// duplicate ID or one outside 1 to 2147483647, and with text that is not UTF-8 or contains NUL.
func WithSuppliers(suppliers ...Supplier) Option {
	suppliers = append([]Supplier(nil), suppliers...)
	return option(func(s *settings) { s.suppliers = suppliers })
}

// WithCoffees replaces the coffees that /db/load-data inserts; without arguments there are none.
// New returns an error for a missing or duplicate name, an unknown supplier, a price that is
// negative or not finite, and text that is not UTF-8 or contains NUL.
func WithCoffees(coffees ...Coffee) Option {
	coffees = append([]Coffee(nil), coffees...)
	return option(func(s *settings) { s.coffees = coffees })
}

// WithGuard protects the routes at /db/*, which change data on GET, from accidents. It refuses
// requests with 403 if the browser's headers show that another site caused them (Sec-Fetch-Site:
// cross-site or same-site), that the response is for a frame, embed or object (Sec-Fetch-Dest), or
// that they are only a prefetch (Sec-Purpose or Purpose: prefetch). It also asks crawlers not to
// index these routes. Off by default.
//
// It is not authentication: requests without these headers are not refused. Browsers send no
// Sec-Fetch headers to plain http addresses other than loopback, so there the guard refuses only
// prefetches.
func WithGuard() Option {
	return option(func(s *settings) { s.guard = true })
}

// check returns an error if the settings are invalid.
func (s *settings) check() error {
	switch {
	case s.hasStore && nilvalue.In(s.store):
		return errors.New("WithStore(nil): pass a store, or leave the option out for a database in memory")
	case s.hasStore && s.hasLimits:
		return errors.New("WithStore excludes WithPoolSize and WithAcquireTimeout: set these limits where the store is opened")
	}
	if err := errors.Join(s.shared.Check(), checkLimits(s.poolSize, s.wait)); err != nil {
		return err
	}
	return checkRows(s.suppliers, s.coffees)
}
