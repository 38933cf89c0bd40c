// Package shop is what the services of gin and echo mount: the module, with routes of the service
// beside it.
package shop

import (
	"errors"
	"log"
	"net/http"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
)

// New makes the app, to be mounted at /shop. HTML forms delete by POST with a field _method.
func New() (*flowercafe.App, error) {
	orders := routing.New(routing.WithBasePath("/shop/orders"), routing.WithMethodOverride())
	orders.Post("/", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusCreated)
		return routing.Text("ordered " + c.Params().GetOr("flower", "nothing")), nil
	})
	orders.Delete("/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text("cancelled " + c.Params().GetOr("id", "")), nil
	})
	return flowercafe.New(flowercafe.WithBasePath("/shop"), flowercafe.WithMount("/orders", orders))
}

// Run serves the shop inside a service, whose router newRouter makes, until the server fails.
func Run(newRouter func(shop http.Handler, logger *log.Logger) http.Handler) error {
	app, err := New()
	if err != nil {
		return err
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: newRouter(app, log.Default()), ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/shop/flowers/")
	return errors.Join(server.ListenAndServe(), app.Close())
}
