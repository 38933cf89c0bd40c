package apidoc_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests addresses of operations, and links to the next page.

type listPlums struct {
	After int `query:"after" min:"0"`
	Limit int `query:"limit" min:"1" max:"50" default:"2"`
}

// A list has pages, with a link to the next one. A new tree has its address.
func ExampleNextPage() {
	type page struct {
		Next  apidoc.NextPage[listPlums] `header:"Link"`
		Trees []int                      `body:""`
	}
	list := func(_ context.Context, in listPlums) (p page, err error) {
		for n := in.After + 1; n <= 5 && len(p.Trees) < in.Limit; n++ {
			p.Trees = append(p.Trees, n)
		}
		if last := in.After + len(p.Trees); last < 5 {
			in.After = last
			p.Next = apidoc.Next(in)
		}
		return p, nil
	}
	app := routing.New(routing.WithBasePath("/shop"))
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "List the trees", list, apidoc.ID("list"))
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree)
	for _, target := range []string{"/shop/trees", "/shop/trees?after=2&limit=2", "/shop/trees?after=4"} {
		w := call(app, "GET", target, "", "")
		fmt.Println(w.Body, w.Header()["Link"])
	}
	fmt.Println(apidoc.URL(routing.Context{}, api, getTree, PlumByID{ID: 2}))
	fmt.Println(api.URL(routing.Context{}, "list", listPlums{After: 4}))
	// Output:
	// [1,2] [<?after=2&limit=2>; rel="next"]
	// [3,4] [<?after=4&limit=2>; rel="next"]
	// [5] []
	// /shop/trees/2 <nil>
	// /shop/trees?after=4 <nil>
}

type leafInput struct {
	User  string    `path:"user"`
	N     int       `path:"n" max:"99"`
	Tags  []string  `query:"tag"`
	Size  float64   `query:"size,required"`
	Since time.Time `query:"since"`
	Blank *string   `query:"blank"`
	Trace string    `header:"X-Trace"`
}

func readLeaf(context.Context, leafInput) (string, error) { return "leaf", nil }

