package apidoc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests types with their own encoding and description.

// euros is money that is encoded as text.
type euros int

func (euros) DescribedAs() (any, reflect.StructTag) {
	return "", `pattern:"^[0-9]+ EUR$" example:"5 EUR"`
}

func (e euros) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d EUR", int(e)), nil }

func (e *euros) UnmarshalText(text []byte) error {
	if _, err := fmt.Sscanf(string(text), "%d EUR", (*int)(e)); err != nil || *e > 100 {
		return errors.New("no price of ours")
	}
	return nil
}

// share is a number with a rule for its type.
type share int

func (share) DescribedAs() (any, reflect.StructTag) { return 0, `max:"100"` }

// grade has MarshalText but no UnmarshalText.
type grade string

func (g grade) MarshalText() ([]byte, error) { return []byte(g), nil }

// size is an enumeration of numbers.
type size int

func (size) Values() []size { return []size{1, 2, 3} }

type (
	card struct {
		Number string `json:"number" minLength:"4"`
	}
	cash struct {
		Coins int `json:"coins"`
	}
	payment struct{ of any }
	closed  struct {
		_ struct{} `additionalProperties:"false"`
		A int      `json:"a"`
	}
)

func (payment) OneOf() []any { return []any{card{}, cash{}} }

func (p payment) MarshalJSON() ([]byte, error) { return json.Marshal(p.of) }

func (p *payment) UnmarshalJSON(b []byte) error {
	if strings.Contains(string(b), "number") {
		p.of = new(card)
	} else {
		p.of = new(cash)
	}
	return json.Unmarshal(b, p.of)
}

func TestSchemaProviders(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Price   euros   `json:"price"`
		Size    size    `json:"size"`
		Payment payment `json:"payment"`
		Closed  *closed `json:"closed,omitempty"`
	}) (string, error) {
		return fmt.Sprint(int(in.Price), int(in.Size), reflect.TypeOf(in.Payment.of)), nil
	}, apidoc.ID("pay"))
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		Price euros `query:"price"`
		Size  size  `query:"size" default:"2"`
		Share share `query:"share"`
		Grade grade `query:"grade"`
	}) (string, error) {
		return fmt.Sprint(int(in.Price), int(in.Size), in.Share, in.Grade), nil
	}, apidoc.ID("ask"))
	for _, c := range []struct{ body, want string }{
		{`{"price":"7 EUR","size":2.0,"payment":{"number":"1234"}}`, "7 2 *apidoc_test.card"},
		{`{"price":"7 EUR","size":3,"payment":{"coins":2e0},"closed":{"a":1}}`, "7 3 *apidoc_test.cash"},
		{`{"price":"7 USD","size":2,"payment":{"coins":1}}`, `"/price","detail":"must match the pattern ^[0-9]+ EUR$"`},
		{`{"price":"700 EUR","size":2,"payment":{"coins":1}}`, `"/price","detail":"must be a valid euros"`},
		{`{"price":"7 EUR","size":4,"payment":{"coins":1}}`, `"/size","detail":"must be one of 1, 2, 3"`},
		{`{"price":"7 EUR","size":1,"payment":{"number":1}}`, `"/payment","detail":"must be card or cash"`},
		{`{"price":"7 EUR","size":1,"payment":{"number":"1234","coins":1}}`, `"/payment","detail":"must be only one of those: card or cash"`},
		{`{"price":"7 EUR","size":1,"payment":{"coins":1},"closed":{"a":1,"b":2}}`, `"/closed/b","detail":"is not a described member"`},
	} {
		if w := call(app, "POST", "/", "application/json", c.body); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %s, want %s", c.body, w.Body, c.want)
		}
	}
	for _, c := range []struct{ query, want string }{
		{"price=9+EUR", "9 2"},
		{"share=7&grade=A", "0 2 7A"},
		{"share=101", `"detail":"must be at most 100"`},
		{"price=9", `"detail":"must match the pattern ^[0-9]+ EUR$"`},
		{"price=900+EUR", `"detail":"must be a valid euros"`},
		{"size=5", `"detail":"must be one of 1, 2, 3"`},
	} {
		if w := call(app, "GET", "/?"+c.query, "", ""); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %s, want %s", c.query, w.Body, c.want)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "custom.openapi.json", d.OpenAPI())
	golden(t, "custom.swagger.json", d.Swagger())
}

