package routing

import "context"

// This file sends reason phrases, for package routing/reason.

// ReasonSender sends a reason phrase on the status line, where net/http always writes the standard
// phrase; see package routing/reason.
type ReasonSender interface {
	// SendReason sets the phrase for the next response on the request's connection, if it has that
	// status. It does nothing if ctx, the request's context, is done: another handler may have
	// responded by then.
	SendReason(ctx context.Context, status int, reason string)
}

type reasonSenderKey struct{}

// WithReasonSender returns a context whose requests send the Reason of a [HaltError] with s. It is
// for packages that wrap a server's connections.
func WithReasonSender(ctx context.Context, s ReasonSender) context.Context {
	return context.WithValue(ctx, reasonSenderKey{}, s)
}

func sendReason(ctx context.Context, status int, reason string) {
	if sender, ok := ctx.Value(reasonSenderKey{}).(ReasonSender); ok {
		sender.SendReason(ctx, status, reason)
	}
}
