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

// The time to find a route must not grow with the number of routes. With a search through all
// 20,000, the requests would take many seconds.
func TestRequestsWithManyRoutes(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("defines 20,000 routes several times, and the race detector slows searches down")
	}
	for name, pattern := range map[string]string{
		"literal":            "/items/%d",
		"parameter":          "/%d/:id",
		"parameter in front": "/:id/%d",
		"partial segment":    "/%d-:id/x",
		"a common beginning": "/items/0000%d/*",
		"a different ending": "/items/:id/x%d/y",
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			const n = 20_000
			app := routing.New()
			for i := range n {
				app.Get(fmt.Sprintf(pattern, i), text("found"))
			}
			// The path matches the route defined last.
			path := strings.NewReplacer(":id", "7", "*", "7/8").Replace(fmt.Sprintf(pattern, n-1))
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
