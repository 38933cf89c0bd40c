package gotype

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file adds the rules of a field's tags to the schema of its type.

// Ruled returns s with the rules of a field's tag. For a slice, rules for single values apply to
// its items.
func Ruled(s *schema.Schema, tag reflect.StructTag) (*schema.Schema, error) {
	if unread(tag) != "" {
		return nil, errUnread(tag)
	}
	for _, m := range misspelled {
		if _, ok := tag.Lookup(m[0]); ok {
			return nil, fmt.Errorf("tag %s: write %s", m[0], m[1])
		}
	}
	ruled := *s
	for _, r := range rules {
		if lower := strings.ToLower(r.tag); lower != r.tag && tag.Get(lower) != "" {
			return nil, fmt.Errorf("tag %s: write %s", lower, r.tag)
		}
		if text, ok := tag.Lookup(r.tag); ok {
			if err := r.add(&ruled, text); err != nil {
				return nil, fmt.Errorf("tag %s:%q: %w", r.tag, text, err)
			}
		}
	}
	return &ruled, checkBounds(&ruled)
}

// unread returns the end of a tag that [reflect.StructTag.Lookup] does not read, or "". A rule in
// it would be neither described nor checked.
func unread(tag reflect.StructTag) string {
	rest := strings.TrimLeft(string(tag), " ")
	for rest != "" {
		name, value, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || !strings.HasPrefix(quoted, `"`) || name == "" || strings.ContainsAny(name, " \",;") {
			return rest
		}
		rest = strings.TrimLeft(value[len(quoted):], " ")
	}
	return ""
}

func errUnread(tag reflect.StructTag) error {
	return fmt.Errorf("tag %s: Go does not read this: write name:\"value\", and a space before the next one", unread(tag))
}

// ownTags returns the tags that are read here and in package apidoc, except for
// additionalProperties, and their misspellings.
func ownTags() []string {
	names := []string{"path", "query", "header", "cookie", "form", "body", "status", "accept", "dependentRequired"}
	for _, r := range rules {
		names = append(names, r.tag)
	}
	for _, m := range misspelled {
		names = append(names, m[0])
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "additionalProperties" })
}

// RuleIn returns the name of the first rule for values in a tag, or "".
func RuleIn(tag reflect.StructTag) string {
	for _, r := range rules {
		if _, ok := tag.Lookup(r.tag); ok && r.of != annotation {
			return r.tag
		}
	}
	return ""
}

// misspelled are names of rules in other libraries, with the names to use instead.
var misspelled = [...][2]string{
	{"minimum", "min"}, {"maximum", "max"}, {"minLen", "minLength"}, {"maxLen", "maxLength"},
	{"ge", "min"}, {"gt", "exclusiveMin"}, {"le", "max"}, {"lt", "exclusiveMax"},
	{"hidden", `json:"-"`}, {"timeFormat", timeFormats}, {"time_format", timeFormats},
	{"collection_format", `",commas" behind the name in the tag query`}, {"contentType", `the media type in the tag body, or accept for a File`},
	{"minItems", "minLength"},
	{"maxItems", "maxLength"}, {"minProperties", "minLength"}, {"maxProperties", "maxLength"}, {"uniqueItems", "unique"}, {"description", "doc"}, {"oneof", "enum"},
	{"additionalProperties", "it on a field _ struct{}"}, {"dependentrequired", "dependentRequired"},
	{"required", `",required" behind a parameter's name; members without omitempty are required`},
	{"exclusiveMinimum", "exclusiveMin"}, {"exclusiveMaximum", "exclusiveMax"},
	{"validate", "rules such as min, maxLength and pattern"}, {"binding", "rules such as min, maxLength and pattern"},
}

const timeFormats = `format:"date-time", format:"date" or format:"http-date"`

// rule is a tag and the function that adds it to a schema.
type rule struct {
	tag   string
	of    scope
	kinds values
	read  func(s *schema.Schema, text string) error
}

// scope is the target of a rule on a slice.
type scope uint8

const (
	wholeSlice scope = iota // the slice
	eachItem                // its items
	annotation              // an annotation, which is allowed with a reference
)

