package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests embedded structs and fields with struct types in inputs and outputs.

type paging struct {
	Limit int `query:"limit" default:"10" max:"50"`
}

// A query has no objects. Instead, the fields of an embedded struct have names such as size[min].
func ExampleGet_filter() {
	type size struct {
		Min int `query:"size[min]" min:"1"`
		Max int `query:"size[max]" default:"99"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "Find trees", func(_ context.Context, in struct{ size }) (string, error) {
		return fmt.Sprint(in.Min, in.Max), nil
	})
	send(app, "GET", "/trees?size[min]=2&size%5Bmax%5D=3", "")
	// Output:
	// 200 2 3
}

func TestObjectsInQueries(t *testing.T) {
	type void = struct{}
	type filter struct {
		Kind string `json:"kind"`
	}
	const advice = `embed a struct whose fields have tags such as query:"size[min]", or define a QUERY`
	for _, c := range []struct{ name, got, want string }{
		{"a struct", refusal[struct {
			A filter `query:"a"`
		}, void]("GET"), "field A: type apidoc_test.filter: a query has no objects: " + advice},
		{"a struct as deepObject", refusal[struct {
			A filter `query:"a,deepObject"`
		}, void]("GET"), `tag query:"a,deepObject": a query has no objects: ` + advice},
		{"a list of structs", refusal[struct {
			A []filter `query:"a"`
		}, void]("GET"), advice},
		{"a map as deepObject", refusal[struct {
			A map[string]string `query:"a,deepObject"`
		}, void]("GET"), advice},
		{"a map", refusal[struct {
			A map[string]string `query:"a"`
		}, void]("GET"), advice},
		{"the option explode", refusal[struct {
			A int `query:"a,explode"`
		}, void]("GET"), `tag query:"a,explode": leave explode out: lists are ?a=1&a=2, and ?a=1,2 with commas`},
		{"an option of JSON", refusal[struct {
			A int `query:"a,inline"`
		}, void]("GET"), `tag query:"a,inline": write a name`},
		{"a pointer to a list", refusal[struct {
			A *[]int `query:"a"`
		}, void]("GET"), "field A: type *[]int: parameters are text"},
		{"an array", refusal[struct {
			A [2]int `query:"a"`
		}, void]("GET"), "field A: type [2]int: parameters are text"},
		{"a struct without tags", refusal[struct {
			A struct{ B string }
			C int `query:"c"`
		}, void]("GET"), "field A: it needs a tag, since other fields have one"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// A body that refuses unknown members does not restrict the query.
func TestClosedBodiesAndQueries(t *testing.T) {
	type Closed struct {
		Name string   `json:"name" query:"name"`
		_    struct{} `additionalProperties:"false"`
	}
	type input struct {
		paging
		Closed `body:""`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in input) (string, error) { return fmt.Sprint(in.Limit, in.Name), nil }, apidoc.ID("post"))
	for body, want := range map[string]string{`{"name":"a"}`: "2a", `{"name":"a","other":1}`: "/other is not a described member"} {
		if w := call(app, "POST", "/?limit=2&other=1&name=b", "application/json", body); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", body, w.Code, w.Body, want)
		}
	}
}

// With additionalProperties:"true", unknown parameters are ignored.
func TestUnknownParametersAreIgnored(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct {
		A int      `query:"a"`
		_ struct{} `additionalProperties:"true"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("get"))
	if w := call(app, "GET", "/?b=1", "", ""); w.Code != 200 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// The fields of a field with a struct type are part of the input or output.
func TestFieldsWithStructTypes(t *testing.T) {
	type meta struct {
		Total int `header:"X-Total"`
	}
	type output struct {
		Meta meta
		Body []int `body:""`
	}
	type input struct {
		First paging
		More  struct {
			Session string `cookie:"session"`
			Deeper  struct {
				Trace string `header:"X-Trace"`
			}
		}
	}
	app, api := newTyped()
	var got input
	apidoc.Get(api, "/", "", func(_ context.Context, in input) (output, error) {
		got = in
		return output{meta{7}, []int{1}}, nil
	}, apidoc.ID("get"))
	w := call(app, "GET", "/?limit=3", "", "", "Cookie", "session=s", "X-Trace", "t")
	var want input
	want.First.Limit, want.More.Session, want.More.Deeper.Trace = 3, "s", "t"
	if !reflect.DeepEqual(got, want) || w.Header().Get("X-Total") != "7" || w.Body.String() != "[1]" {
		t.Errorf("got %+v %v %s", got, w.Header(), w.Body)
	}
}

// An input that refuses unknown names allows API keys in the query, and _method in forms.
func TestNamesAllowedInClosedInputs(t *testing.T) {
	app, api := newTyped()
	key := apidoc.APIKey("key", apidoc.InQuery, "api_key", func(ctx context.Context, _ apidoc.Credentials) (context.Context, error) { return ctx, nil })
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Page int      `query:"page"`
		O    int      `query:"o[n]"`
		Name string   `form:"name"`
		_    struct{} `additionalProperties:"false"`
	}) (string, error) {
		return in.Name, nil
	}, key)
	for _, c := range []struct{ query, body, want string }{
		{"page=1", "name=a&_method=put", ""},
		{"page=1", "name=a&nmae=b", `form "nmae" is not a described field`},
		{"page=1&name=a", "name=a", `query "name" is not a described parameter`},
		{"page=1&_method=put", "name=a", `query "_method" is not a described parameter`},
		{"page=1&o[n]=2", "name=a", ""},
		{"page=1", "name=a&o[n]=2", `form "o[n]" is not a described field`},
		{"page=1", "name=a&page=1&api_key=x", `form "api_key" is not a described field; form "page" is not a described field`},
	} {
		w := call(app, "POST", "/?api_key=x&"+c.query, "application/x-www-form-urlencoded", c.body)
		var got struct{ Detail string }
		if w.Code != 200 {
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
		}
		if got.Detail != c.want {
			t.Errorf("%s and %s: got %d %s, want %s", c.query, c.body, w.Code, w.Body, c.want)
		}
	}
}
