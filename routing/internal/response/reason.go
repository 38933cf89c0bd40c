package response

import "context"

// ReasonSender sends a reason phrase on the status line, where net/http always writes the standard
// phrase. Package routing/reason implements it.
type ReasonSender interface {
	// SendReason sets the phrase for the next response on the request's connection, if it has that
	// status. It does nothing if ctx, the request's context, is done: another handler may have
	// responded by then.
	SendReason(ctx context.Context, status int, reason string)
}

type reasonSenderKey struct{}

// WithReasonSender returns a context whose requests send reason phrases with s.
func WithReasonSender(ctx context.Context, s ReasonSender) context.Context {
	return context.WithValue(ctx, reasonSenderKey{}, s)
}

// SendReason sends a phrase with the sender of ctx, if it has one.
func SendReason(ctx context.Context, status int, reason string) {
	if sender, ok := ctx.Value(reasonSenderKey{}).(ReasonSender); ok {
		sender.SendReason(ctx, status, reason)
	}
}
