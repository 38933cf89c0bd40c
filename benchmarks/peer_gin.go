package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

func buildGin(table []route) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r, ct := gin.New(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(c *gin.Context) {
			if key != "" {
				writeText(c.Writer, ct, c.Param(key))
				return
			}
			writeText(c.Writer, ct, body)
		})
	}
	return r
}
