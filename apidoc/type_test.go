package apidoc_test

import (
	"database/sql"
	"encoding/json"
	"maps"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

type (
	colour      string
	celsius     float32
	Tree        []Tree
	Graph       map[string]Graph
	Node        struct{ Next, Other *Node }
	Even        struct{ Odd *Odd }
	Odd         struct{ Even []Even }
	Page[T any] struct {
		Items []T `json:"items"`
	}
	Pair[A, B any] struct {
		A A
		B B
	}
	written struct{} // encodes itself as JSON
	named   struct{} // encodes itself as text
)

func (written) MarshalJSON() ([]byte, error) { return []byte(`[1]`), nil }
func (*named) MarshalText() ([]byte, error)  { return []byte("text"), nil }

// described returns the schema of the response and the definitions in a format.
func described(t *testing.T, body reflect.Type, openAPI bool) (schema any, definitions tree) {
	t.Helper()
	app := routing.New()
	app.Get("/", nothing, apidoc.Describe(withBody("one", body)))
	d := build(t, app, "")
	if openAPI {
		form := decode(t, d.OpenAPI())
		return form.at("paths", "/", "get", "responses", "200", "content", "application/json")["schema"], form.at("components", "schemas")
	}
	form := decode(t, d.Swagger())
	return form.at("paths", "/", "get", "responses", "200")["schema"], form.at("definitions")
}

func TestSchemas(t *testing.T) {
	for _, c := range []struct {
		name    string
		body    reflect.Type
		want    string // in Swagger 2.0
		openAPI string // in OpenAPI 3.1, if it differs
	}{
		{"string", reflect.TypeFor[string](), `{"type":"string"}`, ""},
		{"named string", reflect.TypeFor[colour](), `{"type":"string"}`, ""},
		{"bool", reflect.TypeFor[bool](), `{"type":"boolean"}`, ""},
		{"int", reflect.TypeFor[int](), `{"type":"integer","format":"int64"}`, ""},
		{"int8", reflect.TypeFor[int8](), `{"type":"integer","format":"int32","minimum":-128,"maximum":127}`, ""},
		{"int32", reflect.TypeFor[int32](), `{"type":"integer","format":"int32"}`, ""},
		{"uint8", reflect.TypeFor[uint8](), `{"type":"integer","format":"int32","minimum":0,"maximum":255}`, ""},
		{"uint32", reflect.TypeFor[uint32](), `{"type":"integer","format":"int64","minimum":0,"maximum":4294967295}`, ""},
		{"uint64", reflect.TypeFor[uint64](), `{"type":"integer","format":"int64","minimum":0}`, ""},
		{"float32", reflect.TypeFor[celsius](), `{"type":"number","format":"float"}`, ""},
		{"float64", reflect.TypeFor[float64](), `{"type":"number","format":"double"}`, ""},
		{"time", reflect.TypeFor[time.Time](), `{"type":"string","format":"date-time"}`, ""},
		{"duration", reflect.TypeFor[time.Duration](), `{"type":"integer","format":"int64"}`, ""},
		{"bytes", reflect.TypeFor[[][]byte](), `{"type":"array","items":{"type":"string","format":"byte"}}`, ""},
		{"array of bytes", reflect.TypeFor[[2]byte](), `{"type":"array","items":{"type":"integer","format":"int32","minimum":0,"maximum":255},"minItems":2,"maxItems":2}`, ""},
		{"raw JSON", reflect.TypeFor[json.RawMessage](), `{}`, ""},
		{"any", reflect.TypeFor[any](), `{}`, ""},
		{"pointer to any", reflect.TypeFor[*any](), `{}`, ""},
		{"number as text", reflect.TypeFor[json.Number](), `{"type":"number"}`, ""},
		{"big integer", reflect.TypeFor[*big.Int](), `{"type":"integer","x-nullable":true}`, `{"type":["integer","null"]}`},
		{"writes JSON", reflect.TypeFor[written](), `{}`, ""},
		{"writes text", reflect.TypeFor[named](), `{"type":"string"}`, ""},
		{"address", reflect.TypeFor[netip.Addr](), `{"type":"string","format":"ip"}`, ""},
		{"network", reflect.TypeFor[netip.Prefix](), `{"type":"string","format":"cidr"}`, ""},
		{"link", reflect.TypeFor[*url.URL](), `{"type":"string","format":"uri","x-nullable":true}`, `{"type":["string","null"],"format":"uri"}`},
		{"null or text", reflect.TypeFor[sql.NullString](), `{"type":"string","x-nullable":true}`, `{"type":["string","null"]}`},
		{"null or a flower", reflect.TypeFor[sql.Null[Flower]](), `{"$ref":"#/definitions/FlowerOrNull"}`, `{"anyOf":[{"$ref":"#/components/schemas/Flower"},{"type":"null"}]}`},
		{"three states", reflect.TypeFor[struct {
			A apidoc.Optional[int32]         `json:"a" max:"5"`
			B apidoc.Optional[time.Duration] `json:"b" format:"duration"`
		}](), `{"type":"object","properties":{"a":{"type":"integer","format":"int32","maximum":5,"x-nullable":true},"b":{"type":"string","format":"duration","x-nullable":true}}}`,
			`{"type":"object","properties":{"a":{"type":["integer","null"],"format":"int32","maximum":5},"b":{"type":["string","null"],"format":"duration"}}}`},
		{"pointer", reflect.TypeFor[*string](), `{"type":"string","x-nullable":true}`, `{"type":["string","null"]}`},
		{"pointer to a pointer", reflect.TypeFor[**string](), `{"type":"string","x-nullable":true}`, `{"type":["string","null"]}`},
		{"slice", reflect.TypeFor[[]int](), `{"type":"array","items":{"type":"integer","format":"int64"}}`, ""},
		{"slice of slices", reflect.TypeFor[[][]string](), `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, ""},
		{"map", reflect.TypeFor[map[string]int](), `{"type":"object","additionalProperties":{"type":"integer","format":"int64"}}`, ""},
		{"map of integers", reflect.TypeFor[map[int]bool](), `{"type":"object","additionalProperties":{"type":"boolean"}}`, `{"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"},"additionalProperties":{"type":"boolean"}}`},
		{"map of text", reflect.TypeFor[map[netip.Addr]any](), `{"type":"object","additionalProperties":{}}`, `{"type":"object","propertyNames":{"format":"ip"},"additionalProperties":{}}`},
		{"nameless struct", reflect.TypeFor[struct {
			A int `json:"a,omitempty"`
		}](), `{"type":"object","properties":{"a":{"type":"integer","format":"int64"}}}`, ""},
		{"struct", reflect.TypeFor[Flower](), `{"$ref":"#/definitions/Flower"}`, `{"$ref":"#/components/schemas/Flower"}`},
		{"pointer to a struct", reflect.TypeFor[*Flower](), `{"$ref":"#/definitions/FlowerOrNull"}`, `{"anyOf":[{"$ref":"#/components/schemas/Flower"},{"type":"null"}]}`},
		{"generic", reflect.TypeFor[Page[Flower]](), `{"$ref":"#/definitions/Page_Flower"}`, `{"$ref":"#/components/schemas/Page_Flower"}`},
		{"generic twice", reflect.TypeFor[Pair[[]Flower, Page[map[string]int]]](), `{"$ref":"#/definitions/Pair_ArrayOf_Flower_Page_map_string_int"}`, `{"$ref":"#/components/schemas/Pair_ArrayOf_Flower_Page_map_string_int"}`},
		{"generic with a pointer", reflect.TypeFor[Page[*Flower]](), `{"$ref":"#/definitions/Page_PointerTo_Flower"}`, `{"$ref":"#/components/schemas/Page_PointerTo_Flower"}`},
		{"recursive slice", reflect.TypeFor[Tree](), `{"$ref":"#/definitions/Tree"}`, `{"$ref":"#/components/schemas/Tree"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.openAPI == "" {
				c.openAPI = c.want
			}
			for _, form := range []struct {
				openAPI bool
				want    string
			}{{false, c.want}, {true, c.openAPI}} {
				got, _ := described(t, c.body, form.openAPI)
				var want any
				if err := json.Unmarshal([]byte(form.want), &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(got, want); diff != "" {
					t.Errorf("got (-) and want (+) differ:\n%s", diff)
				}
			}
		})
	}
}

func TestDefinitionsOfRecursiveTypes(t *testing.T) {
	for _, c := range []struct {
		name string
		body reflect.Type
		want string
	}{
		{"slice of itself", reflect.TypeFor[Tree](), `{"Tree":{"type":"array","items":{"$ref":"#/definitions/Tree"}}}`},
		{"map of itself", reflect.TypeFor[Graph](), `{"Graph":{"type":"object","additionalProperties":{"$ref":"#/definitions/Graph"}}}`},
		{"each other", reflect.TypeFor[Even](), `{
			"Even":{"type":"object","properties":{"Odd":{"$ref":"#/definitions/OddOrNull"}},"required":["Odd"]},
			"OddOrNull":{"allOf":[{"$ref":"#/definitions/Odd"}],"x-nullable":true},
			"Odd":{"type":"object","properties":{"Even":{"type":"array","items":{"$ref":"#/definitions/Even"}}},"required":["Even"]}}`},
		{"two of itself, which may be null", reflect.TypeFor[[]Node](), `{
			"Node":{"type":"object","properties":{"Next":{"$ref":"#/definitions/NodeOrNull"},"Other":{"$ref":"#/definitions/NodeOrNull"}},
				"required":["Next","Other"]},
			"NodeOrNull":{"allOf":[{"$ref":"#/definitions/Node"}],"x-nullable":true}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := described(t, c.body, false)
			var want tree
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("got (-) and want (+) differ:\n%s", diff)
			}
		})
	}
}

// Types for TestPropertiesAreThoseOfEncodingJSON.
type (
	Inner  struct{ A, B int }
	Tagged struct {
		A int `json:"a"`
		C int `json:"B"`
	}
	inner  struct{ X int }
	Text   string
	Cyclic struct {
		*Cyclic
		N int
	}
	Left  struct{ Both, OnlyLeft int }
	Right struct{ Both, OnlyRight int }
)

func TestPropertiesAreThoseOfEncodingJSON(t *testing.T) {
	checkProperties[Inner](t)
	checkProperties[struct {
		Plain   int
		Renamed int `json:"renamed"`
		Left    int `json:"-"`
		//lint:ignore SA5008 odd tags are what is tested
		Dash   int `json:"-,"`
		Empty  int `json:"empty,omitempty"`
		Zero   int `json:"zero,omitzero"`
		Quoted int `json:",string"`
		//lint:ignore SA5008 likewise
		BadName int `json:"bad\\name,omitempty"`
		//lint:ignore SA5008 likewise
		BadEnd int `json:"end,omitempty.x"`
		//lint:ignore SA5008 likewise
		NotUTF8  int `json:"\xffname"`
		OddName  int `json:"ok.-/name"`
		_        int
		NotThere func() `json:"-"`
	}](t)
	checkProperties[struct {
		Inner
		C int
	}](t)
	checkProperties[struct {
		*Inner
		A string // hides the one inside
	}](t)
	checkProperties[struct {
		Inner
		Tagged // its B, from a tag, wins over Inner's
	}](t)
	checkProperties[struct {
		Left
		Right // Both is in neither
	}](t)
	checkProperties[struct {
		Left  `json:"left"`
		Right // and now there is Both
	}](t)
	checkProperties[struct {
		inner
		Text
		error `json:"error"`
	}](t)
	checkProperties[struct {
		*Text
		any
	}](t)
	checkProperties[Cyclic](t)
	checkProperties[struct {
		*Cyclic
		Inner `json:",omitempty"`
	}](t)
	checkProperties[struct {
		time.Time // makes the whole struct encode itself
		N         int
	}](t)
}

// checkProperties compares the described members of a struct with those that encoding/json writes:
// all of them if each field is set, and the required ones if none is.
func checkProperties[T any](t *testing.T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		schema, definitions := described(t, reflect.TypeFor[T](), false)
		o := tree(schema.(map[string]any))
		if reflect.TypeFor[T]().Name() != "" {
			o = definitions.at(reflect.TypeFor[T]().Name())
		}
		if o["type"] != "object" {
			if b, _ := json.Marshal(*new(T)); b[0] == '{' {
				t.Errorf("described as %v, written as %s", o, b)
			}
			return
		}
		var full, zero T
		fill(reflect.ValueOf(&full).Elem(), 3)
		got := slices.Sorted(maps.Keys(o.at("properties")))
		if want := membersOf(t, full); !slices.Equal(got, want) {
			t.Errorf("properties are %q, want %q", got, want)
		}
		var required []string
		if list, ok := o["required"].([]any); ok {
			for _, name := range list {
				required = append(required, name.(string))
			}
		}
		slices.Sort(required)
		if want := membersOf(t, zero); !slices.Equal(required, want) {
			t.Errorf("required are %q, want %q", required, want)
		}
	})
}

func membersOf(t *testing.T, v any) []string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(decode(t, b)))
}

// fill sets every settable field to a non-zero value.
func fill(v reflect.Value, depth int) {
	if !v.CanSet() || depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(1)
	case reflect.String:
		v.SetString("x")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth)
		}
	}
}
