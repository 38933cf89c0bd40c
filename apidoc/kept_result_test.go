package apidoc_test

import (
	"context"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A routing.Result may be reused. This file tests it for results of typed operations: middleware
// keeps them, as a cache or a replay of idempotent requests does.

func TestKeptResults(t *testing.T) {
	kept := make(map[string]routing.Result)
	cache := apidoc.RouteOptions(routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			path := c.Request().URL.Path
			if result, ok := kept[path]; ok {
				return result, nil
			}
			result, err := action(c)
			kept[path] = result
			return result, err
		}
	}))
	type name struct {
		Name string `path:"name"`
	}
	type greeting struct{ Text string }
	app, api := newTyped()
	calls := 0
	apidoc.Get(api, "/greet/:name", "", func(_ context.Context, in name) (greeting, error) {
		calls++
		return greeting{"Hello " + in.Name}, nil
	}, cache)
	long := strings.Repeat("long", 50_000) // more than what is copied
	names := []string{"ann", "bob", long, "eve"}
	for range 3 {
		for _, name := range names {
			w := call(app, "GET", "/greet/"+name, "", "")
			if want := `{"Text":"Hello ` + name + `"}`; w.Body.String() != want {
				t.Errorf("got %.60q, want %.60q", w.Body, want)
			}
		}
	}
	if calls != len(names) {
		t.Errorf("got %d calls, want %d: the cache does not work", calls, len(names))
	}
}
