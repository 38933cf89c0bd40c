package coffeedemo_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
)

// TestGuard is the table of what the guard refuses, on every route and in every letter case.
// Without the guard nothing is refused.
func TestGuard(t *testing.T) {
	for _, test := range []struct {
		name   string
		header http.Header
		passes bool
	}{
		{"no header (curl, a client program)", http.Header{}, true},
		{"typed into the address bar", http.Header{"Sec-Fetch-Site": {"none"}}, true},
		{"a link of the same origin", http.Header{"Sec-Fetch-Site": {"same-origin"}}, true},
		{"another purpose", http.Header{"Sec-Purpose": {"other"}}, true},
		{"a link of another site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		{"a link of a sister site", http.Header{"Sec-Fetch-Site": {"same-site"}}, false},
		{"in capital letters", http.Header{"Sec-Fetch-Site": {"Cross-Site"}}, false},
		{"twice, the first harmless", http.Header{"Sec-Fetch-Site": {"none", "cross-site"}}, false},
		{"a script of the same origin", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Dest": {"empty"}}, true},
		{"a link of the same origin, by its document", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Dest": {"document"}}, true},
		{"a click in an iframe of the same origin", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Fetch-Dest": {"iframe"}}, false},
		{"frame", http.Header{"Sec-Fetch-Site": {"none"}, "Sec-Fetch-Dest": {"Frame"}}, false},
		{"embed", http.Header{"Sec-Fetch-Dest": {"embed"}}, false},
		{"object", http.Header{"Sec-Fetch-Dest": {"document", " object "}}, false},
		{"prefetch", http.Header{"Sec-Purpose": {"prefetch"}}, false},
		{"prerender", http.Header{"Sec-Purpose": {"prefetch;prerender"}}, false},
		{"prefetch of the same origin", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Sec-Purpose": {"prefetch"}}, false},
		{"prefetch of an older browser", http.Header{"Purpose": {"Prefetch"}}, false},
	} {
		for _, guarded := range []bool{true, false} {
			var with []coffeedemo.Option
			if guarded {
				with = options(coffeedemo.WithGuard())
			}
			d := openDemo(t, 1, time.Second, with...)
			for _, route := range []struct {
				path          string
				before, after tables
			}{
				{createPath, noTables, emptyTables},
				{loadPath, emptyTables, fullTables},
				{dropPath, fullTables, noTables},
			} {
				status, after, robots := http.StatusOK, route.after, ""
				if guarded {
					robots = "noindex"
					if !test.passes {
						status, after = http.StatusForbidden, route.before
					}
				}
				d.state(t, route.before)
				r := httptest.NewRequest("GET", route.path, nil)
				r.Header = test.header.Clone()
				w := serve(d, r)
				if w.Code != status {
					t.Errorf("%s, guarded %t: GET %s: got %d, want %d", test.name, guarded, route.path, w.Code, status)
				}
				if got := d.tables(t); got != after {
					t.Errorf("%s, guarded %t: GET %s: got tables %+v, want %+v", test.name, guarded, route.path, got, after)
				}
				if got := w.Header().Get("X-Robots-Tag"); got != robots {
					t.Errorf("%s, guarded %t: GET %s: got X-Robots-Tag %q, want %q", test.name, guarded, route.path, got, robots)
				}
				assertHeaders(t, w, route.path, status)
			}
		}
	}
}

// TestGuardLeavesTheRest: the list and other paths are not guarded.
func TestGuardLeavesTheRest(t *testing.T) {
	d := openDemo(t, 1, time.Second, coffeedemo.WithGuard())
	d.state(t, fullTables)
	r := httptest.NewRequest("GET", coffeesPath, nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if w := serve(d, r); w.Code != http.StatusOK || w.Header().Get("X-Robots-Tag") != "" {
		t.Errorf("GET %s: got %d, X-Robots-Tag %q, want 200 and none", coffeesPath, w.Code, w.Header().Get("X-Robots-Tag"))
	}
}

// TestGuardAgreesWithRoutes: no spelling of a path avoids the guard.
func TestGuardAgreesWithRoutes(t *testing.T) {
	d := openDemo(t, 1, time.Second, coffeedemo.WithGuard())
	for _, path := range []string{
		"/db/create-tables", "/db/create%2Dtables", "/%64b/create-tables", "/db%2Fcreate-tables", "/db/create-tables?x", "//db/create-tables",
		"/db//create-tables", "/./db/create-tables", "/x/../db/create-tables", "/db/create-tables/", "/db/create-tables;x", "/db/create-tables%0A",
		"/db/create-tables%00", "/DB/create-tables", "http://example.com/db/create-tables", "/db/create-tables%20", "/db\\create-tables",
	} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if w := serve(d, r); w.Code != http.StatusForbidden && w.Code != http.StatusNotFound {
			t.Errorf("GET %s from another site: got %d, want 403 or 404", path, w.Code)
		}
		if got := d.tables(t); got != noTables {
			t.Fatalf("GET %s from another site: got tables %+v, want none", path, got)
		}
	}
}
