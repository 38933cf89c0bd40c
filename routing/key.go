package routing

import "context"

// Key is a typed key for a value of a request. For example, a filter sets the user, which actions,
// handlers and middleware read. Make one with [NewKey]; it is safe for concurrent use.
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

// Set sets the value for the rest of the request; a second call replaces it. The value is in the
// context of c.Request(). Later filters, actions and handlers see it, and so does outer middleware
// that passed on the request it received, not a copy.
//
// Set replaces the context of the request in place, so no other goroutine may use the request
// meanwhile.
func (k *Key[T]) Set(c Context, value T) {
	if c.r != nil {
		*c.r = *c.r.WithContext(context.WithValue(c.r.Context(), k, held[T]{value}))
	}
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
