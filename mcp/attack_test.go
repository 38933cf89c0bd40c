package mcp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file has clients that mean harm, and operations that fail.

type none struct{}

func newAPI(options ...routing.Option) (*routing.App, *apidoc.API) {
	app := routing.New(options...)
	return app, apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
}

func TestBuild(t *testing.T) {
	_, api := newAPI()
	get := func(context.Context, none) (string, error) { return "", nil }
	key := apidoc.APIKey("key", apidoc.InHeader, "X-Key", apidoc.Unchecked)
	asked := apidoc.APIKey("asked", apidoc.InQuery, "key", apidoc.Unchecked)
	trees := api.Tag("Trees", "")
	apidoc.Get(api, "/a", "A", get, apidoc.ID("get.tree"), trees)
	apidoc.Get(api, "/b", "B", get, apidoc.ID("get/tree"), trees)
	apidoc.Get(api, "/c", "C", get, apidoc.ID("withKey"), key)
	apidoc.Get(api, "/d", "D", get, apidoc.ID("withQuery"), asked)
	apidoc.Get(api, "/e", "E", get, apidoc.ID(strings.Repeat("long", 40)))
	apidoc.Get(api, "/f", "F", get, apidoc.ID("either"), apidoc.AnyOf(asked, apidoc.Bearer("token", apidoc.Unchecked)))
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
	for _, test := range []struct {
		want    string // a part of the error, or nothing for none
		options []mcp.Option
	}{
		{`no operation is chosen: write mcp.WithTags("a tag") or mcp.WithOperations(`, nil},
		{`WithTags("Bushes"): no operation has it: they have Trees`, []mcp.Option{mcp.WithTags("Bushes")}},
		{`WithOperations("none"): no operation has it: they have either, get.tree, get/tree,`, []mcp.Option{mcp.WithOperations("none")}},
		{`WithoutOperations("none"): no operation has it`, []mcp.Option{mcp.WithTags("Trees"), mcp.WithoutOperations("none")}},
		{`operations "get.tree" and "get/tree" are both the tool get_tree: give one another apidoc.ID`, []mcp.Option{mcp.WithTags("Trees")}},
		{`operation withKey: it needs the header X-Key: pass it on with mcp.WithHeaders("X-Key"), or leave it out with mcp.WithoutOperations("withKey")`, []mcp.Option{mcp.WithOperations("withKey")}},
		{`operation withQuery: it needs a key in the query`, []mcp.Option{mcp.WithOperations("withQuery")}},
		{`write an apidoc.ID of 1 to 128 characters`, []mcp.Option{mcp.WithOperations(strings.Repeat("long", 40))}},
		{`operation raw: its body (application/x-www-form-urlencoded) is read as it is`, []mcp.Option{mcp.WithOperations("raw")}},
		{`operation rawParts: its body (multipart/form-data) is read as it is`, []mcp.Option{mcp.WithOperations("rawParts")}},
		{`operation rawEvents: its body (text/event-stream) is read as it is`, []mcp.Option{mcp.WithOperations("rawEvents")}},
		{`pass an API and options, not nil`, []mcp.Option{nil}},
		{`WithTags([]): write at least one text`, []mcp.Option{mcp.WithTags()}},
		{`WithOperations([""]): write at least one text`, []mcp.Option{mcp.WithOperations("")}},
		{`WithAllowedOrigins("https://a.example/"): write an origin`, []mcp.Option{mcp.WithAllowedOrigins("https://a.example/")}},
		{`WithAllowedOrigins("*"): write an origin`, []mcp.Option{mcp.WithAllowedOrigins("*")}},
		{`pass a handler and a path`, []mcp.Option{mcp.WithHandler(nil, "")}},
		{`pass a handler and a path such as /shop`, []mcp.Option{mcp.WithHandler(api, "shop")}},
		{`WithResponseLimit(0): write a number above 0`, []mcp.Option{mcp.WithResponseLimit(0)}},
		{`WithStreamTime(0s): write a duration above 0`, []mcp.Option{mcp.WithStreamTime(0)}},
		{"", []mcp.Option{mcp.WithOperations("withKey"), mcp.WithHeaders("x-key")}},
		{"", []mcp.Option{mcp.WithOperations("either")}},
		{"", []mcp.Option{mcp.WithTags("Trees"), mcp.WithoutOperations("get/tree")}},
	} {
		_, err := mcp.New(api, test.options...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, err := mcp.New(nil); err == nil {
		t.Error("got no error for a nil API")
	}
}

// TestMethods calls a tool for each method, and sees what clients are told about it.
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

type everything struct {
	ID     string            `path:"id"`
	Day    int64             `path:"day"`
	Query  string            `query:"id"`
	Header string            `header:"X-Id"`
	Body   string            `query:"body"`
	Cookie string            `cookie:"taste"`
	List   []int             `query:"list"`
	Commas []string          `query:"commas,commas"`
	Deep   map[string]string `query:"deep,deepObject"`
	Box    struct {
		Size *int `json:"size,omitempty"`
	} `query:"box,deepObject"`
	Yes    bool    `query:"yes"`
	Half   float64 `query:"half"`
	Member struct {
		ID string `json:"id" maxLength:"3"`
	} `body:""`
}

// TestArguments sends each argument to its place, and what is none nowhere.
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
		{with("path.id", ".."), `path.id`, true},
		{with("path.id", "."), `path.id`, true},
		{with("path.id", ""), `path.id`, true},
		{with("path.id", "a/b"), `path.id`, true}, // a slash is one of the path also as %2F
		{with("path.id", nil), `"name":"path.id","detail":"is required"`, true},
		{with("path.id", 7), `must be of type string`, true},
		{with("path.id", []string{}), `must be of type string`, true},
		{with("id", "other"), `"name":"id","detail":"is no argument of the tool"`, true},
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
		{with("deep", map[string]any{"a&b": "c=d", "]": "e"}), `"Deep":{"]":"e","a\u0026b":"c=d"}`, false},
		{with("deep", "x"), `must be an object`, true},
		{with("box", map[string]any{"size": 7}), `"Box":{"size":7}`, false},
		{with("box", map[string]any{"size": nil}), `"Box":{}`, false}, // as the schema of a pointer allows
		{with("box", map[string]any{"size": []int{7}}), `must be of type string, number or boolean`, true},
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

// TestCallsInOrder makes the same request and the same errors of the same arguments, each time.
func TestCallsInOrder(t *testing.T) {
	app, api := newAPI()
	type find struct {
		Deep map[string]int `query:"deep,deepObject"`
	}
	apidoc.Get(api, "/trees", "Find", func(context.Context, find) (string, error) { return "", nil }, apidoc.ID("find"))
	var query string
	app.Before(func(c routing.Context) error { query = c.Request().URL.RawQuery; return nil })
	session := serve(t, api, mcp.WithOperations("find"))
	for range 10 {
		call(t, session, "find", json.RawMessage(`{"deep":{"e":5,"d":4,"c":3,"b":2,"a":1}}`))
		if got, _ := url.QueryUnescape(query); got != "deep[a]=1&deep[b]=2&deep[c]=3&deep[d]=4&deep[e]=5" {
			t.Fatalf("the query is %s", got)
		}
		text, _ := call(t, session, "find", json.RawMessage(`{"v":1,"z":1,"x":1,"w":1,"y":1}`))
		if !regexp.MustCompile(`"v".*"w".*"x".*"y".*"z"`).MatchString(text) {
			t.Fatalf("the errors are %s", text)
		}
	}
}

// TestOther tries to come from a tool to an operation that is none.
func TestOther(t *testing.T) {
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
		{"cut", "all", "", "is that of the operation cutAll"},
		{"cut", "ends", "", "is that of the operation cutEnds"},
		{"cut", "alt und neu", "", "is that of the operation cutThose"},
		{"cut", "7.pdf", "", "is that of the operation cutPrint"},
		{"cut", "secret", "", "is that of another route"},
		{"cut", "inner", "", "is that of another route"},
		{"cut", "old", "", "old"},
		{"cut", "ALL", "", "ALL"},
		{"cut", "7/roots", "", "must be a part of a path"},
		{"cut", "7%2Froots", "", "7%2Froots"},
		{"cut", ":id", "", ":id"},
		{"cut", "{id}", "", "{id}"},
		{"cut", `7\roots`, "", `7\roots`},
		{"dig", "7", "all", "is that of the operation digAll"},
		{"dig", "dead", "8", "is that of the operation digDead"},
		{"dig", "7", "8", "8"},
		{"number", "7", "", "7"},
		{"size", "big", "", "big"},
		{"size", "huge", "", `{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal_server_error"}`}, // the condition panics
		{"number", "hidden", "", "must match the pattern ^(?:[0-9]+)$"},
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

// TestQueryWithoutBody calls tools for QUERY without the argument body. Where it may be left out,
// so may the argument.
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

// TestConditions finds no conditions among the arguments of tools that read.
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

// TestCookies tells a model no cookie of a response, however its name is written.
func TestCookies(t *testing.T) {
	_, api := newAPI()
	type entered struct {
		Session http.Cookie `header:"set-cookie"`
		Tag     string      `header:"etag"`
		Text    string      `body:"text/plain"`
	}
	apidoc.Post(api, "/login", "", func(context.Context, none) (entered, error) {
		return entered{http.Cookie{Name: "session", Value: "secret"}, `"7"`, "entered"}, nil
	}, apidoc.ID("login"))
	if got, _ := call(t, serve(t, api, mcp.WithOperations("login")), "login", nil); got != "entered\netag: \"7\"" {
		t.Errorf("got %s", got)
	}
}

// TestMediaRange sends bytes to an operation that takes each type of a range.
func TestMediaRange(t *testing.T) {
	_, api := newAPI()
	apidoc.Post(api, "/images", "", func(_ context.Context, in struct {
		Type  string `header:"Content-Type"`
		Image []byte `body:"image/*"`
	}) (string, error) {
		return in.Type, nil
	}, apidoc.ID("add"))
	session := serve(t, api, mcp.WithOperations("add"))
	if got, _ := call(t, session, "add", map[string]any{"body": []byte("\x89PNG\r\n\x1a\n")}); got != "image/png" {
		t.Errorf("got %s, want image/png", got)
	}
}

// TestBodies sends bodies of each kind, and what they cannot be.
func TestBodies(t *testing.T) {
	_, api := newAPI()
	type place struct {
		X int `json:"x"`
	}
	tag := api.Tag("All", "")
	apidoc.Post(api, "/lines", "", func(_ context.Context, in iter.Seq2[int, error]) (all []int, err error) {
		for n, wrong := range in {
			all, err = append(all, n), cmp.Or(err, wrong)
		}
		return all, err
	}, apidoc.ID("lines"), tag)
	apidoc.Post(api, "/text", "", func(_ context.Context, in struct {
		Text string `body:"text/plain"`
	}) (string, error) {
		return in.Text, nil
	}, apidoc.ID("text"), tag)
	apidoc.Post(api, "/bytes", "", func(_ context.Context, in []byte) (string, error) { return string(in), nil }, apidoc.ID("bytes"), tag)
	apidoc.Post(api, "/form", "", func(_ context.Context, in struct {
		Names []string `form:"names"`
		Age   int      `form:"age"`
	}) (string, error) {
		return fmt.Sprint(in.Names, in.Age), nil
	}, apidoc.ID("form"), tag)
	apidoc.Post(api, "/parts", "", func(_ context.Context, in struct {
		Files []apidoc.File `form:"files"`
		Place place         `form:"place,required"`
	}) (string, error) {
		var all []string
		for _, f := range in.Files {
			content, err := f.Bytes()
			if err != nil {
				return "", err
			}
			all = append(all, f.Name, string(content))
		}
		return fmt.Sprint(all, in.Place.X), nil
	}, apidoc.ID("parts"), tag)
	session := serve(t, api, mcp.WithTags("All"))
	for _, test := range []struct{ tool, body, want string }{
		{"lines", `[1, 2]`, "[1,2]"}, {"lines", `[]`, "[]"}, {"lines", `7`, `"detail":"must be an array"`},
		{"text", `"oak\n"`, "oak"}, {"text", `7`, `"detail":"must be text"`},
		{"bytes", `"b2Fr"`, "oak"}, {"bytes", `"!"`, `"detail":"must be base64"`}, {"bytes", `[1]`, `"detail":"must be base64"`},
		{"form", `{"names":["a&b","c"],"age":7}`, "[a&b c] 7"}, {"form", `{"names":"a"}`, `member \"names\" must be an array`},
		{"form", `{"names":[7]}`, `member \"names\" must be of type string`}, {"form", `{"age":"7"}`, `member \"age\" must be of type number`},
		{"form", `{"names":["a"],"age":null}`, "[a] 0"},
		{"form", `[]`, `"detail":"must be an object"`}, {"form", `{"names":[null]}`, `member \"names\" must be of type string`},
		{"parts", `{"files":[{"name":"a","content":"b2Fr"},{"name":"b","content":""}],"place":{"x":7}}`, "[a oak b ] 7"},
		{"parts", `{"files":[{"name":"a","content":"!"}],"place":{"x":7}}`, `member \"files\" must be an object with the name, the type and, in base64`},
		{"parts", `{"files":[{"content":"b2Fr","type":"a\r\nX: y"}],"place":{"x":7}}`, `member \"files\" must be an object`},
		{"parts", `{"files":[],"place":{"x":"7"}}`, `"status":422`},
	} {
		if got, _ := call(t, session, test.tool, map[string]any{"body": json.RawMessage(test.body)}); got != test.want && (test.want[0] == '[' || !strings.Contains(got, test.want)) {
			t.Errorf("%s %s: got %s, want %s", test.tool, test.body, got, test.want)
		}
	}
}

// TestFileName sends files with names that could end the header of their part.
func TestFileName(t *testing.T) {
	_, api := newAPI()
	apidoc.Post(api, "/files", "", func(_ context.Context, in struct {
		File apidoc.File `form:"file"`
	}) (string, error) {
		content, err := in.File.Bytes()
		return in.File.Name + " " + string(content), err
	}, apidoc.ID("add"))
	session := serve(t, api, mcp.WithOperations("add"))
	for name, want := range map[string]string{
		`end\`: `end\ oak`, `a\(b`: `a\(b oak`, `a\"; name="x`: `a\%22; name=%22x oak`, "": "file oak", "a\r\nX: y": "a%0D%0AX: y oak", "../../a": "a oak",
	} {
		file := map[string]any{"name": name, "content": "b2Fr"}
		if got, _ := call(t, session, "add", map[string]any{"body": map[string]any{"file": file}}); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

// TestMalformed sends what no SDK sends. The answer is an error, and the server lives.
func TestMalformed(t *testing.T) {
	_, api := newAPI()
	apidoc.Post(api, "/trees/:id/days/:day", "Tell", func(_ context.Context, in everything) (string, error) { return "told", nil }, apidoc.ID("tell"))
	handler, err := mcp.New(api, mcp.WithOperations("tell"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	const refused = "HTTP 400"                          // by the SDK
	for arguments, wants := range map[string][2]string{ // by the newest revision, and by an older one
		`"text"`:                               {"must be an object", "must be an object"},
		`[1]`:                                  {"must be an object", "must be an object"},
		`1`:                                    {"must be an object", "must be an object"},
		`null`:                                 {"is required", "is required"},
		`{"path.id":"x","day":1,"half":1e400}`: {refused, "half"},
		`{"path.id":"\ud800","day":1,"body":{"id":"a"}}`:                                                    {"told", "told"},
		`{"path.id":"x","path.id":"y","day":1,"body":{"id":"a","id":"b"}}`:                                  {"duplicate", "duplicate"},
		`{"path.id":"x","body":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`:              {refused, refused},
		`{"path.id":"x","day":1,"body":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`:        {"must be an object", "must be an object"},
		`{"path.id":"x","day":1,"body":{"id":"a"},"query.id":"` + strings.Repeat("x", 1<<20) + `"}`:         {"told", "told"},
		`{"path.id":"x","day":1,"body":{"id":"a"},"list":` + "[" + strings.Repeat("1,", 1<<18) + "1" + `]}`: {"told", "told"},
	} {
		for i, revision := range []string{"2026-07-28", "2025-11-25"} {
			status, text := post(t.Context(), server.URL, revision, "tools/call", `"name":"tell","arguments":`+arguments, nil)
			if text = fmt.Sprintf("HTTP %d %s", status, text); !strings.Contains(text, wants[i]) {
				t.Errorf("%s %.90s: got %.900s, want %s", revision, arguments, text, wants[i])
			}
		}
	}
}

// TestOverride tries to make another request of a call: with the field of a form that overrides the
// method, and with a header that the client's proxy sets.
func TestOverride(t *testing.T) {
	_, api := newAPI(routing.WithMethodOverride())
	apidoc.Post(api, "/trees", "Plant", func(_ context.Context, in struct {
		Name   string `form:"name"`
		User   string `header:"X-User"`
		Method string `header:"X-HTTP-Method-Override"`
	}) (string, error) {
		return in.User, nil
	}, apidoc.ID("plant"))
	apidoc.Delete(api, "/trees", "Cut all", func(context.Context, none) (string, error) { return "all cut", nil }, apidoc.ID("cutAll"))
	session := serve(t, api, mcp.WithOperations("plant"), mcp.WithHeaders("X-User"))
	for arguments, want := range map[string]string{
		`{"body":{"name":"oak","_method":"DELETE"}}`:                `has no member \"_method\"`,
		`{"X-HTTP-Method-Override":"DELETE","body":{"name":"oak"}}`: `is no argument of the tool"`,
		`{"X-User":"root","body":{"name":"oak"}}`:                   `"name":"X-User","detail":"is no argument of the tool"`,
	} {
		if got, result := call(t, session, "plant", json.RawMessage(arguments)); !strings.Contains(got, want) || !result.IsError {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}

// TestBatch sends many calls in one request, as the revision 2025-03-26 allows.
func TestBatch(t *testing.T) {
	_, api := newAPI()
	apidoc.Get(api, "/a", "", func(context.Context, none) (string, error) { return "a", nil }, apidoc.ID("a"))
	handler, err := mcp.New(api, mcp.WithOperations("a"))
	if err != nil {
		t.Fatal(err)
	}
	const one = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	const start = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","clientInfo":{"name":"x","version":"1"},"capabilities":{}}}`
	for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		for body, want := range map[string]int{one: 200, start: 200, "[" + one + "]": 400} {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			if revision != "" {
				r.Header.Set("Mcp-Protocol-Version", revision)
			}
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != want || want == 200 && strings.Contains(w.Body.String(), `"error"`) {
				t.Errorf("%s %s: got %d %s", revision, body, w.Code, w.Body)
			}
		}
	}
}

// TestScopes calls tools with tokens that must not use them.
func TestScopes(t *testing.T) {
	_, api := newAPI()
	token := apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		switch {
		case c.Token == "":
			return nil, apidoc.Unauthorized
		case len(c.Scopes) > 0 && c.Token != "gardener":
			return nil, apidoc.Forbidden
		}
		return ctx, nil
	})
	cut := func(context.Context, none) (string, error) { return "cut", nil }
	apidoc.Delete(api, "/trees", "Cut", cut, apidoc.ID("cut"), token.Scopes("trees:cut"))
	handler, err := mcp.New(api, mcp.WithOperations("cut"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for token, want := range map[string]string{"": `"status":401`, "visitor": `"status":403`, "gardener": "cut"} {
		if got, result := call(t, connect(t, server.URL, token), "cut", nil); !strings.Contains(got, want) || result.IsError == (token == "gardener") {
			t.Errorf("%q: got %s, %t", token, got, result.IsError)
		}
	}
}

// TestRequest sees the request of a call as the app does.
func TestRequest(t *testing.T) {
	app, api := newAPI()
	app.Get("/seen", func(c routing.Context) (routing.Result, error) {
		r := c.Request()
		return routing.Text(fmt.Sprint(r.Method, r.Host, r.RequestURI, r.RemoteAddr != "", r.Header)), nil
	}, apidoc.Describe(apidoc.NewOperation[none, string]("seen", "")))
	handler, err := mcp.New(api, mcp.WithOperations("seen"), mcp.WithHeaders("x-forwarded-for"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	transport := &sdk.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true, HTTPClient: &http.Client{
		Transport: header{"X-Forwarded-For": "192.0.2.7", "Cookie": "session=1", "X-Other": "1", "Authorization": "Basic eDp5"},
	}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	want := "GET" + host + "/seen true map[Accept:[application/json, */*;q=0.5] Authorization:[Basic eDp5] X-Forwarded-For:[192.0.2.7]]"
	if got, _ := call(t, session, "seen", nil); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %s, want %s", got, want)
	}
}

type header map[string]string

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestLimits sends and receives bodies at and above the limits.
func TestLimits(t *testing.T) {
	_, api := newAPI()
	type sized struct {
		Text string `json:"text"`
	}
	echo := func(_ context.Context, in sized) (sized, error) { return in, nil }
	many := func(_ context.Context, in struct {
		N int `query:"n"`
	}) (string, error) {
		return strings.Repeat("x", in.N), nil
	}
	apidoc.Post(api, "/echo", "Echo", echo, apidoc.ID("echo"), apidoc.BodyLimit(1000))
	apidoc.Get(api, "/many", "Many", many, apidoc.ID("many"))
	session := serve(t, api, mcp.WithOperations("echo", "many"), mcp.WithResponseLimit(2000))
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
		isError   bool
	}{
		{"echo", map[string]any{"body": sized{strings.Repeat("x", 1000-11)}}, `"text":"xxx`, false},
		{"echo", map[string]any{"body": sized{strings.Repeat("x", 1001-11)}}, `"status":413`, true},
		{"many", map[string]any{"n": 2000}, "xxx", false},
		{"many", map[string]any{"n": 2001}, "more than 2000 bytes: ask for less", true},
	} {
		if got, result := call(t, session, test.tool, test.arguments); !strings.Contains(got, test.want) || result.IsError != test.isError {
			t.Errorf("%s: got %.90s, %t; want %s", test.tool, got, result.IsError, test.want)
		}
	}
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"body": sized{strings.Repeat("x", 4<<20)}}})
	if err == nil || !strings.Contains(err.Error(), "Request Entity Too Large") {
		t.Errorf("got %v, want a 413", err)
	}
}

// TestThousand lists and calls 1,000 tools.
func TestThousand(t *testing.T) {
	_, api := newAPI()
	names := api.Tag("Names", "")
	for i := range 1000 {
		apidoc.Get(api, fmt.Sprintf("/n/%d", i), "Say", func(context.Context, none) (int, error) { return i, nil }, apidoc.ID(fmt.Sprintf("say%d", i)), names)
	}
	session := serve(t, api, mcp.WithTags("Names"))
	listed := 0
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if listed++; listed%250 == 0 {
			if got, _ := call(t, session, tool.Name, nil); got != strings.TrimPrefix(tool.Name, "say") {
				t.Errorf("%s: got %s", tool.Name, got)
			}
		}
	}
	if listed != 1000 {
		t.Errorf("got %d tools, want 1000", listed)
	}
}

// TestFailing calls operations that panic and break off.
func TestFailing(t *testing.T) {
	app, api := newAPI(routing.WithLogger(slog.New(slog.DiscardHandler)))
	say := func(f func() error) func(context.Context, none) (string, error) {
		return func(context.Context, none) (string, error) { return "said", f() }
	}
	tag := api.Tag("Failing", "")
	apidoc.Get(api, "/panic", "", say(func() error { panic("secret cause") }), apidoc.ID("panics"), tag)
	apidoc.Get(api, "/abort", "", say(func() error { panic(http.ErrAbortHandler) }), apidoc.ID("aborts"), tag)
	apidoc.Get(api, "/error", "", say(func() error { return errors.New("secret cause") }), apidoc.ID("fails"), tag)
	apidoc.Get(api, "/lines", "", func(context.Context, none) (lines, error) {
		return lines{func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, errors.New("secret cause")) }}, nil
	}, apidoc.ID("lines"), tag)
	apidoc.Get(api, "/events", "", func(context.Context, none) (iter.Seq2[int, error], error) {
		return func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, apidoc.Fail(409, "Enough")) }, nil
	}, apidoc.ID("events"), tag)
	apidoc.Get(api, "/outside", "", say(func() error { return nil }), apidoc.ID("outside"), tag)
	through := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/outside" {
			panic("secret cause of the middleware")
		}
		app.ServeHTTP(w, r)
	})
	session := serve(t, api, mcp.WithTags("Failing"), mcp.WithHandler(through, ""))
	for tool, want := range map[string]string{
		"panics": `"status":500`, "aborts": `"status":500`, "fails": `"status":500`, "outside": `"status":500`,
		"lines": `{"complete":false,"items":[1]}`, "events": `"title":"Enough"`,
	} {
		got, result := call(t, session, tool, nil)
		if !strings.Contains(got, want) || !result.IsError || strings.Contains(got, "secret") || strings.Contains(got, ".go") {
			t.Errorf("%s: got %s, %t; want %s", tool, got, result.IsError, want)
		}
	}
}

