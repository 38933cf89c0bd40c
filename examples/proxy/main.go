// Proxy runs the module behind a reverse proxy that adds a prefix which the app does not know. The viewer's page works all the same:
// its addresses are relative.
package main

import (
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/flowercatalog"
)

func main() {
	app, err := newApp()
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		server := &http.Server{Addr: "127.0.0.1:8081", Handler: app, ReadHeaderTimeout: 5 * time.Second}
		log.Fatal(server.ListenAndServe())
	}()
	target := &url.URL{Scheme: "http", Host: "127.0.0.1:8081"}
	proxy := &http.Server{Addr: "127.0.0.1:8080", Handler: newProxy("/outside", target), ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/outside/api-docs/ui/")
	log.Fatal(proxy.ListenAndServe())
}

func newApp() (*flowercafe.App, error) {
	return flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
}

// newProxy passes on what is below prefix, without it.
func newProxy(prefix string, target *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, prefix)
		r.Out.URL.RawPath = strings.TrimPrefix(r.In.URL.RawPath, prefix)
		r.SetXForwarded()
	}}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", proxy)
	return mux
}
