package main

import (
	"net/http"

	"github.com/dimfeld/httptreemux/v5"
)

func buildTreemux(table []route) http.Handler {
	r, ct := httptreemux.New(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		r.Handle(rt.Method, rt.Path, func(w http.ResponseWriter, _ *http.Request, params map[string]string) {
			if key != "" {
				writeText(w, ct, params[key])
				return
			}
			writeText(w, ct, body)
		})
	}
	return r
}
