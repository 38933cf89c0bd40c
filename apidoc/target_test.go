package apidoc_test

import (
	"context"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the paths and queries of requests that the module mcp makes.

type targetInput struct {
	User string   `path:"user"`
	A    string   `path:"a"`
	B    string   `path:"b"`
	Tags []string `query:"tag"`
	IDs  []string `query:"id,commas"`
	Q    string   `query:"q"`
}

// newTargets returns an app with an operation that is mounted twice, and the operation's last
// input.
func newTargets(t *testing.T, options ...routing.Option) (*routing.App, *apidoc.Document, *targetInput) {
	options = append(options, routing.WithBasePath("/my shop"), routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
	inner, outer := routing.New(routing.WithBasePath("/v1")), routing.New(options...)
	var got targetInput
	innerAPI, api := apidoc.NewAPI(inner, apidoc.Info{}), apidoc.NewAPI(outer, info)
	apidoc.Get(innerAPI, "/diff/:a-:b", "", func(_ context.Context, in targetInput) (string, error) { got = in; return "", nil }, apidoc.ID("diff"))
	apidoc.Delete(api, "/users/:user", "", func(_ context.Context, in struct {
		User string `path:"user"`
	}) (string, error) {
		got = targetInput{User: in.User}
		return "", nil
	}, apidoc.ID("remove"))
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (string, error) { return "", nil }, apidoc.ID("root"))
	outer.Mount("/in/:user", inner)
	outer.Mount("/of/:user", inner)
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	return outer, d, &got
}

func TestTargets(t *testing.T) {
	type texts = map[string]string
	_, d, _ := newTargets(t)
	_, behindProxy, _ := newTargets(t, routing.WithProxyPrefix("/my proxy"))
	for _, c := range []struct {
		id    string
		path  texts
		query url.Values
		want  string // or of the error
	}{
		{"diff", texts{"user": "a b", "a": "x", "b": "y"}, nil, "/in/a%20b/v1/diff/x-y"},
		{"diff2", texts{"user": "%2F", "a": "ü", "b": "?"}, nil, "/of/%252F/v1/diff/%C3%BC-%3F"},
		{"diff", texts{"user": "u", "a": "x", "b": "y"}, url.Values{"q": {""}, "id": {"1,2", "3"}, "tag": {"a&b", "+"}},
			"/in/u/v1/diff/x-y?tag=a%26b&tag=%2B&id=1%2C2,3&q="},
		{"diff", texts{"user": "u", "a": "x", "b": "y"}, url.Values{"id": {}, "tag": {}}, "/in/u/v1/diff/x-y"},
		{"remove", texts{"user": "ann"}, url.Values{}, "/users/ann"},
		{"root", nil, nil, "/"},
		{"diff", texts{"user": "u", "a": "x", "b": "y-z"}, nil, `has the parameters`}, // a is x-y
		{"remove", texts{"user": "ann.lee"}, nil, `has the parameters`},               // the format is lee
		{"remove", texts{"user": ""}, nil, "must not be empty"},
		{"remove", texts{"user": "a/b"}, nil, "must not contain a slash"},
		{"remove", texts{"user": ".."}, nil, "does not match"},
		{"remove", nil, nil, `no value for "user"`},
		{"remove", texts{"user": "u", "b": "c"}, nil, `"b" is not used`},
		{"remove", texts{"user": "u"}, url.Values{"x": {"y"}}, `no parameter "x"`},
		{"diff", texts{"user": "u", "a": "..", "b": "."}, nil, "/in/u/v1/diff/..-."},
		{"diff", texts{"user": ".", "a": "x", "b": "y"}, nil, "would match the base path"},
		{"diff3", nil, nil, `the operation "diff3" is not described`},
	} {
		got, err := d.Target(c.id, c.path, c.query)
		if err != nil && !strings.HasPrefix(c.want, "/") {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s %v: got %s %v, want %s", c.id, c.path, got, err, c.want)
		}
		if same, _ := behindProxy.Target(c.id, c.path, c.query); err == nil && same != got {
			t.Errorf("%s %v behind a proxy: got %s, want %s", c.id, c.path, same, got)
		}
	}
}

// A request for a target has the values from which the target was made.
func TestTargetsReadBack(t *testing.T) {
	app, d, got := newTargets(t)
	text := func(random *rand.Rand) string {
		b := make([]byte, random.IntN(4))
		for i := range b {
			b[i] = "ab.-/%+ ,&:*{}"[random.IntN(14)]
		}
		return string(b)
	}
	random, made := rand.New(rand.NewPCG(1, 2)), 0
	for range 3000 {
		in := targetInput{User: text(random), A: text(random), B: text(random), Tags: []string{text(random), text(random)}, IDs: []string{text(random), "x"}, Q: text(random)}
		path, query := map[string]string{"user": in.User, "a": in.A, "b": in.B}, url.Values{"tag": in.Tags, "id": in.IDs, "q": {in.Q}}
		id, method := []string{"diff", "diff2"}[random.IntN(2)], "GET"
		if random.IntN(2) == 0 {
			in, id, method = targetInput{User: in.User}, "remove", "DELETE"
			path, query = map[string]string{"user": in.User}, nil
		}
		target, err := d.Target(id, path, query)
		if err != nil {
			continue
		}
		made++
		*got = targetInput{}
		if w := call(app, method, d.BasePath()+target, "", ""); w.Code != 204 && w.Code != 200 || !reflect.DeepEqual(*got, in) {
			t.Errorf("%s %s: got %d %s %+v, want %+v", method, target, w.Code, w.Body, *got, in)
		}
	}
	if made < 300 {
		t.Errorf("%d targets were made, which is too few for this test", made)
	}
}

// The values in a path may be those of another route, in this app, in a mounted or in an outer one.
func TestOtherRoute(t *testing.T) {
	app, inner := routing.New(routing.WithBasePath("/v1")), routing.New()
	api, leaves := apidoc.NewAPI(app, info), apidoc.NewAPI(inner, apidoc.Info{})
	type byID struct {
		ID string `path:"id"`
	}
	byName := func(context.Context, byID) (string, error) { return "", nil }
	apidoc.Get(api, "/trees/:id", "", byName, apidoc.ID("tree"))
	app.Get("/trees/*", pass) // gets all requests
	app.Get("/trees/new", nothing)
	app.Get("/trees/passed", pass)
	app.Post("/trees/posted", nothing)
	apidoc.Get(leaves, "/leaves/:id", "", byName, apidoc.ID("leaf"))
	inner.Get("/leaves/new", nothing)
	app.Mount("/of/:tree", inner)
	app.Get("/of/mine/leaves/*", nothing)
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, path, want string }{
		{"tree", "/trees/7", ""}, {"tree", "/trees/new", "GET /v1/trees/new"}, {"tree", "/trees/ne%77", "GET /v1/trees/new"}, {"tree", "/trees/New", ""},
		{"tree", "/trees/passed", "GET /v1/trees/passed"}, {"tree", "/trees/posted", ""}, {"tree", "/nowhere", ""}, {"other", "/trees/new", ""},
		{"leaf", "/of/oak/leaves/7", ""}, {"leaf", "/of/oak/leaves/new", "GET /leaves/new"}, {"leaf", "/of/mine/leaves/7", "GET /v1/of/mine/leaves/*"},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			got := ""
			if route := d.OtherRoute(httptest.NewRequest(method, "/v1"+c.path, nil), c.id); route != nil {
				got = route.String()
			}
			if got != c.want {
				t.Errorf("%s %s for %s: got %q, want %q", method, c.path, c.id, got, c.want)
			}
		}
	}
}
