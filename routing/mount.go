package routing

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/flowercafe/internal/basepath"
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
func (a *App) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	if handler == nil {
		panic(fmt.Sprintf("routing: mount %q: pass a handler, not nil", prefix))
	}
	m, p, err := mountAt(prefix)
	if err != nil {
		panic(fmt.Sprintf("routing: mount %q: %v", prefix, err))
	}
	if sub, ok := handler.(*App); ok {
		sub.mustBeMade()
		if m.prefix == "" && sub.leadsTo(a, nil) {
			panic(fmt.Sprintf("routing: mount %q: the app would be mounted in itself at the same path: mount it below a prefix", prefix))
		}
		m.app, m.parent = sub, a
		handler = m
		defer func() {
			a.change(func(d *definitions) { d.mounts = append(d.mounts, m) })
			sub.addWay(m)
			sub.forgetBase(nil)
		}()
	}
	if m.app != nil {
		options = append(slices.Clip(options), routeOption(func(s *routeSettings) { s.mount = m }))
	}
	return a.define(&Route{pattern: p, action: Handler(handler)}, options)
}

// mountAt parses a prefix.
func mountAt(prefix string) (*mounted, Pattern, error) {
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
	if names := p.Names(); len(names) > 1 { // one is the wildcard
		return &mounted{text: prefix, segments: strings.Count(prefix, "/")}, p, nil
	}
	if i := strings.IndexByte(prefix, ':'); i >= 0 {
		return nil, Pattern{}, fmt.Errorf("a parameter must be a whole segment, such as /users/:user: %q is not", prefix[i:])
	}
	return &mounted{text: prefix, prefix: prefix}, p, nil
}

// mounted is one mount of an app in another one.
type mounted struct {
	app, parent *App
	text        string // the prefix as it was written
	prefix      string // the same, if it has no parameters
	segments    int    // how many segments a prefix with parameters has, else 0

	// last is the last entry. It is used again for requests that came to the parent the same way.
	last atomic.Pointer[entry]
}

// outer holds the captures of a mount prefix.
type outer struct {
	shape *shape
	path  string // begins with the prefix
	up    *outer // of the app around
}

// enter passes a request from the parent to the mounted app.
func (m *mounted) enter(x *call, w http.ResponseWriter, r *http.Request) {
	e := m.last.Load()
	if e == nil || e.from != x.index || e.up != x.entry || m.segments > 0 {
		e = m.entryBelow(x)
		if e.outer == nil {
			m.last.Store(e)
		}
	}
	m.app.enter(e, w, r)
}

// entryBelow makes the entry for requests like x.
func (m *mounted) entryBelow(x *call) *entry {
	own, above := &m.app.front, x.entry.outer
	if m.segments > 0 {
		above = &outer{x.ran.site.own, x.path, above}
	}
	return &entry{
		base: x.base + m.cut(x.path) + own.base, named: x.entry.name() + m.text + own.base, next: own.next, outer: above,
		problems: x.entry.problems || own.problems, up: x.entry, from: x.index,
	}
}

// params returns the captures of all prefixes, outermost first.
func (o *outer) params() []field {
	if o == nil {
		return nil
	}
	list := o.up.params()
	for key, value := range o.shape.All(o.path) {
		if key != "splat" {
			list = append(list, field{key, value})
		}
	}
	return list
}

// ServeHTTP makes a mounted app a handler. The engine calls enter instead.
func (m *mounted) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.app.ServeHTTP(w, r) }

// leadsTo reports whether mounts without a prefix lead from a to other, or back to a.
func (a *App) leadsTo(other *App, seen []*App) bool {
	if a == other {
		return true
	}
	if slices.Contains(seen, a) || a.front.base != "" {
		return false
	}
	for _, m := range a.defined().mounts {
		if m.prefix == "" && m.app.leadsTo(other, append(seen, a)) {
			return true
		}
	}
	return false
}

// addWay records a mount of the app.
func (a *App) addWay(m *mounted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	ways := append(slices.Clone(a.reachedBy()), m)
	a.ways.Store(&ways)
}

// reachedBy returns the mounts of the app. It takes no lock, since apps that are mounted in each
// other call it while they build their indexes.
func (a *App) reachedBy() []*mounted {
	if ways := a.ways.Load(); ways != nil {
		return *ways
	}
	return nil
}

// forgetBase drops the indexes of a and all apps mounted in it, also of those being built, so that
// they compute their base paths again.
func (a *App) forgetBase(seen []*App) {
	if slices.Contains(seen, a) {
		return
	}
	a.mu.Lock()
	a.index.Store(nil)
	mounts := a.definitions.mounts
	a.mu.Unlock()
	for _, m := range mounts {
		m.app.forgetBase(append(seen, a))
	}
}

// baseOf returns the base path of the app, with mount prefixes. It reports false if there is not
// exactly one.
func (a *App) baseOf(seen []*App) (base string, only bool) {
	ways := a.reachedBy()
	if len(ways) == 0 {
		return a.front.base, true
	}
	m, seen := ways[0], append(seen, a)
	if len(ways) > 1 || m.segments > 0 || slices.Contains(seen, m.parent) {
		return a.front.base, false
	}
	outer, only := m.parent.baseOf(seen)
	return outer + m.prefix + a.front.base, only
}
