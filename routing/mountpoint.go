package routing

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/response"
)

// Mount points form trees: the parent of a mount point belongs to the outer app.

// mountPoint is an entry point of an app: for direct requests, for [App.Middleware], or for a
// mount. Its settings are immutable. Each mount point has an index of the app's definitions,
// because the names of routes contain the base path.
type mountPoint struct {
	response.Sender
	app       *App
	parent    *mountPoint // of the outer app; nil without an outer app
	route     *Route      // the outer app's route that mounts this app
	settings              // of the app, with the outer apps' settings
	nextIsApp bool        // the next handler is an app, or an app in front of a handler
	base      string      // with the prefixes of mounts, which may be patterns
	varies    bool        // base has parameters
	params    []string    // their names

	index         atomic.Pointer[index] // may be of earlier definitions
	mu            sync.Mutex            // for building the index
	warnedOutside atomic.Bool           // a request outside of the base path was logged

	mounted sync.Map // the mount points of mounted apps: *mountPoint by *mount
}

// init makes p the mount point of an app. Outer and route are nil, or the outer app's mount point
// and its route that mounts the app.
func (p *mountPoint) init(a *App, next http.Handler, outer *mountPoint, route *Route) {
	p.app, p.parent, p.route, p.settings = a, outer, route, a.settings
	p.next, p.nextIsApp = next, mountPointIn(next) != nil
	if outer != nil {
		p.base, p.varies, p.params = outer.base, outer.varies, slices.Clip(outer.params)
		p.addPrefix(route.mount.prefix)
		p.loose, p.optionalSlash = outer.loose, outer.optionalSlash
		p.proxyPrefix = outer.proxyPrefix
		p.problems = p.problems || outer.problems
		p.answers405 = p.answers405 || outer.answers405
		p.logger = cmp.Or(p.logger, outer.logger)
	}
	p.base += p.ownBase
	p.Sender = response.Sender{Problems: p.problems, Log: p}
}

// mountPointOf returns the mount point of the app that r mounts below p. All indexes of p share it,
// so that a new route of one app does not rebuild the indexes of other apps.
func (p *mountPoint) mountPointOf(r *Route) *mountPoint {
	m := r.mount
	if known, ok := p.mounted.Load(m); ok {
		return known.(*mountPoint)
	}
	inner := new(mountPoint)
	inner.init(m.app, m.app.settings.next, p, r)
	known, _ := p.mounted.LoadOrStore(m, inner)
	return known.(*mountPoint)
}

// addPrefix adds the prefix of a mount to the base path.
func (p *mountPoint) addPrefix(prefix *pattern.Prefix) {
	path, isStatic := prefix.Static()
	if !isStatic {
		path, p.varies, p.params = prefix.String(), true, append(p.params, prefix.Names()...)
	}
	p.base += path
}

// cutBase returns the part of a URL's path that patterns match, or false if the path is not below
// the base path.
func (p *mountPoint) cutBase(path string) (rest string, inside bool) {
	return p.cutPrefixes(p.tidy(path), nil)
}

// cutBaseAfter is cutBase for a request that may come from an outer app. Then it begins with the
// path that the outer app has cut: nested mounts would otherwise take quadratic time.
func (p *mountPoint) cutBaseAfter(path string, outer *outerCall) (_ string, inside bool) {
	if p.varies && outer != nil && outer.urlPath == path {
		return p.cutOwnPrefix(outer.path, nil)
	}
	return p.cutBase(path)
}

// cutPrefixes is cutBase for a path without the slashes that apps ignore. It calls f for each
// prefix, outermost first, with its variant, the path that begins with the prefix, and the prefix's
// length.
func (p *mountPoint) cutPrefixes(path string, f func(v *variant, path string, end int)) (_ string, inside bool) {
	if !p.varies {
		rest, inside := basepath.Cut(path, p.base)
		if inside && f != nil {
			f(nil, path, min(len(p.base), len(path)))
		}
		return rest, inside
	}
	inside = true
	if p.parent != nil {
		path, inside = p.parent.cutPrefixes(path, f)
	}
	if inside {
		path, inside = p.cutOwnPrefix(path, f)
	}
	return path, inside
}

