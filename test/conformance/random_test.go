package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file compares random Go types with a JSON Schema validator: package value accepts exactly
// the values that the published schema allows, and decodes and encodes them like encoding/json. A
// failure prints the seed, the type and the value.

// rounds returns short, or long with FLOWERCAFE_LONG.
func rounds(short, long int) int {
	if os.Getenv("FLOWERCAFE_LONG") != "" {
		return long
	}
	return short
}

func TestRandomTypes(t *testing.T) {
	t.Logf("-seed %d", *seed)
	random := newRandom()
	var types, values, accepted int
	for range rounds(40, 8000) {
		of := randomStruct(random, 3)
		s, form := describedType(t, of)
		if s == nil {
			continue // the rules of a field exclude each other
		}
		types++
		reference := compiled(t, form)
		for range 100 {
			text := randomText(random, s)
			values++
			if compareValue(t, of, s, reference, text) {
				accepted++
			}
			if t.Failed() {
				t.Fatalf("the type is %s\ndescribed as %s", of, form)
			}
		}
	}
	t.Logf("%d types, %d values, %d of them accepted", types, values, accepted)
	if accepted < values/10 || values-accepted < values/10 {
		t.Errorf("%d of %d values are accepted: the test compares too little", accepted, values)
	}
}

// compareValue checks that package value and the validator agree about a value, and reports whether
// they accept it.
func compareValue(t *testing.T, of reflect.Type, s *schema.Schema, reference *jsonschema.Schema, text string) bool {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	v := reflect.New(of)
	problems, _ := value.Decode(context.Background(), s, text, v.Elem(), false)
	refused := reference.Validate(parsed)
	if (len(problems) == 0) != (refused == nil) && !isOnlyUnsigned(text) {
		t.Errorf("%s: the check says %v, the validator %v", text, problems, refused)
	}
	if onlyChecked := value.Check(s, text, schema.InRequests); len(onlyChecked) != len(problems) {
		t.Errorf("%s: without decoding the check says %v, with it %v", text, onlyChecked, problems)
	}
	if len(problems) > 0 {
		return false
	}
	if plain := reflect.New(of); json.Unmarshal([]byte(text), plain.Interface()) == nil && !differs(s) && !reflect.DeepEqual(v.Interface(), plain.Interface()) {
		t.Errorf("%s: decoded as %+v, by encoding/json as %+v", text, v, plain)
	}
	written, err := value.Encode(nil, s, v.Elem(), schema.InResponses)
	plain, plainErr := json.Marshal(v.Interface())
	isNull := bytes.Contains(plain, []byte("null")) // null may be a nil slice
	if (err == nil) != (plainErr == nil) || !isNull && !differs(s) && !sendsMore(s) && !bytes.Equal(written, plain) {
		t.Errorf("%s: encoded as %s %v, by encoding/json as %s %v", text, written, err, plain, plainErr)
	}
	return true
}

// isOnlyUnsigned reports whether a text has an integer above those of the format int64, which is
// also the format of unsigned integers: clients know no other one of 64 bits.
func isOnlyUnsigned(text string) bool {
	return slices.ContainsFunc(longIntegers.FindAllString(text, -1), func(digits string) bool {
		_, err := strconv.ParseInt(digits, 10, 64)
		_, unsignedErr := strconv.ParseUint(digits, 10, 64)
		return err != nil && unsignedErr == nil
	})
}

var longIntegers = regexp.MustCompile("[0-9]{19,}")

// differs reports whether encoding/json reads or writes other values, since missing members get
// defaults or members are only in requests or only in responses. Of the named types only figure has
// such members.
func differs(s *schema.Schema) bool {
	if s == nil {
		return false
	}
	isPart := func(p schema.Property) bool { return differs(p.Schema) }
	return s.Default != nil || s.NotIn != 0 || s.Ref == "figure" ||
		s.Ref == "" && (slices.ContainsFunc(s.Properties, isPart) || differs(s.Items) || differs(s.Values))
}

// sendsMore reports whether this package may send a member that encoding/json omits, because
// another member requires it.
func sendsMore(s *schema.Schema) bool {
	isPart := func(p schema.Property) bool { return p.Omits != nil && p.SentWith != nil || sendsMore(p.Schema) }
	return s != nil && s.Ref == "" && (slices.ContainsFunc(s.Properties, isPart) || sendsMore(s.Items) || sendsMore(s.Values))
}

