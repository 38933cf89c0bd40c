// Chi mounts the module in a service that routes with chi, below a prefix.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"example.com/flowercafe"
)

func main() {
	app, err := flowercafe.New(flowercafe.WithBasePath("/shop"))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: newRouter(app), ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/shop/flowers/")
	log.Fatal(errors.Join(server.ListenAndServe(), app.Close()))
}

// newRouter returns the service: its own routes, and the app below a prefix. Chi's Mount does not
// change the URL, so the app needs WithBasePath.
func newRouter(app http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.Recoverer)
	r.Get("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "the service's own page") })
	r.Mount("/shop", app)
	return r
}
