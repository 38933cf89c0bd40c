package request_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"example.com/flowercafe/routing/internal/request"
)

var users = []string{"user", "post"}

// If this fails with a new release of Go, path values are elsewhere: all works, but takes more
// time.
func TestNetHTTPDeclaresTheValues(t *testing.T) {
	if request.OffsetOfValues(reflect.TypeFor[http.Request]()) == 0 {
		t.Error("http.Request declares its path values in another way")
	}
	for _, other := range []any{
		struct{}{},
		struct {
			Method, pat *int
			matches     *int
			_           [2]int
			otherValues map[string]string
		}{},
		struct {
			Method                    string
			pat, matches, otherValues int
		}{},
		struct {
			Method  string
			pat     *int
			matches []string
		}{},
		struct {
			Method      string
			pat         *int
			otherValues map[string]string
			matches     []string
		}{},
		struct {
			Method      string
			pat         *int
			matches     []byte
			otherValues map[string]string
		}{},
		struct {
			Method      string
			pat         int
			matches     []string
			otherValues map[string]string
		}{},
	} {
		if at := request.OffsetOfValues(reflect.TypeOf(other)); at != 0 {
			t.Errorf("%T: the offset is %d, want 0", other, at)
		}
	}
}

// Without known fields, copies have path values of their own too.
func TestUnknownFields(t *testing.T) {
	s := request.NewSlots(users)
	defer request.ForgetFields()()
	r := httptest.NewRequest("GET", "/", nil)
	if s.In(r, nil) || request.NewSlots(users).In(r, nil) {
		t.Error("there is room in unknown fields")
	}
	r.SetPathValue("user", "outer")
	copied := request.Copy(r, r.Context())
	copied.SetPathValue("user", "inner")
	if r.PathValue("user") != "outer" || copied.PathValue("user") != "inner" || copied.URL != r.URL {
		t.Errorf("the request has %q, its copy %q", r.PathValue("user"), copied.PathValue("user"))
	}
}

// Slots are of one request, and cost one small allocation each.
func TestSlots(t *testing.T) {
	s := request.NewSlots(users)
	r, other := httptest.NewRequest("GET", "http://host:80/users/7/posts/8", nil), httptest.NewRequest("CONNECT", "/other", nil)
	r.Pattern = "before"
	for _, r := range []*http.Request{r, other} {
		if !s.In(r, nil) || r.PathValue("user") != "" {
			t.Fatalf("no room, or the value %q of another request", r.PathValue("user"))
		}
		r.SetPathValue("user", r.Method)
		r.SetPathValue("elsewhere", "x")
	}
	for r, want := range map[*http.Request]string{r: "GET x before", other: "CONNECT x "} {
		if got := r.PathValue("user") + " " + r.PathValue("elsewhere") + " " + r.Pattern; got != want || r.PathValue("post") != "" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	copied := request.Copy(r, t.Context())
	copied.SetPathValue("user", "copied")
	if s.In(r, nil) || r.PathValue("user") != "GET" || copied.PathValue("elsewhere") != "x" {
		t.Error("path values were lost")
	}
	place, empty := new(http.Request), httptest.NewRequest("GET", "/", nil)
	for given, want := range []float64{1, 1, 0, 0} {
		memory := make([]string, given)
		got := testing.AllocsPerRun(1000, func() { *place = *empty; s.In(place, memory); place.SetPathValue("post", "x") })
		if got != want || place.PathValue("post") != "x" {
			t.Errorf("%v allocations for two slots with memory for %d, want %v", got, given, want)
		}
	}
}

func TestNoSlots(t *testing.T) {
	for _, names := range [][]string{nil, {""}, {"a", "a"}, {"0"}, {"9x"}, {"_"}, {"a-b"}, {"é"}, {"a..."}, {"$"}, {"a}"}} {
		if request.NewSlots(names).In(httptest.NewRequest("GET", "/x", nil), nil) {
			t.Errorf("%q: got slots", names)
		}
	}
}
