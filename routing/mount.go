package routing

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file mounts handlers and apps below a prefix.

// mount is the definition of a mount: an app or another handler below a prefix of an app.
type mount struct {
	http.Handler      // the mounted handler; not called for an app
	app          *App // nil for another handler
	prefix       *pattern.Prefix
	route        *Route // of the outer app
}

// Mount serves prefix and everything below with handler, for every method. It panics if the prefix
// is invalid or handler is this or an outer app. The package comment has the rules.
func (s *scope) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	s.mustApp()
	at := s.prefix
	if prefix = strings.TrimSuffix(prefix, "/*"); prefix != "" {
		at = s.within("mount", prefix, s.shared.with(options))
	}
	return s.mountAt(at, handler, options)
}

// mountAt serves everything at prefix and below with handler.
func (s *scope) mountAt(prefix *pattern.Prefix, handler http.Handler, options []RouteOption) *Route {
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: mount %q: pass a handler, not nil", prefix))
	}
	s.app.mustMatchAlike(fmt.Sprintf("mount %q", prefix), handler)
	inner, isApp := appOf(handler)
	m := &mount{Handler: handler, prefix: prefix}
	m.route = &Route{action: Handler(m)}
	in := scope{s.app, prefix, s.shared}
	options = append(slices.Clip(options), routeOption(func(s *routeSettings) {
		s.handler = handler
		if isApp {
			s.mount = m
		}
	}))
	if !isApp {
		if s.app.isBehind(handler) {
			panic(fmt.Sprintf("routing: mount %q: %s", prefix, loopAdvice))
		}
		m.route.action = toCleanPaths(m.route.action)
		return in.define(m.route, pattern.AnyPath, options)
	}
	m.app = inner.mustApp()
	if proxyPrefix := inner.settings.proxyPrefix; proxyPrefix != "" {
		panic(fmt.Sprintf("routing: mount %q: the app has WithProxyPrefix(%q): set it on the outermost app", prefix, proxyPrefix))
	}
	in.complete(m.route, pattern.AnyPath, options)
	// Add the mount before the check: if two goroutines mount two apps in each other, at least one
	// must see the loop.
	inner.change(func(d *definitions) { d.mounts = append(slices.Clip(d.mounts), m) })
	if s.app.isBehind(inner) {
		inner.change(func(d *definitions) {
			d.mounts = slices.DeleteFunc(slices.Clone(d.mounts), func(other *mount) bool { return other == m })
		})
		panic(fmt.Sprintf("routing: mount %q: %s", prefix, loopAdvice))
	}
	return s.app.add(m.route)
}

// mustMatchAlike panics if handler is an app with an option by which its routes match paths that
// the filters of a do not match.
func (a *App) mustMatchAlike(what string, handler http.Handler) {
	p := mountPointIn(handler)
	if p == nil || p.app == nil {
		return
	}
	outer, inner, missing := a.settings, p.app.settings, ""
	switch {
	case inner.loose && !outer.loose:
		missing = "WithLooseSlashes"
	case inner.optionalSlash && !outer.optionalSlash && !outer.loose:
		missing = "WithOptionalSlash"
	case inner.format && !outer.format:
		missing = "WithFormatSuffix"
	default:
		return
	}
	panic(fmt.Sprintf("routing: %s: only the inner app has %s: give it to the outer app too, so that its filters match the same paths", what, missing))
}

// mountPointIn returns the mount point of an app, or of [App.Middleware]. It returns nil for other
// handlers.
func mountPointIn(handler http.Handler) *mountPoint {
	if app, ok := appOf(handler); ok && app != nil {
		return &app.direct
	}
	if f, ok := handler.(*inFront); ok {
		return &f.mountPoint
	}
	return nil
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
		sent := cmp.Or(c.urlPath(), "/")
		clean := cleanPath(sent)
		if sent == clean {
			return action(c)
		}
		prefix := url.URL{Path: c.prepared.mountPoint.proxyPrefix}
		location := url.URL{
			Path: prefix.Path + clean, RawPath: prefix.EscapedPath() + cleanPath(c.r.URL.EscapedPath()), // keeps encoded slashes
			RawQuery: c.r.URL.RawQuery,
		}
		return Result{}, redirect(http.StatusTemporaryRedirect, location.String())
	}
}

const loopAdvice = "the handler calls this app or an outer app, so requests would loop: use another handler, or remove its WithNext or Mount"

// isBehind reports whether handler may pass requests to a or to an app in which a is mounted: it is
// one of these apps, or an app with such a handler as its next handler, in a mount or in a route.
func (a *App) isBehind(handler http.Handler) bool {
	seen := make(map[*mountPoint]bool)
	var behind func(http.Handler) bool
	behind = func(handler http.Handler) bool {
		p := mountPointIn(handler)
		if p == nil || p.app == nil || seen[p] {
			return false
		}
		seen[p] = true
		return slices.Contains(a.withOuter(), p.app) || behind(p.next) ||
			slices.ContainsFunc(p.app.definitions.Load().routes, func(r *Route) bool { return behind(r.handler) })
	}
	return behind(handler)
}

// Mounted returns the app that [App.Mount] mounted at this route, or nil.
func (r *Route) Mounted() *App {
	if r.mount == nil {
		return nil
	}
	return r.mount.app
}

// withOuter returns the app and the apps in which it is mounted, directly or through other apps.
func (a *App) withOuter() []*App {
	apps := []*App{a}
	for i := 0; i < len(apps); i++ {
		for _, m := range apps[i].mounts() {
			if outer := m.route.app; !slices.Contains(apps, outer) { // another goroutine may be defining a loop
				apps = append(apps, outer)
			}
		}
	}
	return apps
}

// hasPrefixParam reports whether the prefix of a mount of the app, or of an outer mount, has the
// parameter name.
func (a *App) hasPrefixParam(name string) bool {
	hasName := func(m *mount) bool { return slices.Contains(m.route.Pattern().Names(), name) }
	return slices.ContainsFunc(a.withOuter(), func(a *App) bool { return slices.ContainsFunc(a.mounts(), hasName) })
}