type lines struct {
	Lines iter.Seq2[int, error] `body:"application/jsonl"`
}

// TestStreams collects streams up to each limit, and tells the progress.
func TestStreams(t *testing.T) { synctest.Test(t, testStreams) }

func testStreams(t *testing.T) {
	_, api := newAPI()
	ended := make(chan struct{}, 10)
	forever := func(ctx context.Context, _ none) (iter.Seq[int], error) {
		return func(yield func(int) bool) {
			defer func() { ended <- struct{}{} }()
			for i := range 3 {
				if !yield(i) {
					return
				}
			}
			<-ctx.Done()
		}, nil
	}
	large := func(context.Context, none) (lines, error) {
		return lines{func(yield func(int, error) bool) {
			for i := 0; yield(i, nil); i++ {
			}
		}}, nil
	}
	apidoc.Get(api, "/forever", "", forever, apidoc.ID("forever"))
	apidoc.Get(api, "/large", "", large, apidoc.ID("large"))
	handler, err := mcp.New(api, mcp.WithOperations("forever", "large"), mcp.WithStreamTime(300*time.Millisecond), mcp.WithResponseLimit(30))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	session := serveTimed(t, &http.Server{Handler: handler}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			told = append(told, fmt.Sprint(r.Params.Progress, " ", r.Params.Message))
		},
	})
	if got, result := call(t, session, "large", nil); got != `{"complete":false,"items":[0,1,2,3,4,5,6,7,8,9,10,11]}` && !strings.HasPrefix(got, `{"complete":false,"items":[0,1,2,3,`) || result.IsError {
		t.Errorf("got %s, %t", got, result.IsError)
	}
	params := &sdk.CallToolParams{Name: "forever"}
	params.SetProgressToken("p")
	begin := time.Now()
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	if took := time.Since(begin); took != 300*time.Millisecond {
		t.Errorf("the stream ended after %v, want the time of WithStreamTime", took)
	}
	structured, _ := json.Marshal(result.StructuredContent)
	if want := `{"complete":false,"items":[{"data":0},{"data":1},{"data":2}]}`; string(structured) != want || result.IsError {
		t.Errorf("got %s, %t; want %s", structured, result.IsError, want)
	}
	if want := `[1 {"data":0} 2 {"data":1} 3 {"data":2}]`; fmt.Sprint(told) != want {
		t.Errorf("got %v, want %s", told, want)
	}
}

