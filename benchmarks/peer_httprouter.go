package main

import (
	"net/http"

	"github.com/julienschmidt/httprouter"
)

func buildHttprouter(table []route) http.Handler {
	r, ct := httprouter.New(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) {
			if key != "" {
				writeText(w, ct, ps.ByName(key))
				return
			}
			writeText(w, ct, body)
		})
	}
	return r
}
