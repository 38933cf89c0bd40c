package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests arguments, and attacks that try to reach other operations with them.

type everything struct {
	ID     string   `path:"id"`
	Day    int64    `path:"day"`
	Query  string   `query:"id"`
	Header string   `header:"X-Id"`
	Body   string   `query:"body"`
	Cookie string   `cookie:"taste"`
	List   []int    `query:"list"`
	Commas []string `query:"commas,commas"`
	Listed []string `header:"X-List"`
	Yes    bool     `query:"yes"`
	Half   float64  `query:"half"`
	Member struct {
		ID string `json:"id" maxLength:"3"`
	} `body:""`
}

// Each argument becomes the right part of the request. Unknown arguments are refused.
func TestArguments(t *testing.T) {
	app, api := newAPI(routing.WithBasePath("/shop"))
	app.Get("/trees/secret/:rest", func(routing.Context) (routing.Result, error) { return routing.Text("secret"), nil })
	apidoc.Post(api, "/trees/:id/days/:day", "Tell", func(_ context.Context, in everything) (string, error) {
		text, err := json.Marshal(in)
		return string(text), err
	}, apidoc.ID("tell"))
	session := serve(t, api, mcp.WithOperations("tell"))
	path := map[string]any{"path.id": "a+b?c#d%20 é", "day": 7, "body": map[string]any{"id": "x"}}
	with := func(name string, v any) map[string]any {
		all := map[string]any{name: v}
		for name, v := range path {
			if _, ok := all[name]; !ok {
				all[name] = v
			}
		}
		return all
	}
	for _, test := range []struct {
		arguments any
		want      string // a part of the text
		isError   bool
	}{
		{path, `"ID":"a+b?c#d%20 é","Day":7`, false},
		{with("path.id", ".."), `argument path.id must be a segment of a path`, true},
		{with("path.id", "."), `argument path.id must be a segment of a path`, true},
		{with("path.id", ""), `argument path.id must be a segment of a path`, true},
		{with("path.id", "a/b"), `argument path.id must be a segment of a path`, true}, // routes read %2F as a slash
		{with("path.id", nil), `"in":"argument","name":"path.id"`, true},
		{with("path.id", 7), `must be of type string`, true},
		{with("path.id", []string{}), `must be of type string`, true},
		{with("id", "other"), `"in":"argument","name":"id","detail":"is no argument of the tool"`, true},
		{with("query.id", "q&x=1"), `"Query":"q\u0026x=1"`, false},
		{with("query.body", "b"), `"Body":"b"`, false},
		{with("X-Id", "h\r\nX-Evil: 1"), `must have no control characters`, true},
		{with("X-Id", "é, x"), `"Header":"é, x"`, false},
		{with("taste", "sweet; session=stolen"), `must have characters that a cookie may have`, true},
		{with("taste", "sweet"), `"Cookie":"sweet"`, false},
		{with("list", []int{1, 2}), `"List":[1,2]`, false},
		{with("list", []any{1, "2"}), `must be of type number`, true},
		{with("list", 1), `must be an array`, true},
		{with("list", []any{}), `"List":null`, false},
		{with("commas", []string{"a,b", "c"}), `"Commas":["a,b","c"]`, false},
		{with("commas", []any{}), `"Commas":null`, false},
		{with("commas", []string{""}), `"Commas":[""]`, false},
		{with("X-List", []string{"a", "b"}), `"Listed":["a","b"]`, false},
		{with("X-List", []string{"a,", "b"}), `must have no commas in an item`, true},
		{with("X-List", []any{}), `"Listed":null`, false},
		{with("yes", true), `"Yes":true`, false},
		{with("yes", "true"), `must be of type boolean`, true},
		{with("half", 0.5), `"Half":0.5`, false},
		{with("day", json.Number("9223372036854775807")), `"Day":9223372036854775807`, false},
		{with("day", json.Number("9223372036854775808")), `"name":"day"`, true},
		{with("day", 1.5), `"name":"day"`, true},
		{with("body", map[string]any{"id": "long"}), `"pointer":"/id"`, true},
		{with("body", nil), `"in":"body"`, true},
		{with("body", "text"), `"in":"body"`, true},
		{with("__proto__", 1), `"name":"__proto__","detail":"is no argument`, true},
	} {
		text, err := json.Marshal(test.arguments)
		if err != nil {
			t.Fatal(err)
		}
		got, result := call(t, session, "tell", json.RawMessage(text))
		if !strings.Contains(got, test.want) || result.IsError != test.isError {
			t.Errorf("%s: got %s, %t; want %s, %t", text, got, result.IsError, test.want, test.isError)
		}
	}
}

