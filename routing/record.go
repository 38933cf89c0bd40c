package routing

import (
	"context"
	"net/http"
	"sync/atomic"

	"example.com/flowercafe/internal/nilvalue"
)

// This file reports to outer middleware which route ran.

type recordKey struct{}

// RecordRoute is middleware for logs and traces outside of it: when next returns, the request that
// RecordRoute received has the name of the route as its [http.Request.Pattern]. An app alone sets
// the Pattern only of the request that it receives, which may be a copy.
func RecordRoute(next http.Handler) http.Handler {
	if nilvalue.In(next) {
		panic("routing: RecordRoute: pass a handler, not nil")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ran := new(recorder)
		inner := r.WithContext(context.WithValue(r.Context(), recordKey{}, ran))
		defer func() {
			r.Pattern = inner.Pattern
			if v := ran.Load(); v != nil {
				r.Pattern = v.name
				if outer, ok := r.Context().Value(recordKey{}).(*recorder); ok { // of an outer RecordRoute
					outer.Store(v)
				}
			}
		}()
		next.ServeHTTP(w, inner)
	})
}

// WithoutRecord returns a context for a request that a handler, not middleware, makes and serves
// itself, such as a part of a batch: the [RecordRoute] outside does not record its route.
func WithoutRecord(ctx context.Context) context.Context {
	return context.WithValue(ctx, recordKey{}, new(recorder))
}

// RouteFromContext returns the route that ran inside of [RecordRoute], and its name as in
// [http.Request.Pattern], or nil and an empty name. If a before filter ended the request, it is the
// first route that matches; if no route of a mounted app matches, it is the mount.
func RouteFromContext(ctx context.Context) (route *Route, name string) {
	if ran, ok := ctx.Value(recordKey{}).(*recorder); ok {
		if found := ran.Load(); found != nil {
			return found.route, found.name
		}
	}
	return nil, ""
}

// recorder holds the route that ran, for RecordRoute.
type recorder struct{ atomic.Pointer[routeVariant] }

// recordHalted records the route that would have run without the before filter that ended the
// request.
func (c *call) recordHalted() {
	c.filtered = true
	if c.recorder == nil {
		return
	}
	if v := c.ranOrExpected(); v != nil {
		c.recorder.Store(v)
	}
}

// ranOrExpected returns the route that ran, or that would have run without the filter that ended
// the request, or nil.
func (c *call) ranOrExpected() *routeVariant {
	defer func() { recover() }() // a condition may panic, but the response is the filter's
	switch {
	case c.ran != nil:
		return c.expectedIn(&c.ran.Value)
	case c.filtered:
		return c.expectedRoute()
	}
	return nil
}

// expectedRoute returns the route that would run if no filter ended the request and no action
// returned Pass, including routes of mounted apps, or nil.
func (c *call) expectedRoute() *routeVariant {
	for _, l := range c.Index.All(nil, c.r.Method, c.path, nil) {
		ctx := c.contextFor(&l.Value.prepared)
		ctx.w = nil // Provides would set Vary
		if falseCondition(l.Value.route.conditions, ctx, &c.accepts) != nil {
			continue
		}
		return c.expectedIn(&l.Value)
	}
	return nil
}

// expectedIn returns the expected route of the app that v mounts, if it has one, and otherwise v.
func (c *call) expectedIn(v *routeVariant) *routeVariant {
	if v.route.mount != nil {
		inner := call{index: v.inner.current(), urlPath: c.urlPath, w: c.w, r: c.r}
		var inside bool
		if inner.path, inside = inner.cutBase(c.urlPath); inside {
			inner.keepPath()
			if found := inner.expectedRoute(); found != nil {
				return found
			}
		}
	}
	return v
}
