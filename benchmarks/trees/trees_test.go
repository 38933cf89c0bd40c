package trees_test

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"example.com/flowercafe/benchmarks/trees"
)

var update = flag.Bool("update", false, "rewrite openapi.json")

// The description that ogen reads is that of the typed operations.
func TestDescription(t *testing.T) {
	document, err := trees.New().Document()
	if err != nil {
		t.Fatal(err)
	}
	got := document.OpenAPI30()
	if *update {
		if err := os.WriteFile("openapi.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("openapi.json is not the description; go generate writes it and the server\n%s", got)
	}
}

// The servers also give the same responses where they are not measured.
func TestServersAreEqual(t *testing.T) {
	generated, err := trees.Ogen()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		target, ifNoneMatch string
		status              int
		body, tag           string
	}{
		{"/trees/7", `"7-1"`, 304, "", `"7-1"`},
		{"/trees/7", `"6-1"`, 200, `{"name":"Tree 7","kind":"ash","height":6.5,"tags":["park","old"]}`, `"7-1"`},
		{"/trees/101", "", 404, `{"type":"about:blank","title":"No such tree","status":404}`, ""},
		{"/trees?limit=1", "", 200, `[{"name":"Tree 1","kind":"ash","height":0.5,"tags":["park","old"]}]`, ""},
	} {
		for name, h := range map[string]http.Handler{"typed operations": trees.New(), "by hand": trees.ByHand(), "ogen": generated} {
			r := httptest.NewRequest(http.MethodGet, row.target, nil)
			if row.ifNoneMatch != "" {
				r.Header.Set("If-None-Match", row.ifNoneMatch)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != row.status || w.Body.String() != row.body || w.Header().Get("ETag") != row.tag {
				t.Errorf("%s: GET %s with If-None-Match %s: got %d %s %s, want %d %s %s", name, row.target, row.ifNoneMatch,
					w.Code, w.Header().Get("ETag"), w.Body, row.status, row.tag, row.body)
			}
		}
	}
}
