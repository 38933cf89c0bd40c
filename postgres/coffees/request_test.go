package coffees_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// ask sends one request to a handler.
func ask(h http.Handler, path string) (status int, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// askMany sends requests concurrently and counts the statuses.
func askMany(t *testing.T, h http.Handler, requests int, path string) map[int]int {
	t.Helper()
	var mu sync.Mutex
	counts := make(map[int]int)
	var wg sync.WaitGroup
	for range requests {
		wg.Go(func() {
			status, _ := ask(h, path)
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	wg.Wait()
	return counts
}
