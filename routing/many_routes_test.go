package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// The time to find a route does not grow with the number of routes. With a linear search, the
// requests would take many seconds.
func TestRequestsWithManyRoutes(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("defines 16,384 routes several times, and the race detector slows searches down")
	}
	formatted := func(format string) func(i int) string {
		return func(i int) string { return fmt.Sprintf(format, i) }
	}
	const n = 1 << 14
	for name, pattern := range map[string]func(i int) string{
		"literal":            formatted("/items/%d"),
		"parameter":          formatted("/%d/:id"),
		"parameter in front": formatted("/:id/%d"),
		"partial segment":    formatted("/%d-:id/x"),
		"a common beginning": formatted("/items/0000%d/*"),
		"a different ending": formatted("/items/:id/x%d/y"),
		"the same parameter": func(int) string { return "/items/:id" },
		"the same wildcard":  func(int) string { return "/items/*" },
		"parameters and literals": func(i int) (pattern string) { // all match the path
			for bit := 1; bit < n; bit <<= 1 {
				pattern += map[bool]string{true: "/a", false: "/:id"}[i&bit != 0]
			}
			return pattern + "/:id"
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			app := routing.New()
			for i := range n {
				app.Get(pattern(i), text("found"))
			}
			// The path matches the route defined last.
			path := strings.NewReplacer(":id", "7", "*", "7/8").Replace(pattern(n - 1))
			r := httptest.NewRequest("GET", path, nil)
			if w := send(app, r); w.Body.String() != "found" {
				t.Fatalf("GET %s: got %d %q", path, w.Code, w.Body)
			}
			w := discardWriter{make(http.Header)}
			begin := time.Now()
			for i := range 200_000 {
				app.ServeHTTP(w, r)
				if i%1000 == 0 && time.Since(begin) > 2*time.Second {
					t.Fatalf("GET %s: %d requests took more than 2 seconds", path, i)
				}
			}
		})
	}
}
