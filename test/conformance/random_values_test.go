package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file compares the values of queries and forms with a JSON Schema validator: an operation
// accepts exactly the values that its description allows, and reads them like encoding/json. The
// texts become JSON here by the rules of the package documentation.

// Inputs with a value of a type. Its rules are added by the option Rules.
type (
	inQuery[T any] struct {
		V T `query:"v"`
	}
	inNeededQuery[T any] struct {
		V T `query:"v,required"`
	}
	inCommas[T any] struct {
		V T `query:"v,commas"`
	}
	inForm[T any] struct {
		V T `form:"v"`
	}
	inNeededForm[T any] struct {
		V T `form:"v,required"`
	}
)

func (in inQuery[T]) value() any       { return in.V }
func (in inNeededQuery[T]) value() any { return in.V }
func (in inCommas[T]) value() any      { return in.V }
func (in inForm[T]) value() any        { return in.V }
func (in inNeededForm[T]) value() any  { return in.V }

type valued interface{ value() any }

// valueInput is an input with a value of a type, in a query or form.
type valueInput struct {
	of       reflect.Type
	method   string
	isNeeded bool
	isCommas bool
	define   func(api *apidoc.API, read *any, options ...apidoc.Option)
}

func definition[I valued](method string) func(*apidoc.API, *any, ...apidoc.Option) {
	return func(api *apidoc.API, read *any, options ...apidoc.Option) {
		f := func(_ context.Context, in I) (struct{}, error) { *read = in.value(); return struct{}{}, nil }
		add := apidoc.Get[I, struct{}]
		if method == http.MethodPost {
			add = apidoc.Post[I, struct{}]
		}
		add(api, "/", "", f, options...)
	}
}

func inputsOf[T any]() []valueInput {
	all := scalarInputs[T]()
	of := reflect.TypeFor[[]T]()
	return append(append(all, scalarInputs[[]T]()...), valueInput{of: of, method: http.MethodGet, isCommas: true, define: definition[inCommas[[]T]](http.MethodGet)})
}

func scalarInputs[T any]() []valueInput {
	of := reflect.TypeFor[T]()
	return []valueInput{
		{of: of, method: http.MethodGet, define: definition[inQuery[T]](http.MethodGet)},
		{of: of, method: http.MethodGet, isNeeded: true, define: definition[inNeededQuery[T]](http.MethodGet)},
		{of: of, method: http.MethodPost, define: definition[inForm[T]](http.MethodPost)},
		{of: of, method: http.MethodPost, isNeeded: true, define: definition[inNeededForm[T]](http.MethodPost)},
	}
}

var randomInputs = slices.Concat(
	inputsOf[bool](), inputsOf[int](), inputsOf[int8](), inputsOf[uint16](), inputsOf[uint64](), inputsOf[float32](), inputsOf[float64](), inputsOf[string](),
	inputsOf[level](), inputsOf[hue](), inputsOf[time.Time](), inputsOf[cents](), inputsOf[uuid.UUID](), inputsOf[json.Number](), inputsOf[[]byte](),
	scalarInputs[*int](), scalarInputs[*string](), scalarInputs[*big.Int](), scalarInputs[*level](), scalarInputs[apidoc.Optional[bool]](),
)

func TestRandomQueriesAndForms(t *testing.T) {
	t.Logf("-seed %d", *seed)
	random := newRandom()
	var operations, requests, accepted int
	for range rounds(300, 12000) {
		p := oneOf(random, randomInputs)
		var rules []string
		for range random.IntN(3) {
			rule := oneOf(random, rulesOf(p.of))
			name := rule[:strings.Index(rule, ":")+1]
			if !strings.HasSuffix(name, "Only:") && !strings.Contains(strings.Join(rules, " "), name) {
				rules = append(rules, rule)
			}
		}
		s := newSubject(t, p, strings.Join(rules, " "))
		if s == nil {
			continue // the rules exclude each other, or do not fit the input
		}
		operations++
		for range 40 {
			requests++
			if s.compare(t, random) {
				accepted++
			}
			if t.Failed() {
				t.Fatalf("%s of %s, needed: %v, commas: %v, with the rules %s", p.method, p.of, p.isNeeded, p.isCommas, rules)
			}
		}
	}
	t.Logf("%d operations, %d requests, %d of them accepted", operations, requests, accepted)
	if accepted < requests/10 || requests-accepted < requests/10 {
		t.Errorf("%d of %d requests are accepted: the test compares too little", accepted, requests)
	}
}

