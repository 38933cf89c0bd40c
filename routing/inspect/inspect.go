package inspect

import (
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"example.com/flowercafe/internal/page"
	"example.com/flowercafe/routing"
)

var (
	//go:embed page.html
	html string
	//go:embed page.css
	style string
)

// Inspector is the page as an [http.Handler], for GET and HEAD. It is immutable and safe for
// concurrent use. Each request shows the current definitions. It can be served at any path, since
// its links and forms are relative.
type Inspector struct {
	apps   []*routing.App
	page   *page.Page
	access func(*http.Request) bool
}

// Option configures an [Inspector]. If an option is given twice, the last one counts.
type Option interface {
	apply(*Inspector)
}

type option func(*Inspector)

func (o option) apply(i *Inspector) { o(i) }

// WithAccess sets which requests may see the page: those for which allow returns true. All others
// get a 403. The function must be safe for concurrent use.
//
// The default, also for nil, allows requests that come directly from the same machine: from a
// loopback address, with a host name of such an address, and without the headers of a proxy
// (Forwarded, X-Forwarded-For, X-Real-Ip).
func WithAccess(allow func(*http.Request) bool) Option {
	return option(func(i *Inspector) {
		if i.access = allow; allow == nil {
			i.access = fromHere
		}
	})
}

// New returns the page for apps and the apps mounted in them. A nil app panics.
func New(apps ...*routing.App) *Inspector {
	for n, app := range apps {
		if app == nil {
			panic(fmt.Sprintf("inspect: app %d: pass an app, not nil", n+1))
		}
	}
	p, err := page.New(html, style, "")
	if err != nil {
		panic("inspect: " + err.Error()) // the page is embedded
	}
	return &Inspector{apps: append([]*routing.App(nil), apps...), page: p, access: fromHere}
}

// With returns a copy with the given options. A nil option panics.
func (i *Inspector) With(options ...Option) *Inspector {
	changed := *i
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("inspect: option %d is nil: leave it out", i))
		}
		o.apply(&changed)
	}
	return &changed
}

// ServeHTTP serves the page. The query parameter q is a search text; method and url are the
// request to explain.
func (i *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Robots-Tag", "noindex")
	switch {
	case !i.access(r):
		http.Error(w, "This page is for developers, on the machine itself.", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
	default:
		if err := i.page.Serve(w, r, newView(i.apps, r)); err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	}
}

// fromHere reports whether a request comes directly from the same machine. It checks the host name
// too, since any name can be made to resolve to a loopback address (DNS rebinding).
func fromHere(r *http.Request) bool {
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		if len(r.Header[name]) > 0 {
			return false
		}
	}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && remote.Addr().Unmap().IsLoopback() && isLoopbackHost(r.Host)
}

func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
