package flowercafe_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe"
)

// Behind a proxy that removes a prefix, the description and the home page name the path outside.
func TestWithProxyPrefix(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithProxyPrefix("/cafe/"), flowercafe.WithBasePath("/shop"), flowercafe.WithHome())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	for path, want := range map[string]string{
		"/shop/api-docs/swagger.json": `"basePath": "/cafe/shop"`,
		"/shop/api-docs/openapi.json": `"url": "/cafe/shop"`,
		"/shop/":                      "<code>/cafe/shop</code>",
		"/shop/flowers/rose":          "rose",
	} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
	for prefix, want := range map[string]string{"cafe": `write "/cafe"`, "/a//b": `write "/a/b"`, "/{org}": "WithProxyPrefix"} {
		if _, err := flowercafe.New(flowercafe.WithProxyPrefix(prefix)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("WithProxyPrefix(%q): got error %v, want %s", prefix, err, want)
		}
	}
}