// cutOwnPrefix is the part of cutPrefixes for this app alone. The path is the one that the outer
// app's patterns match; cutOwnPrefix removes the prefix of the mount and the app's own base path
// from it.
func (p *mountPoint) cutOwnPrefix(path string, f func(v *variant, path string, end int)) (_ string, inside bool) {
	inside = p.parent == nil || cutPrefix(p.route.mount.prefix, &path, f)
	if inside {
		own, sent := p.ownBase, path
		if path, inside = basepath.Cut(sent, own); inside && f != nil {
			f(nil, sent, min(len(own), len(sent)))
		}
	}
	return path, inside
}

// cutPrefix removes a prefix from a path. It reports whether the path begins with the prefix.
func cutPrefix(prefix *pattern.Prefix, path *string, f func(v *variant, path string, end int)) bool {
	if prefix == nil {
		return *path != ""
	}
	v, end := prefix.Find(*path)
	if v == nil {
		return false
	}
	if f != nil {
		f(v, *path, end)
	}
	*path = cmp.Or((*path)[end:], "/")
	return true
}

// tidy removes the slashes that the outermost app ignores. The request keeps its URL: handlers and
// logs see it as the client sent it. Of two slashes at the end, [WithOptionalSlash] removes none:
// otherwise "/admin//" would run the route "/" of a group "/admin" past a filter on "/admin".
func (p *mountPoint) tidy(path string) string {
	switch {
	case p.loose:
		return pattern.Tidy(path)
	case p.optionalSlash && len(path) > 1 && !strings.HasSuffix(path, "//"):
		return strings.TrimSuffix(path, "/")
	}
	return path
}

// warnOutside logs the first request outside of the base path. It logs once, since a wrong base
// path usually affects every request.
func (p *mountPoint) warnOutside(path string) {
	if p.base != "" && !p.warnedOutside.Swap(true) {
		cmp.Or(p.logger, slog.Default()).Warn("a request is outside of the base path: if http.StripPrefix or a proxy removes the prefix, leave out WithBasePath; this is logged once",
			"path", path, "base path", p.base)
	}
}

// warnAbove logs the first request without a route that a ServeMux has passed on with a prefix that
// no route has. It logs once, since a missing base path usually affects every request.
func (ix *index) warnAbove(urlPath, muxPattern string) {
	_, path, _ := strings.Cut(muxPattern, "/") // behind a method and a host
	path = "/" + path
	isBelow := func(text string) bool { return strings.HasPrefix(text, path) }
	if muxPattern == "" || path == "/" || ix.base != "" || ix.parent != nil || !strings.HasSuffix(path, "/") || !isBelow(urlPath) ||
		ix.warnedOutside.Swap(true) || // first, since the routes may be many
		slices.ContainsFunc(ix.order, func(r *Route) bool { return isBelow(r.Pattern().String()) }) {
		return
	}
	cmp.Or(ix.logger, slog.Default()).Warn("no route has the prefix with which a ServeMux passes on requests: add WithBasePath, or use http.StripPrefix; this is logged once",
		"path", urlPath, "prefix", path)
}

// baseOf returns the base path in the path of a URL, with the prefixes of mounts.
func (p *mountPoint) baseOf(path string) string {
	if !p.varies {
		return p.base
	}
	var base strings.Builder
	p.cutPrefixes(p.tidy(path), func(_ *variant, path string, end int) { base.WriteString(path[:end]) })
	return base.String()
}

// captures calls f with the parameters of prefixes, outermost first.
func (p *mountPoint) captures(path string, f func(key, value string)) {
	if !p.varies {
		return
	}
	p.cutPrefixes(p.tidy(path), func(v *variant, path string, _ int) {
		for key, value := range v.All(path) {
			f(key, value)
		}
	})
}