// describedType returns the schema of a type, and a description of an operation that takes it. It
// returns nil if the type's rules are refused.
func describedType(t *testing.T, of reflect.Type) (*schema.Schema, []byte) {
	t.Helper()
	types := gotype.NewDefinitions()
	types.Input = true
	s, err := types.Read(of)
	if err != nil {
		return nil, nil
	}
	form, err := describedIn(s, types).Write(openapi.OpenAPI31)
	if err != nil {
		t.Fatalf("%s: %v", of, err)
	}
	return s, form.At("")
}

// Validators accept the descriptions of random operations in all formats.
func TestRandomDescriptions(t *testing.T) {
	t.Logf("-seed %d", *seed)
	random := newRandom()
	count := 0
	for range rounds(6, 150) {
		of := randomStruct(random, 3)
		types := gotype.NewDefinitions()
		s, err := types.Read(of)
		if err != nil {
			continue
		}
		api := describedIn(s, types)
		op := api.Operations[0]
		op.Path = "/{path}"
		op.Parameters = append(op.Parameters, openapi.Parameter{Name: "path", In: "path", Required: true, Schema: &schema.Schema{Kind: "string"}})
		for i, in := range []string{"query", "header", "cookie", "query"} {
			p := openapi.Parameter{Name: fmt.Sprint("p", i), In: in, Required: random.IntN(2) == 0, Description: "A value"}
			if p.Schema, err = types.Read(oneOf(random, scalarTypes)); err != nil {
				t.Fatal(err)
			}
			present := *p.Schema
			present.Nullable = false
			p.Schema = &present
			op.Parameters = append(op.Parameters, p)
		}
		describeNames(api, types)
		for form, validate := range map[openapi.Format]func([]byte) error{
			openapi.Swagger: validateSwagger,
			openapi.OpenAPI30: func(text []byte) error {
				return errors.Join(validateWithKin(text), problemsOf(validateOpenAPI(t, text)))
			},
			openapi.OpenAPI31: func(text []byte) error {
				return errors.Join(validateWithKin(text), problemsOf(validateOpenAPI(t, text)))
			},
		} {
			text, err := api.Write(form)
			if err != nil {
				t.Fatal(err)
			}
			count++
			if err := validate(text.At("/base")); err != nil {
				t.Fatalf("%v\nthe type is %s\ndescribed as %s", err, of, text.At("/base"))
			}
		}
	}
	t.Logf("%d descriptions", count)
}

func problemsOf(list []string) error {
	if list == nil {
		return nil
	}
	return errors.New(strings.Join(list, "\n"))
}

// describedIn returns the description of an operation with values of a schema.
func describedIn(s *schema.Schema, types *gotype.Definitions) *openapi.API {
	api := &openapi.API{
		Info:       map[string]string{"title": "Random", "version": "1"},
		Names:      make(map[reflect.Type]string),
		Operations: []*openapi.Operation{{Method: "post", Path: "/", ID: "take"}},
	}
	describeNames(api, types)
	op := api.Operations[0]
	op.Consumes = []string{"application/json"}
	op.Parameters = []openapi.Parameter{{Name: "body", In: "body", Required: true, Schema: s}}
	op.Responses = []openapi.Response{{Status: 200, Description: "OK", Media: op.Consumes, Sent: op.Consumes, Body: s}}
	return api
}

// describeNames names the definitions.
func describeNames(api *openapi.API, types *gotype.Definitions) {
	for i, d := range types.List {
		api.Names[d.Named] = fmt.Sprint(gotype.DefinitionName(d.Named), i)
	}
}

