// Gin mounts the module in a service that routes with gin, below a prefix.
package main

import (
	"log"
	"net/http"

	"github.com/gin-gonic/gin"

	"example.com/flowercafe/examples/with/internal/shop"
)

func main() { log.Fatal(shop.Run(newRouter)) }

// newRouter is the service: routes of its own, and the app at its prefix, for every method. Gin
// leaves the URL as it is, so the app is told the prefix by WithBasePath.
func newRouter(app http.Handler, logger *log.Logger) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(logged(logger), gin.Recovery())
	r.GET("/", func(c *gin.Context) { c.String(http.StatusOK, "the service's own page") })
	r.Any("/shop", gin.WrapH(app))
	r.Any("/shop/*path", gin.WrapH(app))
	return r
}

// logged logs the routes that ran: the app's own where one ran, gin's elsewhere.
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
