package routing_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing"
)

// Changing the headers of a response in place does not change the halt, which may be returned
// again.
func TestHaltsShareNoHeaders(t *testing.T) {
	app := routing.New()
	halt := &routing.HaltError{Status: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {"Basic"}}}
	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Result{}, halt })
	app.After(func(c routing.Context) error {
		c.Header()["Www-Authenticate"][0] += " realm=x"
		return nil
	})
	for range 2 {
		if got := get(app, "/").Header().Get("WWW-Authenticate"); got != "Basic realm=x" {
			t.Errorf("got %q", got)
		}
	}
}

// After a panic in a route, the error handler sees the status that a before filter has set.
func TestStatusBeforePanics(t *testing.T) {
	for where, option := range map[string]routing.RouteOption{
		"the action": routing.Wrap(func(routing.Action) routing.Action {
			return func(routing.Context) (routing.Result, error) { panic("broken") }
		}),
		"middleware": routing.Use(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("broken") })
		}),
	} {
		app := routing.New(quiet())
		app.Before(func(c routing.Context) error { c.SetStatus(http.StatusTeapot); return nil })
		app.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Text("handled"), nil })
		app.Get("/", text(""), option)
		if w := get(app, "/"); w.Code != http.StatusTeapot || w.Body.String() != "handled" {
			t.Errorf("a panic in %s: got %d %q", where, w.Code, w.Body)
		}
	}
}

// ErrorBody gets the problem of the response, not the problem of an earlier error.
func TestProblemOfTheLastError(t *testing.T) {
	conflict := func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.Problem{Status: http.StatusConflict, Title: "Conflict", Detail: "taken"}
	}
	for name, test := range map[string]struct {
		define func(*routing.App)
		want   string
	}{
		"alone": {func(*routing.App) {}, "409 Conflict taken 0"},
		"then a halt of an after filter": {func(app *routing.App) {
			app.After(func(routing.Context) error { return &routing.HaltError{Status: http.StatusForbidden} })
		}, "403 Forbidden  0"},
		"then an invalid header": {func(app *routing.App) {
			app.After(func(c routing.Context) error { c.Header()["X"] = []string{"\n"}; return nil })
		}, "500 Internal Server Error  0"},
		"and an error handler that misses a parameter": {func(app *routing.App) {
			app.OnError(func(c routing.Context, _ error) (routing.Result, error) {
				_, err := c.Params().Require("name")
				return routing.Result{}, err
			})
		}, "500 Internal Server Error  0"},
		"and an error handler that fails": {func(app *routing.App) {
			app.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Result{}, errors.New("broken") })
		}, "500 Internal Server Error  0"},
	} {
		app := routing.New(quiet())
		app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
			return routing.Text(fmt.Sprint(p.Status, " ", p.Title, " ", p.Detail, " ", len(p.Errors))), nil
		})
		app.Get("/", conflict)
		test.define(app)
		if got := get(app, "/").Body.String(); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// Routes after one that passes match the Accept header that its middleware or action has set.
func TestAcceptAfterPass(t *testing.T) {
	setJSON := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = r.Clone(r.Context())
			r.Header.Set("Accept", "application/json")
			next.ServeHTTP(w, r)
		})
	}
	for name, passing := range map[string]func(*routing.App){
		"middleware": func(app *routing.App) {
			app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Provides("html"), routing.Use(setJSON))
		},
		"action": func(app *routing.App) {
			app.Get("/", func(c routing.Context) (routing.Result, error) {
				c.Request().Header.Set("Accept", "application/json")
				return routing.Result{}, routing.Pass
			}, routing.Provides("html"))
		},
	} {
		app := routing.New()
		app.Get("/", text("html"), routing.Provides("html"))
		app.Get("/", text("json"), routing.Provides("json"))
		passing(app)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", "text/html")
		if w := send(app, r); w.Body.String() != "json" {
			t.Errorf("%s: got %d %q, want the route for JSON", name, w.Code, w.Body)
		}
	}
}
