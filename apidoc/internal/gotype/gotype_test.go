package gotype_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
)

type (
	Base struct {
		ID   int    `json:"id"`
		Note string `json:"note,omitempty"`
	}
	Left  struct{ X string }
	Right struct{ X int }
	Deep  struct{ Left }
	Tree  struct {
		Value    string  `json:"value"`
		Children []*Tree `json:"children"`
	}
	Cycle struct {
		*Cycle
		N int `json:"n"`
	}
	Page[T any]    struct{ Items []T }
	Pair[A, B any] struct {
		A A
		B B
	}
	Größe   struct{} //nolint:asciicheck // names that are not ASCII are what is tested
	Tags    []string
	Level   int
	Hue     string
	Weather string // its method Values has another signature
	Empty   string
	Ratio   float64
	Twice   float32
	Answer  bool
	Set     struct{ A int }
	UUID    [16]byte
	Own     struct{ A int } // reads and writes its JSON itself
	Half    struct{ A int } // not a union, since it cannot be decoded
	Either  struct{ Own }
	Money   int64
	Maybe   struct{ Own }
	Itself  struct{}
	Other   struct{} // with a method of another signature
	Reader  interface{ Read() }
	Code    int // is text as the name of a member
	Euro    struct{ cents int }
	Shout   int // only writes text
	Hidden  int // only reads text
	Filled  string
	Sent    string
	Grams   struct{ N int }
	base    struct{ ID int }
)

func (Level) Values() []Level                        { return []Level{1, 2} }
func (*Hue) Values() []Hue                           { return []Hue{"red", "blue"} }
func (Weather) Values() []string                     { return []string{"rain"} }
func (Empty) Values() []Empty                        { return nil }
func (Ratio) Values() []Ratio                        { return []Ratio{0.5, 1} }
func (Twice) Values() []Twice                        { return []Twice{1, 0.5, 1.0} }
func (Answer) Values() []Answer                      { return []Answer{true} }
func (Set) Values() []Set                            { return nil }
func (UUID) MarshalText() ([]byte, error)            { return nil, nil }
func (Own) MarshalJSON() ([]byte, error)             { return nil, nil }
func (*Own) UnmarshalJSON([]byte) error              { return nil }
func (Either) OneOf() []any                          { return []any{Base{}, 0} }
func (Half) OneOf() []any                            { return []any{Base{}} }
func (Money) DescribedAs() (any, reflect.StructTag)  { return "", `pattern:"^[0-9]+$"` }
func (Money) MarshalText() ([]byte, error)           { return nil, nil }
func (*Money) UnmarshalText([]byte) error            { return nil }
func (Shout) MarshalText() ([]byte, error)           { return nil, nil }
func (Shout) Values() []Shout                        { return []Shout{1} }
func (*Hidden) UnmarshalText([]byte) error           { return nil }
func (Grams) DescribedAs() (any, reflect.StructTag)  { return "", "" }
func (Code) MarshalText() ([]byte, error)            { return nil, nil }
func (*Code) UnmarshalText([]byte) error             { return nil }
func (Euro) MarshalText() ([]byte, error)            { return nil, nil }
func (*Euro) UnmarshalText([]byte) error             { return nil }
func (Euro) DescribedAs() (any, reflect.StructTag)   { return "", `format:"euro"` }
func (Maybe) DescribedAs() (any, reflect.StructTag)  { return (*Base)(nil), "" }
func (*Other) OneOf() any                            { return nil }
func (Itself) DescribedAs() (any, reflect.StructTag) { return Itself{}, "" }
func (Filled) DescribedAs() (any, reflect.StructTag) { return "", `default:"x"` }
func (Sent) DescribedAs() (any, reflect.StructTag)   { return "", `readOnly:"true"` }

// describe writes a schema in a line. A question mark follows values that may be null or missing,
// an arrow precedes a definition's name.
func describe(s *schema.Schema) (text string) {
	switch {
	case s.Ref != "":
		text = "→" + s.Ref
	case s.OneOf != nil:
		text = strings.Join(list(s.OneOf), "|")
	case s.Quoted != nil:
		text = "quoted " + describe(s.Quoted)
	case s.Items != nil:
		text = "[" + describe(s.Items) + "]"
	case s.Values != nil:
		text = "{" + describe(s.Keys) + "→" + describe(s.Values) + "}"
	case s.Kind == "object":
		var members []string
		for _, p := range s.Properties {
			if !p.Required {
				p.Name += "?"
			}
			members = append(members, p.Name+" "+describe(p.Schema))
		}
		text = "{" + strings.Join(members, ", ") + "}"
	case s.Kind == "":
		text = "any"
	default:
		text = strings.TrimSpace(s.Kind + " " + s.Format)
	}
	for _, l := range s.Enum {
		text += " " + string(l.JSON)
	}
	if s.Nullable {
		text += "?"
	}
	return text
}

