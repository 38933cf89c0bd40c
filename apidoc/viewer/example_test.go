package viewer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"example.com/flowercafe/apidoc/viewer"
)

// In a mux of one's own the page goes below the description, with the prefix cut.
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