// values are the types of values to which a rule applies.
type values struct{ names, words, hint string }

var (
	all     = values{}
	numbers = values{"integer number", "numbers", ": write minLength or maxLength for text, slices and maps"}
	texts   = values{"string", "text", ""}
	scalars = values{"string integer number", "text and numbers", ""}
	lists   = values{"array", "slices and arrays", ""}
	sized   = values{"string array object", "text, slices and maps", ": write min or max for a number"}
)

// rules are in the order in which they are read: values in a tag must match the earlier rules.
var rules = [...]rule{
	{"min", eachItem, numbers, func(s *schema.Schema, text string) error { return readLimit(&s.Min, text, 1, false) }},
	{"max", eachItem, numbers, func(s *schema.Schema, text string) error { return readLimit(&s.Max, text, -1, false) }},
	{"exclusiveMin", eachItem, numbers, func(s *schema.Schema, text string) error { return readLimit(&s.Min, text, 1, true) }},
	{"exclusiveMax", eachItem, numbers, func(s *schema.Schema, text string) error { return readLimit(&s.Max, text, -1, true) }},
	{"multipleOf", eachItem, numbers, readStep},
	{"format", eachItem, texts, func(s *schema.Schema, text string) error { s.Format = text; return nil }},
	{"minLength", wholeSlice, sized, func(s *schema.Schema, text string) error { return readLength(s, &s.MinLength, text, false) }},
	{"maxLength", wholeSlice, sized, func(s *schema.Schema, text string) error { return readLength(s, &s.MaxLength, text, true) }},
	{"pattern", eachItem, texts, readPattern},
	{"enum", eachItem, scalars, readEnum},
	{"unique", wholeSlice, lists, readUnique},
	{"default", annotation, all, func(s *schema.Schema, text string) (err error) { s.Default, err = literal(s, text); return err }},
	{"example", annotation, all, func(s *schema.Schema, text string) (err error) { s.Example, err = literal(s, text); return err }},
	{"deprecated", annotation, all, func(s *schema.Schema, text string) error { return readBool(&s.Deprecated, text) }},
	{"nullable", annotation, all, readNullable},
	{"readOnly", annotation, all, func(s *schema.Schema, text string) error { return readNotIn(s, schema.InRequests, text) }},
	{"writeOnly", annotation, all, func(s *schema.Schema, text string) error { return readNotIn(s, schema.InResponses, text) }},
	{"doc", annotation, all, func(s *schema.Schema, text string) error { s.Doc = text; return nil }},
}

// add adds the rule to s.
func (r rule) add(s *schema.Schema, text string) error {
	if r.of != annotation {
		if err := inline(s); err != nil {
			return err
		}
	}
	if r.of != annotation && s.Quoted != nil {
		inner := *s.Quoted
		s.Quoted = &inner
		return r.add(&inner, text)
	}
	if r.of == eachItem && s.Kind == "array" {
		items := *s.Items
		s.Items = &items
		return r.add(&items, text)
	}
	if known := schema.FormatLike(text); r.tag == "format" && known != text {
		return fmt.Errorf("write %s", known)
	}
	if r.tag == "format" && text == "duration" && s.Duration {
		if s.Min != nil || s.Max != nil || s.MultipleOf != nil {
			return errors.New("min, max and the like are for numbers: leave them out")
		}
		s.Kind = "string"
	}
	if r.tag == "format" && s.Codec != nil && s.Codec.Formats != nil {
		formats := s.Codec.Formats
		if s.Codec = formats[text]; s.Codec == nil {
			known := strings.Join(slices.Sorted(maps.Keys(formats)), " or ")
			return fmt.Errorf("values of the type are never such text: write the format %s, or a field of another type", known)
		}
	}
	if r.kinds != all && !slices.Contains(strings.Fields(r.kinds.names), s.Kind) {
		return fmt.Errorf("this is for %s, not for %s%s", r.kinds.words, s.Noun(), r.kinds.hint)
	}
	return r.read(s, text)
}

