// Tools serves the flower catalog to people, and its operations as tools to AI clients.
package main

import (
	"log"
	"net/http"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/mcp"
)

func main() {
	handler, err := newHandler()
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Print("flowers at http://127.0.0.1:8080/flowers, tools at http://127.0.0.1:8080/mcp")
	log.Fatal(server.ListenAndServe())
}

// newHandler returns the catalog with the tools beside it. A call of a tool is a request to the
// catalog.
func newHandler() (http.Handler, error) {
	catalog, err := flowercatalog.New()
	if err != nil {
		return nil, err
	}
	tools, err := mcp.New(catalog, mcp.WithOperations("getFlowers", "findBySlug"))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", catalog)
	mux.Handle("/mcp", tools)
	return mux, nil
}
