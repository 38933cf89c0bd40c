package mcp_test

import (
	"context"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests the recipe of tenants in docs/recipes.md with tools.

type tenant struct{ name, token string }

var (
	tenants  = map[string]tenant{"ann": {"Ann's trees", "a"}, "ben": {"Ben's trees", "b"}}
	tenantOf = routing.NewKey[tenant]()
	noTenant = apidoc.NewProblem(404, "No such tenant")
)

func findTenant(c routing.Context) error {
	id, _ := c.Params().Path("tenant")
	t, found := tenants[id]
	if !found {
		return noTenant
	}
	tenantOf.Set(c, t)
	return nil
}

var ofTenant = apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if t, _ := tenantOf.From(ctx); c.Token != t.token {
		return nil, apidoc.ErrUnauthorized
	}
	return ctx, nil
})

// TestTenants serves the tools of all tenants with one handler: the tenant is an argument.
func TestTenants(t *testing.T) {
	app, inner, found := routing.New(), routing.New(), 0
	inner.Before(func(c routing.Context) error { found++; return findTenant(c) })
	api := apidoc.NewAPI(inner, apidoc.Info{Title: "Trees", Version: "1"}, ofTenant, noTenant)
	name := func(ctx context.Context, _ struct{}) (string, error) {
		t, _ := tenantOf.From(ctx)
		return t.name, nil
	}
	apidoc.Get(api, "/name", "Read the name", name, apidoc.ID("readName"))
	app.Mount("/t/:tenant", api)
	handler, err := mcp.New(api, mcp.WithOperations("readName"), mcp.WithHandler(app, "/t/:tenant"))
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, handler)
	for _, test := range []struct {
		token, tenant, want string
		isError             bool
	}{
		{"a", "ann", "Ann's trees", false},
		{"b", "ben", "Ben's trees", false},
		{"a", "ben", "401", true},
		{"b", "ann", "401", true},
		{"a", "cleo", "No such tenant", true},
		{"", "cleo", "No such tenant", true}, // cleo has no token
	} {
		found = 0
		got, result := call(t, connect(t, server, test.token), "readName", map[string]any{"tenant": test.tenant})
		if !strings.Contains(got, test.want) || result.IsError != test.isError || test.isError && strings.Contains(got, "trees") {
			t.Errorf("%+v: got %s", test, got)
		}
		if found != 1 {
			t.Errorf("%+v: the tenant was looked up %d times", test, found)
		}
	}
}
