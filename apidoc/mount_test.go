package apidoc_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests descriptions of mounted apps and of hidden routes.

func TestMountedAppsAreDescribed(t *testing.T) {
	ok := func(context.Context, struct{}) (string, error) { return "ok", nil }
	leaf := routing.New(routing.WithBasePath("/v1"))
	apidoc.Get(apidoc.NewAPI(leaf, info), "/leaves/:n", "Read a leaf", func(_ context.Context, in struct {
		routing.Context     // reads the parameters of prefixes
		N               int `path:"n"`
	}) (string, error) {
		return in.Params().Require("user")
	}, apidoc.ID("leaf"))
	app := routing.New(routing.WithBasePath("/shop"))
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/first", "", ok)
	app.Mount("/trees/:user", leaf)
	app.Mount("/files", http.NotFoundHandler())
	apidoc.Get(api, "/last", "", ok)
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	paths := decode(t, d.OpenAPI()).at("paths")
	want := []string{"/first", "/last", "/trees/{user}/v1/leaves/{n}"}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(paths)), want); diff != "" {
		t.Errorf("paths, got (-) and want (+):\n%s", diff)
	}
	var names []string
	for _, p := range paths.at(want[2], "get")["parameters"].([]any) {
		names = append(names, p.(map[string]any)["name"].(string))
	}
	if !slices.Equal(names, []string{"user", "n"}) {
		t.Errorf("parameters of the mounted route are %q", names)
	}
	if w := call(app, "GET", "/shop/trees/ann/v1/leaves/7", "", ""); w.Body.String() != "ann" {
		t.Errorf("the mounted route: got %d %s", w.Code, w.Body)
	}
}

// A hidden operation is described, with a warning, because the route that hides it may pass.
func TestOperationsThatAreHidden(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/trees/new", "", whoami, apidoc.ID("hidden"))
	apidoc.Get(api, "/trees/:id", "", func(context.Context, struct {
		ID string `path:"id"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("shown"))
	d, err := apidoc.Build(app, info, "")
	if err != nil {
		t.Fatal(err)
	}
	if paths := decode(t, d.OpenAPI()).at("paths"); len(paths) != 2 {
		t.Errorf("paths are %v", paths)
	}
	const want = "GET /trees/new is hidden by GET /trees/:id, which is defined later: it is described, though requests don't reach it"
	if got := d.Warnings(); len(got) != 1 || got[0] != want {
		t.Errorf("warnings are %q, want %q", got, want)
	}
}

func TestCheckResponses(t *testing.T) {
	type tree struct {
		Name string `json:"name" maxLength:"5"`
	}
	app := routing.New(routing.WithBasePath("/shop"))
	sub := routing.New()
	app.Mount("/sub/:x", sub)
	type output struct {
		Count int  `header:"X-Count"`
		Body  tree `body:"application/json"`
	}
	op := func(id string) routing.RouteOption {
		return apidoc.Describe(apidoc.NewOperation[struct{}, output](id, ""))
	}
	responses := map[string]func(routing.Context) (routing.Result, error){
		"right":  func(routing.Context) (routing.Result, error) { return routing.JSON(tree{"oak"}) },
		"status": func(c routing.Context) (routing.Result, error) { c.SetStatus(201); return routing.JSON(tree{"oak"}) },
		"type":   func(routing.Context) (routing.Result, error) { return routing.Text("oak"), nil },
		"schema": func(routing.Context) (routing.Result, error) { return routing.JSON(map[string]any{"name": "sequoia"}) },
		"header": func(c routing.Context) (routing.Result, error) {
			c.Header().Set("X-Count", "many")
			return routing.JSON(tree{"oak"})
		},
		"fresh": func(c routing.Context) (routing.Result, error) { c.SetStatus(304); return routing.Result{}, nil },
	}
	for name, action := range responses {
		app.Get("/"+name, action, op(name))
	}
	app.Get("/undescribed", responses["status"])
	sub.Get("/inner", responses["type"], op("inner"))
	var reported []string
	checked := apidoc.CheckResponses(app, func(r *http.Request, err error) { reported = append(reported, err.Error()) })
	for _, c := range []struct{ target, want string }{
		{"/shop/right", ""},
		{"/shop/undescribed", ""},
		{"/shop/missing", ""},
		{"/shop/fresh", ""},
		{"/shop/status", "operation status: status 201 is not described"},
		{"/shop/type", `operation type: status 200: content type "text/plain; charset=utf-8", described is application/json`},
		{"/shop/schema", "operation schema: status 200: body /name must have at most 5 characters"},
		{"/shop/header", "operation header: header X-Count must be an integer"},
		{"/shop/sub/any/inner", `operation inner: status 200: content type "text/plain; charset=utf-8", described is application/json`},
	} {
		reported = nil
		direct, through := call(app, "GET", c.target, "", ""), call(checked, "GET", c.target, "", "", "If-None-Match", `"x"`)
		if got := strings.Join(reported, "; "); got != c.want {
			t.Errorf("%s: reported %q, want %q", c.target, got, c.want)
		}
		if through.Code != direct.Code || through.Body.String() != direct.Body.String() {
			t.Errorf("%s: the response is changed to %d %s", c.target, through.Code, through.Body)
		}
	}
}

// A text has the pattern of routing.Where, unless it has its own.
func TestWhereIsDescribed(t *testing.T) {
	type in struct {
		Lang string `path:"lang"`
		Code string `path:"code"`
		Page int    `path:"page"`
		Own  string `path:"own" pattern:"^x$"`
	}
	inner, api := newTyped()
	apidoc.Get(api, "/:code/:page/:own", "", func(context.Context, in) (string, error) { return "", nil },
		apidoc.RouteOptions(routing.Where("code", `a|\d{3}`), routing.Where("page", "[0-9]+"), routing.Where("own", "[a-z]+")))
	app := routing.New()
	app.Mount("/:lang", inner, routing.Where("lang", "[a-z]{2}"))
	d, err := apidoc.Build(app, info, "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"lang": "^(?:[a-z]{2})$", "code": `^(?:a|\d{3})$`, "page": nil, "own": "^x$"}
	list, _ := decode(t, d.OpenAPI()).at("paths", "/{lang}/{code}/{page}/{own}", "get")["parameters"].([]any)
	if len(list) != len(want) {
		t.Fatalf("parameters are %v", list)
	}
	for _, p := range list {
		p := p.(map[string]any)
		if got := p["schema"].(map[string]any)["pattern"]; got != want[p["name"].(string)] {
			t.Errorf("the pattern of %s is %v", p["name"], got)
		}
	}
}

// A path parameter is not read from the query or a form, even if the app is mounted without the
// parameter.
func TestPathParametersAreNotReadFromTheQuery(t *testing.T) {
	inner := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	api := apidoc.NewAPI(inner, info)
	type ofTenant struct {
		Tenant string `path:"tenant"`
		Name   string `form:"name"`
	}
	apidoc.Post(api, "/leaves", "", func(_ context.Context, in ofTenant) (string, error) { return in.Tenant, nil }, apidoc.ID("leaves"))
	app := routing.New()
	app.Mount("/public", api)
	app.Mount("/own", api)
	app.Mount("/:tenant/own", api)
	for path, want := range map[string]string{"/public/leaves": "500 ", "/own/leaves": "500 ", "/a/own/leaves": "200 a"} {
		w := call(app, "POST", path+"?tenant=b", "application/x-www-form-urlencoded", "tenant=c")
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
