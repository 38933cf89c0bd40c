package routing

import (
	"context"
	"net/http"
	"slices"

	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing/internal/request"
)

// Key is a typed key for a value of a request, such as the user that a filter finds. Create it with
// [NewKey]; it is safe for concurrent use.
//
//	var user = routing.NewKey[User]()
//
//	user.Set(c, u)          // in a filter
//	u, ok := user.Get(c)    // in filters and actions
//	u, ok := user.From(ctx) // in handlers, from the request's context
type Key[T any] struct {
	_ byte // keys differ by address, and empty structs may share one
}

// holder wraps a value, so that a nil interface differs from no value.
type holder[T any] struct{ value T }

// NewKey returns a new key.
func NewKey[T any]() *Key[T] { return new(Key[T]) }

// Set sets the value in the context of the request. Filters, actions and handlers that run later
// see it. So does middleware when its next handler has returned, unless the request was copied in
// between, as by [RecordRoute]. No other goroutine may use the request at the same time.
func (k *Key[T]) Set(c Context, value T) {
	for r := c.r; r != nil; r = outerOf(r) {
		*r = *r.WithContext(k.With(r.Context(), value)) // in place, for code that already has the request
	}
}

// With returns a context with the value, for middleware that calls [http.Request.WithContext].
func (k *Key[T]) With(ctx context.Context, value T) context.Context {
	return withValues(ctx, keyValue{k, holder[T]{value}})
}

// withValues returns a context with values, which replace earlier values of their keys.
func withValues(ctx context.Context, values ...keyValue) context.Context {
	changed := &valuesContext{Context: ctx, values: slices.Clip(values)}
	if before, ok := ctx.(*valuesContext); ok {
		changed.Context = before.Context
		for _, v := range before.values {
			if !slices.ContainsFunc(values, func(set keyValue) bool { return set.key == v.key }) {
				changed.values = append(changed.values, v)
			}
		}
	}
	return changed
}

// valuesContext is a context with the values of keys. It is immutable: setting a value creates
// another one with the same outer context, so that repeated calls of Set do not nest contexts.
type valuesContext struct {
	context.Context
	values []keyValue
}

type keyValue struct{ key, value any }

// Value returns the value of key, here or in the outer context.
func (c *valuesContext) Value(key any) any {
	for _, v := range c.values {
		if v.key == key {
			return v.value
		}
	}
	return c.Context.Value(key)
}

// Get returns the value, and whether one was set.
func (k *Key[T]) Get(c Context) (T, bool) {
	return k.From(c.orEmpty().r.Context())
}

// From returns the value in a request's context, and whether one was set.
func (k *Key[T]) From(ctx context.Context) (T, bool) {
	h, ok := ctx.Value(k).(holder[T])
	return h.value, ok
}

// WithContext returns a Context whose request is a copy with another context, for example of a
// transaction. Call end after the code that uses it. The copy's context has the values of ctx, then
// of the request's context. A [Key] that is set in the copy is set in the request too.
func (c Context) WithContext(ctx context.Context) (inner Context, end func()) {
	c = c.orEmpty()
	if request.SameContext(ctx, c.r.Context()) {
		return c, func() {}
	}
	copied := request.Copy(c.r, &copyContext{ctx, c.r, c.r.Context()})
	return Context{c.w, copied, c.prepared}, func() {
		outermost := c.r
		for r := c.r; r != nil; r = outerOf(r) {
			outermost = r
		}
		*copied = *copied.WithContext(outermost.Context())
		request.ShareForm(copied, c.r)
	}
}

// copyContext is the context of the copy that [Context.WithContext] makes.
type copyContext struct {
	context.Context
	original        *http.Request
	originalContext context.Context // of the request, when it was copied
}

// Value returns the value of key in the copy's context, or else in the original request's. For
// [streaming.RequestContextKey] it returns the context of the request that was not copied.
func (c *copyContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	if v := c.originalContext.Value(key); v != nil || key != (streaming.RequestContextKey{}) {
		return v
	}
	return c.originalContext
}

// outerOf returns the request of which r is a copy with another context, or nil.
func outerOf(r *http.Request) *http.Request {
	ctx := r.Context()
	if k, ok := ctx.(*valuesContext); ok {
		ctx = k.Context
	}
	if c, ok := ctx.(*copyContext); ok {
		return c.original
	}
	return nil
}
