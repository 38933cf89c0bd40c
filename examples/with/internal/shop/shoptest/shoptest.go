// Package shoptest tests services that mount the shop below /shop.
package shoptest

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/examples/with/internal/shop"
)

// Test sends requests to a service and checks its log. rest is the service's pattern of the mount,
// such as "/shop/*", which routers write differently.
func Test(t *testing.T, service func(app http.Handler, logger *log.Logger) http.Handler, rest string) {
	app, err := shop.New()
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	for _, test := range []struct {
		method, path, form string
		status             int
		body               string
		log                string
	}{
		{"GET", "/", "", 200, "the service's own page", "200 /"},
		{"GET", "/shop/flowers/rose", "", 200, `{"slug":"rose"`, "200 GET /shop/flowers/:slug"},
		{"HEAD", "/shop/flowers/rose", "", 200, "", "200 GET /shop/flowers/:slug"},
		{"GET", "/shop/flowers/none", "", 404, "Slug Not Found", "404 GET /shop/flowers/:slug"},
		{"GET", "/shop/api-docs/swagger.json", "", 200, `"basePath": "/shop"`, "200 GET /shop/api-docs/swagger.json"},
		{"GET", "/shop/coffees", "", 409, "Call db/create-tables first", "409 GET /shop/coffees"},
		{"POST", "/shop/orders/", "flower=rose", 201, "ordered rose", "201 POST /shop/orders/"},
		{"POST", "/shop/orders/7", "_method=delete", 200, "cancelled 7", "200 DELETE /shop/orders/:id"},
		{"POST", "/shop/orders/7", "_method=put", 404, "Not Found", "404 " + rest},
		{"GET", "/shop/none", "", 404, "Not Found", "404 " + rest},
		{"GET", "/shop", "", 404, "Not Found", "404 /shop"},
		{"GET", "/none", "", 404, "", "404 "},
	} {
		var logs bytes.Buffer
		server := httptest.NewServer(service(app, log.New(&logs, "", 0)))
		request, err := http.NewRequest(test.method, server.URL+test.path, strings.NewReader(test.form))
		if err != nil {
			t.Fatal(err)
		}
		if test.form != "" {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		server.Close() // so that the line is written
		if err != nil || response.StatusCode != test.status || !strings.Contains(string(body), test.body) {
			t.Errorf("%s %s: got %d %.80q, %v; want %d with %q", test.method, test.path, response.StatusCode, body, err, test.status, test.body)
		}
		if test.method == "HEAD" && (len(body) != 0 || response.ContentLength <= 0) {
			t.Errorf("%s %s: got %q and length %d, want the length alone", test.method, test.path, body, response.ContentLength)
		}
		if got := strings.TrimSuffix(logs.String(), "\n"); got != test.log {
			t.Errorf("%s %s: got log %q, want %q", test.method, test.path, got, test.log)
		}
	}
}
