// Command serve serves the shop of internal/shop on a free port of this machine, below -base, and prints its address.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc/conformance/internal/shop"
)

func main() {
	base := flag.String("base", "", "base path")
	flag.Parse()
	app, err := shop.New(*base)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	server := &http.Server{Handler: app, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
}