// inline replaces a reference by the schema of the named slice or map, for the rules of a field.
func inline(s *schema.Schema) error {
	if s.Ref == "" {
		return nil
	}
	t := s.Resolve()
	if t.Kind != "array" && t.Kind != "object" || t.Properties != nil {
		return fmt.Errorf("this is not allowed on the type %s: write it on the fields of that type", s.Ref)
	}
	nullable, wrapper := s.Nullable, s.Wrapper
	*s = *t
	s.Nullable, s.Wrapper = nullable, wrapper
	return nil
}

// needs sets which members of an object require which, by their tags dependentRequired. In a
// response a required one is sent with the other, so it must have JSON for its zero value.
func (d *Definitions) needs(s *schema.Schema, fields []field) error {
	for i, f := range fields {
		for _, name := range Needed(f.Tag) {
			j := s.PropertyOf(name, i)
			switch {
			case j < 0 || j == i:
				return fmt.Errorf("tag dependentRequired: %q is not another member: write the names of members, with commas between them", name)
			case s.Properties[j].Schema.NotIn != s.Properties[i].Schema.NotIn:
				return fmt.Errorf("tag dependentRequired: %q is not in the same requests and responses: write readOnly or writeOnly on both", name)
			case d.Input:
			case fields[j].mayMiss && !fields[j].isInStructOf(f):
				return fmt.Errorf("tag dependentRequired: %q is left out if its embedded pointer is nil: embed the struct", name)
			case s.Properties[j].Schema.LacksZero() || fields[j].Type.Kind() == reflect.Pointer && !s.Properties[j].Schema.Nullable:
				return fmt.Errorf("tag dependentRequired: %q is left out if it is zero: write a pointer that may be null", name)
			}
			s.Properties[j].NeededBy = append(s.Properties[j].NeededBy, f.name)
		}
	}
	for i := range s.Properties {
		s.Properties[i].SentWith = needing(s, i, nil)
	}
	return nil
}

// needing appends the properties that require property i, directly or through other properties.
func needing(s *schema.Schema, i int, found []int) []int {
	for _, name := range s.Properties[i].NeededBy {
		if j := s.PropertyOf(name, 0); !slices.Contains(found, j) {
			found = needing(s, j, append(found, j))
		}
	}
	return found
}

// Needed returns the names in the tag dependentRequired.
func Needed(tag reflect.StructTag) []string {
	return strings.FieldsFunc(tag.Get("dependentRequired"), func(r rune) bool { return r == ',' || r == ' ' })
}

// checkBounds returns an error for rules that no value can match.
func checkBounds(s *schema.Schema) error {
	switch {
	case s.Min != nil && s.Max != nil && s.Min.Compare(&s.Max.Number) > 0:
		return fmt.Errorf("min %s is greater than max %s", s.Min.Text, s.Max.Text)
	case s.Min != nil && s.Max != nil && (s.Min.Exclusive || s.Max.Exclusive) && s.Min.Compare(&s.Max.Number) == 0:
		return errors.New("no number is within these limits")
	case s.MinLength != nil && s.MaxLength != nil && s.MinLength.N > s.MaxLength.N:
		return fmt.Errorf("minLength %d is greater than maxLength %d", s.MinLength.N, s.MaxLength.N)
	case s.Items != nil:
		return checkBounds(s.Items)
	case s.Quoted != nil:
		return checkBounds(s.Quoted)
	}
	return nil
}

func readNumber(text string) (n schema.Number, err error) {
	n = schema.NumberOf(text)
	if !json.Valid([]byte(text)) || math.IsNaN(n.Float()) || math.IsInf(n.Float(), 0) {
		err = errors.New("write a number")
	}
	return n, err
}

// readLimit reads a limit, unless the type or another tag has a stricter limit.
func readLimit(to **schema.Limit, text string, sign int, exclusive bool) error {
	n, err := readNumber(text)
	if err != nil {
		return err
	}
	if old := *to; old == nil || n.Compare(&old.Number)*sign > 0 || exclusive && n.Compare(&old.Number) == 0 {
		*to = schema.NewLimit(n, sign < 0, exclusive)
	}
	return nil
}

