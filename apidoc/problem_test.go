package apidoc_test

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// The app also responds with problems that no operation describes, for example of a filter.
func TestProblemsOutsideOfOperations(t *testing.T) {
	closed := apidoc.Fail(503, "The shop is closed")
	app := routing.New(routing.WithProblems(), routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Before(func(routing.Context) error { return closed.With("Come back at %d", 9) })
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	const want = `{"type":"about:blank","title":"The shop is closed","status":503,"detail":"Come back at 9"}`
	if w.Code != 503 || w.Body.String() != want {
		t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
	}
}