// compiled returns the validator for the body of the operation.
func compiled(t *testing.T, form []byte) *jsonschema.Schema {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	compiler := newCompiler()
	compiler.AssertContent()
	if err := compiler.AddResource("openapi.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("openapi.json#/paths/~1/post/requestBody/content/application~1json/schema")
	if err != nil {
		t.Fatalf("%v\n%s", err, form)
	}
	return s
}

// Types with methods, and recursive ones.
type (
	level int
	hue   string
	tree  struct {
		Name string           `json:"name" minLength:"1"`
		Sub  []tree           `json:"sub,omitempty"`
		By   map[string]*tree `json:"by,omitempty"`
	}
	names       []string
	page[T any] struct{ Items []T }
	cents       int64
	circle      struct {
		Kind   string  `json:"kind" enum:"circle"`
		Radius float64 `json:"radius" exclusiveMin:"0"`
		ID     int     `json:"id" readOnly:"true"`
	}
	square struct {
		Kind string `json:"kind" enum:"square"`
		Side int    `json:"side,omitempty" dependentRequired:"unit"`
		Unit string `json:"unit,omitempty"`
		Note string `json:"note,omitempty" writeOnly:"true"`
	}
	figure struct{ content any }
	branch struct{ content any }
)

func (level) Values() []level { return []level{1, 2, 30} }
func (hue) Values() []hue     { return []hue{"red", "blue", "1"} }

func (cents) DescribedAs() (any, reflect.StructTag) {
	return "", `pattern:"^(0|[1-9]\\d{0,6})\\.\\d{2}$"`
}
func (c cents) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil }
func (c *cents) UnmarshalText(b []byte) error {
	var whole, part cents
	_, err := fmt.Sscanf(string(b), "%d.%d", &whole, &part)
	*c = whole*100 + part
	return err
}

func (figure) OneOf() []any                    { return []any{circle{}, square{}} }
func (f figure) MarshalJSON() ([]byte, error)  { return json.Marshal(f.content) }
func (f *figure) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &f.content) }

func (branch) DescribedAs() (any, reflect.StructTag) {
	return struct {
		Next *branch `json:"next"`
		N    int8    `json:"n,omitempty"`
	}{}, ""
}
func (b branch) MarshalJSON() ([]byte, error)  { return json.Marshal(b.content) }
func (b *branch) UnmarshalJSON(t []byte) error { return json.Unmarshal(t, &b.content) }

var scalarTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[level](), reflect.TypeFor[hue](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte](), reflect.TypeFor[cents](), reflect.TypeFor[uuid.UUID](), reflect.TypeFor[*big.Int](),
	reflect.TypeFor[json.Number](),
}

var namedTypes = []reflect.Type{
	reflect.TypeFor[tree](), reflect.TypeFor[names](), reflect.TypeFor[page[hue]](), reflect.TypeFor[page[*tree]](), reflect.TypeFor[figure](),
	reflect.TypeFor[branch](), reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](),
}

var keyTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint](), reflect.TypeFor[hue](), reflect.TypeFor[level](),
	reflect.TypeFor[cents](), reflect.TypeFor[uuid.UUID](), reflect.TypeFor[time.Time](),
}

