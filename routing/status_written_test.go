package routing_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/internal/response"
)

// statusHolder is a writer that holds a 404 until another status is written, as gin's does for the
// handlers of NoRoute.
type statusHolder struct {
	*httptest.ResponseRecorder
	status int
}

func (w *statusHolder) WriteHeader(status int) { w.status = status }

// Each successful response writes the status 200.
func TestSuccessWritesItsStatus(t *testing.T) {
	app := routing.New()
	for path, result := range map[string]routing.Result{
		"/text": routing.Text("a"), "/bytes": routing.Bytes("text/plain", []byte("a")), "/nothing": {}, "/empty": routing.Text(""),
		"/long": routing.Text(strings.Repeat("a", 1<<14)),
	} {
		app.Get(path, func(routing.Context) (routing.Result, error) { return result, nil })
		for _, method := range []string{"GET", "HEAD"} {
			w := &statusHolder{httptest.NewRecorder(), http.StatusNotFound}
			app.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.status != http.StatusOK {
				t.Errorf("%s %s: got %d, want 200", method, path, w.status)
			}
		}
	}
}

// phrases are the reason phrases that were sent.
type phrases []string

func (p *phrases) SendReason(_ context.Context, status int, reason string) {
	*p = append(*p, fmt.Sprint(status, " ", reason))
}

// A reason phrase is sent with the status that it belongs to, and not with the 500 in its place.
func TestReasonIsSentOnce(t *testing.T) {
	for name, test := range map[string]struct {
		halt   *routing.HaltError
		status int
		sent   string
	}{
		"a reason":          {&routing.HaltError{Status: 404, Reason: "Gone fishing"}, 404, "[404 Gone fishing]"},
		"none":              {&routing.HaltError{Status: 404}, 404, "[]"},
		"an invalid header": {&routing.HaltError{Status: 500, Reason: "Tired", Header: http.Header{"X": {"a\nb"}}}, 500, "[]"},
		"an invalid status": {&routing.HaltError{Status: 1000, Reason: "Tired"}, 500, "[]"},
	} {
		app := routing.New(quiet())
		app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Result{}, test.halt })
		var sent phrases
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		app.ServeHTTP(w, r.WithContext(response.WithReasonSender(r.Context(), &sent)))
		if got := fmt.Sprint(sent); got != test.sent || w.Code != test.status {
			t.Errorf("%s: got %d and %s, want %d and %s", name, w.Code, got, test.status, test.sent)
		}
	}
}
