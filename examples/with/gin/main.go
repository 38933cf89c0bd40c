// Gin mounts the module in a service that routes with gin, below a prefix.
package main

import (
	"errors"
	"log"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"example.com/flowercafe/examples/with/internal/shop"
)

func main() {
	app, err := shop.New()
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: newRouter(app, log.Default()), ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/shop/flowers/")
	log.Fatal(errors.Join(server.ListenAndServe(), app.Close()))
}

// newRouter is the service: routes of its own, and the app at its prefix, for every method. Gin
// leaves the URL as it is, so the app is told the prefix by WithBasePath.
func newRouter(app http.Handler, logger *log.Logger) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(logged(logger), gin.Recovery())
	r.GET("/", func(c *gin.Context) { c.String(http.StatusOK, "the service's own page") })
	shop := gin.WrapH(app)
	r.Any("/shop", shop)
	r.Any("/shop/*path", shop)
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
