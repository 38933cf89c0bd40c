// Command serve serves one of the APIs of this module on a free port of this machine, below -base,
// and prints its URL.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc/conformance/internal/humanursery"
	"example.com/flowercafe/apidoc/conformance/internal/nursery"
	"example.com/flowercafe/apidoc/conformance/internal/shop"
)

func main() {
	base := flag.String("base", "", "base path")
	api := flag.String("api", "nursery", "nursery, shop, or huma, which has no base path")
	flag.Parse()
	apis := map[string]func(base string) (http.Handler, error){
		"nursery": nursery.New,
		"shop":    shop.New,
		"huma":    func(string) (http.Handler, error) { return humanursery.New(), nil },
	}
	start := apis[*api]
	if start == nil {
		log.Fatalf("there is no API %q", *api)
	}
	handler, err := start(*base)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.Serve(listener))
}
