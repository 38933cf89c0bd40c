package routing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// holding is a writer that holds a 404 until another status is written, as gin's does for the
// handlers of NoRoute.
type holding struct {
	*httptest.ResponseRecorder
	status int
}

func (w *holding) WriteHeader(status int) { w.status = status }

// Each success writes its 200.
func TestSuccessWritesItsStatus(t *testing.T) {
	app := routing.New()
	for path, result := range map[string]routing.Result{
		"/text": routing.Text("a"), "/bytes": routing.Bytes("text/plain", []byte("a")), "/nothing": {}, "/empty": routing.Text(""),
		"/long": routing.Text(strings.Repeat("a", 1<<14)),
	} {
		app.Get(path, func(routing.Context) (routing.Result, error) { return result, nil })
		for _, method := range []string{"GET", "HEAD"} {
			w := &holding{httptest.NewRecorder(), http.StatusNotFound}
			app.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.status != http.StatusOK {
				t.Errorf("%s %s: got %d, want 200", method, path, w.status)
			}
		}
	}
}
