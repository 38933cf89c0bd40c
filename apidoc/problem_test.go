package apidoc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// The app also responds with problems that no operation describes, for example of a filter.
func TestProblemsOutsideOfOperations(t *testing.T) {
	closed := apidoc.NewProblem(503, "The shop is closed")
	app := routing.New(routing.WithProblemDetails(), routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Before(func(routing.Context) error { return closed.Detailf("Come back at %d", 9) })
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	const want = `{"type":"about:blank","title":"The shop is closed","status":503,"detail":"Come back at 9"}`
	if w.Code != 503 || w.Body.String() != want {
		t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
	}
}

// tooEarly is an error with a status.
type tooEarly struct{}

func (tooEarly) Error() string   { return "too early" }
func (tooEarly) StatusCode() int { return 425 }

// An error with an undescribed status gets the same response as from an action that is written by
// hand. The log has one warning for each status, and CheckResponses reports each response.
func TestUndescribedErrors(t *testing.T) {
	gone := apidoc.NewProblem(410, "Gone")
	for name, c := range map[string]struct {
		err    error
		status int
	}{
		"a problem of this package":  {fmt.Errorf("wrapped: %w", gone.Detailf("since May")), 410},
		"a problem of the router":    {&routing.Problem{Status: 409, Members: map[string]any{"n": 7}}, 409},
		"an error with a StatusCode": {fmt.Errorf("wrapped: %w", tooEarly{}), 425},
		"a halt":                     {&routing.HaltError{Status: 402, Body: routing.Text("pay")}, 402},
		"a redirect":                 {routing.Redirect("/elsewhere"), 302},
		"a missing parameter":        {&routing.ParamError{Key: "a"}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			app := routing.New(routing.WithProblemDetails(), routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
			fail := func(context.Context, struct{}) (string, error) { return "", c.err }
			apidoc.Get(apidoc.NewAPI(app, info), "/typed", "", fail, apidoc.ID("one"))
			app.Get("/hand", func(routing.Context) (routing.Result, error) { return routing.Result{}, c.err })
			var reported []string
			checked := apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = append(reported, err.Error()) })
			for range 2 {
				typed, hand := call(checked, "GET", "/typed", "", ""), call(app, "GET", "/hand", "", "")
				if typed.Code != c.status || typed.Body.String() != hand.Body.String() ||
					typed.Header().Get("Content-Type") != hand.Header().Get("Content-Type") || typed.Header().Get("Location") != hand.Header().Get("Location") {
					t.Errorf("got %d %v %s, want %d %v %s", typed.Code, typed.Header(), typed.Body, c.status, hand.Header(), hand.Body)
				}
			}
			warning := fmt.Sprintf("operation=one status=%d", c.status)
			if n := strings.Count(logged.String(), warning); n != 1 || !strings.Contains(logged.String(), "level=WARN") {
				t.Errorf("%d warnings %q in the log, want one: %s", n, warning, &logged)
			}
			if want := fmt.Sprintf("operation one: status %d is not described", c.status); !slices.Equal(reported, []string{want, want}) {
				t.Errorf("reported %q, want %q twice", reported, want)
			}
		})
	}
}

// Described errors cause no warnings. Neither do errors without a status, which are logged as a
// 500.
func TestNoWarningsOfDescribedErrors(t *testing.T) {
	var logged bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	api := apidoc.NewAPI(app, info)
	for path, err := range map[string]error{
		"/described": notFound.Detailf("x"), "/any": &routing.Problem{Status: 409}, "/halt": &routing.HaltError{Status: 404}, "/pass": routing.Pass, "/plain": errors.New("down"),
	} {
		other := apidoc.Response[struct{}](409, "Conflict")
		apidoc.Get(api, path, "", func(context.Context, struct{}) (string, error) { return "", err }, notFound, other, apidoc.ID(path[1:]))
		call(app, "GET", path, "", "")
	}
	if text := logged.String(); strings.Contains(text, "WARN") || strings.Count(text, "level=ERROR") != 1 {
		t.Errorf("logged %s", text)
	}
}
