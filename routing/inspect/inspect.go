package inspect

import (
	"cmp"
	_ "embed"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"example.com/flowercafe/internal/page"
	"example.com/flowercafe/routing"
)

var (
	//go:embed page.html
	html string
	//go:embed page.css
	style string
)

// Inspector is the page as an [http.Handler], for GET and HEAD. It is safe for concurrent use. Each
// request shows the current definitions. It can be served at any path.
type Inspector struct {
	apps   []*routing.App
	page   *page.Page
	guard  *guard
	access func(*http.Request) bool // replaces guard; may be nil
	log    *slog.Logger             // may be nil
}

// Option configures an [Inspector]. If an option is given twice, the last one counts; [WithApps]
// accumulates.
type Option interface {
	apply(*Inspector)
}

type option func(*Inspector)

func (o option) apply(i *Inspector) { o(i) }

// WithApps shows more apps, and apps mounted in them. It panics if an app is nil.
func WithApps(apps ...*routing.App) Option {
	if slices.Contains(apps, nil) {
		panic("inspect: pass apps, not nil")
	}
	return option(func(i *Inspector) { i.apps = append(i.apps, apps...) })
}

// WithAccess sets which requests may see the page: those for which allow returns true. All others
// get a 403. The function must be safe for concurrent use. The default, or nil, is the token
// of [Inspector.URL].
func WithAccess(allow func(*http.Request) bool) Option {
	return option(func(i *Inspector) { i.access = allow })
}

// WithLogger sets the logger for the URL with the token. The default, or nil, is
// [slog.Default].
func WithLogger(logger *slog.Logger) Option {
	return option(func(i *Inspector) { i.log = logger })
}

// New returns the page for an app and the apps mounted in it, with a new token. It panics if app or
// an option is nil.
func New(app *routing.App, options ...Option) *Inspector {
	p, err := page.New(html, style, "")
	if err != nil {
		panic("inspect: " + err.Error()) // the page is embedded
	}
	i := &Inspector{page: p, guard: newGuard()}
	WithApps(app).apply(i)
	for n, o := range options {
		if o == nil {
			panic(fmt.Sprintf("inspect: option %d is nil: leave it out", n))
		}
		o.apply(i)
	}
	return i
}

// URL returns the URL to open in a browser: page, such as "http://localhost:8080/debug/routes",
// with the token. The response sets a cookie for the browser's session and redirects to the page
// without the token. Print the URL where only developers see it. If URL is never called, the
// first request without the token logs the URL.
//
// With [WithAccess] it returns page unchanged.
func (i *Inspector) URL(page string) string {
	if i.access != nil {
		return page
	}
	i.guard.announced.Do(func() {})
	return i.guard.url(page)
}

// ServeHTTP serves the page. The query parameter q is a search text; method and url are the
// request to explain.
func (i *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Robots-Tag", "noindex")
	switch {
	case !i.allows(w, r):
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
	default:
		if err := i.page.Serve(w, r, newView(i.apps, r)); err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	}
}

// allows reports whether to serve the page. Otherwise it has responded.
func (i *Inspector) allows(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case i.access == nil:
		return i.guard.admit(w, r, cmp.Or(i.log, slog.Default()))
	case !i.access(r):
		http.Error(w, "You may not see this page.", http.StatusForbidden)
		return false
	}
	return true
}
