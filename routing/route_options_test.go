package routing_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests options of routes and of their groups.

// The limit of a route or its group replaces the app's, except in before filters, for the method
// override and in mounted apps.
func TestBodyLimitOfRoutes(t *testing.T) {
	read := func(c routing.Context) error { c.Params().Get("k"); return nil }
	action := func(c routing.Context) (routing.Result, error) { return routing.Text("read"), read(c) }
	inner := routing.New(quiet(), routing.WithBodyLimit(200))
	inner.Post("/in", action)
	app := routing.New(quiet(), routing.WithBodyLimit(20), routing.WithMethodOverride())
	app.Before(read, routing.On("/g/before"))
	app.After(read, routing.On("/g/after"))
	app.Post("/small", action, routing.BodyLimit(5))
	app.Group("/g", func(g *routing.Group) {
		g.Post("/before", action)
		g.Post("/after", text("read"))
		g.Post("/big", action)
		g.Post("/small", action, routing.BodyLimit(5))
		g.Post("/deleted", text("posted"))
		g.Delete("/deleted", action)
		g.Mount("/m", inner)
	}, routing.BodyLimit(100))
	for _, test := range []struct {
		path       string
		size, code int
	}{
		{"/small", 5, 200}, {"/small", 6, 413},
		{"/g/before", 20, 200}, {"/g/before", 21, 413},
		{"/g/after", 100, 200}, {"/g/after", 101, 413},
		{"/g/big", 100, 200}, {"/g/big", 101, 413},
		{"/g/small", 5, 200}, {"/g/small", 6, 413},
		{"/g/m/in", 200, 200}, {"/g/m/in", 201, 413},
	} {
		if w := send(app, form(test.path, "k="+strings.Repeat("v", test.size-len("k=")))); w.Code != test.code {
			t.Errorf("%s with %d bytes: got %d, want %d", test.path, test.size, w.Code, test.code)
		}
	}
	for size, want := range map[int]string{20: "read", 21: "posted"} {
		const override = "_method=DELETE&"
		if got := send(app, form("/g/deleted", override+strings.Repeat("k", size-len(override)))).Body.String(); got != want {
			t.Errorf("a form of %d bytes: got %q, want %q", size, got, want)
		}
	}
}

// The options of a group come before those of its routes: its Wrap is the outermost, and the Meta
// of a route replaces it.
func TestOrderOfOptions(t *testing.T) {
	wrap := func(name string) routing.RouteOption {
		return routing.Wrap(func(next routing.Action) routing.Action {
			return func(c routing.Context) (routing.Result, error) {
				c.Header().Add("X", name)
				return next(c)
			}
		})
	}
	app := routing.New()
	app.Group("/a", func(g *routing.Group) {
		own := g.Get("/own", text(""), wrap("3"), routing.Combine(wrap("4"), routing.Meta("k", "route"), wrap("5")))
		other := g.Get("/other", text(""))
		if own.Meta("k") != "route" || other.Meta("k") != "group" || other.Meta("none") != nil {
			t.Errorf("got the values %v, %v, %v", own.Meta("k"), other.Meta("k"), other.Meta("none"))
		}
	}, wrap("1"), routing.Meta("k", "group"), wrap("2"))
	for path, want := range map[string][]string{"/a/own": {"1", "2", "3", "4", "5"}, "/a/other": {"1", "2"}} {
		if got := get(app, path).Header()["X"]; !slices.Equal(got, want) {
			t.Errorf("%s: got the order %q, want %q", path, got, want)
		}
	}
}

// A Check of a group is called for each route and mount, which is added only without an error.
func TestCheckOfAGroup(t *testing.T) {
	var checked []string
	app, inner := routing.New(), routing.New()
	app.Group("/g", func(g *routing.Group) {
		g.Before(func(routing.Context) error { return nil })
		g.Get("/a", text(""))
		g.Match([]string{"PUT", "POST"}, "/b", text(""))
		g.Mount("/m", inner)
		for _, refused := range []func(){func() { g.Get("/bad", text("")) }, func() { g.Mount("/bad", routing.New()) }} {
			func() {
				defer func() { recover() }()
				refused()
				t.Error("a definition that Check refuses does not panic")
			}()
		}
	}, routing.Check(func(r *routing.Route) error {
		if strings.Contains(r.String(), "/bad") {
			return errors.New("refused")
		}
		checked = append(checked, fmt.Sprint(r, r.Mounted() == inner))
		return nil
	}))
	var routes []string
	for _, e := range app.Table() {
		if e.Route != nil {
			routes = append(routes, fmt.Sprint(e.Route, e.Route.Mounted() == inner))
		}
	}
	want := []string{"GET /g/a false", "PUT /g/b false", "POST /g/b false", "/g/m/* true"}
	if !slices.Equal(checked, want) || !slices.Equal(routes, want) {
		t.Errorf("checked %q, defined %q, want %q", checked, routes, want)
	}
}
