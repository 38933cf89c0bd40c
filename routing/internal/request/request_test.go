package request_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing/internal/request"
)

func TestCopyHasPathValuesOfItsOwn(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.SetPathValue("id", "outer")
	copied := request.Copy(r, r.Context())
	copied.SetPathValue("id", "inner")
	if got := r.PathValue("id"); got != "outer" {
		t.Errorf("the received request has %q, want outer", got)
	}
	if copied.URL != r.URL {
		t.Error("the URL is copied, but should be shared")
	}
}

type key struct{}

func TestEndCarriesThePatternAndContextBack(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	copied := r.WithContext(context.WithValue(r.Context(), key{}, "user"))
	copied.Pattern = "GET /"
	request.End(copied, r)
	if r.Pattern != "GET /" || r.Context().Value(key{}) != "user" {
		t.Errorf("the received request has pattern %q and value %v", r.Pattern, r.Context().Value(key{}))
	}
}
