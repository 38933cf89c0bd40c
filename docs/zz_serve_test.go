package docs_test

import (
	"net/http"
	"os"
	"testing"
)

func TestServe(t *testing.T) {
	if os.Getenv("G_ADDR") != "" {
		http.ListenAndServe(os.Getenv("G_ADDR"), served())
	}
}
func served() http.Handler { return bookshop() }
