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

// WithBasePath is flowercafe.WithBasePath: the path below which the app is reached.
func WithBasePath(path string) Option { return sharedOption{appoptions.BasePath(path)} }

// WithProxyPrefix is flowercafe.WithProxyPrefix: the prefix that a proxy removes from paths.
func WithProxyPrefix(path string) Option { return sharedOption{appoptions.ProxyPrefix(path)} }

// WithNext is [routing.WithNext].
func WithNext(next http.Handler) Option { return sharedOption{appoptions.Next(next)} }

// WithMethodNotAllowed is [routing.WithMethodNotAllowed].
func WithMethodNotAllowed() Option { return sharedOption{appoptions.MethodNotAllowed()} }

// WithLogger sets the logger. The default is [slog.Default].
func WithLogger(logger *slog.Logger) Option { return sharedOption{appoptions.Logger(logger)} }

// WithHome is flowercafe.WithHome: a page with links at the base path.
func WithHome() Option { return sharedOption{appoptions.Home()} }

// WithHealth is flowercafe.WithHealth: /healthz and /readyz for balancers. Filters of [App.Routes]
// run for them too.
func WithHealth() Option { return sharedOption{appoptions.Health()} }

// WithPoolSize sets the maximum number of connections to SQLite, by default 50.
func WithPoolSize(connections int) Option {
	return option(func(s *settings) { s.poolSize, s.hasLimits = connections, true })
}

// WithAcquireTimeout sets how long a request waits for a connection to SQLite, by default 5
// seconds.
func WithAcquireTimeout(wait time.Duration) Option {
	return option(func(s *settings) { s.wait, s.hasLimits = wait, true })
}

// WithStore sets the store of the tables, by default a [SQLite]. The App closes it.
func WithStore(store Store) Option {
	return option(func(s *settings) { s.store, s.hasStore = store, true })
}

// WithSuppliers replaces the suppliers that /db/load-data inserts.
func WithSuppliers(suppliers ...Supplier) Option {
	suppliers = append([]Supplier(nil), suppliers...)
	return option(func(s *settings) { s.suppliers = suppliers })
}

// WithCoffees replaces the coffees that /db/load-data inserts.
func WithCoffees(coffees ...Coffee) Option {
	coffees = append([]Coffee(nil), coffees...)
	return option(func(s *settings) { s.coffees = coffees })
}

// WithGuard protects the routes at /db/*, which change data on GET, from accidents. It responds
// with 403 if another origin caused the request (Sec-Fetch-Site), if the response is for a frame,
// embed or object (Sec-Fetch-Dest), and to a prefetch (Sec-Purpose or Purpose). Requests without
// these headers are not refused. Browsers send no Sec-Fetch headers to plain http addresses other
// than loopback.
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
