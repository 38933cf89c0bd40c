package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe"
)

func TestService(t *testing.T) {
	app, err := flowercafe.New(flowercafe.WithBasePath("/shop"))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	server := httptest.NewServer(newRouter(app))
	defer server.Close()
	for _, test := range []struct {
		path   string
		status int
		body   string
	}{
		{"/", 200, "the service's own page"},
		{"/shop/flowers/rose", 200, `{"slug":"rose"`},
		{"/shop/flowers", 200, `[{"slug":`},
		{"/shop/api-docs/swagger.json", 200, `"basePath": "/shop"`},
		{"/shop/none", 404, "Not Found"},
		{"/none", 404, ""},
	} {
		response, err := http.Get(server.URL + test.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != test.status || !strings.Contains(string(body), test.body) {
			t.Errorf("%s: got %d %.80q, %v; want %d with %q", test.path, response.StatusCode, body, err, test.status, test.body)
		}
	}
}