// The same arguments always make the same request, or the same errors in the same order.
func TestCallsInOrder(t *testing.T) {
	app, api := newAPI()
	type find struct {
		C []int  `query:"c"`
		B string `query:"b"`
		A string `query:"a"`
	}
	apidoc.Get(api, "/trees", "Find", func(context.Context, find) (string, error) { return "", nil }, apidoc.ID("find"))
	var query string
	app.Before(func(c routing.Context) error { query = c.Request().URL.RawQuery; return nil })
	session := serve(t, api, mcp.WithOperations("find"))
	for range 10 {
		call(t, session, "find", json.RawMessage(`{"a":"1","b":"2","c":[3,4]}`))
		if query != "c=3&c=4&b=2&a=1" {
			t.Fatalf("the query is %s", query)
		}
		text, _ := call(t, session, "find", json.RawMessage(`{"v":1,"z":1,"x":1,"w":1,"y":1}`))
		if !regexp.MustCompile(`"v".*"w".*"x".*"y".*"z"`).MatchString(text) {
			t.Fatalf("the errors are %s", text)
		}
	}
}

// No argument makes a tool call an operation that is not a tool.
func TestCallsStayWithTheirOperation(t *testing.T) {
	app, api := newAPI()
	type tree struct {
		ID string `path:"id"`
	}
	type named struct {
		Name string `path:"name"`
	}
	type root struct {
		ID   string `path:"id"`
		Root string `path:"root"`
	}
	say := func(context.Context, none) (string, error) { return "led", nil }
	sayNamed := func(context.Context, named) (string, error) { return "led", nil }
	tools := api.Tag("Tools", "")
	apidoc.Delete(api, "/trees/first", "", say, apidoc.ID("cutFirst"))
	apidoc.Delete(api, "/trees/:id", "Cut one", func(_ context.Context, in tree) (string, error) { return in.ID, nil }, apidoc.ID("cut"), tools)
	apidoc.Delete(api, "/trees/:id/:root", "Dig", func(_ context.Context, in root) (string, error) { return in.Root, nil }, apidoc.ID("dig"), tools)
	apidoc.Delete(api, "/trees/all", "", say, apidoc.ID("cutAll"))
	apidoc.Delete(api, "/trees/ends/?", "", say, apidoc.ID("cutEnds"))
	apidoc.Delete(api, "/trees/alt und neu", "", say, apidoc.ID("cutThose"))
	apidoc.Delete(api, "/trees/:name.pdf", "", sayNamed, apidoc.ID("cutPrint"))
	apidoc.Delete(api, "/trees/:name/all", "", sayNamed, apidoc.ID("digAll"))
	apidoc.Delete(api, "/trees/dead/:name", "", sayNamed, apidoc.ID("digDead"))
	apidoc.Delete(api, "/trees/:id/:root/bark", "", func(context.Context, root) (string, error) { return "led", nil }, apidoc.ID("bark"))
	apidoc.Get(api, "/trees/old", "", say, apidoc.ID("old"))
	apidoc.Delete(api, "/numbers/:id", "", func(_ context.Context, in tree) (string, error) { return in.ID, nil },
		apidoc.ID("number"), tools, apidoc.RouteOptions(routing.Where("id", "[0-9]+")))
	sizes := map[string][]bool{"big": {true}}
	apidoc.Delete(api, "/sizes/:id", "", func(_ context.Context, in tree) (string, error) { return in.ID, nil },
		apidoc.ID("size"), tools, apidoc.RouteOptions(routing.When(func(r *http.Request) bool { return sizes[r.PathValue("id")][0] })))
	led := func(routing.Context) (routing.Result, error) { return routing.Text("led"), nil }
	app.Delete("/numbers/hidden", led)
	app.Delete("/trees/secret", led)
	inner := routing.New()
	inner.Delete("/", led)
	app.Mount("/trees/inner", inner)
	app.Delete("/*", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass },
		routing.When(func(*http.Request) bool { return true })) // it counts for nothing: all calls match it
	session := serve(t, api, mcp.WithTags("Tools"))
	for _, test := range []struct{ tool, id, root, want string }{
		{"cut", "all", "", "arguments make the path of another route"},
		{"cut", "ends", "", "arguments make the path of another route"},
		{"cut", "alt und neu", "", "arguments make the path of another route"},
		{"cut", "7.pdf", "", "arguments make the path of another route"},
		{"cut", "secret", "", "arguments make the path of another route"},
		{"cut", "inner", "", "arguments make the path of another route"},
		{"cut", "old", "", "old"},
		{"cut", "first", "", "first"}, // :id is defined later
		{"cut", "ALL", "", "ALL"},
		{"cut", "7/roots", "", "argument id must be a segment of a path: not empty, not . or .., without slashes"},
		{"cut", "7%2Froots", "", "7%2Froots"},
		{"cut", ":id", "", ":id"},
		{"cut", "{id}", "", "{id}"},
		{"cut", `7\roots`, "", `7\roots`},
		{"dig", "7", "all", "arguments make the path of another route"},
		{"dig", "dead", "8", "arguments make the path of another route"},
		{"dig", "7", "8", "8"},
		{"number", "7", "", "7"},
		{"size", "big", "", "big"},
		{"size", "huge", "", `{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal_server_error"}`}, // the condition panics
		{"number", "hidden", "", "arguments make a path that would be read with other values"},
	} {
		arguments := map[string]any{"id": test.id}
		if test.root != "" {
			arguments["root"] = test.root
		}
		if got, _ := call(t, session, test.tool, arguments); got != test.want && !strings.Contains(got, `"detail":"`+test.want) {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}

// The argument body of a tool for QUERY is optional if the body of the request is.
func TestQueryWithoutBody(t *testing.T) {
	_, api := newAPI()
	type named struct {
		Name string `json:"name"`
	}
	apidoc.Query(api, "/perhaps", "", func(_ context.Context, in struct {
		Body *named `body:""`
	}) (bool, error) {
		return in.Body == nil, nil
	}, apidoc.ID("perhaps"))
	apidoc.Query(api, "/form", "", func(_ context.Context, in struct {
		Name string `form:"name"`
	}) (bool, error) {
		return in.Name == "", nil
	}, apidoc.ID("form"))
	apidoc.Query(api, "/file", "", func(_ context.Context, in struct {
		File *apidoc.File `form:"file"`
	}) (bool, error) {
		return in.File == nil, nil
	}, apidoc.ID("file"))
	apidoc.Query(api, "/needed", "", func(_ context.Context, in named) (bool, error) { return false, nil }, apidoc.ID("needed"))
	session := serve(t, api, mcp.WithOperations("perhaps", "form", "file", "needed"))
	for tool, want := range map[string]string{"perhaps": "true", "form": "true", "file": "true", "needed": `"status":422`} {
		if got, _ := call(t, session, tool, nil); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

// Tools for GET, HEAD and QUERY have no conditional headers as arguments.
func TestConditions(t *testing.T) {
	_, api := newAPI()
	type named struct {
		Name string `json:"name"`
	}
	versionOf := func(context.Context, named) (apidoc.Version, error) { return apidoc.Version{Tag: "7"}, nil }
	say := func(_ context.Context, in named) (named, error) { return in, nil }
	apidoc.Query(api, "/trees", "", say, apidoc.ID("query"), apidoc.Versioned(versionOf))
	apidoc.Put(api, "/trees", "", say, apidoc.ID("put"), apidoc.Versioned(versionOf))
	session := serve(t, api, mcp.WithOperations("query", "put"))
	for tool, want := range map[string]string{"query": "is no argument of the tool", "put": `"status":412`} {
		arguments := map[string]any{"If-None-Match": `"7"`, "body": named{"oak"}}
		if got, _ := call(t, session, tool, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

// In headers and cookies, an item of a list must not contain a comma: it would be two items.
func TestCommas(t *testing.T) {
	_, api := newAPI()
	type listed struct {
		Tags []string `header:"X-Tags"`
		Text string   `header:"X-Text"`
	}
	apidoc.Get(api, "/listed", "", func(_ context.Context, in listed) (string, error) {
		return fmt.Sprintf("%q %q", in.Tags, in.Text), nil
	}, apidoc.ID("listed"))
	session := serve(t, api, mcp.WithOperations("listed"))
	for arguments, want := range map[string]string{
		`{"X-Tags":["a","b"],"X-Text":"a,b"}`: `["a" "b"] "a,b"`,
		`{"X-Tags":["a,b","c"]}`:              `"name":"X-Tags","detail":"must have no commas in an item`,
		`{"X-Tags":["a,b"]}`:                  `"name":"X-Tags","detail":"must have no commas in an item`,
	} {
		if got, _ := call(t, session, "listed", json.RawMessage(arguments)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}

// Names that the APIs of models do not allow are replaced.
func TestArgumentNames(t *testing.T) {
	_, api := newAPI()
	type filtered struct {
		Name string `query:"filter[größe],required"`
		Dot  string `query:"a.b-c_d"`
	}
	apidoc.Get(api, "/filtered", "", func(_ context.Context, in filtered) (string, error) { return in.Name + in.Dot, nil }, apidoc.ID("filtered"))
	session := serve(t, api, mcp.WithOperations("filtered"))
	for tool, err := range session.Tools(t.Context(), nil) {
		schema, _ := json.Marshal(tool.InputSchema)
		if err != nil || !strings.Contains(string(schema), `"required":["filter_gr__e_"]`) {
			t.Errorf("got %s, %v", schema, err)
		}
	}
	if got, result := call(t, session, "filtered", map[string]any{"filter_gr__e_": "x", "a.b-c_d": "y"}); got != "xy" || result.IsError {
		t.Errorf("got %s", got)
	}
}

// No argument makes a call change another record than the one that it names.
func TestCallsStayWithTheirRecord(t *testing.T) {
	_, api := newAPI(routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
	var got []string
	type user struct {
		ID string `path:"id"`
	}
	type versions struct {
		A string `path:"a"`
		B string `path:"b"`
	}
	apidoc.Delete(api, "/users/:id", "", func(_ context.Context, in user) (struct{}, error) {
		got = append(got, in.ID)
		return struct{}{}, nil
	}, apidoc.ID("remove"))
	apidoc.Get(api, "/diff/:a-:b", "", func(_ context.Context, in versions) (string, error) {
		got = append(got, in.A, in.B)
		return "", nil
	}, apidoc.ID("diff"))
	session := serve(t, api, mcp.WithOperations("remove", "diff"))
	for arguments, want := range map[string][]string{
		`{"id":"ann"}`: {"ann"}, `{"id":"ann.lee"}`: nil, `{"id":"ann%2Elee"}`: {"ann%2Elee"}, `{"id":"ann\u0000"}`: nil,
		`{"a":"x","b":"y"}`: {"x", "y"}, `{"a":"x","b":"y-z"}`: nil, `{"a":"x-y","b":"z"}`: {"x-y", "z"},
	} {
		tool := "remove"
		if strings.Contains(arguments, `"a"`) {
			tool = "diff"
		}
		got = nil
		text, result := call(t, session, tool, json.RawMessage(arguments))
		if !slices.Equal(got, want) || result.IsError != (want == nil) {
			t.Errorf("%s: got %q, want %q: %s", arguments, got, want, text)
		}
	}
}
