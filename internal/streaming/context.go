package streaming

import "context"

// RequestContextKey is the key of the request's context in the context of a part of the request,
// such as a transaction, which may end before the response is sent.
type RequestContextKey struct{}

// RequestContext returns the context of the whole request if ctx is the context of a part, or ctx.
func RequestContext(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(RequestContextKey{}).(context.Context); ok {
		return whole
	}
	return ctx
}