// TestWriteTimeout calls tools that last longer than the server's WriteTimeout, which resets the
// streams of HTTP/2.
func TestWriteTimeout(t *testing.T) {
	const limit = 200 * time.Millisecond
	_, api := newAPI()
	apidoc.Get(api, "/slow", "", func(context.Context, none) (int, error) { time.Sleep(2 * limit); return 7, nil }, apidoc.ID("slow"))
	apidoc.Get(api, "/stream", "", func(context.Context, none) (iter.Seq[int], error) {
		return func(yield func(int) bool) { time.Sleep(2 * limit); yield(7) }, nil
	}, apidoc.ID("stream"))
	handler, err := mcp.New(api, mcp.WithOperations("slow", "stream"))
	if err != nil {
		t.Fatal(err)
	}
	for _, isHTTP2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := &http.Server{Handler: handler, WriteTimeout: limit, Protocols: new(http.Protocols)}
			server.Protocols.SetHTTP1(!isHTTP2)
			server.Protocols.SetUnencryptedHTTP2(isHTTP2)
			session := serveTimed(t, server, nil)
			for tool, want := range map[string]string{"slow": "7", "stream": `{"complete":true,"items":[{"data":7}]}`} {
				result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool})
				if err != nil {
					t.Errorf("HTTP/2 %t, %s: %v", isHTTP2, tool, err)
				} else if got := result.Content[0].(*sdk.TextContent).Text; got != want {
					t.Errorf("HTTP/2 %t, %s: got %s, want %s", isHTTP2, tool, got, want)
				}
			}
		})
	}
}

