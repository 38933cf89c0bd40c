package apidoc_test

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests features of OpenAPI 3.2 that earlier formats lack.

// Tags may have a parent. Formats before OpenAPI 3.2 have only their names and descriptions.
func ExampleTag() {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0", Tags: []apidoc.Tag{
		{Name: "trees", Summary: "Trees", Kind: "nav"},
		{Name: "oaks", Summary: "Oaks", Parent: "trees", Kind: "nav"},
	}})
	apidoc.Get(api, "/oaks/:id", "Read an oak", getTree, noTree, apidoc.Tag{Name: "oaks"})
	d, err := api.Document()
	if err != nil {
		fmt.Println(err)
	}
	_, tags, _ := strings.Cut(string(d.OpenAPI32()), `"tags": `)
	tags, _, _ = strings.Cut(tags, "]")
	fmt.Println(strings.Join(strings.Fields(tags), ""))
	// Output: [{"name":"trees","summary":"Trees","kind":"nav"},{"name":"oaks","summary":"Oaks","parent":"trees","kind":"nav"}
}

// OpenAPI32 has a schema for each event or line of a sequence.
func ExampleDocument_OpenAPI32() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "All trees", func(context.Context, struct{}) (lines struct {
		Trees iter.Seq[Plum] `body:"application/jsonl"`
	}, err error) {
		return lines, nil
	}, apidoc.ID("all"))
	d, err := api.Document()
	if err != nil {
		fmt.Println(err)
	}
	_, content, _ := strings.Cut(string(d.OpenAPI32()), `"content": `)
	fmt.Println(strings.Join(strings.Fields(content), "")[:67])
	// Output: {"application/jsonl":{"itemSchema":{"$ref":"#/components/schemas/Pl
}

