package streaming

import "context"

// RequestContextKey is the key of the request's context in the context of a part of the request,
// such as a transaction, which may end before the response is sent.
type RequestContextKey struct{}

// RequestContext returns the context of the whole request if ctx is the context of a part, or ctx.
func RequestContext(ctx context.Context) context.Context {
	if whole := Whole(ctx); whole != nil {
		return whole
	}
	return ctx
}

// Whole returns the context of the whole request if ctx is the context of a part, or nil.
func Whole(ctx context.Context) context.Context {
	whole, _ := ctx.Value(RequestContextKey{}).(context.Context)
	return whole
}
