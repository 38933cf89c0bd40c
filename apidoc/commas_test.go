package apidoc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests lists whose values are separated by commas in a query.

type Commas struct {
	Tags []string `query:"tag,commas" maxLength:"3" unique:"true"`
	IDs  []int    `query:"id,commas" min:"1"`
}

func listByCommas(_ context.Context, in Commas) (string, error) {
	return fmt.Sprintf("%q %d", in.Tags, in.IDs), nil
}

func TestCommas(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "List", listByCommas)
	for _, c := range []struct {
		query  string
		status int
		want   string
	}{
		{"", 200, `[] []`},
		{"tag=a,b&id=1,2", 200, `["a" "b"] [1 2]`},
		{"tag=a%2Cb,c", 200, `["a,b" "c"] []`},
		{"tag=a,b&tag=c", 200, `["a" "b" "c"] []`},
		{"tag=a,b,c,d", 422, "at most 3"},
		{"tag=a,a", 422, "twice"},
		{"id=1,x", 422, "integer"},
		{"id=1,0", 422, "at least 1"},
		{"id=1,,2", 200, `[] [1 2]`},
		{"id=", 200, `[] []`},
	} {
		w := call(app, "GET", "/trees?"+c.query, "", "")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %d %s, want %d %s", c.query, w.Code, w.Body, c.status, c.want)
		}
	}
	d := build(t, app, "")
	if got := string(d.OpenAPI()); strings.Count(got, `"style": "form",`) != 2 || strings.Count(got, `"explode": false,`) != 2 {
		t.Errorf("OpenAPI: got %s", got)
	}
	if got := string(d.Swagger()); strings.Count(got, `"collectionFormat": "csv"`) != 2 {
		t.Errorf("Swagger: got %s", got)
	}
}

// A FormReader shows a list with commas in a single field.
func TestCommasOfForms(t *testing.T) {
	reader := apidoc.NewFormReader[Commas]()
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		form, err := reader.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(fmt.Sprint(form.Text("tag"), form.Has("tag", "b"), form.Text("id"), form.Error("id"))), nil
	})
	for query, want := range map[string]string{"": "false", "tag=a,b&id=2,x": "a,btrue2,xmust be an integer", "tag=a&tag=b": "a,btrue", "tag=a%2Cb": "a,btrue"} {
		if got := call(app, "GET", "/?"+query, "", "").Body.String(); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if form, err := reader.Fill(Commas{Tags: []string{"a", "b"}}); err != nil || form.Text("tag") != "a,b" {
		t.Errorf("filled with %q, %v", form.Text("tag"), err)
	}
}

func TestInvalidCommas(t *testing.T) {
	refused := func(want string, define func(*apidoc.API)) {
		t.Helper()
		if got := panicOf(func() { define(apidoc.NewAPI(routing.New(), info)) }); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	refused("commas is for lists in a query", func(api *apidoc.API) {
		apidoc.Get(api, "/", "", func(context.Context, struct {
			A []string `header:"a,commas"`
		}) (string, error) {
			return "", nil
		})
	})
	refused("commas is for lists: write a slice", func(api *apidoc.API) {
		apidoc.Get(api, "/", "", func(context.Context, struct {
			A string `query:"a,commas"`
		}) (string, error) {
			return "", nil
		})
	})
}

// The default of a list is read from its tag and described.
func TestDefaultOfList(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		Sizes []float32 `query:"sizes" default:"1,2.5"`
	}) ([]float32, error) {
		return in.Sizes, nil
	}, apidoc.ID("get"))
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	if described := string(d.OpenAPI()); !strings.Contains(strings.Join(strings.Fields(described), ""), `"default":[1,2.5]`) {
		t.Errorf("the description has another default: %s", described)
	}
	if w := call(app, "GET", "/", "", ""); w.Body.String() != "[1,2.5]" {
		t.Errorf("got %s", w.Body)
	}
}

// A text of a form may have commas, also as the only value of a list. Numbers may be in one value.
func TestCommasInTextsOfForms(t *testing.T) {
	type input struct {
		Title string   `form:"title"`
		Tags  []string `form:"tag"`
		IDs   []int    `form:"id"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in input) (string, error) {
		return fmt.Sprintf("%q %q %d", in.Title, in.Tags, in.IDs), nil
	})
	w := call(app, "POST", "/", "application/x-www-form-urlencoded", "title=a,b&tag=a,b&id=1,2")
	if want := `"a,b" ["a,b"] [1 2]`; w.Body.String() != want {
		t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
	}
}
