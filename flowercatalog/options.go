package flowercatalog

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/rs/cors"

	"example.com/flowercafe/apidoc"
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
	shared        appoptions.Settings
	flowers       []Flower
	hasFlowers    bool
	store         Store
	hasStore      bool
	wait          time.Duration
	hasWait       bool
	pageLimit     int
	hasPages      bool
	info          apidoc.Info
	viewer        http.Handler
	restricted    bool
	origins       []string
	corsOnFlowers bool
	cors          cors.Options
}

// WithBasePath is flowercafe.WithBasePath: the path below which the app is reached.
func WithBasePath(path string) Option { return sharedOption{appoptions.BasePath(path)} }

// WithProxyPrefix is flowercafe.WithProxyPrefix: the prefix that a proxy removes from paths.
func WithProxyPrefix(path string) Option { return sharedOption{appoptions.ProxyPrefix(path)} }

// WithAllowedOrigins sets the origins whose pages may load the description, such as
// "https://docs.example.com". The default is all origins.
func WithAllowedOrigins(origins ...string) Option {
	return option(func(s *settings) { s.restricted, s.origins = true, origins })
}

// WithCORSOnFlowers lets pages of the allowed origins also read /flowers and /flowers/{slug},
// including your own routes at these paths.
func WithCORSOnFlowers() Option {
	return option(func(s *settings) { s.corsOnFlowers = true })
}

// WithNext is [routing.WithNext].
func WithNext(next http.Handler) Option { return sharedOption{appoptions.Next(next)} }

// WithFlowers replaces the built-in flowers.
func WithFlowers(flowers ...Flower) Option {
	return option(func(s *settings) { s.flowers, s.hasFlowers = flowers, true })
}

// WithStore sets the store of the flowers, by default a [Memory]. [App.Close] closes it. A search
// for a text of more than 8,192 characters is then a 400.
func WithStore(store Store) Option {
	return option(func(s *settings) { s.store, s.hasStore = store, true })
}

// WithStoreTimeout sets how long Find, Revision and Ping of the store may take, and how long a
// list waits for each flower, by default 5 seconds. Then the error is [ErrBusy].
func WithStoreTimeout(wait time.Duration) Option {
	return option(func(s *settings) { s.wait, s.hasWait = wait, true })
}

// WithPageSize divides /flowers/ into pages of at most limit flowers, from 1 to 1,000,000. Each
// page but the last has a Link to the next one (RFC 8288). Clients may set limit to less, and after
// to the slug of the flower before the page.
func WithPageSize(limit int) Option {
	return option(func(s *settings) { s.pageLimit, s.hasPages = limit, true })
}

// WithCORS sets what the origins of [WithAllowedOrigins] may do: by default GET and HEAD with any
// header.
func WithCORS(options cors.Options) Option {
	return option(func(s *settings) { s.cors = options })
}

// WithInfo sets the Info of the description. The default is [DefaultInfo].
func WithInfo(info apidoc.Info) Option {
	return option(func(s *settings) { s.info = info })
}

// WithMethodNotAllowed is [routing.WithMethodNotAllowed].
func WithMethodNotAllowed() Option { return sharedOption{appoptions.MethodNotAllowed()} }

// WithLogger sets the logger. The default is [slog.Default].
func WithLogger(logger *slog.Logger) Option { return sharedOption{appoptions.Logger(logger)} }

// WithHome is flowercafe.WithHome: a page with links at the base path.
func WithHome() Option { return sharedOption{appoptions.Home()} }

// WithHealth is flowercafe.WithHealth: /healthz and /readyz for balancers. Filters of [App.Routes]
// run for them too.
func WithHealth() Option { return sharedOption{appoptions.Health()} }

// WithViewer mounts a page for the description at /api-docs/ui/, such as viewer.New of package
// apidoc/viewer, and redirects /api-docs to it.
func WithViewer(viewer http.Handler) Option {
	return option(func(s *settings) { s.viewer = viewer })
}

const maxPage = 1_000_000

// check returns an error if the settings are invalid.
func (s *settings) check() error {
	switch {
	case s.hasStore && nilvalue.In(s.store):
		return errors.New("WithStore(nil): pass a store, or leave the option out for flowers in memory")
	case s.hasStore && s.hasFlowers:
		return errors.New("WithStore and WithFlowers exclude each other: put the flowers into the store")
	case s.hasWait && !s.hasStore:
		return errors.New("WithStoreTimeout has no effect without WithStore: leave it out")
	case s.wait <= 0:
		return fmt.Errorf("store timeout %s: write a time above 0", s.wait)
	case s.hasPages && (s.pageLimit < 1 || s.pageLimit > maxPage):
		return fmt.Errorf("page size %d: write 1 to %d", s.pageLimit, maxPage)
	}
	return errors.Join(s.shared.Check(), nilvalue.CheckOptional("WithViewer", s.viewer))
}
