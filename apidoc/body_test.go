package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests bodies with several media types.

func TestBodiesOfSeveralTypes(t *testing.T) {
	app, api := newTyped()
	type change struct {
		Name string `json:"name,omitempty" maxLength:"3"`
	}
	type output struct {
		Type   string `header:"Content-Type"`
		Change change `body:"application/json,application/vnd.change+json"`
	}
	apidoc.Patch(api, "/", "", func(_ context.Context, in struct {
		Change change `body:"application/merge-patch+json, application/json"`
	}) (output, error) {
		return output{"application/vnd.change+json", in.Change}, nil
	}, apidoc.ID("change"))
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Body io.Reader `body:"application/json"`
	}) (string, error) {
		text, err := io.ReadAll(in.Body)
		return string(text), err
	}, apidoc.ID("stream"))
	apidoc.Put(api, "/raw", "", func(_ context.Context, in struct {
		Text string `body:"application/json,text/csv"`
	}) (string, error) {
		return in.Text, nil
	}, apidoc.ID("raw"))
	for _, c := range []struct {
		method, path, media, body, want string
	}{
		{"PATCH", "/", "application/merge-patch+json", `{"name":"a"}`, `200 {"name":"a"}`},
		{"PATCH", "/", "application/json; charset=utf-8", `{"name":"a"}`, `200 {"name":"a"}`},
		{"PATCH", "/", "application/json", `{"name":"long"}`, "422 "},
		{"PATCH", "/", "text/csv", `{}`, "415 "},
		{"PATCH", "/", "application/json", "", "422 "},
		{"POST", "/", "application/json", `{ "a":`, `200 { "a":`},
		{"POST", "/", "text/csv", "a,b", "415 "},
		{"PUT", "/raw", "application/json", `{ "a":1 }`, `200 { "a":1 }`},
		{"PUT", "/raw", "text/csv", "a,b", "200 a,b"},
	} {
		w := call(app, c.method, c.path, c.media, c.body)
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s %s %s: got %s, want %s", c.method, c.path, c.media, c.body, got, c.want)
		}
	}
	d := build(t, app, "")
	for _, text := range [][]byte{d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
		op := decode(t, text).at("paths", "/", "patch")
		for _, place := range []string{"requestBody application/merge-patch+json", "requestBody application/json",
			"responses/200 application/json", "responses/200 application/vnd.change+json"} {
			where, media, _ := strings.Cut(place, " ")
			way := append(strings.Split(where, "/"), "content", media, "schema")
			if got := op.at(way...)["$ref"]; fmt.Sprint(got) != "#/components/schemas/change" {
				t.Errorf("%s is described as %v", place, got)
			}
		}
	}
	swagger := decode(t, d.Swagger()).at("paths", "/", "patch")
	if got := fmt.Sprint(swagger["consumes"], swagger["produces"]); !strings.Contains(got, "[application/merge-patch+json application/json]") ||
		!strings.Contains(got, "application/vnd.change+json") {
		t.Errorf("Swagger 2.0 has %s", got)
	}
	for got, want := range map[string]string{
		refusal[struct {
			A change `body:"application/json,text/csv"`
		}, struct{}]("PUT"): "a body of text/csv is read into a []byte, a string or an io.Reader, not into apidoc_test.change",
		refusal[struct{}, struct {
			A change `body:"text/csv,application/json"`
		}]("PUT"): "a body of text/csv is a string, a []byte, an io.Reader or a func(io.Writer) error, not apidoc_test.change",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
