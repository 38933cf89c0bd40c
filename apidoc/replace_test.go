package apidoc_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the description of operations behind the routes of plugins.

func pass(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }

func answer(text string) func(context.Context, struct{}) (string, error) {
	return func(context.Context, struct{}) (string, error) { return text, nil }
}

// A route without a description does not remove an operation from the description.
func TestOnlyDescribedOperationsReplaceOperations(t *testing.T) {
	type byID struct {
		ID string `path:"id"`
	}
	for name, plugin := range map[string]func(*routing.App, *apidoc.API){
		"nothing":                    func(*routing.App, *apidoc.API) {},
		"the same path":              func(app *routing.App, _ *apidoc.API) { app.Post("/bookings", pass) },
		"every path":                 func(app *routing.App, _ *apidoc.API) { app.Route("", routing.Pattern{}, pass) },
		"a wildcard":                 func(app *routing.App, _ *apidoc.API) { app.Get("/*", pass); app.Post("/*", pass) },
		"a mounted app":              func(app *routing.App, _ *apidoc.API) { app.Mount("/other", routing.New()) },
		"a hidden operation":         func(_ *routing.App, api *apidoc.API) { apidoc.Post(api, "/bookings", "", look, apidoc.Hidden()) },
		"in front of a whole mount":  func(app *routing.App, _ *apidoc.API) { app.Get("/v1/*", pass) },
		"a hidden operation, nearby": func(_ *routing.App, api *apidoc.API) { apidoc.Get(api, "/bookings/new", "", look, apidoc.Hidden()) },
	} {
		t.Run(name, func(t *testing.T) {
			app, api := newTyped()
			inner := apidoc.NewAPI(routing.New(), apidoc.Info{})
			apidoc.Get(inner, "/users", "", answer("users"), apidoc.ID("users"))
			app.Mount("/v1", inner)
			apidoc.Post(api, "/bookings", "", answer("booked"), apidoc.ID("book"))
			apidoc.Get(api, "/bookings/:id", "", func(context.Context, byID) (string, error) { return "", nil }, apidoc.ID("read"))
			plugin(app, api)
			d := build(t, app, "")
			if got := pathsOf(t, d); !slices.Equal(got, []string{"/bookings", "/bookings/{id}", "/v1/users"}) {
				t.Errorf("the description has the paths %q", got)
			}
			if got := d.Warnings(); len(got) > 0 {
				t.Errorf("warnings are %q", got)
			}
		})
	}
}

// look is an operation that passes.
func look(context.Context, struct{}) (struct{}, error) { return struct{}{}, routing.Pass }

func pathsOf(t *testing.T, d *apidoc.Document) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(decode(t, d.OpenAPI()).at("paths")))
}

