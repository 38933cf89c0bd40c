package apidoc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
)

type (
	Bush struct {
		ID   int    `json:"id" readOnly:"true"`
		Name string `json:"name"`
	}
	BushInput  struct{ A int }
	Bush_Input struct{ B int } //nolint:revive // the name is what is tested
)

// Names of definitions differ in more than underscores, because code generators remove these.
func TestDefinitionsDifferInMoreThanUnderscores(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in Bush) (Bush, error) { return in, nil }, apidoc.ID("a"))
	apidoc.Post(api, "/b", "", func(_ context.Context, in BushInput) (Bush_Input, error) { return Bush_Input{}, nil }, apidoc.ID("b"))
	d := build(t, app, "")
	for format, text := range map[string][]byte{"2.0": d.Swagger(), "3.0": d.OpenAPI30(), "3.1": d.OpenAPI()} {
		for _, name := range []string{"Bush", "BushInput", "Bush_Input2", "BushInput3"} {
			if got := compact(t, text); strings.Count(got, `"`+name+`":{"type"`) != 1 {
				t.Errorf("%s lacks %s: %s", format, name, got)
			}
		}
	}
}

// The definition of requests that differ has Input behind the name that Info.TypeName chooses.
func TestChosenNameOfRequests(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in Bush) (Bush, error) { return in, nil }, apidoc.ID("a"))
	named := info
	named.TypeName = func(t reflect.Type) string { return strings.ReplaceAll(t.Name(), "Bush", "Shrub") }
	d, err := apidoc.Build(app, named, "")
	if err != nil {
		t.Fatal(err)
	}
	schemas := decode(t, d.OpenAPI()).at("components", "schemas")
	if got := slices.Sorted(maps.Keys(schemas)); !slices.Contains(got, "Shrub") || !slices.Contains(got, "ShrubInput") {
		t.Errorf("the definitions are %q", got)
	}
}

// The description of raw bytes depends on the media type: for JSON it is any JSON value.
func TestRawBytesOfSeveralMediaTypes(t *testing.T) {
	type raw struct {
		Type string `header:"Content-Type"`
		Body []byte `body:"application/json,image/png,application/geo+json"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Body []byte `body:"image/png,application/json" maxLength:"20"`
	}) (raw, error) {
		return raw{"application/geo+json", in.Body}, nil
	}, apidoc.ID("convert"))
	d := build(t, app, "")
	for format, text := range map[string][]byte{"3.0": d.OpenAPI30(), "3.1": d.OpenAPI()} {
		for _, want := range []string{
			`"content":{"image/png":{"schema":{"type":"string","format":"binary","x-maxBytes":20}},"application/json":{"schema":{}}}`,
			`"content":{"application/json":{"schema":{}},"image/png":{"schema":{"type":"string","format":"binary"}},"application/geo+json":{"schema":{}}}`,
		} {
			if got := compact(t, text); !strings.Contains(got, want) {
				t.Errorf("%s lacks %s: %s", format, want, got)
			}
		}
	}
	handler := apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) })
	apitest.New(t, handler).Post("/", `{"a":[1]}`).Want(200)
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
