package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
)

// This file tests the argument body.

// An operation for a range such as image/* gets the detected media type.
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

// TestBodies sends valid and invalid bodies of each kind.
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
	apidoc.Post(api, "/xml", "", func(_ context.Context, in struct {
		XML string `body:"application/xml"`
	}) (string, error) {
		return in.XML, nil
	}, apidoc.ID("xml"), tag)
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
		{"xml", `"PGEvPg=="`, "<a/>"}, {"xml", `"<a/>"`, `"detail":"must be base64"`},
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

// A file name cannot add headers to its part of a multipart form.
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
