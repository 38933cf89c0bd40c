package main

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

func buildEcho(table []route) http.Handler {
	r, ct := echo.New(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return ":" + name },
			func(string) string { return "*" })
		r.Add(rt.Method, path, func(c echo.Context) error {
			if key != "" {
				writeText(c.Response(), ct, c.Param(key))
				return nil
			}
			writeText(c.Response(), ct, body)
			return nil
		})
	}
	return r
}
