// Proxy runs the module behind a reverse proxy that adds a prefix which the app does not know. The
// viewer's page still works, because its URLs are relative.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/flowercatalog"
)

// prefix is the prefix that the proxy adds.
const prefix = "/outside"

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	target := flag.String("target", "", "URL of the server behind the proxy; without one the program runs the module itself")
	flag.Parse()
	if err := run(*addr, *target); err != nil {
		log.Fatal(err)
	}
}

func run(addr, target string) error {
	if target == "" {
		app, err := newApp()
		if err != nil {
			return err
		}
		defer app.Close()
		inside, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		target = "http://" + inside.Addr().String()
		server := &http.Server{Handler: app, ReadHeaderTimeout: 5 * time.Second}
		defer server.Close()
		go server.Serve(inside)
	}
	behind, err := url.Parse(target)
	if err != nil {
		return err
	}
	outside, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: set another address with -addr", err)
	}
	fmt.Printf("listening on http://%s%s/\n", outside.Addr(), prefix)
	proxy := &http.Server{Handler: newProxy(prefix, behind), ReadHeaderTimeout: 5 * time.Second}
	return proxy.Serve(outside)
}

func newApp() (*flowercafe.App, error) {
	return flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
}

// newProxy passes requests below prefix on: the path of target takes the place of the prefix.
func newProxy(prefix string, target *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, prefix)
		r.Out.URL.RawPath = strings.TrimPrefix(r.In.URL.RawPath, prefix)
		r.SetURL(target)
		r.SetXForwarded()
	}}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", proxy)
	return mux
}
