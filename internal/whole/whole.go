// Package whole finds the context of a whole request, in a part of it that runs in a context of its
// own. That of the part may end before the response is sent.
package whole

import "context"

// Key is the key of the context of the whole request, in the context of a part.
type Key struct{}

// Context returns the context of the whole request in which ctx is that of a part, or ctx.
func Context(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(Key{}).(context.Context); ok {
		return whole
	}
	return ctx
}