// Tags of the formats before 3.2 have no new members, which their validators refuse.
func TestTagsOfFormats(t *testing.T) {
	nested := info
	nested.Tags = []apidoc.Tag{{Name: "a", Summary: "A", Description: "All", Kind: "nav"}, {Name: "b", Parent: "a"}}
	d, err := apidoc.Build(routing.New(), nested, "")
	if err != nil {
		t.Fatal(err)
	}
	flat := []any{map[string]any{"name": "a", "description": "All"}, map[string]any{"name": "b"}}
	for version, text := range map[string][]byte{"2.0": d.Swagger(), "3.0": d.OpenAPI30(), "3.1": d.OpenAPI()} {
		if got := decode(t, text)["tags"]; !reflect.DeepEqual(got, flat) {
			t.Errorf("%s: got %v", version, got)
		}
	}
	want := []any{map[string]any{"name": "a", "description": "All", "summary": "A", "kind": "nav"}, map[string]any{"name": "b", "parent": "a"}}
	if got := decode(t, d.OpenAPI32())["tags"]; !reflect.DeepEqual(got, want) {
		t.Errorf("3.2: got %v", got)
	}
	for name, tags := range map[string][]apidoc.Tag{
		"no such tag": {{Name: "a", Parent: "other"}},
		"itself":      {{Name: "a", Parent: "a"}},
		"a circle":    {{Name: "a", Parent: "b"}, {Name: "b", Parent: "c"}, {Name: "c", Parent: "a"}},
		"to a circle": {{Name: "a", Parent: "b"}, {Name: "b", Parent: "b"}},
		"a later one": {{Name: "a", Parent: "b"}, {Name: "b"}},
		"two of it":   {{Name: "a", Summary: "A"}, {Name: "b"}, {Name: "a"}},
	} {
		want := "write its parent"
		if name == "two of it" {
			want = `tag "a": write it once`
		}
		nested.Tags = tags
		if _, err := apidoc.Build(routing.New(), nested, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	guide := apidoc.ExternalDocs{Description: "Guide"}
	for want, undocumented := range map[string]apidoc.Info{
		`the documentation "Guide" has no URL`:          {Title: "A", Version: "1", ExternalDocs: guide},
		`tag "a": the documentation "Guide" has no URL`: {Title: "A", Version: "1", Tags: []apidoc.Tag{{Name: "a", Docs: guide}}},
	} {
		if _, err := apidoc.Build(routing.New(), undocumented, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}

// Single events and lines have a schema, in responses and in requests.
func TestItemSchemas(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	type lines struct {
		Items iter.Seq[int] `body:"application/jsonl"`
	}
	apidoc.Post(api, "/lines", "", func(context.Context, iter.Seq2[string, error]) (lines, error) { return lines{}, nil },
		apidoc.ID("lines"), apidoc.RequestExample("oak"))
	apidoc.Get(api, "/events", "", func(context.Context, struct{}) (iter.Seq2[int, error], error) { return nil, nil }, apidoc.ID("events"))
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	paths := decode(t, d.OpenAPI32()).at("paths")
	post, get := paths.at("/lines", "post"), paths.at("/events", "get", "responses", "200", "content", "text/event-stream", "itemSchema")
	number := map[string]any{"type": "integer", "format": "int64"}
	for name, c := range map[string]struct{ got, want tree }{
		"lines of a request":  {post.at("requestBody", "content", "application/jsonl"), tree{"itemSchema": map[string]any{"type": "string"}, "example": []any{"oak"}}},
		"lines of a response": {post.at("responses", "200", "content", "application/jsonl"), tree{"itemSchema": number}},
		"the ID of an event":  {get.at("properties", "id"), tree{"type": "string"}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	if data := get.at("properties", "data", "contentSchema"); data == nil {
		t.Errorf("an event is %v", get)
	}
	for _, text := range [][]byte{d.OpenAPI(), d.OpenAPI30(), d.Swagger()} {
		if strings.Contains(string(text), "itemSchema") {
			t.Errorf("a format before 3.2 has its members: %s", text)
		}
	}
}

// Only OpenAPI 3.2 has the flow for devices. Other formats have the scheme with its other flows.
func TestDeviceAuthorization(t *testing.T) {
	device := apidoc.OAuthFlow{
		Kind: "deviceAuthorization", DeviceAuthorizationURL: "https://id.example/device", TokenURL: "https://id.example/token",
		Scopes: map[string]string{"read": "Read trees"},
	}
	machine := apidoc.OAuthFlow{Kind: "clientCredentials", TokenURL: "https://id.example/token"}
	build := func(flows ...apidoc.OAuthFlow) *apidoc.Document {
		app := routing.New()
		api := apidoc.NewAPI(app, info, apidoc.OAuth2("login", apidoc.CheckedElsewhere, flows...))
		apidoc.Get(api, "/", "", func(context.Context, struct{}) (string, error) { return "", nil }, apidoc.ID("one"))
		d, err := api.Document()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := build(device, machine)
	flows := func(text []byte) tree { return decode(t, text).at("components", "securitySchemes", "login", "flows") }
	if got := flows(d.OpenAPI32()); len(got) != 2 || got.at("deviceAuthorization")["deviceAuthorizationUrl"] != "https://id.example/device" {
		t.Errorf("3.2: got %v", got)
	}
	for version, text := range map[string][]byte{"3.1": d.OpenAPI(), "3.0": d.OpenAPI30()} {
		if got := flows(text); len(got) != 1 || got.at("clientCredentials") == nil {
			t.Errorf("%s: got %v", version, got)
		}
	}
	if got := decode(t, d.Swagger()).at("securityDefinitions", "login"); got["flow"] != "application" {
		t.Errorf("2.0: got %v", got)
	}
	d = build(device)
	for version, text := range map[string][]byte{"3.1": d.OpenAPI(), "3.0": d.OpenAPI30()} {
		if got := flows(text); got == nil || len(got) != 0 {
			t.Errorf("%s with this flow alone: got %v", version, got)
		}
	}
	for missing, flow := range map[string]apidoc.OAuthFlow{
		"DeviceAuthorizationURL": {Kind: "deviceAuthorization", TokenURL: "https://id.example/token"},
		"TokenURL":               {Kind: "deviceAuthorization", DeviceAuthorizationURL: "https://id.example/device"},
	} {
		if got := panicOf(func() { apidoc.OAuth2("login", apidoc.CheckedElsewhere, flow) }); !strings.Contains(got, "write its "+missing) {
			t.Errorf("without %s: panicked with %q", missing, got)
		}
	}
}
