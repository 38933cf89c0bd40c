package flowercafe

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/appoptions"
	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/nilvalue"
)

// Option configures an [App]. If an option is given twice, the last one counts, but [WithMount],
// [WithCatalog] and [WithCoffee] accumulate.
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
	shared  appoptions.Settings
	mounts  []mountPoint
	catalog []flowercatalog.Option
	coffee  []coffeedemo.Option
}

// catalogOptions and coffeeOptions return the shared settings as options of the applications.
func (s *settings) catalogOptions() []flowercatalog.Option {
	options := []flowercatalog.Option{flowercatalog.WithBasePath(s.shared.BasePath), flowercatalog.WithProxyPrefix(s.shared.ProxyPrefix), flowercatalog.WithNext(s.shared.Next), flowercatalog.WithLogger(s.shared.Logger)}
	if s.shared.MethodNotAllowed {
		options = append(options, flowercatalog.WithMethodNotAllowed())
	}
	return options
}

func (s *settings) coffeeOptions() []coffeedemo.Option {
	options := []coffeedemo.Option{coffeedemo.WithBasePath(s.shared.BasePath), coffeedemo.WithProxyPrefix(s.shared.ProxyPrefix), coffeedemo.WithNext(s.shared.Next), coffeedemo.WithLogger(s.shared.Logger)}
	if s.shared.MethodNotAllowed {
		options = append(options, coffeedemo.WithMethodNotAllowed())
	}
	return options
}

// mountNames returns the prefixes of WithMount without their slashes, sorted.
func (s *settings) mountNames() (names []string) {
	for _, m := range s.mounts {
		names = append(names, m.prefix[1:])
	}
	slices.Sort(names)
	return names
}

type mountPoint struct {
	prefix  string
	handler http.Handler
}

// WithBasePath sets the literal path below which the app is reached, such as "/shop". It is
// compared with the decoded path. The default, "" or "/", is no base path.
func WithBasePath(path string) Option { return sharedOption{appoptions.BasePath(path)} }

// WithProxyPrefix sets the prefix that a proxy removes from the paths of requests, such as "/cafe".
// The default server of the description and Context.Path in package routing begin with it.
func WithProxyPrefix(path string) Option { return sharedOption{appoptions.ProxyPrefix(path)} }

// WithAllowedOrigins is [flowercatalog.WithAllowedOrigins]: the origins whose pages may load the
// description, by default all. For the flowers, see [flowercatalog.WithCORSOnFlowers].
func WithAllowedOrigins(origins ...string) Option {
	return WithCatalog(flowercatalog.WithAllowedOrigins(origins...))
}

// WithPoolSize is [coffeedemo.WithPoolSize]: the maximum number of connections to the database, 50
// by default.
func WithPoolSize(size int) Option {
	return WithCoffee(coffeedemo.WithPoolSize(size))
}

// WithNext is routing.WithNext: the handler of requests that match no route.
func WithNext(next http.Handler) Option {
	return sharedOption{appoptions.Next(next)}
}

// WithFlowers is [flowercatalog.WithFlowers]: it replaces the flowers of the catalog.
func WithFlowers(flowers ...flowercatalog.Flower) Option {
	return WithCatalog(flowercatalog.WithFlowers(flowers...))
}

// WithLogger sets the logger. The default is [slog.Default].
func WithLogger(logger *slog.Logger) Option {
	return sharedOption{appoptions.Logger(logger)}
}

// WithMethodNotAllowed is routing.WithMethodNotAllowed: a 405 with Allow instead of a 404 if a
// path exists for other methods only.
func WithMethodNotAllowed() Option {
	return sharedOption{appoptions.MethodNotAllowed()}
}

// WithMount passes every request for prefix and everything below it to handler, unchanged. The
// prefix is a literal segment below the base path, such as "/admin".
func WithMount(prefix string, handler http.Handler) Option {
	return option(func(s *settings) { s.mounts = append(s.mounts, mountPoint{prefix, handler}) })
}

// WithHome serves a page at the base path, with links to the flowers, the description, its viewer
// if any, the coffees, and the prefixes of [WithMount]. It is a route of [App.Coffee], so filters
// added there run for it too.
func WithHome() Option {
	return sharedOption{appoptions.Home()}
}

// WithHealth serves two paths below the base path for balancers and orchestrators. /healthz
// responds with 200. /readyz responds with 200 until the server begins to shut down (see
// serving.Run) or a ping finds that a store is closed; then with 503.
//
// With 200, the text of /readyz names the stores that do not respond. They do not change the
// status: hosts often share a database, and its outage would make all of them not ready. The stores
// are pinged for a request for /readyz, at most once a second, and a response waits for them for at
// most 200 milliseconds. A store whose ping begins to fail, or succeeds again, is logged.
func WithHealth() Option {
	return sharedOption{appoptions.Health()}
}

// WithCatalog passes options to [flowercatalog.New]. It refuses WithBasePath, WithProxyPrefix,
// WithNext, WithHome and WithHealth: use the options of this package.
func WithCatalog(options ...flowercatalog.Option) Option {
	return option(func(s *settings) { s.catalog = append(s.catalog, options...) })
}

// WithCoffee is [WithCatalog] for [coffeedemo.New].
func WithCoffee(options ...coffeedemo.Option) Option {
	return option(func(s *settings) { s.coffee = append(s.coffee, options...) })
}

// check returns an error if the mount is invalid.
func (m mountPoint) check() error {
	segment, ok := strings.CutPrefix(m.prefix, "/")
	_, isEncoded := basepath.Decoded(segment)
	switch {
	case !ok || segment == "" || strings.ContainsAny(segment, "/:*?#") || segment == "." || segment == "..":
		return fmt.Errorf("mount %q: write a prefix of one literal segment, such as \"/admin\"", m.prefix)
	case isEncoded:
		return fmt.Errorf("mount %q: paths are compared decoded: write it decoded", m.prefix)
	case nilvalue.In(m.handler):
		return fmt.Errorf("mount %q: pass a handler, not nil", m.prefix)
	}
	return nil
}
