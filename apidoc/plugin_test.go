package apidoc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests what plugins add to operations: routes in front of them, and interceptors.

// A route in front of an operation runs before its security and checks; an interceptor after them.
func TestRoutesInFrontAndInterceptors(t *testing.T) {
	newAPI := func() (*routing.App, *apidoc.API) {
		app := routing.New()
		api := apidoc.NewAPI(app, info)
		apidoc.Post(api, "/bookings", "", func(_ context.Context, in struct {
			Hours int `json:"hours"`
		}) (int, error) {
			return in.Hours, nil
		}, membersOnly)
		return app, api
	}
	veto := apidoc.NewProblem(403, "Closed")
	route, _ := newAPI()
	route.Post("/bookings", func(routing.Context) (routing.Result, error) { return routing.Result{}, veto })
	hidden, api := newAPI()
	apidoc.Post(api, "/bookings", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, veto }, membersOnly, apidoc.Hidden())
	intercepted, api := newAPI()
	api.Intercept(func(context.Context, *apidoc.Call, func(context.Context) (any, error)) (any, error) { return nil, veto })
	for _, test := range []struct {
		name                        string
		app                         *routing.App
		anonymous, invalid, allowed int
	}{
		{"a route", route, 403, 403, 403},
		{"a hidden operation", hidden, 401, 403, 403},
		{"an interceptor", intercepted, 401, 422, 403},
	} {
		member := []string{"Authorization", "Bearer member"}
		got := []int{
			call(test.app, "POST", "/bookings", "application/json", `{"hours":1}`).Code,
			call(test.app, "POST", "/bookings", "application/json", `{"hours":"x"}`, member...).Code,
			call(test.app, "POST", "/bookings", "application/json", `{"hours":1}`, member...).Code,
		}
		if want := []int{test.anonymous, test.invalid, test.allowed}; !slices.Equal(got, want) {
			t.Errorf("%s: anonymous, invalid and allowed requests get %d, want %d", test.name, got, want)
		}
	}
}

// API.Intercept applies to operations that are defined before and after it, inside the interceptors
// of NewAPI and outside those of groups.
func TestInterceptorsThatAreAdded(t *testing.T) {
	var ran []string
	mark := func(name string) apidoc.Interceptor {
		return func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
			ran = append(ran, name)
			return next(ctx)
		}
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Intercept(mark("api")))
	api.Group("/g", func(g *apidoc.Group) {
		apidoc.Get(g, "/before", "", answer("before"), apidoc.Intercept(mark("own")))
	}, apidoc.Intercept(mark("group")))
	other := apidoc.NewAPI(app, apidoc.Info{})
	apidoc.Get(other, "/other", "", answer("other"))
	seen := func(target string) string {
		ran = nil
		if w := call(app, "GET", target, "", ""); w.Code != 200 {
			t.Fatalf("%s: %d %s", target, w.Code, w.Body)
		}
		return strings.Join(ran, " ")
	}
	for _, test := range []struct {
		add          string
		target, want string
	}{
		{"", "/g/before", "api group own"},
		{"one", "/g/before", "api one group own"},
		{"two", "/g/before", "api one two group own"},
		{"", "/other", ""},
	} {
		if test.add != "" {
			api.Intercept(mark(test.add))
		}
		if got := seen(test.target); got != test.want {
			t.Errorf("%s after %q: ran %q, want %q", test.target, test.add, got, test.want)
		}
	}
	apidoc.Get(api, "/after", "", answer("after"))
	if got := seen("/after"); got != "api one two" {
		t.Errorf("an operation that is defined later: ran %q", got)
	}
	if got := panicOf(func() { api.Intercept(nil) }); got != "apidoc: Intercept: pass a function, not nil" {
		t.Errorf("panicked with %q", got)
	}
}

