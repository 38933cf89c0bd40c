package flowercafe

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/nilvalue"
)

// Option configures an [App]. If an option is given twice, the last one counts. [WithMount],
// [WithCatalog] and [WithCoffee] accumulate.
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// settings holds the options.
type settings struct {
	base    string
	next    http.Handler
	mounts  []mountPoint
	catalog []flowercatalog.Option
	coffee  []coffeedemo.Option
	home    bool
	health  bool
	logger  *slog.Logger
}

type mountPoint struct {
	prefix  string
	handler http.Handler
}

// WithBasePath sets the path below which the app is reached, such as "/shop". It is compared
// literally. The default, also for "" and "/", is no base path. A trailing slash is ignored. New
// returns an error for a path that does not start with a slash, has a query or fragment, or has
// segments that are empty, "." or "..".
func WithBasePath(path string) Option {
	return option(func(s *settings) { s.base = path })
}

// WithAllowedOrigins sets the origins whose pages may load the description, such as
// "https://docs.example.com". The default, also for the single origin "*", is all origins. New
// returns an error for an empty list and for anything that is not an origin. Pages of other origins
// cannot read the flowers, unless [WithCatalog] has the option [flowercatalog.WithOpenRoutes].
func WithAllowedOrigins(origins ...string) Option {
	return WithCatalog(flowercatalog.WithAllowedOrigins(origins...))
}

// WithPoolSize sets the maximum number of connections to the coffee demo's database, 50 by default.
// New returns an error for fewer than 1.
func WithPoolSize(size int) Option {
	return WithCoffee(coffeedemo.WithPoolSize(size))
}

// WithNext sets the handler of requests that match no route of the app. It gets them unchanged. The
// default, also for nil, is a short 404 page.
func WithNext(next http.Handler) Option {
	return option(func(s *settings) { s.next = next })
}

// WithFlowers replaces the flowers of the catalog. Without arguments the catalog is empty. New
// returns an error for a slug that is empty, occurs twice, or cannot be reached by a URL.
func WithFlowers(flowers ...flowercatalog.Flower) Option {
	return WithCatalog(flowercatalog.WithFlowers(flowers...))
}

// WithLogger sets the logger for errors. The default, also for nil, is [slog.Default] at the time
// of logging.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *settings) {
		s.logger = logger
		s.catalog = append(s.catalog, flowercatalog.WithLogger(logger))
		s.coffee = append(s.coffee, coffeedemo.WithLogger(logger))
	})
}

// WithMethodNotAllowed responds with 405 and an Allow header, instead of 404, if a path exists for
// other methods only, and to OPTIONS with 204 and Allow. If there is a handler of [WithNext], it
// still gets these requests. Off by default.
func WithMethodNotAllowed() Option {
	return option(func(s *settings) {
		s.catalog = append(s.catalog, flowercatalog.WithMethodNotAllowed())
		s.coffee = append(s.coffee, coffeedemo.WithMethodNotAllowed())
	})
}

// WithMount passes every request for prefix and everything below it to handler, unchanged. The
// prefix is one literal segment below the base path, such as "/admin". New returns an error for any
// other prefix, for one that is taken, and for a nil handler.
func WithMount(prefix string, handler http.Handler) Option {
	return option(func(s *settings) { s.mounts = append(s.mounts, mountPoint{prefix, handler}) })
}

// WithHome serves a page at the base path, with links to the flowers, the description, its viewer,
// the coffees, and the prefixes of [WithMount]. The page has no script, loads nothing, and works
// behind proxies that add a prefix. The base path without a trailing slash redirects to the page.
// The page is a route of [App.Coffee], so filters added there run for it too. Without this option
// the base path is not found, or goes to the handler of [WithNext].
func WithHome() Option {
	return option(func(s *settings) { s.home = true })
}

// WithHealth serves two paths below the base path for balancers and orchestrators. /healthz
// responds with 200 while the process serves. /readyz responds with 200 if the stores of the
// catalog and the coffee demo respond to Ping within 800 milliseconds, since probes wait for about
// a second. Else it responds with 503 and the names of the parts that do not. The stores are asked
// at most once a second, whatever the number of requests. Changes of the result are logged. When
// the server begins to shut down (see [serving.Until]), and after [App.Shutdown], /readyz responds
// with 503. Off by default. New returns an error if a prefix of [WithMount] is one of the two
// paths. Routes that were added to [App.Coffee] for them are not reached.
func WithHealth() Option {
	return option(func(s *settings) { s.health = true })
}

// WithCatalog passes options to [flowercatalog.New]. New returns an error for
// [flowercatalog.WithBasePath] and [flowercatalog.WithNext]: write [WithBasePath] and [WithNext],
// which are for the whole app.
func WithCatalog(options ...flowercatalog.Option) Option {
	return option(func(s *settings) { s.catalog = append(s.catalog, options...) })
}

// WithCoffee passes options to [coffeedemo.New]. New returns an error for
// [coffeedemo.WithBasePath] and [coffeedemo.WithNext]: write [WithBasePath] and [WithNext], which
// are for the whole app.
func WithCoffee(options ...coffeedemo.Option) Option {
	return option(func(s *settings) { s.coffee = append(s.coffee, options...) })
}

// checkPlace returns an error for an option that is only for the whole app, such as a base path.
func checkPlace[O any](where string, options []O) error {
	for _, o := range options {
		if placing, ok := any(o).(interface{ Places() string }); ok {
			return fmt.Errorf("%[1]s in %s: write flowercafe.%[1]s, which is for the whole app", placing.Places(), where)
		}
	}
	return nil
}

// check returns an error if the mount is invalid.
func (m mountPoint) check() error {
	segment, ok := strings.CutPrefix(m.prefix, "/")
	switch {
	case !ok || segment == "" || strings.ContainsAny(segment, "/:*?#") || segment == "." || segment == "..":
		return fmt.Errorf("mount %q: write a prefix of one literal segment, such as \"/admin\"", m.prefix)
	case nilvalue.In(m.handler):
		return fmt.Errorf("mount %q: pass a handler, not nil", m.prefix)
	}
	return nil
}
