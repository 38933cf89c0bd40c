package routing

import (
	"context"
)

// Key is a typed key for a value of a request, such as the user that a filter finds. Make one with
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

// held wraps a value, so that a nil interface differs from no value.
type held[T any] struct{ value T }

// NewKey returns a new key, which is different from all others.
func NewKey[T any]() *Key[T] { return new(Key[T]) }

// Set sets the value for the rest of the request, in the context of c.Request(); a second call
// replaces it. Later filters, actions and handlers see it, and so does outer middleware that passed
// on the request it received, not a copy. Since Set replaces that context in place, no other
// goroutine may use the request meanwhile. A request that is served again has the values of before
// until they are set anew.
func (k *Key[T]) Set(c Context, value T) {
	if c.r != nil {
		*c.r = *c.r.WithContext(k.With(c.r.Context(), value))
	}
}

// With returns a context with the value, for code without a Context: middleware that calls
// [http.Request.WithContext], and tests. [Key.Get] and [Key.From] find it.
func (k *Key[T]) With(ctx context.Context, value T) context.Context {
	with := &keyed{Context: ctx, values: []keyValue{{k, held[T]{value}}}}
	if before, ok := ctx.(*keyed); ok {
		with.Context = before.Context
		for _, v := range before.values {
			if v.key != any(k) {
				with.values = append(with.values, v)
			}
		}
	}
	return with
}

// keyed is a context with the values of keys. It is immutable: one more value makes another keyed
// around the same context, so that values that are set anew make no chain.
type keyed struct {
	context.Context
	values []keyValue
}

type keyValue struct{ key, value any }

// Value returns the value of key, or what is in the context outside.
func (c *keyed) Value(key any) any {
	for _, v := range c.values {
		if v.key == key {
			return v.value
		}
	}
	return c.Context.Value(key)
}

// Get returns the value, and whether one was set.
func (k *Key[T]) Get(c Context) (T, bool) {
	if c.r == nil {
		var none T
		return none, false
	}
	return k.From(c.r.Context())
}

// From returns the value in a request's context, and whether one was set.
func (k *Key[T]) From(ctx context.Context) (T, bool) {
	h, ok := ctx.Value(k).(held[T])
	return h.value, ok
}
