package mcp_test

import (
	"context"
	"encoding/json"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests New, and the list of tools that clients get.

type none struct{}

func newAPI(options ...routing.Option) (*routing.App, *apidoc.API) {
	app := routing.New(options...)
	return app, apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
}

func TestBuild(t *testing.T) {
	_, api := newAPI()
	get := func(context.Context, none) (string, error) { return "", nil }
	key := apidoc.APIKey("key", apidoc.InHeader, "X-Key", apidoc.CheckedElsewhere)
	asked := apidoc.APIKey("asked", apidoc.InQuery, "key", apidoc.CheckedElsewhere)
	trees := api.Tag("Trees", "")
	apidoc.Get(api, "/a", "A", get, apidoc.ID("get.tree"), trees)
	apidoc.Get(api, "/b", "B", get, apidoc.ID("get/tree"), trees)
	apidoc.Get(api, "/c", "C", get, apidoc.ID("withKey"), key)
	apidoc.Get(api, "/d", "D", get, apidoc.ID("withQuery"), asked)
	apidoc.Get(api, "/f", "F", get, apidoc.ID("either"), apidoc.AnyOf(asked, apidoc.Bearer("token", apidoc.CheckedElsewhere)))
	type raw struct {
		Form string `body:"application/x-www-form-urlencoded"`
	}
	type rawParts struct {
		Parts io.Reader `body:"multipart/form-data"`
	}
	type rawEvents struct {
		Events io.Reader `body:"text/event-stream"`
	}
	apidoc.Post(api, "/g", "G", func(context.Context, raw) (string, error) { return "", nil }, apidoc.ID("raw"))
	apidoc.Post(api, "/h", "H", func(context.Context, rawParts) (string, error) { return "", nil }, apidoc.ID("rawParts"))
	apidoc.Post(api, "/i", "I", func(context.Context, rawEvents) (string, error) { return "", nil }, apidoc.ID("rawEvents"))
	type named struct {
		Filter string `query:"filter[name]"`
		Same   string `query:"filter{name}"`
	}
	apidoc.Get(api, "/j", "J", func(context.Context, named) (string, error) { return "", nil }, apidoc.ID("sameNames"))
	type long struct {
		Long string `query:"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`
	}
	apidoc.Get(api, "/k", "K", func(context.Context, long) (string, error) { return "", nil }, apidoc.ID("longName"))
	apidoc.Get(api, "/l", "L", get, apidoc.ID(strings.Repeat("x", 64)))
	apidoc.Get(api, "/m", "M", get, apidoc.ID(strings.Repeat("x", 65)))
	for _, test := range []struct {
		want    string // a part of the error, or nothing for none
		options []mcp.Option
	}{
		{`no operation is chosen: write mcp.WithTags("a tag") or mcp.WithOperations(`, nil},
		{`WithTags("Bushes"): no operation has this name; the names are: Trees`, []mcp.Option{mcp.WithTags("Bushes")}},
		{`WithOperations("none"): no operation has this name; the names are: either, get.tree, get/tree,`, []mcp.Option{mcp.WithOperations("none")}},
		{`WithoutOperations("none"): no operation has this name`, []mcp.Option{mcp.WithTags("Trees"), mcp.WithoutOperations("none")}},
		{`operations "get.tree" and "get/tree" would both be the tool get_tree: give one of them another apidoc.ID`, []mcp.Option{mcp.WithTags("Trees")}},
		{`operation withKey: it needs the header X-Key: pass it on with mcp.WithHeaders("X-Key"), or leave it out with mcp.WithoutOperations("withKey")`, []mcp.Option{mcp.WithOperations("withKey")}},
		{`operation withQuery: it needs a key in the query`, []mcp.Option{mcp.WithOperations("withQuery")}},
		{`write an apidoc.ID of 1 to 64 characters`, []mcp.Option{mcp.WithOperations(strings.Repeat("x", 65))}},
		{``, []mcp.Option{mcp.WithOperations(strings.Repeat("x", 64))}},
		{`operation sameNames: two parameters are both the argument filter_name_: give one another name`, []mcp.Option{mcp.WithOperations("sameNames")}},
		{`operation longName: the argument aaaaaaaa`, []mcp.Option{mcp.WithOperations("longName")}},
		{`operation raw: the fields of its body (application/x-www-form-urlencoded) are not described`, []mcp.Option{mcp.WithOperations("raw")}},
		{`operation rawParts: the fields of its body (multipart/form-data) are not described`, []mcp.Option{mcp.WithOperations("rawParts")}},
		{`operation rawEvents: the fields of its body (text/event-stream) are not described`, []mcp.Option{mcp.WithOperations("rawEvents")}},
		{`pass an API and options, not nil`, []mcp.Option{nil}},
		{`WithTags([]): write at least one text`, []mcp.Option{mcp.WithTags()}},
		{`WithOperations([""]): write at least one text`, []mcp.Option{mcp.WithOperations("")}},
		{`WithAllowedOrigins("https://a.example/"): write an origin`, []mcp.Option{mcp.WithAllowedOrigins("https://a.example/")}},
		{`WithAllowedOrigins("*"): write an origin`, []mcp.Option{mcp.WithAllowedOrigins("*")}},
		{`WithAllowedOrigins("https://*.example"): write an origin`, []mcp.Option{mcp.WithAllowedOrigins("https://*.example")}},
		{`pass a handler and a path`, []mcp.Option{mcp.WithHandler(nil, "")}},
		{`pass a handler and a path`, []mcp.Option{mcp.WithHandler((*routing.App)(nil), "")}},
		{`pass a handler and a path such as /shop`, []mcp.Option{mcp.WithHandler(api, "shop")}},
		{`WithHeaders("accept"): each call has its own`, []mcp.Option{mcp.WithHeaders("X-Key", "accept")}},
		{`WithHeaders("X-Key "): write a name of letters`, []mcp.Option{mcp.WithHeaders("X-Key ")}},
		{`WithHeaders("Content-Type"): each call has its own`, []mcp.Option{mcp.WithHeaders("Content-Type")}},
		{`WithMiddleware(nil): pass a function`, []mcp.Option{mcp.WithMiddleware(nil)}},
		{`WithMiddleware: the function returned nil: return a handler`, []mcp.Option{mcp.WithOperations("either"), mcp.WithMiddleware(func(http.Handler) http.Handler { return nil })}},
		{`WithMiddleware: the function returned nil: return a handler`, []mcp.Option{mcp.WithOperations("either"), mcp.WithMiddleware(func(http.Handler) http.Handler { return (*routing.App)(nil) })}},
		{`WithRequestLimit(0): the least is 1`, []mcp.Option{mcp.WithRequestLimit(0)}},
		{`WithResponseLimit(-1): the least is 1`, []mcp.Option{mcp.WithResponseLimit(-1)}},
		{`WithCallTime(0s): the least is 1ns`, []mcp.Option{mcp.WithCallTime(0)}},
		{`WithStreamTime(0s): the least is 1ns`, []mcp.Option{mcp.WithStreamTime(0)}},
		{"", []mcp.Option{mcp.WithOperations("withKey"), mcp.WithHeaders("x-key")}},
		{"", []mcp.Option{mcp.WithOperations("either")}},
		{"", []mcp.Option{mcp.WithTags("Trees"), mcp.WithoutOperations("get/tree")}},
	} {
		_, err := mcp.New(api, test.options...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	_, untagged := newAPI()
	apidoc.Get(untagged, "/a", "A", get)
	if _, err := mcp.New(untagged, mcp.WithTags("Trees")); err == nil || !strings.Contains(err.Error(), `WithTags("Trees"): no operation has this name; the names are: none`) {
		t.Errorf("an API without tags: got the error %v", err)
	}
	for _, missing := range []mcp.API{nil, (*apidoc.API)(nil)} {
		if _, err := mcp.New(missing, mcp.WithTags("Trees")); err == nil || !strings.Contains(err.Error(), "pass an API") {
			t.Errorf("a nil %T: got the error %v", missing, err)
		}
	}
}

// The module compiles with each later version of the core: it imports no internal packages of it.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			if strings.Contains(imported.Path.Value, "/internal") {
				t.Errorf("%s imports %s", name, imported.Path.Value)
			}
		}
	}
}

