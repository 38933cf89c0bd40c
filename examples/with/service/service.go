package main

import (
	"net/http"

	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/observe"
	"example.com/flowercafe/examples/with/service/pier"
	"example.com/flowercafe/examples/with/service/web"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// newService combines the packages: pages, the API of each house, a plugin, health checks and
// metrics.
func newService(base string, site *web.Site, access api.Access, observer *observe.Observer) (http.Handler, error) {
	house := site.House()
	token := access.Token()
	described := api.Define(house, site.Store, token)
	pier.Install(house, described, site.Store, token.Scopes("bookings:write"))
	app := site.App(base, house) // mounts the house: its operations have a parameter of the mount's prefix
	if _, err := described.Serve(viewer.New()); err != nil {
		return nil, err
	}

	// Health checks for a load balancer. They don't ask the database, which all hosts share: if it
	// failed, the balancer would have no host left.
	app.Get("/healthz", func(routing.Context) (routing.Result, error) { return routing.Text("ok\n"), nil })
	app.Get("/readyz", func(c routing.Context) (routing.Result, error) {
		select {
		case <-serving.ShuttingDown(c.Request().Context()):
			return routing.Result{}, &routing.Problem{Status: http.StatusServiceUnavailable}
		default:
			return routing.Text("ok\n"), nil
		}
	})
	app.Handle(http.MethodGet, "/metrics", observer.Metrics)
	return observer.Middleware(app), nil
}