func readStep(s *schema.Schema, text string) error {
	n, err := readNumber(text)
	if err != nil || !n.IsStep() {
		return fmt.Errorf("write a number above 0 of at most %d digits", schema.MaxStepDigits)
	}
	s.MultipleOf = &n
	return nil
}

func readLength(s *schema.Schema, to **schema.Length, text string, isGreatest bool) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 0:
		return errors.New("write a number of at least 0")
	case s.Fixed:
		return errors.New("minLength and maxLength are for slices: an array has the length of its type")
	}
	*to = s.NewLength(n, isGreatest)
	return nil
}

// readNotIn reads whether a member is absent from requests or from responses.
func readNotIn(s *schema.Schema, direction schema.Direction, text string) error {
	isNotIn := false
	err := readBool(&isNotIn, text)
	switch {
	case err != nil || !isNotIn:
		return err
	case s.NotIn != 0 && s.NotIn != direction:
		return errors.New("readOnly and writeOnly: write one of the two, or exclude the field with json:\"-\"")
	}
	s.NotIn = direction
	return nil
}

func readBool(to *bool, text string) (err error) {
	if *to, err = strconv.ParseBool(text); err != nil {
		return errors.New("write true or false")
	}
	return nil
}

// readUnique reads whether items, which must be scalars, must be unique.
func readUnique(s *schema.Schema, text string) error {
	if !s.Items.Resolve().Scalar() {
		return fmt.Errorf("the items are text, numbers or booleans, not %s: write a map, or check them with Validate", s.Items.Noun())
	}
	return readBool(&s.Unique, text)
}

// readNullable reads whether a value that may be nil may be null. The default is true.
func readNullable(s *schema.Schema, text string) error {
	isNullable := s.Nullable
	err := readBool(&s.Nullable, text)
	switch {
	case err != nil:
		return err
	case s.Nullable && !isNullable:
		return errors.New("write a pointer as the field's type")
	case !s.Nullable && s.Resolve().Nullable:
		return fmt.Errorf("the type %s may be null by its rules", s.Ref)
	}
	return nil
}

func readPattern(s *schema.Schema, text string) (err error) {
	s.Pattern, err = schema.NewPattern(text)
	return err
}

// readEnum reads an enumeration, which replaces the type's. It may have other values.
func readEnum(s *schema.Schema, text string) error {
	var enum []schema.Literal
	s.Enum = nil
	for _, one := range strings.Split(text, ",") {
		one = strings.TrimSpace(one)
		b, err := literal(s, one)
		if err != nil {
			return err
		}
		if enum, err = addLiteral(enum, schema.NewLiteral(one, b)); err != nil {
			return err
		}
	}
	s.Enum = enum
	return nil
}

// addLiteral appends a value to an enumeration. It returns an error if it has the value already.
func addLiteral(enum []schema.Literal, one schema.Literal) ([]schema.Literal, error) {
	if slices.ContainsFunc(enum, one.Equal) {
		return nil, fmt.Errorf("it has the value %s twice: remove one", one.JSON)
	}
	return append(enum, one), nil
}

// literal reads a value in a tag: plain text for strings, values with commas between them for
// slices of scalars, and JSON for all others.
func literal(s *schema.Schema, text string) (json.RawMessage, error) {
	b := json.RawMessage(text)
	switch t := s.Resolve(); {
	case t.Quoted != nil:
		inner, err := literal(t.Quoted, text)
		if err != nil {
			return nil, err
		}
		b, _ = json.Marshal(string(inner))
	case t.Kind == "string":
		b, _ = json.Marshal(text)
	case t.Kind == "array" && !strings.HasPrefix(text, "["):
		var items []json.RawMessage
		for _, item := range strings.Split(text, ",") {
			v, err := literal(t.Items, strings.TrimSpace(item))
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		b, _ = json.Marshal(items)
	}
	if !json.Valid(b) {
		return nil, fmt.Errorf("%q is not %s: write it as JSON", text, s.Noun())
	}
	if problems := value.Check(s, string(b), schema.InRequests); len(problems) > 0 {
		return nil, errors.New(problems[0].Detail)
	}
	return b, nil
}
