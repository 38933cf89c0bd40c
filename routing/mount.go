package routing

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file mounts handlers and other apps below a prefix.

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
// parameter that is only a part of a segment. So do a nil handler and an app that is mounted in
// itself without a prefix.
func (d *definer) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	return d.made().mount(d.prefix+prefix, handler, d.with(options))
}

// mount serves everything at prefix and below with handler.
func (a *App) mount(prefix string, handler http.Handler, options []RouteOption) *Route {
	if nilvalue.In(handler) {
		panic(fmt.Sprintf("routing: mount %q: pass a handler, not nil", prefix))
	}
	w, p, err := wayAt(prefix)
	if err != nil {
		panic(fmt.Sprintf("routing: mount %q: %v", prefix, err))
	}
	inner, ok := handler.(*App)
	if !ok {
		return a.define(&Route{pattern: p, action: Handler(handler)}, options)
	}
	inner.made()
	if w.prefix == "" && a.isBelow(&inner.core, make(map[*core]bool)) {
		panic(fmt.Sprintf("routing: mount %q: the app would be mounted in itself at the same path: mount it below a prefix", prefix))
	}
	w.parent = &a.core
	m := &mounted{way: w, app: inner}
	mark := routeOption(func(s *routeSettings) { s.mount = m })
	r := a.define(&Route{pattern: p, action: Handler(m)}, append(slices.Clip(options), mark))
	inner.addWay(w)
	return r
}

// wayAt parses a prefix.
func wayAt(prefix string) (*way, Pattern, error) {
	prefix, err := basepath.Prefix(strings.TrimSuffix(prefix, "/*"))
	if err != nil {
		return nil, Pattern{}, err
	}
	if strings.Contains(prefix, "*") {
		return nil, Pattern{}, errors.New("leave the wildcard out: a mount matches everything below its prefix")
	}
	p := Pattern{pattern.Mount(prefix)}
	if err := p.p.Foreign(); err != nil {
		return nil, Pattern{}, err
	}
	w := &way{prefix: prefix}
	if len(p.Names()) > 1 { // one is the wildcard
		w.segments = strings.Count(prefix, "/")
	} else if i := strings.IndexByte(prefix, ':'); i >= 0 {
		return nil, Pattern{}, fmt.Errorf("a parameter must be a whole segment, such as /users/:user: %q is not", prefix[i:])
	}
	return w, p, nil
}

// Mounted returns the app that [App.Mount] mounted at this route, or nil.
func (r *Route) Mounted() *App {
	if m, ok := r.mount.(*mounted); ok {
		return m.app
	}
	return nil
}

// mounted is an app at one of its mounts.
type mounted struct {
	*way
	app *App

	// last is the last entry. It is reused for requests that reached the parent in the same way.
	last atomic.Pointer[entry]
}

// enter passes a request from the parent to the mounted app. The status is that of the parent.
func (m *mounted) enter(at level, path string, own *shape, status int, w http.ResponseWriter, r *http.Request) {
	e := m.last.Load()
	if e == nil || e.from != at.index || e.up != at.entry || m.segments > 0 {
		e = m.entryBelow(at, path, own)
		if e.outer == nil {
			m.last.Store(e)
		}
	}
	if status != 0 {
		own := *e
		own.status, e = status, &own
	}
	m.app.enter(e, w, r)
}

// entryBelow makes the entry for requests that have reached a level with that path.
func (m *mounted) entryBelow(at level, path string, own *shape) *entry {
	e := m.app.front
	base := e.Base
	e.Base = at.Base + m.cut(path) + base
	e.named = at.entry.name() + m.prefix + base
	e.Problems = at.Problems || e.Problems
	e.up, e.from = at.entry, at.index
	if e.outer = at.outer; m.segments > 0 {
		e.outer = &outer{own, path, e.outer}
	}
	return &e
}

// ServeHTTP makes a mounted app a handler. The engine calls enter instead.
func (m *mounted) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.app.ServeHTTP(w, r) }
