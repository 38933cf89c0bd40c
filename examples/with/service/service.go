package main

import (
	"net/http"

	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/observe"
	"example.com/flowercafe/examples/with/service/pier"
	"example.com/flowercafe/examples/with/service/web"
	"example.com/flowercafe/routing"
)

// newService puts the parts together: pages, the API of each house, a plugin, and what operators
// need.
func newService(base string, site *web.Site, access api.Access, observer *observe.Observer) (http.Handler, error) {
	house := site.House()
	if _, err := api.Define(house, site.Store, access).Serve(viewer.New()); err != nil {
		return nil, err
	}
	pier.Install(house)
	app := site.App(base, house)

	// A balancer asks these two.
	app.Get("/healthz", func(routing.Context) (routing.Result, error) { return routing.Text("ok\n"), nil })
	app.Get("/readyz", func(c routing.Context) (routing.Result, error) {
		if site.Life.Err() != nil {
			return routing.Result{}, &routing.Problem{Status: http.StatusServiceUnavailable, Detail: "The service is shutting down."}
		}
		if err := site.Store.Ping(c.Request().Context()); err != nil {
			c.Logger().ErrorContext(c.Request().Context(), "not ready", "error", err)
			return routing.Result{}, &routing.Problem{Status: http.StatusServiceUnavailable, Detail: "The database does not answer."}
		}
		return routing.Text("ok\n"), nil
	})
	app.Handle(http.MethodGet, "/metrics", observer.Metrics)
	return observer.Around(app), nil
}
