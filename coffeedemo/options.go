package coffeedemo

import (
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Option sets up an [App]. If an option is given twice, the last one counts.
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// placing is an option that says where the app stands. An app around it refuses those.
type placing struct {
	option
	name string
}

// Places returns the option's name.
func (p placing) Places() string { return p.name }

// settings is what options set.
type settings struct {
	base      string
	next      http.Handler
	logger    *slog.Logger
	guard     bool
	methods   bool // WithMethodNotAllowed
	suppliers []Supplier
	coffees   []Coffee

	store    Store
	hasStore bool // WithStore was given, perhaps with nil
	poolSize int
	wait     time.Duration
	sized    bool // WithPoolSize or WithWaitLimit was given
}

func defaultSettings() settings {
	return settings{
		suppliers: sampleSuppliers(),
		coffees:   sampleCoffees(),
		poolSize:  50,
		wait:      5 * time.Second,
	}
}

// WithBasePath sets the path below which the app is reached, such as "/shop" for /shop/coffees. The
// default, also for "" and "/", is none. A slash at the end is ignored. New returns an error for a
// path that does not start with a slash, has a query or fragment, or has segments that are empty,
// "." or "..".
func WithBasePath(path string) Option {
	return placing{func(s *settings) { s.base = path }, "WithBasePath"}
}

// WithNext sets the handler of requests that match no route of the app. With nil, the default, they
// get a short 404 page.
func WithNext(next http.Handler) Option {
	return placing{func(s *settings) { s.next = next }, "WithNext"}
}

// WithMethodNotAllowed makes the app respond with 405 and Allow, instead of 404, where a path
// exists under other methods only, and to OPTIONS with 204 and Allow. With [WithNext], the next
// handler gets these requests as before. Off by default.
func WithMethodNotAllowed() Option {
	return option(func(s *settings) { s.methods = true })
}

// WithLogger sets the logger of errors, whose details clients do not see. The default, also for
// nil, is [slog.Default] at the time of logging.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *settings) { s.logger = logger })
}

// WithPoolSize sets the maximum number of connections to the database, 50 by default. The first is
// opened by New, others on demand. New returns an error for fewer than 1, and with [WithStore].
func WithPoolSize(connections int) Option {
	return option(func(s *settings) { s.poolSize, s.sized = connections, true })
}

// WithWaitLimit sets how long a request waits for a connection before the response is 503, 5
// seconds by default. New returns an error for a time that is not positive, and with [WithStore].
func WithWaitLimit(wait time.Duration) Option {
	return option(func(s *settings) { s.wait, s.sized = wait, true })
}

// WithStore sets the database, instead of one in memory. Once New has returned without an error,
// the App owns the store and closes it. New returns an error for nil and for a store that does not
// respond to a ping within 5 seconds.
func WithStore(store Store) Option {
	return option(func(s *settings) { s.store, s.hasStore = store, true })
}

// WithSuppliers replaces the suppliers that /db/load-data inserts; without arguments there are
// none. New returns an error for rows that a database would refuse: an ID or a name missing, an ID
// twice, text that is not UTF-8 or contains NUL.
func WithSuppliers(suppliers ...Supplier) Option {
	suppliers = append([]Supplier(nil), suppliers...)
	return option(func(s *settings) { s.suppliers = suppliers })
}

// WithCoffees replaces the coffees that /db/load-data inserts; without arguments there are none.
// New returns an error as for [WithSuppliers], and for a name missing or twice, an unknown
// supplier, and a price that is negative or not a number.
func WithCoffees(coffees ...Coffee) Option {
	coffees = append([]Coffee(nil), coffees...)
	return option(func(s *settings) { s.coffees = coffees })
}

// WithGuard refuses requests to /db/* with 403 when a browser says that another site caused them
// (Sec-Fetch-Site: cross-site or same-site), that the response is for a frame, embed or object
// (Sec-Fetch-Dest), or that it only prefetches (Sec-Purpose or Purpose: prefetch). It also tells
// crawlers not to index these routes. Off by default. Use it where browsers or crawlers can reach
// the routes, because these change data on GET. It is no authentication: clients without these
// headers are not blocked.
func WithGuard() Option {
	return option(func(s *settings) { s.guard = true })
}

// check returns an error if the settings are invalid.
func (s *settings) check() error {
	switch {
	case s.hasStore && s.store == nil:
		return errors.New("WithStore(nil): pass a store, or leave the option out for a database in memory")
	case s.hasStore && s.sized:
		return errors.New("WithStore beside WithPoolSize or WithWaitLimit: set these limits where the store is opened")
	}
	if err := checkLimits(s.poolSize, s.wait); err != nil {
		return err
	}
	return checkRows(s.suppliers, s.coffees)
}