// subject is an operation with one value, and its description.
type subject struct {
	valueInput
	app      http.Handler
	read     any
	document any
	schema   map[string]any     // of the value
	each     *jsonschema.Schema // of one item, or of the value
	whole    *jsonschema.Schema
}

// newSubject returns nil for rules that are refused.
func newSubject(t *testing.T, p valueInput, rules string) (s *subject) {
	t.Helper()
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Random", Version: "1"})
	s = &subject{valueInput: p, app: app}
	in, at := apidoc.InQuery, "#/paths/~1/get/parameters/0/schema"
	if p.method == http.MethodPost {
		in, at = apidoc.InForm, "#/paths/~1/post/requestBody/content/application~1x-www-form-urlencoded/schema/properties/v"
	}
	refused := func() (refused bool) {
		defer func() { refused = recover() != nil }()
		p.define(api, &s.read, apidoc.Rules(in, "v", reflect.StructTag(rules)), apidoc.ID("take"))
		return false
	}()
	if refused {
		return nil
	}
	described, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	if s.document, err = jsonschema.UnmarshalJSON(bytes.NewReader(described.OpenAPI())); err != nil {
		t.Fatal(err)
	}
	compiler := newCompiler()
	if err := compiler.AddResource("openapi.json", s.document); err != nil {
		t.Fatal(err)
	}
	s.schema, at = s.resolve(at)
	if s.whole, err = compiler.Compile("openapi.json" + at); err != nil {
		t.Fatal(err)
	}
	s.each = s.whole
	if s.isList(s.schema) {
		if s.each, err = compiler.Compile("openapi.json" + at + "/items"); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// resolve returns the schema at a pointer, or the definition to which it refers.
func (s *subject) resolve(pointer string) (map[string]any, string) {
	found := s.document
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if list, ok := found.([]any); ok {
			found = list[0]
		} else {
			found = found.(map[string]any)[step]
		}
	}
	if to, ok := found.(map[string]any)["$ref"].(string); ok {
		return s.resolve(to)
	}
	return found.(map[string]any), pointer
}

func (s *subject) isList(of map[string]any) bool { return of["type"] == "array" }

// item returns the schema of one value.
func (s *subject) item(of map[string]any) map[string]any {
	if to, ok := of["$ref"].(string); ok {
		of, _ = s.resolve(to)
	}
	if list, ok := of["anyOf"].([]any); ok {
		return s.item(list[0].(map[string]any))
	}
	if items, ok := of["items"].(map[string]any); ok {
		return s.item(items)
	}
	return of
}

var (
	aNumber     = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`)
	leadingZero = regexp.MustCompile(`^(-?)0+(\d)`)
)

// instance returns a text as JSON.
func instance(text string, of map[string]any) any {
	is := func(kind string) bool { return strings.Contains(fmt.Sprint(of["type"]), kind) }
	switch number := leadingZero.ReplaceAllString(text, "$1$2"); {
	case is("boolean") && (text == "true" || text == "on"):
		return true
	case is("boolean") && text == "false":
		return false
	case (is("integer") || is("number")) && aNumber.MatchString(number):
		return json.Number(number)
	}
	return text
}

// compare sends a random request, checks that the operation and the validator agree, and reports
// whether they accept it.
func (s *subject) compare(t *testing.T, random *rand.Rand) bool {
	t.Helper()
	query, want := s.values(random) // want is nil if there is no value
	r := httptest.NewRequest(s.method, "/?"+query, nil)
	if s.method == http.MethodPost {
		r = httptest.NewRequest(s.method, "/", strings.NewReader(query))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	s.read = nil
	w := httptest.NewRecorder()
	s.app.ServeHTTP(w, r)
	var refused error
	switch {
	case want != nil:
		refused = s.whole.Validate(want)
	case s.isNeeded:
		refused = fmt.Errorf("missing")
	}
	isAccepted := w.Code == http.StatusNoContent
	if isOnlyUnsigned(query) {
		return isAccepted
	}
	if isAccepted != (refused == nil) || !isAccepted && w.Code != http.StatusUnprocessableEntity {
		t.Errorf("%s: %d %s, the validator says %v of %v", query, w.Code, w.Body, refused, want)
	}
	if !isAccepted || want == nil {
		return isAccepted
	}
	text, _ := json.Marshal(want) // of texts, numbers and booleans
	if plain := reflect.New(s.of); json.Unmarshal(text, plain.Interface()) == nil {
		read, _ := json.Marshal(s.read)
		same, _ := json.Marshal(plain.Elem().Interface())
		if !bytes.Equal(read, same) {
			t.Errorf("%s: read as %s, by encoding/json as %s", query, read, same)
		}
	}
	return isAccepted
}

// values returns a query with values, and these in JSON.
func (s *subject) values(random *rand.Rand) (query string, want any) {
	item := s.item(s.schema)
	var texts []string
	for range 1 + random.IntN(3)*random.IntN(2) - random.IntN(12)/11 {
		texts = append(texts, randomValue(random, item))
	}
	var parts []string
	for _, text := range texts {
		parts = append(parts, url.QueryEscape(text))
	}
	query = "v=" + strings.Join(parts, "&v=")
	switch {
	case texts == nil:
		query = "other=1"
	case s.isCommas:
		query = "v=" + strings.Join(parts, ",")
	case s.isList(s.schema) && s.method == http.MethodPost && item["type"] != "string":
		// One text that is not empty may have several numbers.
		if filled := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }); len(filled) == 1 {
			texts = strings.Split(filled[0], ",")
		}
	}
	return query, s.instance(texts, s.schema, s.each)
}

// instance returns texts as JSON, or nil if they count as missing.
func (s *subject) instance(texts []string, of map[string]any, each *jsonschema.Schema) any {
	item := s.item(of)
	if each.Validate(instance("", item)) != nil {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	}
	if len(texts) == 0 {
		return nil
	}
	if !s.isList(of) {
		return instance(texts[0], item)
	}
	list := []any{}
	for _, text := range texts {
		list = append(list, instance(text, item))
	}
	return list
}

// randomValue returns a text that mostly matches a schema.
func randomValue(random *rand.Rand, of map[string]any) string {
	plain := func(quoted string) (text string) {
		if json.Unmarshal([]byte(quoted), &text) != nil {
			text = quoted
		}
		return text
	}
	enum, _ := of["enum"].([]any)
	format, _ := of["format"].(string)
	switch n := random.IntN(20); {
	case n == 0:
		return oneOf(random, []string{"", "on", "x", "1,2", "007", "-007", "00.5", "+1", " 1", "1 ", "1.", ".5", "null", "[]", "0x1", "1_0"})
	case n < 12 && enum != nil:
		return fmt.Sprint(oneOf(random, enum))
	case strings.Contains(fmt.Sprint(of["pattern"]), "d{2}"):
		return oneOf(random, []string{"0.00", "12.34", "01.00", "1.5"})
	case formats[format] != nil:
		return plain(oneOf(random, formats[format]))
	}
	switch of["type"] {
	case "boolean":
		return oneOf(random, []string{"true", "false", "on", "1"})
	case "integer":
		return oneOf(random, integers[:1+random.IntN(len(integers))])
	case "number":
		return oneOf(random, append(numbers, integers...))
	}
	return plain(oneOf(random, stringTexts))
}
