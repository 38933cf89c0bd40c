package apidoc_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
)

// documentFormats are all formats, by their names in tables.
var documentFormats = map[string]openapi.Format{
	"2.0": openapi.Swagger, "3.0": openapi.OpenAPI30, "3.1": openapi.OpenAPI31, "3.2": openapi.OpenAPI32,
}

// writeDocument returns a description without white space.
func writeDocument(t *testing.T, api openapi.API, f openapi.Format) string {
	t.Helper()
	text, err := api.Write(f)
	if err != nil {
		t.Fatal(err)
	}
	return compactDocument(t, text.At("/shop"))
}

func compactDocument(t *testing.T, text []byte) string {
	t.Helper()
	var value json.RawMessage
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// treeReference returns a reference to a definition, and the names of definitions.
func treeReference() (map[reflect.Type]string, *schema.Schema) {
	target := &schema.Schema{Kind: "object", Named: reflect.TypeFor[struct{ Tree int }]()}
	return map[reflect.Type]string{target.Named: "Tree"}, &schema.Schema{Ref: "Tree", Target: target}
}

// Each format writes schemas differently. A row has one text for formats with the same result.
func TestDocumentSchemas(t *testing.T) {
	least, low, high := 2, schema.NumberOf("-128"), schema.NumberOf("127")
	names, reference := treeReference()
	nullable, noted := *reference, *reference
	nullable.Nullable = true
	noted.Doc = "Oak"
	for _, c := range []struct {
		name   string
		schema *schema.Schema
		want   map[string]string
	}{
		{"anything", &schema.Schema{}, map[string]string{"2.0": `{}`, "3.0": `{}`, "3.1": `{}`}},
		{"null", &schema.Schema{Kind: "string", Nullable: true}, map[string]string{
			"2.0": `{"type":"string","x-nullable":true}`,
			"3.0": `{"type":"string","nullable":true}`,
			"3.1": `{"type":["string","null"]}`,
		}},
		{"reference", reference, map[string]string{
			"2.0": `{"$ref":"#/definitions/Tree"}`,
			"3.0": `{"$ref":"#/components/schemas/Tree"}`,
			"3.1": `{"$ref":"#/components/schemas/Tree"}`,
		}},
		{"reference or null", &nullable, map[string]string{
			"2.0": `{"$ref":"#/definitions/TreeOrNull"}`,
			"3.0": `{"type":"object","allOf":[{"$ref":"#/components/schemas/Tree"}],"nullable":true}`,
			"3.1": `{"anyOf":[{"$ref":"#/components/schemas/Tree"},{"type":"null"}]}`,
		}},
		{"reference with a text", &noted, map[string]string{
			"2.0": `{"$ref":"#/definitions/Tree"}`,
			"3.0": `{"allOf":[{"$ref":"#/components/schemas/Tree"}],"description":"Oak"}`,
			"3.1": `{"$ref":"#/components/schemas/Tree","description":"Oak"}`,
		}},
		{"list", &schema.Schema{Kind: "array", Items: &schema.Schema{Kind: "integer", Rules: schema.Rules{Min: &schema.Limit{Number: low}, Max: &schema.Limit{Number: high}}}, Rules: schema.Rules{MinLength: &schema.Length{N: least}}},
			map[string]string{
				"2.0": `{"type":"array","items":{"type":"integer","minimum":-128,"maximum":127},"minItems":2}`,
				"3.0": `{"type":"array","items":{"type":"integer","minimum":-128,"maximum":127},"minItems":2}`,
				"3.1": `{"type":"array","items":{"type":"integer","minimum":-128,"maximum":127},"minItems":2}`,
			}},
		{"union", &schema.Schema{OneOf: []*schema.Schema{reference, {Kind: "string"}}}, map[string]string{
			"2.0": `{}`,
			"3.0": `{"oneOf":[{"$ref":"#/components/schemas/Tree"},{"type":"string"}]}`,
			"3.1": `{"oneOf":[{"$ref":"#/components/schemas/Tree"},{"type":"string"}]}`,
		}},
		{"example", &schema.Schema{Kind: "string", Rules: schema.Rules{Example: json.RawMessage(`"Oak"`)}}, map[string]string{
			"2.0": `{"type":"string","example":"Oak"}`,
			"3.0": `{"type":"string","example":"Oak"}`,
			"3.1": `{"type":"string","examples":["Oak"]}`,
		}},
	} {
		api := openapi.API{
			Operations: []*openapi.Operation{{Method: "get", Path: "/", ID: "one", Responses: []openapi.Response{{
				Status: 200, Description: "OK", Body: c.schema, Media: []string{"application/json"}, Sent: []string{"application/json"},
			}}}},
			Names: names,
		}
		c.want["3.2"] = c.want["3.1"] // schemas did not change
		for name, want := range c.want {
			if got := writeDocument(t, api, documentFormats[name]); !strings.Contains(got, `"schema":`+want+`}`) {
				t.Errorf("%s in %s: got %s, want %s", c.name, name, got, want)
			}
		}
	}
}

// Definitions are written if the format refers to them, including those of 2.0 that add null.
func TestDocumentDefinitions(t *testing.T) {
	names, reference := treeReference()
	names[reflect.TypeFor[int]()] = "TreeOrNull"
	reference.Nullable = true
	api := openapi.API{
		Operations: []*openapi.Operation{{Method: "get", Path: "/", ID: "one", Responses: []openapi.Response{
			{Status: 404, Description: "None", Body: reference, Media: []string{"application/json"}, Sent: []string{"application/json"}},
		}}},
		Names: names,
	}
	for name, want := range map[string]string{
		"2.0": `"definitions":{"Tree":{"type":"object"},` +
			`"TreeOrNull2":{"allOf":[{"$ref":"#/definitions/Tree"}],"x-nullable":true}}`,
		"3.1": `"components":{"schemas":{"Tree":{"type":"object"}}}`,
	} {
		if got := writeDocument(t, api, documentFormats[name]); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A request must satisfy one scheme of each list, in each format.
func TestDocumentSecurity(t *testing.T) {
	token := openapi.Requirement{Scheme: &openapi.Scheme{Name: "token", Kind: "http", Scheme: "bearer"}, Scopes: []string{"read"}}
	key := openapi.Requirement{Scheme: &openapi.Scheme{Name: "key", Kind: "apiKey", In: "header", Key: "X-Key"}}
	session := openapi.Requirement{Scheme: &openapi.Scheme{Name: "session", Kind: "apiKey", In: "cookie", Key: "sid"}}
	openID := openapi.Requirement{Scheme: &openapi.Scheme{Name: "openid", Kind: "openIdConnect", URL: "https://id.example"}, Scopes: []string{"read"}}
	for _, c := range []struct {
		requirements    [][]openapi.Requirement
		swagger, latest string
	}{
		{nil, `"responses":{}}`, `"responses":{}}`},
		{[][]openapi.Requirement{{token}}, `"security":[{"token":[]}]`, `"security":[{"token":["read"]}]`},
		{[][]openapi.Requirement{{token}, {key}}, `"security":[{"token":[],"key":[]}]`, `"security":[{"token":["read"],"key":[]}]`},
		{[][]openapi.Requirement{{token, session}}, `"security":[{"token":[]},{"session":[]}]`, `"security":[{"token":["read"]},{"session":[]}]`},
		{[][]openapi.Requirement{{openID}}, `"security":[{"openid":["read"]}]`, `"security":[{"openid":["read"]}]`},
		{
			[][]openapi.Requirement{{token, openID}, {key}},
			`"security":[{"token":[],"key":[]},{"openid":["read"],"key":[]}]`, `"security":[{"token":["read"],"key":[]},{"openid":["read"],"key":[]}]`,
		},
	} {
		api := openapi.API{Operations: []*openapi.Operation{{Method: "get", Path: "/", ID: "one", Security: c.requirements}}}
		for f, want := range map[openapi.Format]string{openapi.Swagger: c.swagger, openapi.OpenAPI31: c.latest} {
			if got := writeDocument(t, api, f); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}

// Members keep their order and values. Members without a value are omitted.
func TestDocumentObjects(t *testing.T) {
	api := openapi.API{
		Info:       map[string]string{"title": "T"},
		Extensions: map[string]any{"x-b": "", "x-a": nil},
	}
	for name, want := range map[string]string{
		"2.0": `{"swagger":"2.0","info":{"title":"T"},"basePath":"/shop","produces":["application/json"],"security":[],` +
			`"paths":{},"definitions":{},"securityDefinitions":{},"x-a":null,"x-b":""}`,
		"3.0": `{"openapi":"3.0.3","info":{"title":"T"},"servers":[{"url":"/shop"}],"security":[],"paths":{},"x-a":null,"x-b":""}`,
		"3.1": `{"openapi":"3.1.0","info":{"title":"T"},"servers":[{"url":"/shop"}],"security":[],"paths":{},"x-a":null,"x-b":""}`,
	} {
		if got := writeDocument(t, api, documentFormats[name]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Values that cannot be encoded as JSON are an error.
func TestDocumentRefuses(t *testing.T) {
	api := openapi.API{Extensions: map[string]any{"x-a": make(chan int)}}
	if text, err := api.Write(openapi.Swagger); err == nil || !strings.Contains(err.Error(), "encode the description: ") {
		t.Errorf("got %v and the error %v", text, err)
	}
}
