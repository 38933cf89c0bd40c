package main

import "net/http"

func buildServeMux(table []route) http.Handler {
	mux, ct := http.NewServeMux(), plainTextHeader()
	for _, rt := range table {
		body, key := rt.body(), rt.echo
		path := rt.translate(
			func(name string) string { return "{" + name + "}" },
			func(name string) string { return "{" + name + "...}" })
		if path[len(path)-1] == '/' {
			path += "{$}"
		}
		mux.HandleFunc(rt.Method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			if key != "" {
				writeText(w, ct, r.PathValue(key))
				return
			}
			writeText(w, ct, body)
		})
	}
	return mux
}