func oneOf[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// randomType returns a type of at most a depth.
func randomType(random *rand.Rand, depth int) reflect.Type {
	if depth == 0 {
		return oneOf(random, scalarTypes)
	}
	switch random.IntN(10) {
	case 0:
		return reflect.PointerTo(randomType(random, depth-1))
	case 1:
		return reflect.SliceOf(randomType(random, depth-1))
	case 2:
		return reflect.ArrayOf(random.IntN(3), randomType(random, depth-1))
	case 3:
		return reflect.MapOf(oneOf(random, keyTypes), randomType(random, depth-1))
	case 4:
		return randomStruct(random, depth-1)
	case 5:
		return oneOf(random, namedTypes)
	}
	return oneOf(random, scalarTypes)
}

// randomStruct returns a struct of random fields with random rules.
func randomStruct(random *rand.Rand, depth int) reflect.Type {
	var fields []reflect.StructField
	count := 1 + random.IntN(4)
	for i := range count {
		of := randomType(random, depth)
		options := []string{"", "", "", ",omitempty", ",omitzero", ",string"}[random.IntN(6)]
		tag := fmt.Sprintf(`json:"%c%s"`, 'a'+i, options)
		if of.Kind() == reflect.Pointer && strings.HasPrefix(options, ",omit") && random.IntN(2) == 0 {
			tag += ` nullable:"false"`
		}
		for range random.IntN(3) {
			if rule := oneOf(random, rulesOf(of)); !strings.Contains(tag, rule[:strings.Index(rule, ":")+1]) {
				tag += " " + rule
			}
		}
		if other := random.IntN(3 * count); other < count && other != i {
			tag += fmt.Sprintf(` dependentRequired:"%c"`, 'a'+other)
		}
		fields = append(fields, reflect.StructField{Name: string(rune('A' + i)), Type: of, Tag: reflect.StructTag(tag)})
	}
	if random.IntN(4) == 0 {
		fields = append(fields, reflect.StructField{
			Name: "_", PkgPath: "example.com/random", Type: reflect.TypeFor[struct{}](), Tag: `additionalProperties:"false"`,
		})
	}
	return reflect.StructOf(fields)
}

// rulesOf returns rules that may be on a field. For a slice they include rules of its items.
func rulesOf(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	lengths := []string{`minLength:"1"`, `maxLength:"2"`, `doc:"A note"`, `readOnly:"true"`, `writeOnly:"true"`}
	switch k := of.Kind(); {
	case of == reflect.TypeFor[[]byte]() || of == reflect.TypeFor[time.Time]():
		return lengths[2:]
	case k == reflect.Slice || k == reflect.Array:
		if slices.Contains(scalarTypes, of.Elem()) && of.Elem().Kind() != reflect.Pointer {
			lengths = append(lengths, `unique:"true"`)
		}
		return append(lengths, rulesOf(of.Elem())...)
	case k == reflect.Map:
		return lengths
	case k == reflect.String && of.Name() == "string":
		return append(lengths, `pattern:"^[a-c]+$"`, `pattern:"^.[bB]"`, `pattern:"\\p{L}"`, `enum:"a, ab,"`, `default:"ab"`, `format:"date"`, `format:"uuid"`,
			`format:"email"`, `format:"ipv4"`)
	case (k >= reflect.Int && k <= reflect.Float64 || of == reflect.TypeFor[json.Number]()) && of.Name() != "level" && of.Name() != "cents":
		return []string{`min:"1"`, `min:"-2.5"`, `max:"10"`, `max:"18446744073709551613"`, `multipleOf:"3"`, `multipleOf:"0.25"`, `enum:"1, 2"`, `default:"1"`,
			`exclusiveMin:"0"`, `exclusiveMin:"-2.5"`, `exclusiveMax:"3"`, `exclusiveMax:"18446744073709551614"`}
	}
	return lengths[2:]
}

// randomText returns JSON that mostly matches a schema.
func randomText(random *rand.Rand, s *schema.Schema) string {
	w := writer{random: random, depth: 6}
	w.value(s)
	return w.String()
}

// writer writes a random value. One of 30 values in it is invalid.
type writer struct {
	strings.Builder
	random *rand.Rand
	depth  int
}

var (
	anyTexts = []string{
		"null", "true", "false", "0", "-1", "1.0", "1e2", "0.5", "-0", "2147483648", "9223372036854775808", "18446744073709551615", `""`, `"a"`, `"1"`, `"\u0061"`,
		`[]`, `[1,1.0]`, `[[],[]]`, `{}`, `{"a":1}`, `{"a":{"a":null}}`, `{"name":"x"}`, `"2026-11-21T10:00:00Z"`,
	}
	stringTexts = []string{`""`, `"a"`, `"\u0061b"`, `"ab"`, `"abc"`, `"AB\n"`, `"x\ry"`, `"ü"`, `"日本語"`, `"😀"`, `"red"`, `"1"`, `"true"`, `"null"`}
	integers    = []string{
		"0", "1", "-1", "2", "3", "10", "11", "30", "1.0", "2.0", "10e-1", "1e1", "-0", "-0.0", "127", "128", "-129", "65535", "65536", "2147483647", "2147483648",
		"9223372036854775807", "9223372036854775808", "18446744073709551613", "18446744073709551614", "18446744073709551615",
	}
	numbers = []string{"0.5", "0.25", "-2.5", "-2.50000000000000000001", "1.00", "3e0", "0.1", "9.75", "10.00000000000000000001", "1e-7", "12345.678e3"}
	formats = map[string][]string{
		"date-time": {`"2026-11-21T10:00:00Z"`, `"2026-11-21T10:00:00.5+01:00"`, `"2026-11-21"`, `"2026-02-30T10:00:00Z"`},
		"date":      {`"2026-11-21"`, `"2026-02-30"`, `"2026-1-1"`},
		"uuid":      {`"0190c0de-0000-4000-8000-000000000001"`, `"0190C0DE-0000-4000-8000-00000000000A"`, `"0190c0de"`},
		"byte":      {`""`, `"AQI="`, `"AQI"`},
		"email":     {`"ann@example.com"`, `"ann"`},
		"ipv4":      {`"127.0.0.1"`, `"127.0.0.256"`},
	}
)

func (w *writer) one(texts []string) { w.WriteString(oneOf(w.random, texts)) }

func (w *writer) value(s *schema.Schema) {
	nullable := s.Nullable
	s = s.Resolve()
	w.depth--
	defer func() { w.depth++ }()
	switch n := w.random.IntN(30); {
	case n == 0 || s.IsAny() && s.Opaque == nil:
		w.one(anyTexts)
		return
	case (nullable || s.Nullable) && (n < 6 || w.depth < 0):
		w.WriteString("null")
		return
	case n < 12 && s.Enum != nil:
		w.Write(oneOf(w.random, s.Enum).JSON)
		return
	}
	switch {
	case s.OneOf != nil:
		w.value(oneOf(w.random, s.OneOf))
	case s.Quoted != nil:
		inner := writer{random: w.random, depth: 1}
		inner.value(s.Quoted)
		quoted, _ := json.Marshal(inner.String())
		w.Write(quoted)
	case s.Kind == "object":
		w.object(s)
	case s.Kind == "array":
		w.array(s)
	case s.Kind == "boolean":
		w.one([]string{"true", "false"})
	case s.Kind == "integer":
		w.one(integers[:1+w.random.IntN(len(integers))])
	case s.Kind == "number":
		w.one(append(numbers, integers...))
	case s.Pattern != nil && strings.Contains(s.Pattern.String(), "d{2}"):
		w.one([]string{`"0.00"`, `"12.34"`, `"01.00"`, `"1.5"`})
	case formats[s.Format] != nil:
		w.one(formats[s.Format])
	default:
		w.one(stringTexts)
	}
}

func (w *writer) array(s *schema.Schema) {
	count := w.random.IntN(4)
	if s.Fixed && w.random.IntN(20) > 0 {
		count = s.MinLength.N
	} else if w.depth < 0 {
		count = 0
	}
	w.WriteByte('[')
	for i := range count {
		if i > 0 {
			w.WriteString(", ")
		}
		w.value(s.Items)
	}
	w.WriteByte(']')
}

func (w *writer) object(s *schema.Schema) {
	var members []string
	add := func(name string, s *schema.Schema) {
		inner := writer{random: w.random, depth: w.depth}
		quoted, _ := json.Marshal(name)
		inner.Write(append(quoted, ':'))
		inner.value(s)
		members = append(members, inner.String())
	}
	for _, p := range s.Properties {
		if p.Required && w.random.IntN(25) > 0 || !p.Required && w.random.IntN(2) == 0 && w.depth > 0 {
			add(p.Name, p.Schema)
		}
	}
	if w.random.IntN(15) == 0 && s.Values == nil {
		add("other", &schema.Schema{})
	}
	if s.Values != nil && w.depth > 0 {
		for _, name := range w.names(s.Keys.Resolve()) {
			add(name, s.Values)
		}
	}
	w.random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	w.WriteString("{" + strings.Join(members, ",") + "}")
}

// names returns different names of a map's members.
func (w *writer) names(keys *schema.Schema) (names []string) {
	all := []string{"a", "b c", "ü", "", "1.50", "0190c0de-0000-4000-8000-000000000001", "2026-11-21T10:00:00Z"}
	if keys.Kind == "integer" {
		all = []string{"1", "2", "30", "-1", "x"}
	}
	for _, l := range keys.Enum {
		if !slices.Contains(all, l.Text) {
			all = append(all, l.Text)
		}
	}
	right := all[:0:0]
	for _, name := range all {
		if keys.Refuse(name) == nil && (keys.Codec == nil || value.Set(keys, reflect.New(keys.Codec.Type).Elem(), name) == nil) {
			right = append(right, name)
		}
	}
	for _, name := range all {
		if w.random.IntN(30) == 0 || w.random.IntN(3) == 0 && slices.Contains(right, name) {
			names = append(names, name)
		}
	}
	return names
}
