package routing

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file mounts handlers and apps below a prefix.

// Mount serves everything at prefix and below with handler, for every method. A mount is a route:
// the app's filters run, and routes defined later are tried first. The handler receives the
// complete URL, since the prefix is removed for matching only. A mounted [App], or the App of an
// apidoc.API, matches its patterns below the prefix and its own base path. Wrap other handlers in
// [http.StripPrefix] if they expect a shorter path.
//
// The handler responds to every request that it receives: if no route of a mounted App matches, the
// response is a 404, even if another route of the outer app matches. For apps in layers at one
// prefix, mount plugin.Middleware(core).
//
// A handler other than an App receives only clean paths: "/files//a" and "/files/x/../a" are
// redirected to "/files/a" with status 307, as by [http.ServeMux], so that filters match the path
// that a file server serves. To receive all paths, for example in a proxy, write Handle(Any,
// prefix+"/*", handler).
//
// The prefix is as for [App.Group], such as "/users/:user". A slash or "/*" at its end is ignored;
// an empty prefix matches every path.
//
// Routes of the mounted App have the parameters of the prefix too; handlers read them with
// [http.Request.PathValue]. If a filter checks a parameter of the prefix, use a unique name for it:
// in a route of the App whose pattern has the same name, the value of the pattern takes precedence.
//
// The mounted App's options do not apply to the filters of this app. If only the mounted App
// ignores slashes or adds formats, "/shop//admin" and "/shop/admin.json" do not match a filter of
// this app for "/shop/admin": add the filter to the mounted App, or to a group with the prefix of
// the mount.
//
// Mount panics for a nil handler, for an invalid prefix, and for a handler that would loop: the app
// itself, an outer app, or an app whose next handler is one of them.
func (s *scope) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	m := &mount{prefix: s.prefix}
	s.mustApp()
	if prefix = strings.TrimSuffix(prefix, "/*"); prefix != "" {
		m.prefix = s.within("mount", prefix, s.shared.with(options))
	}
	return s.mountAt(m, handler, options)
}

// mountAt serves everything at m's prefix and below with handler.
func (s *scope) mountAt(m *mount, handler http.Handler, options []RouteOption) *Route {
	in := scope{s.app, m.prefix, s.shared}
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: mount %q: pass a handler, not nil", m.prefix))
	}
	if _, isApp := appOf(handler); !isApp && s.app.isBehind(handler) {
		panic(fmt.Sprintf("routing: mount %q: %s", m.prefix, errLoop))
	}
	m.Handler = handler
	inner, isApp := appOf(handler)
	m.route = &Route{action: Handler(m)}
	if !isApp {
		m.route.action = toCleanPaths(m.route.action)
		return in.define(m.route, pattern.Rest, options)
	}
	m.app, m.Handler = inner.mustApp(), inner
	if prefix := inner.settings.proxyPrefix; prefix != "" {
		panic(fmt.Sprintf("routing: mount %q: the app has WithProxyPrefix(%q): give it to the outermost app", m.prefix, prefix))
	}
	mark := routeOption(func(s *routeSettings) { s.mount = m })
	in.complete(m.route, pattern.Rest, append(slices.Clip(options), mark))
	// Add the mount before the check: if two goroutines mount two apps in each other, at least one
	// must see the loop.
	inner.change(func(d *definitions) { d.mounts = append(slices.Clip(d.mounts), m) })
	if problem := m.loop(); problem != "" {
		inner.change(func(d *definitions) {
			d.mounts = slices.DeleteFunc(slices.Clone(d.mounts), func(other *mount) bool { return other == m })
		})
		panic(fmt.Sprintf("routing: mount %q: %s", m.prefix, problem))
	}
	return s.app.add(m.route)
}

// cleanPath is path.Clean, but keeps a slash at the end.
func cleanPath(sent string) string {
	clean := path.Clean(sent)
	if strings.HasSuffix(sent, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// toCleanPaths returns an action that redirects to clean paths as [http.ServeMux] does. A file
// server cleans paths itself, so filters for its directories would not match all paths that it
// serves.
func toCleanPaths(action Action) Action {
	return func(c Context) (Result, error) {
		// The path without the slashes that the app's filters ignore too.
		if matched := c.path(); matched == cleanPath(matched) || !strings.HasPrefix(matched, "/") || c.r.Method == http.MethodConnect {
			return action(c)
		}
		location := url.URL{Path: c.orEmpty().site.at.proxyPrefix + cleanPath(c.urlPath()), RawQuery: c.r.URL.RawQuery}
		return Result{}, redirect(http.StatusTemporaryRedirect, location.String())
	}
}

// loop returns why requests would loop, or "".
func (m *mount) loop() string {
	around := m.route.app
	if around.isWithin(m.app) {
		return "the app would be mounted in itself: mount another app"
	}
	for _, below := range m.app.withMounted() {
		if around.isBehind(below.settings.next) {
			return "an outer app is the next handler of this app, or of an app mounted in it, so requests would loop: remove WithNext"
		}
	}
	return ""
}

const errLoop = "the handler calls this app or an outer app, so requests would loop: mount another handler"

// isBehind reports whether handler, or one of its next handlers, is a or an app in which a is
// mounted.
func (a *App) isBehind(handler http.Handler) bool {
	for {
		app, ok := appOf(handler)
		if f, isFront := handler.(*inFront); isFront {
			app, handler, ok = f.app, f.next, true
		} else if ok {
			handler = app.settings.next
		}
		if !ok || a.isWithin(app) {
			return ok
		}
	}
}

// Mounted returns the app that [App.Mount] mounted at this route, or nil.
func (r *Route) Mounted() *App {
	if r.mount == nil {
		return nil
	}
	return r.mount.app
}

// IsMounted reports whether the app is mounted in another app. Only this module can call it.
func (a *App) IsMounted(private.Key) bool { return len(a.mounts()) > 0 }

// HasPrefixParam reports whether the prefix of a mount of the app, or of an outer mount, has a
// parameter. Only this module can call it.
func (a *App) HasPrefixParam(_ private.Key, name string) bool {
	seen := make(map[*App]bool) // another goroutine may be defining a loop
	var has func(a *App) bool
	has = func(a *App) bool {
		if seen[a] {
			return false
		}
		seen[a] = true
		return slices.ContainsFunc(a.mounts(), func(m *mount) bool {
			return slices.Contains(m.route.Pattern().Names(), name) || has(m.route.app)
		})
	}
	return has(a)
}

// withMounted returns a and the apps mounted in it, directly or through other apps.
func (a *App) withMounted() []*App {
	apps, known := []*App{a}, map[*App]bool{a: true}
	for i := 0; i < len(apps); i++ {
		for _, r := range apps[i].definitions.Load().routes {
			if inner := r.Mounted(); inner != nil && !known[inner] {
				apps, known[inner] = append(apps, inner), true
			}
		}
	}
	return apps
}

// isWithin reports whether a is the app around, or is mounted in it directly or through other apps.
func (a *App) isWithin(around *App) bool {
	seen := make(map[*App]bool) // another goroutine may be defining a loop
	var within func(a *App) bool
	within = func(a *App) bool {
		if a == around || seen[a] {
			return a == around
		}
		seen[a] = true
		return slices.ContainsFunc(a.mounts(), func(m *mount) bool { return within(m.route.app) })
	}
	return within(a)
}
