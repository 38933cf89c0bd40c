package apidoc_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A FormReader, a Checker, a Document, an API and a Security are safe for concurrent use. The race
// detector sees it if one is not.
func TestConcurrentUse(t *testing.T) {
	type order struct {
		ID    int      `query:"id"`
		Names []string `query:"names"`
	}
	type bulb struct {
		Name string `json:"name" minLength:"2"`
	}
	orders, bulbs := apidoc.NewFormReader[order](), apidoc.NewChecker[bulb]()
	bearer := apidoc.Bearer("token", func(ctx context.Context, _ apidoc.Credentials) (context.Context, error) { return ctx, nil })
	app, api := newTyped()
	app.Get("/forms", func(c routing.Context) (routing.Result, error) {
		form, err := orders.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(form.Text("id")), nil
	})
	apidoc.Get(api, "/bulbs/:id", "", func(_ context.Context, in struct {
		ID int `path:"id"`
	}) (bulb, error) {
		return bulb{fmt.Sprint(in.ID)}, nil
	}, apidoc.ID("get"), bearer)
	described, err := api.Serve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			path := fmt.Sprintf("/more/%d", n)
			apidoc.Get(api, path, "", func(context.Context, struct{}) (int, error) { return n, nil }, bearer)
			if _, err := api.Document(); err != nil {
				t.Error(err)
			}
			for range 20 {
				if _, err := orders.Fill(order{n, []string{"a"}}); err != nil {
					t.Error(err)
				}
				if err := bulbs.Check(t.Context(), bulb{"x"}); err == nil {
					t.Error("a name that is too short was accepted")
				}
				if _, err := described.Model(); err != nil {
					t.Error(err)
				}
				if target, err := described.Target("get", map[string]string{"id": "7"}, nil); err != nil || target != "/bulbs/7" {
					t.Errorf("target %q, %v", target, err)
				}
				for path, want := range map[string]int{"/forms?id=x": 200, "/bulbs/7": 200, path: 200, "/api-docs/openapi.json": 200} {
					if got := call(app, "GET", path, "", "", "Authorization", "Bearer x").Code; got != want {
						t.Errorf("%s: status %d, want %d", path, got, want)
					}
				}
			}
		})
	}
	all.Wait()
}
