package routing

import (
	"net/http"

	"example.com/flowercafe/internal/private"
)

// This file is for other packages of this module.

func init() {
	private.FirstMatch = func(app any) bool { return app.(*App).settings.firstMatch }
	private.SourceHere = func(app any) any {
		here := app.(*App).sources.Here()
		return routeOption(func(s *routeSettings) { s.source = here })
	}
	private.ProxyPrefix = func(app any) string { return app.(*App).settings.proxyPrefix }
	private.IsMounted = func(app any) bool { return len(app.(*App).mounts()) > 0 }
	private.HasPrefixParam = func(app any, name string) bool { return app.(*App).hasPrefixParam(name) }
	private.URLBelow = func(route, outer, mounts any, pairs ...string) (string, error) {
		return route.(*Route).urlBelow(outer.(*App), mounts.([]*Route), pairs)
	}
	private.LimitsBody = func(option any) bool {
		var s routeSettings
		option.(RouteOption).applyRoute(&s)
		return s.bodyLimit != 0
	}
	private.Writer = func(context any) http.ResponseWriter { return context.(Context).w }
	private.RequestWithPathValues = func(context any) *http.Request { return context.(Context).withPathValues(nil) }
}
