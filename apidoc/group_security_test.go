package apidoc_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests routes without an operation in a group with a Security.

// membersOnly is a scheme that allows the token "member".
var membersOnly = apidoc.Bearer("members", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if c.Token != "member" {
		return nil, apidoc.ErrUnauthorized
	}
	return ctx, nil
})

// In a group with a Security, a route without an operation needs a Security or Public.
func TestGroupsWithSecurityRequirePublic(t *testing.T) {
	users := routing.New()
	users.Get("/users", nothing)
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	described := apidoc.Describe(apidoc.NewOperation[struct{}, struct{}]("described", ""))
	const refused = "the group has a Security, which only typed operations check: " +
		"write an operation, or give the route the Security or apidoc.Public() as an option"
	none := func(define func(*apidoc.Group), options ...apidoc.Option) func(*apidoc.Group) {
		return func(g *apidoc.Group) { g.Group("/in", define, options...) }
	}
	get := func(options ...routing.RouteOption) func(*apidoc.Group) {
		return func(g *apidoc.Group) { g.RouteGroup().Get("/x", nothing, options...) }
	}
	mount := func(options ...routing.RouteOption) func(*apidoc.Group) {
		return func(g *apidoc.Group) { g.RouteGroup().Mount("/x", users, options...) }
	}
	handle := func(options ...routing.RouteOption) func(*apidoc.Group) {
		return func(g *apidoc.Group) { g.RouteGroup().Mount("/x", files, options...) }
	}
	for name, test := range map[string]struct {
		define func(*apidoc.Group)
		target string // "" if it is refused
		public bool
	}{
		"a route":                        {get(), "", false},
		"a mounted app":                  {mount(), "", false},
		"a handler":                      {handle(), "", false},
		"a route with a description":     {get(described), "", false},
		"a route in a group inside":      {none(get()), "", false},
		"a route in a group of routes":   {func(g *apidoc.Group) { g.RouteGroup().Group("/in", func(g *routing.Group) { g.Get("/x", nothing) }) }, "", false},
		"an operation":                   {func(g *apidoc.Group) { apidoc.Get(g, "/x", "", answer("x")) }, "/g/x", false},
		"a public operation":             {func(g *apidoc.Group) { apidoc.Get(g, "/x", "", answer("x"), apidoc.Public()) }, "/g/x", true},
		"a route with the Security":      {get(membersOnly), "/g/x", false},
		"a described one with it":        {get(described, membersOnly), "/g/x", false},
		"a mounted app with it":          {mount(membersOnly), "/g/x/users", false},
		"a handler with it":              {handle(membersOnly), "/g/x/file", false},
		"a route with another one":       {get(apidoc.AnyOf(membersOnly).Scopes("read")), "/g/x", false},
		"a public route":                 {get(apidoc.Public()), "/g/x", true},
		"a public mounted app":           {mount(apidoc.Public()), "/g/x/users", true},
		"a public handler":               {handle(apidoc.Public()), "/g/x/file", true},
		"a public group":                 {none(get(), apidoc.Public()), "/g/in/x", true},
		"a secured group in a public":    {none(none(get(), membersOnly), apidoc.Public()), "", false},
		"a group with route options":     {none(get(), apidoc.RouteOptions(membersOnly)), "/g/in/x", false},
		"a filter":                       {func(g *apidoc.Group) { g.RouteGroup().Before(func(routing.Context) error { return nil }) }, "/g/none", true},
		"a public route in public group": {none(get(apidoc.Public()), apidoc.Public()), "/g/in/x", true},
		"a public route of routes with it": {func(g *apidoc.Group) {
			g.RouteGroup().Group("/in", func(g *routing.Group) { g.Get("/x", nothing, apidoc.Public()) }, membersOnly)
		}, "/g/in/x", false},
	} {
		for _, where := range []string{"of the API", "of the group"} {
			t.Run(name+", Security "+where, func(t *testing.T) {
				app := routing.New()
				var ofAPI, ofGroup []apidoc.Option
				if where == "of the API" {
					ofAPI = append(ofAPI, membersOnly)
				} else {
					ofGroup = append(ofGroup, membersOnly)
				}
				api := apidoc.NewAPI(app, info, ofAPI...)
				text := panicOf(func() { api.Group("/g", test.define, ofGroup...) })
				if test.target == "" {
					if !strings.Contains(text, refused) {
						t.Errorf("panicked with %q, want %s", text, refused)
					}
					return
				}
				if text != "" {
					t.Fatalf("panicked with %q", text)
				}
				anonymous, member := call(app, "GET", test.target, "", ""), call(app, "GET", test.target, "", "", "Authorization", "Bearer member")
				if isPublic := anonymous.Code != 401; isPublic != test.public || member.Code == 401 {
					t.Errorf("anonymous clients get %d, members get %d", anonymous.Code, member.Code)
				}
				if !test.public && anonymous.Header().Get("WWW-Authenticate") == "" {
					t.Error("the 401 has no WWW-Authenticate")
				}
			})
		}
	}
}

// If an API has a Security, there is a warning for operations of mounted APIs without one.
func TestMountedAPIsWithoutSecurity(t *testing.T) {
	for name, test := range map[string]struct {
		inner []apidoc.Option
		of    []apidoc.Option // the operation
		outer []apidoc.Option
		mount []routing.RouteOption
		warns bool
	}{
		"none":                      {outer: []apidoc.Option{membersOnly}, warns: true},
		"of the mounted API":        {outer: []apidoc.Option{membersOnly}, inner: []apidoc.Option{membersOnly}},
		"the mounted API is public": {outer: []apidoc.Option{membersOnly}, inner: []apidoc.Option{apidoc.Public()}},
		"of the operation":          {outer: []apidoc.Option{membersOnly}, of: []apidoc.Option{membersOnly}},
		"the operation is public":   {outer: []apidoc.Option{membersOnly}, of: []apidoc.Option{apidoc.Public()}},
		"of the mount":              {outer: []apidoc.Option{membersOnly}, mount: []routing.RouteOption{membersOnly}},
		"the outer API has none":    {},
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
			api := apidoc.NewAPI(app, info, test.outer...)
			inner := apidoc.NewAPI(routing.New(), apidoc.Info{}, test.inner...)
			apidoc.Get(inner, "/users", "", answer(""), append(test.of, apidoc.ID("users"))...)
			app.Mount("/v1", inner, test.mount...)
			apidoc.Get(api, "/own", "", answer(""), apidoc.ID("own"))
			if _, err := api.Serve(nil); err != nil {
				t.Fatal(err)
			}
			const want = "these operations are public: users (GET /v1/users): pass the Security or Public to the NewAPI"
			if got := strings.Contains(logged.String(), want); got != test.warns {
				t.Errorf("logged %q", &logged)
			}
		})
	}
}
