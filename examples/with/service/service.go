package main

import (
	"net/http"

	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/holidays"
	"example.com/flowercafe/examples/with/service/observe"
	"example.com/flowercafe/examples/with/service/web"
	"example.com/flowercafe/routing"
)

// newService puts the parts together: pages, the API of each house, a plugin, and what operators
// need.
func newService(site *web.Site, access []api.Access, observer *observe.Observer) (http.Handler, error) {
	house := site.House()
	if _, err := api.Define(house, site.Store, access, site.Changed).Serve(viewer.New()); err != nil {
		return nil, err
	}
	holidays.Install(house, "2030-12-25", "2031-01-01")
	app := site.App(house)

	// A balancer asks these two. Keep /metrics from the public.
	app.Get("/healthz", func(routing.Context) (routing.Result, error) { return routing.Text("ok\n"), nil })
	app.Get("/readyz", func(c routing.Context) (routing.Result, error) {
		if site.Life.Err() != nil {
			return routing.Result{}, &routing.Problem{Status: http.StatusServiceUnavailable, Detail: "The service is shutting down."}
		}
		if err := site.Store.Ping(c.Request().Context()); err != nil {
			c.Logger().Error("not ready", "error", err)
			return routing.Result{}, &routing.Problem{Status: http.StatusServiceUnavailable, Detail: "The database does not answer."}
		}
		return routing.Text("ok\n"), nil
	})
	app.Get("/metrics", observer.Metrics)
	return observer.Around(app), nil
}
