// Echo mounts the module in a service that routes with echo, below a prefix.
package main

import (
	"log"
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"example.com/flowercafe/examples/with/internal/shop"
)

func main() { log.Fatal(shop.Run(newRouter)) }

// newRouter returns the service: its own routes, and the app below a prefix, for every method. Echo
// does not change the URL, so the app needs WithBasePath.
func newRouter(app http.Handler, logger *log.Logger) http.Handler {
	e := echo.New()
	e.Use(logged(logger), middleware.Recover())
	e.GET("/", func(c echo.Context) error { return c.String(http.StatusOK, "the service's own page") })
	e.Any("/shop", echo.WrapHandler(app))
	e.Any("/shop/*", echo.WrapHandler(app))
	return e
}

// logged logs the route that ran: the app's route if there is one, or else echo's.
func logged(logger *log.Logger) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := next(c); err != nil {
				c.Error(err) // sets the status that is logged below
			}
			route := c.Request().Pattern
			if route == "" {
				route = c.Path()
			}
			logger.Printf("%d %s", c.Response().Status, route)
			return nil
		}
	}
}
