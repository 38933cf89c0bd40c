package routing

import "context"

// Key is a typed key for a value that one part of a request hands to later ones: a filter that
// finds out who the user is to actions, handlers and middleware. Make one with [NewKey]; it is safe
// for concurrent use.
//
//	var user = routing.NewKey[User]()
//
//	user.Set(c, u)          // in a filter
//	u, ok := user.Get(c)    // in filters and actions
//	u, ok := user.From(ctx) // in handlers, from the request's context
type Key[T any] struct {
	_ byte // keys are told apart by their addresses, which those of empty structs need not be
}

// held is a value under a key. It tells a nil interface from no value.
type held[T any] struct{ value T }

// NewKey makes a key that is like no other.
func NewKey[T any]() *Key[T] { return new(Key[T]) }

// Set sets the value for the rest of the request; a second call replaces it. Everything that has
// the request c.Request() sees it in the request's context: what runs later, the next handler, and
// middleware outside that has passed on the very request that it got.
//
// The context is replaced in the request itself, so Set must not be called while another goroutine
// uses the request.
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

// From returns the value in the context of a request, and whether one was set.
func (k *Key[T]) From(ctx context.Context) (T, bool) {
	h, ok := ctx.Value(k).(held[T])
	return h.value, ok
}
