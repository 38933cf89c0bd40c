package browsertest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/flowercatalog"
)

// This file starts the hosts that the browser visits.

// newHost makes an app with the page, mounted in a mux, below a base path.
func newHost(t *testing.T, base string, options ...flowercafe.Option) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	options = append(options, flowercafe.WithBasePath(base), flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
	app, err := flowercafe.Mount(mux, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return mux
}

// serve starts a server and returns its origin.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// stripped puts a handler at a prefix that it does not know.
func stripped(prefix string, h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", http.StripPrefix(prefix, h))
	return mux
}

// proxied puts a server at a prefix that it does not know, on another port.
func proxied(t *testing.T, prefix string, h http.Handler) http.Handler {
	t.Helper()
	target, err := url.Parse(serve(t, h))
	if err != nil {
		t.Fatal(err)
	}
	return stripped(prefix, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
}
