package reliability_test

import (
	"cmp"
	"context"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// Filters can't be bypassed. For all input on a connection, the filter on /admin/* runs for
// exactly the paths below /admin/, and no route below /admin runs without it. Strict mode accepts
// no path that could be read in two ways.

// A trail records what ran for a request.
type trail struct {
	filtered bool
	ran      []string // the routes below /admin, in order
	other    bool     // the route for everything
	status   int
}

type trailKey struct{}

// gated returns an app whose filters and routes record trails. All routes for a path run, since
// each passes.
func gated(options ...routing.Option) *routing.App {
	app := routing.New(append(options, discarding())...)
	of := func(c routing.Context) *trail { return c.Request().Context().Value(trailKey{}).(*trail) }
	app.Before(func(c routing.Context) error {
		of(c).filtered = true
		return nil
	}, routing.On("/admin/*"))
	app.Route("", routing.Must(routing.Sinatra("*")), func(c routing.Context) (routing.Result, error) {
		of(c).other = true
		return routing.Text("other"), nil
	})
	note := func(name string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			of(c).ran = append(of(c).ran, name)
			return routing.Result{}, routing.Pass
		}
	}
	for name, pattern := range map[string]routing.Pattern{
		"Sinatra":         routing.Must(routing.Sinatra("/admin/:x")),
		"Sinatra splat":   routing.Must(routing.Sinatra("/admin/*")),
		"Sinatra text":    routing.Must(routing.Sinatra("/admin/secret")),
		"Rails":           routing.Must(routing.Rails("/admin/:x(.:format)")),
		"Rails splat":     routing.Must(routing.Rails("/admin/*rest")),
		"regexp":          routing.Regexp(regexp.MustCompile(`^/admin/([^/?#]+)$`)),
		"regexp, greedy":  routing.Regexp(regexp.MustCompile(`(?s)\A/admin/(.*)\z`)),
		"regexp by lines": routing.Regexp(regexp.MustCompile(`\A/admin/(?m:.*)$`)),
	} {
		app.Route("", pattern, note(name))
	}
	app.Route("", routing.Pattern{}, note("condition"), routing.When(func(r *http.Request) bool {
		return strings.HasPrefix(strings.TrimPrefix(r.URL.Path, "/site"), "/admin/")
	}))
	return app
}

// A statusWriter records the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// watch checks the trail of each request that reaches app, which is below base.
func watch(t *testing.T, base string, strict bool, app http.Handler) (handler http.Handler, reached *reachedCount) {
	reached = new(reachedCount)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		trail := new(trail)
		status := &statusWriter{w, http.StatusOK}
		app.ServeHTTP(status, r.WithContext(context.WithValue(r.Context(), trailKey{}, trail)))
		trail.status = status.status
		path, inside := strings.CutPrefix(r.URL.Path, base)
		if path == "" {
			path = "/"
		}
		inside = inside && (base == "" || path[0] == '/')
		admin := inside && strings.HasPrefix(path, "/admin/")
		refused := r.URL.Opaque != "" || strict && ambiguous(r.URL.EscapedPath(), cmp.Or(r.URL.Path, "/")) // also outside of the base path
		reached.requests.Add(1)
		if admin {
			reached.admin.Add(1)
		}
		if refused {
			reached.refused.Add(1)
		}
		if len(trail.ran) > 0 && !trail.filtered {
			t.Errorf("%s %q (%q): %q ran without the filter", r.Method, r.RequestURI, r.URL.Path, trail.ran)
		}
		if want := admin && !refused; trail.filtered != want || slices.Contains(trail.ran, "condition") != want || slices.Contains(trail.ran, "Sinatra splat") != want {
			t.Errorf("%s %q (%q): the filter ran: %v, and %q; want them to run: %v", r.Method, r.RequestURI, r.URL.Path, trail.filtered, trail.ran, want)
		}
		wantStatus := http.StatusOK
		switch {
		case refused:
			wantStatus = http.StatusBadRequest
		case !inside:
			wantStatus = http.StatusNotFound
		}
		if trail.status != wantStatus || trail.other != (wantStatus == http.StatusOK) {
			t.Errorf("%s %q (%q): got status %d, the route for everything ran: %v; want %d", r.Method, r.RequestURI, r.URL.Path, trail.status, trail.other, wantStatus)
		}
	}), reached
}