// optional distinguishes a null from a missing member.
type optional[T any] struct {
	given bool
	value *T
}

func (optional[T]) DescribedAs() (any, reflect.StructTag) { return (*T)(nil), "" }

func (o *optional[T]) UnmarshalJSON(b []byte) error {
	o.given = true
	return json.Unmarshal(b, &o.value)
}

func (o optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// A type that is described as a pointer may be null.
func TestDescribedAsAPointer(t *testing.T) {
	app, api := newTyped()
	apidoc.Patch(api, "/", "", func(_ context.Context, in struct {
		Name optional[string] `json:"name,omitzero"`
		Card optional[card]   `json:"card,omitzero"`
	}) (string, error) {
		return fmt.Sprint(in.Name.given, in.Name.value == nil, in.Card.given, in.Card.value == nil), nil
	}, apidoc.ID("change"))
	for body, want := range map[string]string{
		`{}`:                                    "false true false true",
		`{"name":null,"card":null}`:             "true true true true",
		`{"name":"a","card":{"number":"1234"}}`: "true false true false",
		`{"name":1,"card":{"number":"1"}}`:      `must be a string; body /card/number must have at least 4 characters`,
	} {
		if w := call(app, "PATCH", "/", "application/json", body); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %s, want %s", body, w.Body, want)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	schemas := decode(t, d.OpenAPI()).at("components", "schemas")
	if got := fmt.Sprint(schemas["optional_string"], schemas["optional_card"]); strings.Count(got, "null") != 2 {
		t.Errorf("described as %s, want both to allow null", got)
	}
}

// strict is a generic type that refuses all values.
type strict[T any] struct{}

func (*strict[T]) UnmarshalJSON([]byte) error { return errors.New("refused") }

// The error for a value that its Go type refuses does not name the type's package.
func TestErrorsDoNotNamePackages(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, strict[card]) (string, error) { return "", nil }, apidoc.ID("post"))
	if w := call(app, "POST", "/", "application/json", `{}`); !strings.Contains(w.Body.String(), `must be a valid strict"`) {
		t.Errorf("got %s", w.Body)
	}
}

// The keys of a map must be in the enumeration of their type.
func TestEnumerationsAsKeys(t *testing.T) {
	app, api := newTyped()
	type counts struct {
		ByColour map[Colour]int `json:"byColour,omitempty"`
		BySize   map[size]int   `json:"bySize,omitempty"`
	}
	apidoc.Post(api, "/", "", func(_ context.Context, in counts) (counts, error) { return in, nil }, apidoc.ID("count"))
	for body, want := range map[string]string{
		`{"byColour":{"red":1,"white":2},"bySize":{"3":1}}`: `{"byColour":{"red":1,"white":2},"bySize":{"3":1}}`,
		`{"byColour":{"pink":1}}`:                           `"/byColour/pink","detail":"the name must be one of \"red\", \"white\""`,
		`{"bySize":{"4":1}}`:                                `"/bySize/4","detail":"the name must be one of 1, 2, 3"`,
	} {
		want = strings.ReplaceAll(want, `\"`, `"`)
		if w := call(app, "POST", "/", "application/json", body); !strings.Contains(strings.ReplaceAll(w.Body.String(), `\"`, `"`), want) {
			t.Errorf("%s: got %s, want %s", body, w.Body, want)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	got := decode(t, d.OpenAPI()).at("components", "schemas", "counts", "properties")
	want := "map[byColour:map[additionalProperties:map[format:int64 type:integer] propertyNames:map[enum:[red white]] type:object] " +
		"bySize:map[additionalProperties:map[format:int64 type:integer] propertyNames:map[enum:[1 2 3]] type:object]]"
	if fmt.Sprint(got) != want {
		t.Errorf("described as %v, want %s", got, want)
	}
}

// level is a number whose JSON is text. As the key of a map, encoding/json writes the number.
type level int

func (level) Values() []level { return []level{1, 2} }

func (l level) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint("level ", int(l))) }

