package routing

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"example.com/flowercafe/routing/internal/pattern"
)

// Mount gives everything at prefix and below to handler, for every method. It is a route like others: the filters of the app run,
// later routes go before it. The prefix is cut for matching only, so that the handler sees the whole URL: an [App] tries its
// patterns below the prefix and its own base path, a handler that wants the prefix removed is wrapped in [http.StripPrefix]. A
// prefix that doesn't begin with a slash, or holds a query or fragment, panics; an empty one is every path, and a slash at the end is
// ignored.
func (a *App) Mount(prefix string, handler http.Handler, options ...RouteOption) *Route {
	if handler == nil {
		panic(fmt.Sprintf("routing: mount %q: pass a handler, not nil", prefix))
	}
	prefix = strings.TrimRight(prefix, "/")
	if err := checkBasePath(prefix); err != nil {
		panic(fmt.Sprintf("routing: mount %q: %v", prefix, err))
	}
	if sub, ok := handler.(*App); ok {
		handler = &mounted{app: sub, prefix: prefix}
	}
	return a.define(&Route{pattern: Pattern{pattern.Mount(prefix)}, action: Handler(handler)}, options)
}

// mounted is an app that is mounted in another one.
type mounted struct {
	app       *App
	prefix    string
	entrances sync.Map // of *entrance by what leads to the outer app, so that each keeps the chain of its middleware
}

// below returns the entrance behind the base of the outer app.
func (m *mounted) below(base string) *entrance {
	if e, ok := m.entrances.Load(base); ok {
		return e.(*entrance)
	}
	e, _ := m.entrances.LoadOrStore(base, &entrance{
		app: m.app, base: base + m.prefix + m.app.settings.base, mounted: true, next: m.app.settings.next,
	})
	return e.(*entrance)
}

// ServeHTTP makes a mounted app a handler; below is what the engine asks for in its place.
func (m *mounted) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.below("").ServeHTTP(w, r) }
