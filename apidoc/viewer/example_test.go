package viewer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/apidoc/viewer"
)

// In your own mux, serve the page beside the description, and remove the prefix.
func ExampleNew() {
	mux := http.NewServeMux()
	mux.HandleFunc("/api-docs/swagger.json", func(http.ResponseWriter, *http.Request) { /* the description */ })
	mux.Handle("/api-docs/ui/", http.StripPrefix("/api-docs/ui", viewer.New(
		viewer.WithTitle("The shop's API"),
		viewer.WithFormats(viewer.Format{Name: "Swagger 2.0", URL: "../swagger.json"}),
	)))

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/api-docs/ui/", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}

// The page offers another format, and is always dark.
func ExampleWithMoreFormats() {
	page := viewer.New(
		viewer.WithTheme(viewer.Dark),
		viewer.WithMoreFormats(viewer.Format{Name: "Partners", URL: "../partners.json"}),
	)
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for _, part := range []string{`data-theme="dark"`, "../openapi.json", "../partners.json"} {
		fmt.Println(strings.Contains(w.Body.String(), part))
	}
	// Output:
	// true
	// true
	// true
}