// TestHandWritten collects events of a handler that ends lines with \r\n and breaks off in the
// third event, and of one that sends nothing.
func TestHandWritten(t *testing.T) { synctest.Test(t, testHandWritten) }

func testHandWritten(t *testing.T) {
	app, api := newAPI()
	stream := func(path, text string) {
		action := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			http.NewResponseController(w).Flush()
			if io.WriteString(w, text); text == "" {
				<-r.Context().Done()
			}
		}))
		app.Get(path, action, apidoc.Describe(apidoc.NewOperation[none, iter.Seq[int]](path[1:], "")))
	}
	stream("/lines", "id: 1\r\ndata: 7\r\n\r\ndata: 8\r\n\r\ndata: cut")
	stream("/silent", "")
	handler, err := mcp.New(api, mcp.WithOperations("lines", "silent"), mcp.WithStreamTime(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	session := serveTimed(t, &http.Server{Handler: handler}, nil)
	for tool, want := range map[string]string{
		"lines": `{"complete":true,"items":[{"data":7,"id":"1"},{"data":8}]}`, "silent": `{"complete":false,"items":[]}`,
	} {
		if got, _ := call(t, session, tool, nil); got != want {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
}

// TestGone ends the context of a call whose client goes away, in each era of the protocol.
func TestGone(t *testing.T) {
	_, api := newAPI()
	begun, ended := make(chan struct{}), make(chan error)
	apidoc.Get(api, "/wait", "", func(ctx context.Context, _ none) (string, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return "", ctx.Err()
	}, apidoc.ID("wait"))
	handler, err := mcp.New(api, mcp.WithOperations("wait"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	before := runtime.NumGoroutine()
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-03-26"} {
		begun = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go post(ctx, server.URL, revision, "tools/call", `"name":"wait"`, nil)
		<-begun
		cancel()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("%s: the call goes on", revision)
		}
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		http.DefaultClient.CloseIdleConnections()
		if time.Now().After(deadline) { // 2 are those of the server's connections
			t.Fatalf("got %d goroutines, had %d", runtime.NumGoroutine(), before)
		}
	}
}

// post sends a request as a client of a revision does.
func post(ctx context.Context, address, revision, method, params string, header http.Header) (int, string) {
	if revision >= "2026" {
		params = strings.TrimPrefix(params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`, ",")
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", revision)
	if revision >= "2026" {
		r.Header.Set("Mcp-Method", method)
		if name, ok := strings.CutPrefix(params, `"name":"`); ok {
			name, _, _ = strings.Cut(name, `"`)
			r.Header.Set("Mcp-Name", name)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, fmt.Sprint(response.Header, string(bytes.TrimSpace(text)))
}

// TestOrigins sends requests of pages of other origins, and of those with a name that has been
// bound anew.
func TestOrigins(t *testing.T) {
	_, api := newAPI()
	apidoc.Get(api, "/a", "", func(context.Context, none) (string, error) { return "a", nil }, apidoc.ID("a"))
	start := func(options ...mcp.Option) string {
		handler, err := mcp.New(api, append(options, mcp.WithOperations("a"))...)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.URL
	}
	closed, open := start(), start(mcp.WithAllowedOrigins("https://chat.example.com"))
	for _, test := range []struct {
		address, host, origin string
		want                  int
	}{
		{closed, "", "", 200},
		{closed, "", "https://evil.example", 403},
		{closed, "", "null", 403},
		{closed, "", "", 200},
		{closed, "evil.example", "http://evil.example", 403},
		{closed, "shop.example.com", "", 200}, // a proxy on the same machine
		{open, "", "https://chat.example.com", 200},
		{open, "", "https://chat.example.com.evil.example", 403},
		{open, "", "http://chat.example.com", 403},
	} {
		header := make(http.Header)
		if test.origin != "" {
			header.Set("Origin", test.origin)
		}
		if test.host != "" {
			header.Set("Host", test.host)
		}
		status, text := post(t.Context(), test.address, "2026-07-28", "tools/call", `"name":"a"`, header)
		if status != test.want || status == 200 && !strings.Contains(text, `"text":"a"`) {
			t.Errorf("%+v: got %d %s", test, status, text)
		}
		if allowed := strings.Contains(text, "Access-Control-Allow-Origin"); allowed != (status == 200 && test.origin != "") {
			t.Errorf("%+v: got %s", test, text)
		}
	}
	r, _ := http.NewRequest(http.MethodOptions, open, nil)
	r.Header = http.Header{"Origin": {"https://chat.example.com"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-type,mcp-method"}}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if h := response.Header; response.StatusCode != 204 || h.Get("Access-Control-Allow-Headers") != "content-type,mcp-method" {
		t.Errorf("got %d %v", response.StatusCode, h)
	}
}
