package flowercatalog

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc"
)

// Option sets up an [App]. If an option is given twice, the last one counts.
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// settings is what options set.
type settings struct {
	base       string
	flowers    []Flower
	hasFlowers bool
	store      Store
	hasStore   bool
	wait       time.Duration
	hasWait    bool
	pageLimit  int
	hasPages   bool
	info       apidoc.Info
	next       http.Handler
	logger     *slog.Logger
	viewer     http.Handler
	restricted bool
	origins    []string
	openRoutes bool

	tellMethods bool
}

// WithBasePath sets the path below which the app is reached, such as "/shop". The default, also for
// "" and "/", is none. A slash at the end is ignored. New returns an error for a path that does
// not start with a slash, has a query or fragment, or has segments that are empty, "." or "..".
func WithBasePath(path string) Option {
	return option(func(s *settings) { s.base = path })
}

// WithAllowedOrigins restricts cross-origin requests to pages of these origins, such as
// "https://docs.example.com". Letter case does not matter. The default, also for the single origin
// "*", is all origins. New returns an error for an empty list, for "null", and for anything but a
// scheme and a host, optionally with a port.
func WithAllowedOrigins(origins ...string) Option {
	return option(func(s *settings) { s.restricted, s.origins = true, origins })
}

// WithOpenRoutes lets pages of the same origins read /flowers and /flowers/{slug}, too, so that a
// viewer on another origin can try the catalog out. This includes routes of the host for these
// paths; other routes of the host stay closed. Without it only the description is open.
func WithOpenRoutes() Option {
	return option(func(s *settings) { s.openRoutes = true })
}

// WithNext sets the handler of requests that match no route of the app. With nil, the default, they
// get a short 404 page.
func WithNext(next http.Handler) Option {
	return option(func(s *settings) { s.next = next })
}

// WithFlowers replaces the built-in flowers. Without arguments the catalog is empty. New returns an
// error for a slug that is empty or occurs twice, for one that no URL reaches ("." and "..", with a
// slash, longer than 8 KiB), and for text that is not UTF-8 or contains NUL.
func WithFlowers(flowers ...Flower) Option {
	return option(func(s *settings) { s.flowers, s.hasFlowers = flowers, true })
}

// WithStore sets where the flowers are kept, instead of a [Memory] of the App's own. Once New has
// returned without an error, the App owns the store and closes it. New returns an error for nil,
// for a store that does not respond to a ping within the wait limit, and together with
// [WithFlowers].
func WithStore(store Store) Option {
	return option(func(s *settings) { s.store, s.hasStore = store, true })
}

// WithWaitLimit sets how long a request waits for each call of the store, 5 seconds by default.
// Then the response is 503 with Retry-After. A list that has begun is broken off, and its
// connection closed. New returns an error for a time that is not positive, and without [WithStore].
func WithWaitLimit(wait time.Duration) Option {
	return option(func(s *settings) { s.wait, s.hasWait = wait, true })
}

// WithPages makes /flowers/ respond with at most limit flowers, and with a Link to the next page if
// there are more (RFC 8288, relation "next"). The query parameter limit asks for fewer flowers,
// after for those behind the flower with that slug. Both are described. An invalid parameter is a
// 400. By default all flowers are in one response. New returns an error for a limit below 1 or
// above 1,000,000, because a page is collected in memory before it is sent.
func WithPages(limit int) Option {
	return option(func(s *settings) { s.pageLimit, s.hasPages = limit, true })
}

// WithInfo sets what the description says about the API. New returns an error for an empty title or
// version.
func WithInfo(info apidoc.Info) Option {
	return option(func(s *settings) { s.info = info })
}

// WithMethodNotAllowed makes the app respond with 405 and Allow, instead of 404, where a path
// exists under other methods only, and to OPTIONS with 204 and Allow. With [WithNext], the next
// handler gets these requests as before. Off by default.
func WithMethodNotAllowed() Option {
	return option(func(s *settings) { s.tellMethods = true })
}

// WithLogger sets where errors are logged. The default, also for nil, is [slog.Default] at the time
// of logging.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *settings) { s.logger = logger })
}

// WithViewer mounts a page for the description at /api-docs/ui/, such as that of package
// apidoc/viewer, and redirects /api-docs to it. The viewer sees paths without /api-docs/ui. With
// nil, the default, there is no page.
func WithViewer(viewer http.Handler) Option {
	return option(func(s *settings) { s.viewer = viewer })
}

const mostInPage = 1_000_000

// check returns an error if the settings are invalid.
func (s *settings) check() error {
	switch {
	case s.hasStore && s.store == nil:
		return errors.New("WithStore(nil): pass a store, or leave the option out for flowers in memory")
	case s.hasStore && s.hasFlowers:
		return errors.New("WithStore beside WithFlowers: put the flowers into the store")
	case s.hasWait && !s.hasStore:
		return errors.New("WithWaitLimit without WithStore: flowers in memory are not waited for: leave it out")
	case s.wait <= 0:
		return fmt.Errorf("wait limit %s: write a time above 0", s.wait)
	case s.hasPages && (s.pageLimit < 1 || s.pageLimit > mostInPage):
		return fmt.Errorf("pages of %d flowers: write a limit of 1 to %d", s.pageLimit, mostInPage)
	}
	return nil
}