// The names of a map's members may differ from the JSON of the key's type.
func TestEnumerationsWithTheirOwnJSONAsKeys(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in map[level]int) (map[level]int, error) { return in, nil }, apidoc.ID("count"))
	if w := call(app, "POST", "/", "application/json", `{"1":5}`); w.Body.String() != `{"1":5}` {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(d.OpenAPI()); strings.Contains(text, "level 1") {
		t.Errorf("described as %s", text)
	}
}

// branch is a recursive type that decodes itself.
type branch struct{ Next *branch }

var branchesRead atomic.Int64 // the number of calls of UnmarshalJSON

func (branch) DescribedAs() (any, reflect.StructTag) {
	return struct {
		Next *branch `json:"next"`
	}{}, ""
}

func (b branch) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]any{"next": b.Next}) }

func (b *branch) UnmarshalJSON(text []byte) error {
	branchesRead.Add(1)
	var inner struct {
		Next *branch `json:"next"`
	}
	err := json.Unmarshal(text, &inner)
	b.Next = inner.Next
	return err
}

// Operations call the UnmarshalJSON of a recursive type only for the outermost value.
func TestRecursiveTypesAreDecodedOnce(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in branch) (string, error) {
		depth := 1
		for ; in.Next != nil; in = *in.Next {
			depth++
		}
		return fmt.Sprint(depth), nil
	}, apidoc.ID("grow"))
	const depth = 50
	body := strings.Repeat(`{"next":`, depth) + "null" + strings.Repeat("}", depth)
	branchesRead.Store(0)
	if w := call(app, "POST", "/", "application/json", body); w.Body.String() != "50" || branchesRead.Load() > depth {
		t.Errorf("got %d %s with %d readings, want a depth of %d with as many", w.Code, w.Body, branchesRead.Load(), depth)
	}
	body = strings.Replace(body, "null", `{"next":1}`, 1)
	if w := call(app, "POST", "/", "application/json", body); w.Code != 422 || !strings.Contains(w.Body.String(), "/next/next") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// Rules of a field with the option ",string" apply to the content of the string.
