package main

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

func buildChi(table []route) http.Handler {
	r, ct := chi.NewRouter(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return "{" + name + "}" },
			func(string) string { return "*" })
		r.MethodFunc(rt.Method, path, func(w http.ResponseWriter, r *http.Request) {
			if key != "" {
				writeText(w, ct, chi.URLParam(r, key))
				return
			}
			writeText(w, ct, body)
		})
	}
	return r
}