// reachedCount returns the number of requests that reached the app.
type reachedCount struct{ requests, admin, refused atomic.Int64 }

var (
	encodedTwice  = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	encodedInVain = regexp.MustCompile(`%(2[DEde]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])`) // RFC 3986, 2.3
)

// ambiguous reports whether a path can be read in two ways: if cleaning, decoding, truncating or
// not decoding it gives another path.
func ambiguous(escaped, decoded string) bool {
	clean := path.Clean(decoded)
	if strings.HasSuffix(decoded, "/") && clean != "/" {
		clean += "/"
	}
	return clean != decoded || decoded[0] != '/' || strings.Contains(strings.ToUpper(escaped), "%2F") || !utf8.ValidString(decoded) ||
		strings.ContainsAny(decoded, `\;`) || encodedTwice.MatchString(decoded) || encodedInVain.MatchString(escaped) ||
		strings.ContainsFunc(decoded, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Requests with unusual request lines.
var oddRequests = []string{
	"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n",
	"CONNECT /admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"POST /admin/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
	"ADMIN /admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"get /admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET /admin/x?/../y HTTP/1.0\r\n\r\n",
	"GET https://localhost/admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET http://localhost/%2e%2e/admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET //localhost/admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET mailto:/admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET ?/admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET /x HTTP/1.1\r\nHost: localhost\r\nX-Original-URL: /admin/x\r\nX-Rewrite-URL: /admin/x\r\n\r\n",
}

func TestFiltersCannotBeBypassed(t *testing.T) {
	targets := make([]string, 0, len(spellings))
	for _, s := range spellings {
		targets = append(targets, s.target)
	}
	t.Run("own", func(t *testing.T) { tryWays(t, targets) })
	t.Run("public", func(t *testing.T) {
		payloads := inputLines(t, append([]string{"crlfinjection.txt"}, traversals...)...)
		payloads = append(payloads, naughtyStrings(t)...)
		var public []string
		for _, p := range payloads {
			p = strings.TrimPrefix(strings.ReplaceAll(p, "{FILE}", "admin/secret"), "/")
			public = append(public, "/"+p, "/admin/"+p)
		}
		t.Logf("%d targets of %d payloads", len(public), len(payloads))
		tryWays(t, public)
	})
}

func tryWays(t *testing.T, targets []string) {
	for _, strict := range []bool{false, true} {
		name, in := "plain", func(app http.Handler) http.Handler { return app }
		if strict {
			name, in = "strict", respond.StrictPaths
		}
		t.Run("HTTP 1, "+name, func(t *testing.T) {
			t.Parallel()
			direct, reached := watch(t, "", strict, in(gated()))
			based, reachedBased := watch(t, "/site", strict, in(gated(routing.WithBasePath("/site"))))
			w, below := wireTo(t, direct), wireTo(t, based)
			for _, request := range oddRequests {
				w.ask(request)
				below.ask(request)
			}
			for _, target := range targets {
				target = inTarget(target)
				w.get(target)
				if target[0] == '/' {
					target = "/site" + target
				}
				below.get(target)
			}
			reached.assert(t, strict, len(targets))
			reachedBased.assert(t, strict, len(targets))
		})
		t.Run("HTTP 2, "+name, func(t *testing.T) {
			t.Parallel()
			handler, reached := watch(t, "", strict, in(gated()))
			f := framesTo(t, handler)
			served := 0
			for _, target := range targets {
				// As it is, even if no client would send it, and encoded.
				for _, path := range slices.Compact([]string{target, inTarget(target)}) {
					if f.get(path) {
						served++
					}
				}
			}
			t.Logf("%d requests served", served)
			reached.assert(t, strict, len(targets))
		})
	}
}

// assert checks that requests reached the app.
func (n *reachedCount) assert(t *testing.T, strict bool, targets int) {
	t.Helper()
	t.Logf("%d requests reached the app, %d of them below /admin; %d were ambiguous", n.requests.Load(), n.admin.Load(), n.refused.Load())
	if n.requests.Load() < int64(targets)/2 || n.admin.Load() < int64(targets)/4 || strict && n.refused.Load() < int64(targets)/4 {
		t.Errorf("of %d targets too few have reached the app", targets)
	}
}