func list(schemas []*schema.Schema) (texts []string) {
	for _, s := range schemas {
		texts = append(texts, describe(s))
	}
	return texts
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name        string
		of          reflect.Type
		want        string
		definitions []string // that it refers to
	}{
		{"pointer", typeOf[**int8](), "integer int32?", nil},
		{"special types", typeOf[Pair[time.Time, map[string]*big.Int]](), "→Pair_Time_map_string_PointerTo_Int",
			[]string{"{A string date-time, B {string→integer?}}"}},
		{"number and raw JSON", typeOf[Pair[json.Number, json.RawMessage]](), "→Pair_Number_RawMessage", []string{"{A number, B any}"}},
		{"keys", typeOf[map[UUID]map[int16]bool](), "{string uuid→{integer int32→boolean}}", nil},
		{"UUID", typeOf[UUID](), "string uuid", nil},
		{"keys with methods", typeOf[[]map[Code]map[time.Time]map[Euro]int](), "[{string→{string date-time→{→Euro→integer int64}}}]", []string{"string euro"}},
		{"own JSON", typeOf[*Own](), "any", nil},
		{"own JSON and text", typeOf[slog.Level](), "any", nil},

		{"names and options", typeOf[struct {
			Plain   int
			Named   int     `json:"named"`
			Empty   int     `json:",omitempty"`
			Dash    int     `json:"-"`
			Zero    int     `json:"zero,omitzero"`
			Default int     `json:"default" default:"1"`
			Text    int     `json:"text,string"`
			Maybe   *int    `json:",string"`
			Level   *Level  `json:"level,string"`
			Hue     Hue     `json:"hue,string"`
			Float   float32 `json:"float,string"`
			Bool    bool    `json:"bool,string"`
			UUID    UUID    `json:"uuid,string"`
		}](), "{Plain integer int64, named integer int64, Empty? integer int64, zero? integer int64, default? integer int64, " +
			"text quoted integer int64, Maybe quoted integer int64?, level quoted integer 1 2?, " +
			`hue quoted string "red" "blue", float quoted number float, bool quoted boolean, uuid string uuid}`,
			[]string{"integer 1 2", `string "red" "blue"`}},
		{"embedded", typeOf[struct {
			Base
			Name string `json:"name"`
		}](), "{id integer int64, note? string, name string}", nil},
		{"embedded pointer", typeOf[struct{ *Base }](), "{id? integer int64, note? string}", nil},
		{"embedded with a name", typeOf[struct {
			Base `json:"base"`
		}](), "{base →Base}", []string{"{id integer int64, note? string}"}},
		{"the least nested wins", typeOf[struct {
			Deep
			Right
		}](), "{X integer int64}", nil},
		{"two of a level hide each other", typeOf[struct {
			Left
			Right
		}](), "{}", nil},
		{"embedded in itself", typeOf[Cycle](), "→Cycle", []string{"{n integer int64}"}},

		{"recursive", typeOf[Tree](), "→Tree", []string{"{value string, children [→Tree?]}"}},
		{"one definition for all", typeOf[[2]Page[Tags]](), "[→Page_Tags]", []string{"{Items [→Tags]}", "[string]"}},
		{"enumeration", typeOf[Level](), "→Level", []string{"integer 1 2"}},
		{"enumeration by its address", typeOf[*Hue](), "→Hue?", []string{`string "red" "blue"`}},
		{"enumeration of numbers", typeOf[Ratio](), "→Ratio", []string{"number 0.5 1"}},
		{"union", typeOf[[]Either](), "[→Either]", []string{"→Base|integer int64", "{id integer int64, note? string}"}},
		{"described as text", typeOf[Money](), "→Money", []string{"string"}},
		{"described as a pointer", typeOf[Maybe](), "→Maybe", []string{"{id integer int64, note? string}?", "{id integer int64, note? string}"}},
	} {
		d := gotype.NewDefinitions()
		d.Read(c.of)
		s, err := d.Read(c.of) // again, which adds no definitions
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := list(d.List); describe(s) != c.want || !slices.Equal(got, c.definitions) {
			t.Errorf("%s: got %s with %q, want %s with %q", c.name, describe(s), got, c.want, c.definitions)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for of, want := range map[reflect.Type]string{
		typeOf[chan int]():             "type chan int: JSON cannot represent it",
		typeOf[struct{ A []func() }](): "struct { A []func() }.A: type func(): JSON cannot represent it",
		typeOf[map[float64]int]():      "type map[float64]int: JSON cannot have such keys",
		typeOf[Empty]():                "type gotype_test.Empty: Values returns nothing: list at least one value",
		typeOf[Weather]():              "type gotype_test.Weather: write its method as Values() []Weather, or give the method another name",
		typeOf[Twice]():                "type gotype_test.Twice: Values: it has the value 1 twice: remove one",
		typeOf[Answer]():               "type gotype_test.Answer: an enumeration is of text or numbers: remove its method Values",
		typeOf[Set]():                  "type gotype_test.Set: an enumeration is of text or numbers: remove its method Values",
		typeOf[struct {
			_ struct{} `additionalProperties:"no"`
		}](): `tag additionalProperties:"no": write true or false`,
		typeOf[struct {
			_ struct{} `additionalProperties:"false" doc:"A tree"`
		}](): "_: tag doc: a field _ has only the tag additionalProperties",
		typeOf[struct {
			A int `json:"-" additionalProperties:"false"`
		}](): "A: tag additionalProperties: write it on a field _ struct{}",
		typeOf[Half]():            "type gotype_test.Half: a type with OneOf names at least one type, and has MarshalJSON",
		typeOf[Other]():           "type gotype_test.Other: write its method as OneOf() []any",
		typeOf[Itself]():          "type gotype_test.Itself: DescribedAs: return a value of another type",
		typeOf[Filled]():          "type gotype_test.Filled: DescribedAs: tag default: this is for a field",
		typeOf[Sent]():            "type gotype_test.Sent: DescribedAs: tag readOnly: this is for a field",
		typeOf[Reader]():          "type gotype_test.Reader: JSON cannot be decoded into an interface",
		typeOf[Shout]():           "type gotype_test.Shout: it is described as a string, but encoded differently: write its method UnmarshalText",
		typeOf[map[UUID]int]():    "type gotype_test.UUID: it is described as a string, but encoded differently: write its method UnmarshalText",
		typeOf[Grams]():           "write its method UnmarshalText",
		typeOf[struct{ *base }](): "ID: it cannot be set behind a pointer to a type that is not exported: embed the struct without a pointer",
	} {
		d := gotype.NewDefinitions()
		d.Input = true
		if _, err := d.Read(of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", of, err, want)
		}
	}
}

func TestIsClosedRefusesUnreadTags(t *testing.T) {
	f := reflect.StructField{Name: "_", Tag: `additionalProperties:"false",doc:"A tree"`}
	if _, err := gotype.IsClosed(f); err == nil || !strings.HasPrefix(err.Error(), `tag ,doc:"A tree": Go does not read this`) {
		t.Errorf("got %v", err)
	}
}

// A type that cannot be decoded may be encoded, and vice versa, also in a member that is only in
// requests or only in responses.
func TestReadInOneDirection(t *testing.T) {
	const text = "described as a string, but encoded differently: write its method MarshalText"
	for _, c := range []struct {
		of      reflect.Type
		isInput bool
		want    string // the error
	}{
		{typeOf[Reader](), false, ""},
		{typeOf[Shout](), false, ""},
		{typeOf[struct{ *base }](), false, ""},
		{typeOf[Hidden](), true, ""},
		{typeOf[Hidden](), false, text},
		{typeOf[Grams](), false, text},
		{typeOf[struct {
			A Shout  `readOnly:"true"`
			B Reader `readOnly:"true"`
		}](), true, ""},
		{typeOf[struct {
			A Hidden `readOnly:"true"`
		}](), true, text},
		{typeOf[struct {
			A Hidden `writeOnly:"true"`
		}](), false, ""},
	} {
		d := gotype.NewDefinitions()
		d.Input = c.isInput
		_, err := d.Read(c.of)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) || d.Input != c.isInput {
			t.Errorf("%s, in a request %v: got %s, want %s", c.of, c.isInput, got, c.want)
		}
	}
}