func TestValuesInStrings(t *testing.T) {
	app, api := newTyped()
	type account struct {
		ID     int64    `json:"id,string" min:"1" example:"9007199254740993"`
		Limit  uint64   `json:"limit,string,omitempty" max:"18446744073709551613"`
		Size   *size    `json:"size,string"`
		Colour Colour   `json:"colour,string" default:"white"`
		Rate   *float32 `json:"rate,string" max:"1"`
		Open   *bool    `json:"open,string"`
	}
	apidoc.Post(api, "/", "", func(_ context.Context, in account) (account, error) { return in, nil }, apidoc.ID("open"))
	for _, c := range []struct{ members, want string }{
		{`"id":"1"`, `{"id":"1","size":null,"colour":"\"white\"","rate":null,"open":null}`},
		{`"id":"9007199254740993","limit":"18446744073709551613","size":"3","colour":"\"red\"","rate":"5e-1","open":"true"`,
			`{"id":"9007199254740993","limit":"18446744073709551613","size":"3","colour":"\"red\"","rate":"0.5","open":"true"}`},
		{`"id":"0"`, `"/id","detail":"must be at least 1 in a string"`},
		{`"id":1`, `"/id","detail":"must be a string"`},
		{`"id":"01"`, `"/id","detail":"must be an integer in a string"`},
		{`"id":"1","limit":"18446744073709551614"`, `"/limit","detail":"must be at most 18446744073709551613 in a string"`},
		{`"id":"1","limit":"-0"`, `"/limit","detail":"must be an integer in a string"`},
		{`"id":"1","size":"4"`, `"/size","detail":"must be one of 1, 2, 3 in a string"`},
		{`"id":"1","size":"1.0"`, `"/size","detail":"must be one of 1, 2, 3 in a string"`},
		{`"id":"1","colour":"red"`, `"/colour","detail":"must be a string in a string"`},
		{`"id":"1","colour":"\"pink\""`, `"/colour","detail":"must be one of `},
		{`"id":"1","rate":" 1"`, `"/rate","detail":"must be a number in a string"`},
		{`"id":"1","rate":"1.00000000000000000001"`, `"/rate","detail":"must be at most 1 in a string"`},
		{`"id":"1","open":"yes"`, `"/open","detail":"must be a boolean in a string"`},
	} {
		body := `{"size":null,"rate":null,"open":null,` + c.members + `}`
		for _, name := range []string{"size", "rate", "open"} {
			if strings.Contains(c.members, `"`+name+`"`) {
				body = strings.Replace(body, `"`+name+`":null,`, "", 1)
			}
		}
		if w := call(app, "POST", "/", "application/json", body); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %s, want %s", body, w.Body, c.want)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "quoted.openapi.json", d.OpenAPI())
}

// Nullable types are described so that tools accept them.
func TestNullableTypes(t *testing.T) {
	_, api := newTyped()
	type names []string
	apidoc.Post(api, "/", "", func(context.Context, struct {
		Size  *int           `json:"size" enum:"1, 2"`
		Hue   *string        `json:"hue" enum:"red, blue"`
		Names *names         `json:"names"`
		ByID  map[UUID]*size `json:"byID"`
		Paid  *payment       `json:"paid"`
	}) (struct{}, error) {
		return struct{}{}, nil
	}, apidoc.ID("post"))
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{
		string(d.OpenAPI()): `{"byID":{"additionalProperties":{"anyOf":[{"$ref":"#/components/schemas/size"},{"type":"null"}]},` +
			`"propertyNames":{"format":"uuid"},"type":"object"},"hue":{"enum":["red","blue",null],"type":["string","null"]},` +
			`"names":{"anyOf":[{"$ref":"#/components/schemas/names"},{"type":"null"}]},` +
			`"paid":{"anyOf":[{"$ref":"#/components/schemas/payment"},{"type":"null"}]},` +
			`"size":{"enum":[1,2,null],"format":"int64","type":["integer","null"]}}`,
		string(d.OpenAPI30()): `{"byID":{"additionalProperties":{"allOf":[{"$ref":"#/components/schemas/size"}],"nullable":true,"type":"integer"},"type":"object"},` +
			`"hue":{"enum":["red","blue",null],"nullable":true,"type":"string"},` +
			`"names":{"allOf":[{"$ref":"#/components/schemas/names"}],"items":{"type":"string"},"nullable":true,"type":"array"},` +
			`"paid":{"allOf":[{"$ref":"#/components/schemas/payment"}],"nullable":true,"type":"object"},` +
			`"size":{"enum":[1,2],"format":"int64","nullable":true,"type":"integer"}}`,
		string(d.Swagger()): `{"byID":{"additionalProperties":{"$ref":"#/definitions/sizeOrNull"},"type":"object"},` +
			`"hue":{"enum":["red","blue"],"type":"string","x-nullable":true},"names":{"$ref":"#/definitions/namesOrNull"},"paid":{"$ref":"#/definitions/paymentOrNull"},` +
			`"size":{"enum":[1,2],"format":"int64","type":"integer","x-nullable":true}}`,
	} {
		var got struct {
			Paths map[string]map[string]struct {
				RequestBody struct {
					Content map[string]struct {
						Schema struct{ Properties any }
					}
				}
				Parameters []struct {
					Schema struct{ Properties any }
				}
			}
		}
		if err := json.Unmarshal([]byte(form), &got); err != nil {
			t.Fatal(err)
		}
		op := got.Paths["/"]["post"]
		properties := op.RequestBody.Content["application/json"].Schema.Properties
		if properties == nil {
			properties = op.Parameters[0].Schema.Properties
		}
		if b, _ := json.Marshal(properties); string(b) != want {
			t.Errorf("got %s\nwant %s", b, want)
		}
	}
}
