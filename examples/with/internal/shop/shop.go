// Package shop makes the app that the examples for gin and echo mount: the module with additional
// routes.
package shop

import (
	"errors"
	"log"
	"net/http"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
)

// New returns the app, for a mount at /shop. HTML forms delete with a POST and the field _method.
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

// Run serves the shop in a service with the router of newRouter, until the server fails.
func Run(newRouter func(shop http.Handler, logger *log.Logger) http.Handler) error {
	app, err := New()
	if err != nil {
		return err
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: newRouter(app, log.Default()), ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/shop/flowers/")
	return errors.Join(server.ListenAndServe(), app.Close())
}