// A hidden operation checks its input and security, and may pass.
func TestHidden(t *testing.T) {
	app, api := newTyped()
	type booking struct {
		Hours int `json:"hours"`
	}
	forbidden := apidoc.NewProblem(403, "Too long")
	apidoc.Post(api, "/bookings", "", func(_ context.Context, b booking) (booking, error) { return b, nil }, apidoc.ID("book"))
	type limited struct {
		Hours int `json:"hours" max:"100"`
	}
	apidoc.Post(api, "/bookings", "", func(_ context.Context, b limited) (struct{}, error) {
		if b.Hours > 10 {
			return struct{}{}, forbidden
		}
		return struct{}{}, routing.Pass
	}, apidoc.Hidden())
	for body, want := range map[string]int{`{"hours":3}`: 200, `{"hours":11}`: 403, `{"hours":200}`: 422} {
		if w := call(app, "POST", "/bookings", "application/json", body); w.Code != want {
			t.Errorf("%s: got %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
	d := build(t, app, "")
	if text := string(d.OpenAPI()); strings.Contains(text, `"maximum"`) || strings.Count(text, `"operationId"`) != 1 {
		t.Errorf("the hidden operation is described: %s", text)
	}
}

// Of two described operations at one path, the one that is tried first must replace the other.
func TestReplaces(t *testing.T) {
	get := func(api *apidoc.API, id string, options ...apidoc.Option) {
		apidoc.Get(api, "/bookings", "", answer(id), append(options, apidoc.ID(id))...)
	}
	for name, test := range map[string]struct {
		define func(*apidoc.API)
		want   string // the ID, or a part of the error
		first  bool
	}{
		"without a word": {func(api *apidoc.API) { get(api, "core"); get(api, "plugin") },
			`operations core (GET /bookings) and plugin (GET /bookings) are both described as GET /bookings: ` +
				`remove one, or give plugin, which is tried first, the option Replaces, or Hidden if it passes`, false},
		"replaced": {func(api *apidoc.API) { get(api, "core"); get(api, "plugin", apidoc.Replaces()) }, "plugin", false},
		"replaced, with the same ID": {func(api *apidoc.API) {
			get(api, "core")
			apidoc.Get(api, "/bookings", "", answer("plugin"), apidoc.ID("core"), apidoc.Replaces())
		}, "core", false},
		"replaced by a route with Describe": {func(api *apidoc.API) {
			get(api, "core")
			api.Group("", func(g *apidoc.Group) {
				g.RouteGroup().Get("/bookings", nothing, apidoc.Describe(apidoc.NewOperation[struct{}, struct{}]("plugin", "", apidoc.Replaces())))
			})
		}, "plugin", false},
		"replaced twice": {func(api *apidoc.API) {
			get(api, "core")
			get(api, "one", apidoc.Replaces())
			get(api, "two", apidoc.Replaces())
		}, "two", false},
		"replaced once of two": {func(api *apidoc.API) { get(api, "core"); get(api, "one"); get(api, "two", apidoc.Replaces()) },
			"core (GET /bookings) and one (GET /bookings)", false},
		"an anonymous one": {func(api *apidoc.API) {
			get(api, "core", membersOnly)
			get(api, "plugin", apidoc.Public(), apidoc.Replaces())
		}, "plugin", false},
		"with its own Security": {func(api *apidoc.API) {
			get(api, "core", membersOnly)
			get(api, "plugin", apidoc.APIKey("key", apidoc.InHeader, "X-Key", apidoc.CheckedElsewhere), apidoc.Replaces())
		}, "plugin", false},
		"with the same Security": {func(api *apidoc.API) {
			api.Group("", func(g *apidoc.Group) {
				for _, id := range []string{"core", "plugin"} {
					options := []apidoc.Option{apidoc.ID(id)}
					if id == "plugin" {
						options = append(options, apidoc.Replaces())
					}
					apidoc.Get(g, "/bookings", "", answer(id), options...)
				}
			}, membersOnly)
		}, "plugin", false},
		"without the Security of the first match": {func(api *apidoc.API) { get(api, "plugin", apidoc.Replaces()); get(api, "core", membersOnly) },
			"it replaces the operation core, which has a Security: give it that Security, or Public, among its own options", true},
		"the wrong one": {func(api *apidoc.API) { get(api, "plugin", apidoc.Replaces()); get(api, "core") }, "give core, which is tried first", false},
		"nothing there": {func(api *apidoc.API) { get(api, "plugin", apidoc.Replaces()) },
			"operation plugin has the option Replaces, but no described operation is tried after it: remove the option", false},
		"the first match counts": {func(api *apidoc.API) { get(api, "plugin", apidoc.Replaces()); get(api, "core") }, "plugin", true},
	} {
		t.Run(name, func(t *testing.T) {
			var options []routing.Option
			if test.first {
				options = append(options, routing.WithFirstMatch())
			}
			app := routing.New(options...)
			api := apidoc.NewAPI(app, info)
			test.define(api)
			d, err := api.Document()
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("got error %v, want %s", err, test.want)
				}
				return
			}
			if got := decode(t, d.OpenAPI()).at("paths", "/bookings", "get")["operationId"]; got != test.want {
				t.Errorf("got the operation %v, want %s", got, test.want)
			}
		})
	}
}

// The operation in the mount that is tried first must replace the other, whatever the order of
// routes in the mounted app.
func TestReplacesInMounts(t *testing.T) {
	inner := apidoc.NewAPI(routing.New(routing.WithFirstMatch()), apidoc.Info{})
	apidoc.Get(inner, "/bookings", "", answer("inner"), apidoc.ID("inner"))
	outer := routing.New()
	api := apidoc.NewAPI(outer, info)
	outer.Mount("/v1", inner)
	apidoc.Get(api, "/v1/bookings", "", answer("outer"), apidoc.ID("outer"))
	const want = "give outer, which is tried first"
	if _, err := api.Document(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
	apidoc.Get(api, "/v1/bookings", "", answer("plugin"), apidoc.ID("plugin"), apidoc.Replaces())
	if _, err := api.Document(); err == nil || !strings.Contains(err.Error(), "give outer") {
		t.Errorf("a third operation hides the conflict of two: %v", err)
	}
}

// An operation that replaces one with a Security is not public by accident.
func TestReplacesKeepsSecurity(t *testing.T) {
	type byID struct {
		ID string `path:"id"`
	}
	remove := func(context.Context, byID) (struct{}, error) { return struct{}{}, nil }
	app, api := newTyped()
	apidoc.Delete(api, "/bookings/:id", "", remove, membersOnly, apidoc.ID("remove"))
	const want = "it replaces the operation remove, which has a Security"
	if got := panicOf(func() { apidoc.Delete(api, "/bookings/:id", "", remove, apidoc.Replaces(), apidoc.ID("plugin")) }); !strings.Contains(got, want) {
		t.Errorf("panicked with %q, want %s", got, want)
	}
	if w := call(app, "DELETE", "/bookings/1", "", ""); w.Code != 401 {
		t.Errorf("got %d", w.Code)
	}
}

// The same holds if a mount checks the requests for the other operation.
func TestReplacesKeepsSecurityOfMounts(t *testing.T) {
	for want, options := range map[string][]apidoc.Option{
		"it replaces the operation inner, whose mount decides who has access": {apidoc.Replaces(), apidoc.ID("plugin")},
		"": {apidoc.Replaces(), apidoc.ID("plugin"), apidoc.Public()},
	} {
		app, api := newTyped()
		inner := apidoc.NewAPI(routing.New(), apidoc.Info{})
		apidoc.Get(inner, "/bookings", "", answer("inner"), apidoc.ID("inner"))
		app.Mount("/v1", inner, membersOnly)
		apidoc.Get(api, "/v1/bookings", "", answer("plugin"), options...)
		switch _, err := api.Document(); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

func TestHiddenAndReplacesExclude(t *testing.T) {
	_, api := newTyped()
	const want = "Hidden and Replaces: write one of the two"
	if got := panicOf(func() { apidoc.Get(api, "/x", "", answer(""), apidoc.Hidden(), apidoc.Replaces()) }); !strings.Contains(got, want) {
		t.Errorf("panicked with %q, want %s", got, want)
	}
}

func TestResponsesOfHiddenOperationsAreNotChecked(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/x", "", func(context.Context, struct{}) (string, error) { return "", apidoc.NewProblem(403, "No") }, apidoc.Hidden())
	w := call(apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) }), "GET", "/x", "", "")
	if w.Code != 403 {
		t.Errorf("got %d", w.Code)
	}
}
