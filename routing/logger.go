package routing

import "log/slog"

// Logger returns the logger of the app: the one of [WithLogger], or [slog.Default]. It is for route options and middleware that log
// about a route without having been given a logger, and may be used after the request.
func (c Context) Logger() *slog.Logger {
	if c.x == nil {
		return slog.Default()
	}
	return c.x.app.logger()
}
