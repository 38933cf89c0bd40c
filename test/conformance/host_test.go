package conformance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/conformance/internal/nursery"
	"example.com/flowercafe/apidoc/conformance/internal/shop"
	"example.com/flowercafe/flowercatalog"
)

// This file starts the hosts.

// newCafe returns the module itself below a base path.
func newCafe(base string, options ...flowercatalog.Option) func(*testing.T) http.Handler {
	return func(t *testing.T) http.Handler {
		t.Helper()
		app, err := flowercafe.New(flowercafe.WithBasePath(base), flowercafe.WithCatalog(options...))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { app.Close() })
		return app
	}
}

// newShop returns the shop below a base path.
func newShop(base string) func(*testing.T) http.Handler {
	return func(t *testing.T) http.Handler {
		t.Helper()
		app, err := shop.New(base)
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
}

// newNursery returns the nursery below a base path.
func newNursery(base string) func(*testing.T) http.Handler {
	return func(t *testing.T) http.Handler {
		t.Helper()
		app, err := nursery.New(base)
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
}

// host is a program with a description.
type host struct {
	name, base string
	start      func(*testing.T) http.Handler
}

// openAPIForms are the OpenAPI formats that each host serves.
var openAPIForms = []string{"openapi.json", "openapi-3.0.json", "openapi-3.2.json"}

// hosts are the hosts that every tool must read.
var hosts = []host{
	{"cafe", "", newCafe("")},
	{"cafe below a base path", "/shop", newCafe("/shop")},
	{"cafe with the least information", "", newCafe("", flowercatalog.WithInfo(apidoc.Info{Title: "T", Version: "0"}))},
	{"shop", "", newShop("")},
	{"shop below a base path", "/a/b c", newShop("/a/b c")},
	{"nursery", "", newNursery("")},
	{"nursery below a base path", "/a", newNursery("/a")},
	{"depot", "/v1", newDepot(0)},
	{"depot below two mounts", "/company/depot/v1", newDepot(1)},
	{"depot of a company behind chi", "/shop/v2/acme", newDepot(2)},
}

// serve starts a server and returns its origin.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// fetch returns the body at an address, whose status must be 200.
func fetch(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("GET %s: status %d, error %v", address, r.StatusCode, err)
	}
	return body
}
