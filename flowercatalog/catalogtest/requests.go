package catalogtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// This file compares the responses of two apps with the same flowers, one with the store and one
// with a Memory.

// testRequests sends random requests to both, half of them to apps with pages. The responses are
// the same byte for byte, except for ETag and Content-Length.
func testRequests(t *testing.T, f *fixture) {
	const limit = 50
	seed, rng := newRandom()
	t.Logf("seed %d", seed)
	apps := func(options ...flowercatalog.Option) [2]http.Handler {
		memory, err := flowercatalog.New(append(options, flowercatalog.WithFlowers(f.flowers...))...)
		f.must("the app over memory", err)
		stored, err := flowercatalog.New(append(options, flowercatalog.WithStore(f.store), flowercatalog.WithStoreTimeout(patience))...)
		f.must("the app over the store", err)
		return [2]http.Handler{memory, stored}
	}
	kinds := [][2]http.Handler{apps(), apps(flowercatalog.WithPageSize(limit))}
	for i := range rounds(2500) {
		method, target := http.MethodGet, "/flowers"
		if rng.IntN(10) == 0 {
			method = http.MethodHead
		}
		query := make(url.Values)
		if rng.IntN(3) > 0 {
			query.Set("name", part(rng, f.flowers))
		}
		if rng.IntN(2) == 0 {
			query.Set("after", f.flowers[rng.IntN(len(f.flowers))].Slug)
		}
		if rng.IntN(2) == 0 {
			query.Set("limit", fmt.Sprint(rng.IntN(limit+2)))
		}
		switch rng.IntN(20) {
		case 0:
			query.Set("after", "none")
		case 1:
			query.Set("name", "\x00")
		case 9:
			query.Set("name", "\x00")
			query.Set("after", "none")
		case 2:
			query.Set("after", "\xff")
		case 3, 4, 5, 6:
			target += "/" + url.PathEscape(f.flowers[rng.IntN(len(f.flowers))].Slug)
		case 7:
			target += "/none"
		case 8:
			target += "/%FF"
		}
		target += "?" + query.Encode()
		var got [2]string
		for app, handler := range kinds[i%2] {
			got[app] = respond(handler, method, target)
		}
		if got[0] != got[1] {
			t.Errorf("%s %s:\nin memory: %.500s\nthe store: %.500s", method, target, got[0], got[1])
		}
	}
}

// respond returns the response as text, without ETag and Content-Length, and the status of a second
// request with that ETag.
func respond(handler http.Handler, method, target string) string {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	text := fmt.Sprintf("%d %s", w.Code, w.Body)
	var names []string
	for name := range w.Header() {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == "Etag" {
			again := httptest.NewRecorder()
			r := httptest.NewRequest(method, target, nil)
			r.Header.Set("If-None-Match", w.Header().Get(name))
			handler.ServeHTTP(again, r)
			text += fmt.Sprintf("\nwith its ETag: %d", again.Code)
			continue
		}
		if name != "Content-Length" { // a list that is streamed does not know it
			text += fmt.Sprintf("\n%s: %q", name, w.Header()[name])
		}
	}
	return text
}
