package routing

import (
	"context"
	"net/http"
	"sync/atomic"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/match"
)

// This file reports the route that ran to outer middleware.

type recordKey struct{}

// RecordRoute is middleware that reports the route that ran to outer middleware, such as logs and
// traces. When next returns, the request's Pattern is that route, or what next has set, such as a
// mux. An app sets [http.Request.Pattern] only on the request that it receives. That is a copy if
// middleware calls [http.Request.WithContext], as session libraries do: put RecordRoute outside of
// it. Inside RecordRoute, [RouteNameFromContext] and [RouteFromContext] return the route. A nil
// next panics.
func RecordRoute(next http.Handler) http.Handler {
	if nilvalue.In(next) {
		panic("routing: RecordRoute: pass a handler, not nil")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slot := new(recorder)
		inner := r.WithContext(context.WithValue(r.Context(), recordKey{}, slot))
		defer func() {
			r.Pattern = inner.Pattern
			if ran := slot.Load(); ran != nil {
				r.Pattern = ran.name
				if outer, ok := r.Context().Value(recordKey{}).(*recorder); ok { // another RecordRoute around this one
					outer.Store(ran)
				}
			}
		}()
		next.ServeHTTP(w, inner)
	})
}

// RouteNameFromContext returns the name of the route that ran: method, base path and pattern, as in
// [http.Request.Pattern]. If a before filter has ended the request, it is the route that would have
// run, so that refusals can be counted by route. If no route of a mounted app or handler matches,
// it is the mount. It is empty before a route is found, if no route matches, and outside of
// [RecordRoute]. It is safe for concurrent use.
func RouteNameFromContext(ctx context.Context) string { return recordedIn(ctx).name }

// RouteFromContext returns the route that [RouteNameFromContext] names, or nil. Its [Route.Meta] is
// for middleware that depends on the route. It is safe for concurrent use.
func RouteFromContext(ctx context.Context) *Route { return recordedIn(ctx).route }

// recorded is the route that ran, with its name at its mount.
type recorded struct {
	name  string
	route *Route
}

func recordedIn(ctx context.Context) recorded {
	if slot, ok := ctx.Value(recordKey{}).(*recorder); ok {
		if ran := slot.Load(); ran != nil {
			return *ran
		}
	}
	return recorded{}
}

// recorder holds the route that ran, for RecordRoute.
type recorder struct{ atomic.Pointer[recorded] }

// nameHalted records for RecordRoute the route that a before filter has kept from running.
func (x *call) nameHalted() {
	if x.recorder == nil {
		return
	}
	defer func() { recover() }() // of a condition: the filter's response is sent
	if c := x.expectedRoute(); c != nil {
		x.recorder.Store(&recorded{c.name, c.route})
	}
}

// expectedRoute returns the route that a request would run if all filters let it through and no
// action passed, or nil: of mounted apps too.
func (x *call) expectedRoute() *candidate {
	for _, l := range x.Table(x.r.Method).All(nil, x.path, match.NoBound) {
		c := x.contextFor(&l.Value.site)
		c.w = nil // Provides would set Vary
		if firstRefusal(l.Value.route.conditions, c, &x.accepts) != nil {
			continue
		}
		if l.Value.route.mount != nil {
			below := call{arrival: arrival{index: l.Value.inner.current(), urlPath: x.urlPath}, w: x.w, r: x.r}
			var inside bool
			if below.path, inside = below.cut(x.urlPath); inside {
				if found := below.expectedRoute(); found != nil {
					return found
				}
			}
		}
		return &l.Value
	}
	return nil
}
