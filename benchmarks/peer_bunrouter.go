package main

import (
	"net/http"

	"github.com/uptrace/bunrouter"
)

func buildBunrouter(table []route) http.Handler {
	r, ct := bunrouter.New(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, req bunrouter.Request) error {
			if key != "" {
				writeText(w, ct, req.Param(key))
				return nil
			}
			writeText(w, ct, body)
			return nil
		})
	}
	return r
}