// An operation would not get another input: an interceptor changes the one that it gets.
func TestInterceptorThatReplacesTheInput(t *testing.T) {
	app, api := newTyped()
	app.OnError(func(_ routing.Context, err error) (routing.Result, error) { return routing.Text(err.Error()), nil })
	api.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		call.Input = &PlumByID{}
		return next(ctx)
	})
	apidoc.Get(api, "/:id", "", func(context.Context, PlumByID) (string, error) { return "called", nil })
	if w := call(app, "GET", "/1", "", ""); w.Code != 500 || !strings.Contains(w.Body.String(), "set the field Input of its Call: change the value to which it points") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// The body of an operation's errors does not depend on the Accept header.
func TestErrorsIgnoreAccept(t *testing.T) {
	described, undescribed := apidoc.NewProblem(409, "Described"), apidoc.NewProblem(404, "Not described")
	errs := map[string]error{
		"described": described, "undescribed": undescribed, "wrapped": fmt.Errorf("read: %w", undescribed),
		"server": apidoc.NewProblem(503, "Later"), "plain": errors.New("secret"),
	}
	type in struct {
		Kind string `query:"kind"`
		N    int    `query:"n"`
	}
	fail := func(_ context.Context, in in) (string, error) {
		if in.Kind == "panic" {
			panic("secret")
		}
		return "", errs[in.Kind]
	}
	for _, shape := range []string{"", "own"} {
		for _, problems := range []bool{false, true} {
			options := []routing.Option{routing.WithLogger(slog.New(slog.DiscardHandler))}
			if problems {
				options = append(options, routing.WithProblemDetails())
			}
			app := routing.New(options...)
			var asked []string
			app.OnError(func(_ routing.Context, err error) (routing.Result, error) {
				asked = append(asked, err.Error())
				return routing.Result{}, err
			})
			var ofAPI []apidoc.Option
			wantType := "application/problem+json"
			if shape != "" {
				wantType = "application/json"
				ofAPI = append(ofAPI, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) map[string]string {
					return map[string]string{"title": p.Title}
				}))
			}
			api := apidoc.NewAPI(app, info, ofAPI...)
			apidoc.Get(api, "/x", "", fail, described)
			for _, test := range []struct {
				query string
				want  int
				title string
				asked bool
			}{
				{"kind=described", 409, "Described", false}, {"kind=undescribed", 404, "Not described", false},
				{"kind=wrapped", 404, "Not described", false}, {"kind=server", 503, "Later", true},
				{"n=x", 422, "", false},
				{"kind=plain", 500, "Internal Server Error", true}, {"kind=panic", 500, "Internal Server Error", true},
			} {
				for _, accept := range []string{"", "text/html", "text/plain", "application/json"} {
					asked = nil
					w := call(app, "GET", "/x?"+test.query, "", "", "Accept", accept)
					if w.Code != test.want || !strings.HasPrefix(w.Header().Get("Content-Type"), wantType) ||
						!strings.Contains(w.Body.String(), `"title":"`+test.title) || strings.Contains(w.Body.String(), "secret") {
						t.Errorf("%s for %q, ErrorBody %q: got %d %s: %s", test.query, accept, shape, w.Code, w.Header().Get("Content-Type"), w.Body)
					}
					if (asked != nil) != test.asked {
						t.Errorf("%s: OnError was asked %q", test.query, asked)
					}
				}
			}
		}
	}
}

// OnError is called first for errors that are not problems.
func TestOnErrorComesFirst(t *testing.T) {
	app := routing.New()
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		c.SetStatus(503)
		return routing.Text("later"), nil
	})
	api := apidoc.NewAPI(app, info)
	var failure error
	apidoc.Get(api, "/x", "", func(context.Context, struct{}) (string, error) { return "", failure })
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("away"), "503 later"},
		{apidoc.NewProblem(500, "Away"), "503 later"},
		{noTree, `404 {"type":"about:blank","title":"No such tree","status":404}`},
		{&routing.HaltError{Status: 500, Body: routing.Text("halted")}, "500 halted"},
		{routing.Redirect("/y"), "302 "},
	} {
		failure = c.err
		if w := call(app, "GET", "/x", "", ""); fmt.Sprint(w.Code, " ", w.Body) != c.want {
			t.Errorf("%v: got %d %s, want %s", c.err, w.Code, w.Body, c.want)
		}
	}
}

