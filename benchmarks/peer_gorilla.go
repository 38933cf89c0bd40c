package main

import (
	"net/http"

	"github.com/gorilla/mux"
)

func buildGorilla(table []route) http.Handler {
	r, ct := mux.NewRouter(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return "{" + name + "}" },
			func(name string) string { return "{" + name + ":.*}" })
		r.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if key != "" {
				writeText(w, ct, mux.Vars(r)[key])
				return
			}
			writeText(w, ct, body)
		}).Methods(rt.Method)
	}
	return r
}
