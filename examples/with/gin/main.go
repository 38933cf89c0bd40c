// Gin mounts the module in a service that routes with gin, below a prefix.
package main

import (
	"log"
	"net/http"

	"github.com/gin-gonic/gin"

	"example.com/flowercafe/examples/with/internal/shop"
)

func main() { log.Fatal(shop.Run(newRouter)) }

// newRouter returns the service: its own routes, and the app below a prefix, for every method. Gin
// does not change the URL, so the app needs WithBasePath.
func newRouter(app http.Handler, logger *log.Logger) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(logged(logger), gin.Recovery())
	r.GET("/", func(c *gin.Context) { c.String(http.StatusOK, "the service's own page") })
	r.Any("/shop", gin.WrapH(app))
	r.Any("/shop/*path", gin.WrapH(app))
	return r
}

// logged logs the route that ran: the app's route if there is one, or else gin's.
func logged(logger *log.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Next()
		route := c.Request.Pattern
		if route == "" {
			route = c.FullPath()
		}
		logger.Printf("%d %s", c.Writer.Status(), route)
	}
}
