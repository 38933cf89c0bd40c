package routing

import (
	"context"
	"net/http"
	"sync/atomic"
)

// This file tells others about a request, through its context: the server which reason phrase to
// send, and middleware outside which route ran.

// ReasonSender sends a reason phrase on the status line. net/http writes the status line by itself,
// with the standard phrase for a status; package routing/reason sends others.
type ReasonSender interface {
	// SendReason sets the phrase for the next response on the request's connection, if that has the
	// status. It does nothing where ctx, the request's context, has ended: somebody else has
	// responded by then.
	SendReason(ctx context.Context, status int, reason string)
}

type reasonSenderKey struct{}

// WithReasonSender returns a context whose requests send the reason of a [HaltError] by s. It is
// for packages that wrap a server's connections; hosts use package routing/reason.
func WithReasonSender(ctx context.Context, s ReasonSender) context.Context {
	return context.WithValue(ctx, reasonSenderKey{}, s)
}

func sendReason(ctx context.Context, status int, reason string) {
	if sender, ok := ctx.Value(reasonSenderKey{}).(ReasonSender); ok {
		sender.SendReason(ctx, status, reason)
	}
}

type routeNameKey struct{}

// NameRoutes is middleware that makes the name of the route known outside of middleware that copies
// the request, as session libraries do by [http.Request.WithContext]; [http.Request.Pattern] alone
// is set on no other request than the one that the app received. Put it around such middleware:
// [RouteName] tells the name to all that is inside, and the Pattern of the request that NameRoutes
// received is set when next returns, for logs and traces outside.
func NameRoutes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), routeNameKey{}, new(atomic.Pointer[string]))
		defer func() {
			if name := RouteName(ctx); name != "" {
				r.Pattern = name
				tellRouteName(r.Context(), name) // to another NameRoutes outside
			}
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// RouteName returns the name of the route that ran, as in [http.Request.Pattern]: method, base path
// and pattern. It is empty before a route has run, where none matches, and where ctx is not of a
// request that came through [NameRoutes]. It is safe for concurrent use.
func RouteName(ctx context.Context) string {
	if slot, ok := ctx.Value(routeNameKey{}).(*atomic.Pointer[string]); ok {
		if name := slot.Load(); name != nil {
			return *name
		}
	}
	return ""
}

func tellRouteName(ctx context.Context, name string) {
	if slot, ok := ctx.Value(routeNameKey{}).(*atomic.Pointer[string]); ok {
		told := name // only here does it need memory of its own
		slot.Store(&told)
	}
}