func TestAddresses(t *testing.T) {
	inner, outer := routing.New(routing.WithBasePath("/v1")), routing.New(routing.WithBasePath("/shop"))
	api := apidoc.NewAPI(inner, info)
	type ask struct {
		routing.Context
		User string `path:"user"`
		Want string `query:"want"`
		N    int    `query:"n"`
	}
	apidoc.Get(api, "/ask", "", func(_ context.Context, in ask) (string, error) {
		return apidoc.URL(in.Context, api, readLeaf, leafInput{User: in.Want, N: in.N, Trace: "t"})
	}, apidoc.ID("ask"))
	api.Group("/leaves", func(g *apidoc.Group) { apidoc.Get(g, "/:n", "", readLeaf) })
	outer.Mount("/users/:user", inner)
	none := routing.Context{}
	empty := ""
	for _, c := range []struct {
		name, want string
		f          func() (string, error)
	}{
		{"of another user", "/shop/users/bob/v1/leaves/7?size=0", func() (string, error) {
			return call(outer, "GET", "/shop/users/ann/v1/ask?want=bob&n=7", "", "").Body.String(), nil
		}},
		{"of this user", "/shop/users/ann/v1/leaves/0?size=0", func() (string, error) {
			return call(outer, "GET", "/shop/users/ann/v1/ask?want=ann", "", "").Body.String(), nil
		}},
		{"everything", "/shop/users/a%20b/v1/leaves/1?tag=x%26y&tag=z&size=1.5&since=2026-01-02T03%3A04%3A05Z&blank=", func() (string, error) {
			return api.URL(none, "readLeaf", leafInput{User: "a b", N: 1, Tags: []string{"x&y", "z"}, Size: 1.5,
				Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Blank: &empty})
		}},
		{"an invalid value", `readLeaf: path "n" must be at most 99`, func() (string, error) {
			return api.URL(none, "readLeaf", leafInput{User: "a", N: 100})
		}},
		{"an empty value", `readLeaf: `, func() (string, error) { return api.URL(none, "readLeaf", leafInput{}) }},
		{"another type", "pass a apidoc_test.leafInput", func() (string, error) { return api.URL(none, "readLeaf", 1) }},
		{"a pointer", "pass a apidoc_test.leafInput", func() (string, error) { return api.URL(none, "readLeaf", &leafInput{}) }},
		{"nil", "pass a apidoc_test.leafInput", func() (string, error) { return api.URL(none, "readLeaf", nil) }},
		{"no such ID", "no operation has it", func() (string, error) { return api.URL(none, "x", nil) }},
		{"no such function", "no operation has it", func() (string, error) { return apidoc.URL(none, api, getTree, PlumByID{1}) }},
		{"no function", "not nil", func() (string, error) { return apidoc.URL[int, int](none, api, nil, 1) }},
	} {
		got, err := c.f()
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	_, api = newTyped()
	groups := make(map[string]*apidoc.Group)
	for _, prefix := range []string{"/a", "/b"} {
		api.Group(prefix, func(g *apidoc.Group) {
			groups[prefix] = g
			g.Group("/in", func(g *apidoc.Group) { apidoc.Get(g, "/t/:id", "", getTree) })
		}, apidoc.IDPrefix(prefix[1:]))
	}
	if _, err := apidoc.URL(none, api, getTree, PlumByID{1}); err == nil || !strings.Contains(err.Error(), "aGetTree and bGetTree") {
		t.Errorf("a function of two operations: got the error %v", err)
	}
	for prefix, g := range groups {
		if got, err := apidoc.URL(none, g, getTree, PlumByID{1}); got != prefix+"/in/t/1" || err != nil {
			t.Errorf("in the group %s: got %s %v", prefix, got, err)
		}
	}
}

// An operation that is asked at its address gets the input of which that was made.
func TestAddressesReadBack(t *testing.T) {
	type input struct {
		ID    int       `path:"id"`
		Word  string    `query:"word"`
		On    bool      `query:"on" default:"true"`
		Limit int       `query:"limit" default:"10"`
		Page  int       `query:"page" default:"1" min:"1"`
		Zero  int       `query:"zero" default:"0"`
		Must  float64   `query:"must,required"`
		Tags  []string  `query:"tag"`
		Sizes []int     `query:"size" default:"1,2"`
		Some  *int      `query:"some"`
		Since time.Time `query:"since"`
	}
	var got input
	app, api := newTyped()
	read := func(_ context.Context, in input) (string, error) { got = in; return "", nil }
	apidoc.Get(api, "/all/:id", "", read)
	zero := 0
	for _, c := range []struct {
		address  string
		in, want input // nothing is wanted: the same
	}{
		{"/all/1?on=false&limit=0&page=1&must=0&size=1&size=2", input{ID: 1, Page: 1, Sizes: []int{1, 2}}, input{}},
		{"/all/1?on=false&limit=0&must=0", input{ID: 1}, input{ID: 1, Page: 1, Sizes: []int{1, 2}}}, // 0 is no page
		{"/all/0?word=a+b%26&on=true&limit=10&page=2&zero=3&must=1.5&tag=x&tag=y&size=7&some=0&since=2026-01-02T03%3A04%3A05.5Z", input{
			Word: "a b&", On: true, Limit: 10, Page: 2, Zero: 3, Must: 1.5, Tags: []string{"x", "y"}, Sizes: []int{7}, Some: &zero,
			Since: time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC),
		}, input{}},
	} {
		address, err := apidoc.URL(routing.Context{}, api, read, c.in)
		if address != c.address || err != nil {
			t.Errorf("%+v: got the address %s %v, want %s", c.in, address, err, c.address)
		}
		want := c.want
		if reflect.DeepEqual(want, input{}) {
			want = c.in
		}
		if w := call(app, "GET", address, "", ""); w.Code != 200 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %d %s %+v, want %+v", address, w.Code, w.Body, got, want)
		}
	}
}

func TestNextPages(t *testing.T) {
	type page struct {
		Next apidoc.NextPage[listPlums] `header:"Link"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/pages", "", func(context.Context, listPlums) (p page, err error) {
		return page{apidoc.Next(listPlums{Limit: 99})}, nil
	}, apidoc.ID("pages"))
	if w := call(app, "GET", "/pages", "", ""); w.Code != 500 || w.Header()["Link"] != nil || strings.Contains(w.Body.String(), "limit") {
		t.Errorf("a next page that the operation would refuse: got %d %v %s, want 500", w.Code, w.Header(), w.Body)
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{d.Swagger(), d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
		header := decode(t, text).at("paths", "/pages", "get", "responses", "204", "headers", "Link")
		if !strings.Contains(fmt.Sprint(header), "next page") || !strings.Contains(fmt.Sprint(header), "string") {
			t.Errorf("the header is described as %v", header)
		}
	}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"the next page has the input", func() {
			apidoc.Get(api, "/x", "", func(context.Context, PlumByID) (p page, err error) { return }, apidoc.ID("x"))
		}},
		{`header:"Link"`, func() {
			apidoc.Get(api, "/x", "", func(context.Context, listPlums) (p struct {
				Next apidoc.NextPage[listPlums] `header:"X-Next"`
			}, err error) {
				return
			}, apidoc.ID("x"))
		}},
		{"a part of an output", func() {
			apidoc.Get(api, "/x", "", whoami, apidoc.ErrorBody(func(routing.Context, *apidoc.Problem) (p page) { return p }))
		}},
	} {
		if got := panicOf(c.f); !strings.Contains(got, c.want) {
			t.Errorf("the panic is %q, want %q", got, c.want)
		}
	}
}
