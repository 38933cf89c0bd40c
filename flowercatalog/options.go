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

// WithBasePath sets the path below which the app is reached, such as "/shop" for /shop/flowers. See
// flowercafe.WithBasePath for its form.
func WithBasePath(path string) Option { return sharedOption{appoptions.BasePath(path)} }

// WithProxyPrefix sets the prefix that a proxy removes from the paths of requests. See
// flowercafe.WithProxyPrefix for its form.
func WithProxyPrefix(path string) Option { return sharedOption{appoptions.ProxyPrefix(path)} }

// WithAllowedOrigins sets the origins whose pages may load the description, such as
// "https://docs.example.com". Letter case does not matter. The default, or "*",
// is all origins. New returns an error for an empty list, for "null", and for anything but a
// scheme and a host, optionally with a port.
func WithAllowedOrigins(origins ...string) Option {
	return option(func(s *settings) { s.restricted, s.origins = true, origins })
}

// WithCORSOnFlowers lets pages of the allowed origins also read /flowers and /flowers/{slug}, so
// that a viewer on another origin can call them. This includes your own routes at these paths, but
// no other paths. Without it, pages of other origins can read only the description.
func WithCORSOnFlowers() Option {
	return option(func(s *settings) { s.corsOnFlowers = true })
}

// WithNext sets the handler of requests that match no route of the app. If it is nil or the
// option is not used, the app sends a short 404 page.
func WithNext(next http.Handler) Option { return sharedOption{appoptions.Next(next)} }

// WithFlowers replaces the built-in flowers. Without arguments the catalog is empty. New returns an
// error for a slug that is empty or occurs twice, for text that is not UTF-8 or contains NUL, and
// for the slugs ".", ".." and those with a slash, which no URL can reach, or with more than 8,183
// bytes, since many proxies limit the request line to 8 KiB.
func WithFlowers(flowers ...Flower) Option {
	return option(func(s *settings) { s.flowers, s.hasFlowers = flowers, true })
}

// WithStore sets the store of the flowers. The default is a [Memory]. If New returns no error, the
// App owns the store, and [App.Close] closes it. New returns an error for nil and together with
// [WithFlowers]. A search for a text of more than 8,192 characters is a 400.
func WithStore(store Store) Option {
	return option(func(s *settings) { s.store, s.hasStore = store, true })
}

// WithAcquireTimeout sets how long a request waits for the store, 5 seconds by default: for the
// result of a call, or for each flower of a list. Then the response is a 503 with Retry-After; if
// part of a list was sent, the connection is closed. New returns an error for a limit of 0 or less,
// and without [WithStore].
func WithAcquireTimeout(wait time.Duration) Option {
	return option(func(s *settings) { s.wait, s.hasWait = wait, true })
}

// WithPageSize divides /flowers/ into pages of at most limit flowers. If there are more, the
// response has a Link to the next page (RFC 8288, relation "next"). Clients may set two query
// parameters: limit, for smaller pages, and after, the slug of the flower before the page. An
// invalid one is a 400. By default all flowers are in one response. New returns an error for a
// limit below 1 or above 1,000,000, because a page is collected in memory before it is sent.
func WithPageSize(limit int) Option {
	return option(func(s *settings) { s.pageLimit, s.hasPages = limit, true })
}

// WithCORS sets what cross-origin requests may do besides reading, for the description and with
// [WithCORSOnFlowers] for the flowers: methods, headers, credentials and the other options of
// package github.com/rs/cors. Zero fields have defaults: GET and HEAD, any header, the exposed
// header ETag, and a Max-Age of 10 minutes for preflight responses. ETag, and Link with
// [WithPageSize], are always exposed. New returns an error for options that set origins, which
// [WithAllowedOrigins] does, and for AllowCredentials if all origins are allowed.
func WithCORS(options cors.Options) Option {
	return option(func(s *settings) { s.cors = options })
}

// WithInfo sets the title, the version and the other facts about the API in the description. The
// default is [DefaultInfo]. New returns an error for an empty title or version. Its Extensions are
// in all formats but spec.json, whose members are fixed.
func WithInfo(info apidoc.Info) Option {
	return option(func(s *settings) { s.info = info })
}

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

// WithViewer mounts a page for the description at /api-docs/ui/, such as viewer.New of package
// apidoc/viewer, and redirects /api-docs to it. The prefix /api-docs/ui is removed from the paths
// that the viewer sees. By default, or if it is nil, there is no page.
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
		return errors.New("WithAcquireTimeout has no effect without WithStore: leave it out")
	case s.wait <= 0:
		return fmt.Errorf("acquire timeout %s: write a time above 0", s.wait)
	case s.hasPages && (s.pageLimit < 1 || s.pageLimit > maxPage):
		return fmt.Errorf("page size %d: write 1 to %d", s.pageLimit, maxPage)
	}
	return errors.Join(s.shared.Check(), nilvalue.CheckOptional("WithViewer", s.viewer))
}
