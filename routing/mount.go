package routing

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file mounts handlers and apps below a prefix.

// Mount serves everything at prefix and below with handler, for every method. A mount is a route
// like others: the app's filters run, and later routes come first. The prefix is removed for
// matching only, and the handler sees the whole URL. A mounted [App] matches its patterns below
// the prefix and its own base path; wrap other handlers in [http.StripPrefix] if they expect a
// shorter path.
//
// Segments of the prefix may be parameters, as in "/users/:user". The routes of a mounted App have
// them as parameters too, and handlers read them with [http.Request.PathValue]. A trailing slash
// or "/*" is ignored; an empty prefix matches every path.
//
// Mount panics if the prefix does not start with a slash, has a query, has a wildcard, or has a
// parameter that is only a part of a segment. So do a nil handler and an app that would be mounted
// in itself, also through other apps.
func (d *definer) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	m, err := newMount(d.prefix, prefix)
	if err != nil {
		panic(fmt.Sprintf("routing: mount %q: %v", prefix, err))
	}
	return d.made().mountAt(m, handler, d.with(options))
}

// mountAt serves everything at m's prefix and below with handler.
func (a *App) mountAt(m *mount, handler http.Handler, options []RouteOption) *Route {
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: mount %q: pass a handler, not nil", m.prefix))
	}
	m.pattern = a.ruled(m.pattern, options) // before others see m
	inner, isApp := handler.(*App)
	if !isApp {
		m.Handler = handler
		return a.define(&Route{pattern: m.pattern, action: Handler(m)}, options)
	}
	m.app, m.in, m.Handler = inner.made(), a, inner
	inner.addMount(m) // before the check: of two apps that are mounted in each other at once, one must see it
	isDefined := false
	defer func() {
		if !isDefined {
			inner.removeMount(m)
		}
	}()
	if a.isWithin(inner) {
		panic(fmt.Sprintf("routing: mount %q: the app would be mounted in itself: mount another one", m.prefix))
	}
	mark := routeOption(func(s *routeSettings) { s.mount = m })
	r := a.define(&Route{pattern: m.pattern, action: Handler(m)}, append(slices.Clip(options), mark))
	isDefined = true
	return r
}

// newMount parses the prefix of a mount in a group, whose own prefix may be the zero Pattern.
func newMount(group Pattern, prefix string) (*mount, error) {
	if strings.ContainsAny(prefix, "(|") || strings.HasSuffix(prefix, "?") {
		return nil, fmt.Errorf("it has optional parts or alternatives: mount the handler at %q in a Group with this prefix", "")
	}
	prefix, err := basepath.Prefix(strings.TrimSuffix(prefix, "/*"))
	if err != nil {
		return nil, err
	}
	if strings.Contains(prefix, "*") {
		return nil, errors.New("leave the wildcard out: a mount matches everything below its prefix")
	}
	below, err := pattern.Sinatra(prefix)
	if err == nil {
		err = below.Foreign()
	}
	if err != nil {
		return nil, err
	}
	if below.Shapes() > 1 || below.Shape(0).HasExpression() {
		return nil, fmt.Errorf("a parameter must be a whole segment, such as /users/:user: %q is not", prefix[max(strings.IndexByte(prefix, ':'), 0):])
	}
	p := group.p
	if prefix != "" {
		if p, err = below.Below(p, ""); err != nil {
			return nil, err
		}
	}
	if p.Syntax() == "regexp" || slices.Contains(p.Names(), "splat") {
		return nil, fmt.Errorf("the group %q has a regular expression or a wildcard, which do not tell where the prefix of a mount ends: mount it outside", group)
	}
	all, err := p.Everything()
	if err != nil {
		return nil, err
	}
	m := &mount{prefix: p.String(), pattern: Pattern{all}}
	if static, ok := p.Shape(0).Static(); ok && p.Shapes() == 1 {
		m.prefix = static
	} else {
		m.varies = p != nil
	}
	return m, nil
}

// Mounted returns the app that [App.Mount] mounted at this route, or nil.
func (r *Route) Mounted() *App {
	if r.mount == nil {
		return nil
	}
	return r.mount.app
}

func (a *App) addMount(m *mount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mounts = append(slices.Clip(a.mounts), m)
}

func (a *App) removeMount(m *mount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mounts = slices.DeleteFunc(slices.Clone(a.mounts), func(other *mount) bool { return other == m })
}

// isWithin reports whether a is around, or is mounted in it.
func (a *App) isWithin(around *App) bool {
	seen := make(map[*App]bool) // apps that are mounted in each other may be defined at this moment
	var within func(a *App) bool
	within = func(a *App) bool {
		if a == around || seen[a] {
			return a == around
		}
		seen[a] = true
		return slices.ContainsFunc(a.mountedAt(), func(m *mount) bool { return within(m.in) })
	}
	return within(a)
}
