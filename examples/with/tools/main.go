// Tools serves the flower catalog to people, and its operations as tools to AI clients.
package main

import (
	"flag"
	"log"
	"net"
	"net/http"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/mcp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	flag.Parse()
	handler, err := newHandler()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatalf("%v: set another address with -addr", err)
	}
	log.Printf("flowers at http://%[1]s/flowers, tools at http://%[1]s/mcp", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
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