func TestDefinitionName(t *testing.T) {
	type local struct{}
	for of, want := range map[reflect.Type]string{
		typeOf[Base]():        "Base",
		typeOf[Größe]():       "Gru00F6u00DFe",
		typeOf[Page[Base]]():  "Page_Base",
		typeOf[Page[local]](): "Page_local",
		typeOf[Page[*[]Pair[time.Time, map[string]int]]](): "Page_PointerTo_ArrayOf_Pair_Time_map_string_int",
	} {
		if got := gotype.DefinitionName(of); got != want {
			t.Errorf("%s: got %s, want %s", of, got, want)
		}
	}
}

// Rules of tags: the resulting schema, or why they are refused.
func TestRuled(t *testing.T) {
	for _, c := range []struct {
		of        reflect.Type
		tag       reflect.StructTag
		want, bad string
	}{
		{typeOf[int](), `enum:"1,2"`, "integer int64 1 2", ""},
		{typeOf[[]string](), `enum:"a,b" format:"email" minLength:"1"`, "", `tag enum:"a,b": must be an email address`},
		{typeOf[[]string](), `format:"uuid" maxLength:"2"`, "[string uuid]", ""},
		{typeOf[Tags](), `enum:"a"`, `[string "a"]`, ""}, // of this field alone
		{typeOf[Base](), `doc:"A base"`, "→Base", ""},
		{typeOf[Base](), `min:"1"`, "", "this is not allowed on the type Base: write it on the fields of that type"},
		{typeOf[string](), `min:"1"`, "", "this is for numbers, not for a string: write minLength or maxLength"},
		{typeOf[int](), `maxLength:"1"`, "", "this is for text, slices and maps, not for an integer: write min or max"},
		{typeOf[int](), `minimum:"1"`, "", "tag minimum: write min"},
		{typeOf[[]int8](), `min:"300"`, "", "min 300 is greater than max 127"},
		{typeOf[int](), `min:"2" max:"1"`, "", "min 2 is greater than max 1"},
		{typeOf[string](), `minLength:"2" maxLength:"1"`, "", "minLength 2 is greater than maxLength 1"},
		{typeOf[int](), `multipleOf:"0"`, "", "write a number above 0"},
		{typeOf[float64](), `multipleOf:"0.1234567890123456789"`, "", "of at most 18 digits"},
		{typeOf[int](), `max:"2" default:"3"`, "", `tag default:"3": must be at most 2`},
		{typeOf[string](), `pattern:"(?m)^a"`, "", "other languages do not read"},
		{typeOf[uint8](), `min:"-1" max:"256" enum:"-1"`, "", `tag enum:"-1": must be at least 0`},
		{typeOf[[2]int](), `maxLength:"1"`, "", "an array has the length of its type"},
		{typeOf[map[string]int](), `additionalProperties:"false"`, "", "tag additionalProperties: write it on a field _ struct{}"},
		{typeOf[string](), `format:"UUID"`, "", `tag format:"UUID": write uuid`},
		{typeOf[time.Duration](), `format:"Duration"`, "", "write duration"},
		{typeOf[string](), `format:"Isbn"`, "string Isbn", ""},
		{typeOf[string](), `enum:"a,b,a"`, "", `it has the value "a" twice: remove one`},
		{typeOf[float64](), `enum:"1,0.5,1.0"`, "", "it has the value 1.0 twice: remove one"},
		{typeOf[string](), `enum:"1,1.0"`, `string "1" "1.0"`, ""},
		{typeOf[int](), `json:"a",min:"1"`, "", `tag ,min:"1": Go does not read this: write name:"value", and a space before the next one`},
		{typeOf[any](), `enum:"1"`, "", "this is for text and numbers, not for JSON"},
		{typeOf[int](), `enum:"1, 2"`, "integer int64 1 2", ""},
		{typeOf[[]string](), `enum:"a, b"`, `[string "a" "b"]`, ""},
	} {
		d := gotype.NewDefinitions()
		s, err := d.Read(c.of)
		if err != nil {
			t.Fatal(err)
		}
		before := describe(s)
		ruled, err := gotype.Ruled(s, c.tag)
		switch {
		case c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("%s with %s: got %v, want %s", c.of, c.tag, err, c.bad)
		case c.bad == "" && (err != nil || describe(ruled) != c.want):
			t.Errorf("%s with %s: got %v, %v, want %s", c.of, c.tag, ruled, err, c.want)
		case describe(s) != before:
			t.Errorf("%s with %s: changed the type's own schema to %s", c.of, c.tag, describe(s))
		}
	}
}
