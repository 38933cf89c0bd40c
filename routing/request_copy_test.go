package routing_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing/internal/request"
)

func TestRequestCopyHasPathValuesOfItsOwn(t *testing.T) {
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

func TestRequestCopiesShareNoPathValues(t *testing.T) {
	set := func(r *http.Request) { r.SetPathValue("id", "outer") }
	for name, received := range map[string]func(*http.Request) *http.Request{
		"no values":         func(r *http.Request) *http.Request { return r },
		"set by a caller":   func(r *http.Request) *http.Request { set(r); return r },
		"of a ServeMux":     func(r *http.Request) *http.Request { return behindPattern("/{id}/", r) },
		"beside a ServeMux": func(r *http.Request) *http.Request { return behindPattern("/", r) },
	} {
		r := received(httptest.NewRequest("GET", "/outer/x", nil))
		before := r.PathValue("id")
		first, second := request.Copy(r, r.Context()), request.Copy(r, r.Context())
		first.SetPathValue("id", "first")
		second.SetPathValue("id", "second")
		if got := first.PathValue("id") + " " + second.PathValue("id") + " " + r.PathValue("id"); got != "first second "+before {
			t.Errorf("%s: the copies and the received request have %q", name, got)
		}
	}
}

// behindPattern returns r as a handler of a ServeMux gets it.
func behindPattern(pattern string, r *http.Request) (received *http.Request) {
	mux := http.NewServeMux()
	mux.HandleFunc(pattern, func(_ http.ResponseWriter, r *http.Request) { received = r })
	mux.ServeHTTP(httptest.NewRecorder(), r)
	return received
}

type contextKey struct{}

func TestRequestEndCopiesPatternAndContext(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	copied := r.WithContext(context.WithValue(r.Context(), contextKey{}, "user"))
	copied.Pattern = "GET /"
	request.End(copied, r)
	if r.Pattern != "GET /" || r.Context().Value(contextKey{}) != "user" {
		t.Errorf("the received request has pattern %q and value %v", r.Pattern, r.Context().Value(contextKey{}))
	}
}