func TestTransaction(t *testing.T) {
	conflict, redirect := apidoc.NewProblem(409, "Taken"), routing.SeeOther("/elsewhere")
	lost := errors.New("connection lost")
	type outcome struct{ begin, commit, rollback error }
	for name, test := range map[string]struct {
		database outcome
		err      error // of the operation
		panics   bool
		status   int
		ran      string
	}{
		"it succeeds":            {status: 200, ran: "begin run commit"},
		"it redirects":           {err: redirect, status: 303, ran: "begin run commit"},
		"it passes":              {err: routing.Pass, status: 299, ran: "begin run commit"},
		"it fails":               {err: conflict, status: 409, ran: "begin run rollback"},
		"it panics":              {panics: true, status: 500, ran: "begin run rollback"},
		"begin fails":            {database: outcome{begin: lost}, status: 500, ran: "begin"},
		"commit fails":           {database: outcome{commit: lost}, status: 500, ran: "begin run commit"},
		"commit has a problem":   {database: outcome{commit: conflict}, status: 409, ran: "begin run commit"},
		"a redirect is not kept": {err: redirect, database: outcome{commit: lost}, status: 500, ran: "begin run commit"},
		"rollback fails":         {err: conflict, database: outcome{rollback: lost}, status: 409, ran: "begin run rollback"},
	} {
		t.Run(name, func(t *testing.T) {
			var ran []string
			var logged bytes.Buffer
			app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
			api := apidoc.NewAPI(app, info)
			app.Get("/x", func(c routing.Context) (routing.Result, error) { c.SetStatus(299); return routing.Text("older"), nil })
			type inTransaction struct{}
			within := func(ctx context.Context, _ *apidoc.Call, run func(context.Context) error) error {
				ran = append(ran, "begin")
				if test.database.begin != nil {
					return test.database.begin
				}
				if err := run(context.WithValue(ctx, inTransaction{}, true)); err != nil {
					ran = append(ran, "rollback")
					if test.database.rollback != nil {
						return test.database.rollback
					}
					return fmt.Errorf("rolled back: %w", err)
				}
				ran = append(ran, "commit")
				return test.database.commit
			}
			apidoc.Get(api, "/x", "", func(ctx context.Context, _ struct{}) (string, error) {
				ran = append(ran, "run")
				if ctx.Value(inTransaction{}) != true {
					t.Error("the operation runs without the transaction's context")
				}
				if test.panics {
					panic("boom")
				}
				return "done", test.err
			}, apidoc.Transaction(within), conflict)
			w := call(app, "GET", "/x", "", "")
			if got := strings.Join(ran, " "); w.Code != test.status || got != test.ran {
				t.Errorf("got %d after %s, want %d after %s", w.Code, got, test.status, test.ran)
			}
			if test.database.rollback != nil && !strings.Contains(logged.String(), "connection lost") {
				t.Errorf("the failed rollback is not logged: %s", &logged)
			}
		})
	}
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	apidoc.Get(apidoc.NewAPI(app, info), "/x", "", answer("done"),
		apidoc.Transaction(func(context.Context, *apidoc.Call, func(context.Context) error) error { return nil }))
	if w := call(app, "GET", "/x", "", ""); w.Code != 500 {
		t.Errorf("a function that does not call run: got %d %s", w.Code, w.Body)
	}
	// Without an output there is no value whose absence would be noticed.
	app = routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	apidoc.Get(apidoc.NewAPI(app, info), "/x", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil },
		apidoc.Transaction(func(context.Context, *apidoc.Call, func(context.Context) error) error { return nil }))
	if w := call(app, "GET", "/x", "", ""); w.Code != 500 {
		t.Errorf("a function that does not call run, without an output: got %d %s", w.Code, w.Body)
	}
	if got := panicOf(func() { apidoc.Transaction(nil) }); got != "apidoc: Transaction: pass a function, not nil" {
		t.Errorf("panicked with %q", got)
	}
}