// An operation that is defined after New is no tool, even with a chosen tag.
func TestLaterOperations(t *testing.T) {
	_, api := newAPI()
	get := func(context.Context, none) (string, error) { return "", nil }
	trees := api.Tag("Trees", "")
	apidoc.Get(api, "/a", "A", get, apidoc.ID("a"), trees)
	session := serve(t, api, mcp.WithTags("Trees"))
	apidoc.Get(api, "/b", "B", get, apidoc.ID("b"), trees)
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil || tool.Name != "a" || tool.Title != "A" {
			t.Errorf("got %+v, %v, want the tool a alone", tool, err)
		}
	}
}

// TestMethods tests a tool and its hints for each method.
func TestMethods(t *testing.T) {
	_, api := newAPI()
	type named struct {
		Name string `json:"name"`
	}
	say := func(_ context.Context, in named) (named, error) { return in, nil }
	tag := api.Tag("All", "")
	apidoc.Query(api, "/trees", "", say, tag, apidoc.ID("query"))
	apidoc.Post(api, "/trees", "", say, tag, apidoc.ID("post"))
	apidoc.Put(api, "/trees", "", say, tag, apidoc.ID("put"))
	apidoc.Patch(api, "/trees", "", say, tag, apidoc.ID("patch"))
	apidoc.Delete(api, "/trees", "", say, tag, apidoc.ID("delete"))
	apidoc.Get(api, "/trees", "", func(context.Context, none) (named, error) { return named{"oak"}, nil }, tag, apidoc.ID("get"))
	session := serve(t, api, mcp.WithTags("All"))
	want := map[string]string{
		"get":   `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
		"query": `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":true}`,
		"post":  `{"idempotentHint":false,"readOnlyHint":false}`, "patch": `{"idempotentHint":false,"readOnlyHint":false}`,
		"put": `{"idempotentHint":true,"readOnlyHint":false}`, "delete": `{"destructiveHint":true,"idempotentHint":true,"readOnlyHint":false}`,
	}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(tool.Annotations); string(got) != want[tool.Name] {
			t.Errorf("%s: got %s, want %s", tool.Name, got, want[tool.Name])
		}
		delete(want, tool.Name)
		var arguments any
		if tool.Name != "get" {
			arguments = map[string]any{"body": named{"oak"}}
		}
		if got, result := call(t, session, tool.Name, arguments); got != `{"name":"oak"}` || result.IsError {
			t.Errorf("%s: got %s, %t", tool.Name, got, result.IsError)
		}
	}
	if len(want) > 0 {
		t.Errorf("got no tools for %v", want)
	}
}
