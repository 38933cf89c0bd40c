package routing_test

// This file compares Params with the merge of reference_test.go, with fuzzed queries, forms and
// JSON bodies.

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// paramsPattern has parameters that the query and the form may have too: "a", and "splat" twice.
const paramsPattern = "/:a/*/*"

func FuzzParams(f *testing.F) {
	const form = "application/x-www-form-urlencoded"
	for _, seed := range []struct{ method, path, query, contentType, body string }{
		{"GET", "/1/2/3", "", "", ""},
		{"GET", "/1/2/3", "a=2&b=3&b=4", "", ""},
		{"GET", "//x/", "a&=b&&=&a==b", "", ""},
		{"GET", "/%/\n/\xff", "%=%zz&%4=%41%4&+=+&b=%2B", "", ""},
		{"GET", "/1/2/3", "b=1", form, "b=2"},
		{"POST", "/1/2/3", "b=1&splat=q", form, "b=2&a=form&c=%F0%9F%8C%B8"},
		{"PUT", "/1/2/3", "", form + "; charset=utf-8", "b=%ff%fe&b=\x00\r\n"},
		{"PATCH", "/1/2/3", ";a=1;b=2", strings.ToUpper(form), "b;c=1"},
		{"DELETE", "/1/2/3", "", form, "b=2"},
		{"POST", "/1/2/3", "b=1", "application/json", `{"b":2}`},
		{"POST", "/1/2/3", "=query", "application/vnd.api+json;x", "\xff not JSON"},
		{"GET", "/1/2/3", "=query", "application/json", `[]`},
		{"POST", "/1/2/3", "=query", "application/json", ""},
		{"POST", "/1/2/3", "", "text/plain", "b=2"},
		{"POST", "/1/2/3", "b=1", " application/x-www-form-urlencoded ;;", "&&b=2&"},
		{"POST", "/1/2/3", strings.Repeat("b=%31&a=1&", 60), form, strings.Repeat("b=%32&%63=+&", 60)},
		{"POST", "/1/2/3", "#?/b=1", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=b\r\n\r\n2\r\n--x--\r\n"},
	} {
		f.Add(seed.method, seed.path, seed.query, seed.contentType, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string) {
		path = pathOf(path)
		pattern := paramsPattern
		expression, err := newReferencePattern("sinatra", &pattern, rules{})
		if err != nil {
			t.Fatal(err)
		}
		own, matches := expression.match(path)
		if !matches || !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) || strings.Count(query+body, "&") > 500 || len(body) > 10_000 {
			t.Skip()
		}
		want := &reference{request: requestCase{Method: method, Body: body, Headers: map[string]string{"Content-Type": contentType}}}
		want.query = referencePairs(query)
		want.readBody()

		ran := false
		app := routing.New()
		app.Route(method, routing.Must(routing.Sinatra(pattern)), func(c routing.Context) (routing.Result, error) {
			ran = true
			compareParams(t, c.Params(), want, own)
			// The body can be read again.
			if again, err := io.ReadAll(c.Request().Body); err != nil || string(again) != body {
				t.Errorf("the body is then %q, %v, want %q", again, err, body)
			}
			return routing.Result{}, nil
		})
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.URL.Path, r.URL.RawQuery = path, query
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if !ran || w.Code != http.StatusOK {
			t.Errorf("%s %q: got status %d, action ran is %v; want 200, true", method, path, w.Code, ran)
		}
	})
}

// compareParams compares the values of all keys of both sides, and of some similar keys.
func compareParams(t *testing.T, got routing.Params, want *reference, own []capture) {
	asked := map[string]bool{"": true, "a": true, "A": true, "b": true, " ": true, "none": true, "splat": true}
	keys := map[string]bool{}
	for _, pairs := range [][]capture{own, want.query, want.form} {
		for _, pair := range pairs {
			keys[pair.key] = true
		}
	}
	if want.json != nil {
		keys[""] = true
	}
	var wantKeys []string
	for key := range keys {
		wantKeys = append(wantKeys, key)
	}
	slices.Sort(wantKeys)
	gotKeys := got.Keys()
	if !slices.Equal(gotKeys, wantKeys) {
		t.Errorf("keys: got %q, want %q", gotKeys, wantKeys)
	}
	for _, key := range append(wantKeys, gotKeys...) {
		asked[key] = true
	}
	for key := range asked {
		values := want.values(key, own, nil)
		if found := got.Values(key); !slices.Equal(found, values) || found == nil {
			t.Errorf("values of %q: got %q, want %q", key, found, values)
		}
		first, wanted := "fallback", len(values) > 0
		if wanted {
			first = values[0]
		}
		if value, ok := got.Get(key); ok != wanted || ok && value != first {
			t.Errorf("%q: got %q, %v, want %q, %v", key, value, ok, first, wanted)
		}
		if value := got.GetOr(key, "fallback"); value != first {
			t.Errorf("%q or a fallback: got %q, want %q", key, value, first)
		}
		if value, err := got.Require(key); (err == nil) != wanted || wanted && value != first {
			t.Errorf("%q required: got %q, %v, want %q", key, value, err, first)
		}
	}
	if err := got.Err(); err != nil {
		t.Errorf("got error %v, want none", err)
	}
}
