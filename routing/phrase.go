package routing

import (
	"context"
	"fmt"
)

// net/http writes the status line by itself, with the standard phrase for a status. What can send another one is found through
// the request's context; package routing/reason puts it there.

// ReasonSender sends a reason phrase on the status line.
type ReasonSender interface {
	// SendReason sets the phrase for the next answer on the request's connection, if that has the status.
	SendReason(status int, reason string)
}

type reasonSenderKey struct{}

// WithReasonSender returns a context whose requests send the reason of a [HaltError] by s. It is for packages that wrap a
// server's connections; hosts use package routing/reason.
func WithReasonSender(ctx context.Context, s ReasonSender) context.Context {
	return context.WithValue(ctx, reasonSenderKey{}, s)
}

// setReason keeps a halt's reason until the answer is rendered. It reports false for one that is not legal, which makes the answer a 500.
func (x *exchange) setReason(status int, reason string) bool {
	if !isFieldValue(reason) {
		x.fail(fmt.Errorf("reason %q is not legal", reason))
		return false
	}
	x.reason, x.reasonStatus = reason, status
	return true
}

// sendReason sends the reason that was kept, if the answer still has its status.
func (x *exchange) sendReason() {
	if x.reason == "" || x.failed || x.status != x.reasonStatus {
		return
	}
	if sender, ok := x.r.Context().Value(reasonSenderKey{}).(ReasonSender); ok {
		sender.SendReason(x.status, x.reason)
	}
}
