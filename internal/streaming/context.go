package streaming

import "context"

// RequestContextKey is the key of the context of the whole request, in a context that a part of it
// runs in, such as a transaction, and that may end before the response is sent.
type RequestContextKey struct{}

// RequestContext returns the context of the whole request if ctx is the context of a part, or ctx.
func RequestContext(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(RequestContextKey{}).(context.Context); ok {
		return whole
	}
	return ctx
}
