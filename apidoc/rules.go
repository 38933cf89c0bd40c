package apidoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file holds the rules that the tags of a field add to its type, and how a value is held
// against them. They are listed in the package's text.

type rules struct {
	min, max, multipleOf *bound
	minLength, maxLength *int // characters, items of an array, or members of an object
	pattern              *regexp.Regexp
	enum                 []literal
	unique               bool
	def, example         json.RawMessage
	deprecated           bool
	doc                  string
}

// bound is a number of a tag, as it was written.
type bound struct {
	text    string
	float   float64
	integer int64
	whole   bool // integer holds it
}

// literal is one value of an enumeration.
type literal struct {
	text string // of a string what it holds, of others their JSON
	json json.RawMessage
}

// misspelled are names of rules in other libraries, each with the tag that has its place here.
var misspelled = [...][2]string{
	{"minimum", "min"}, {"maximum", "max"}, {"minLen", "minLength"}, {"maxLen", "maxLength"},
	{"minlength", "minLength"}, {"maxlength", "maxLength"}, {"minItems", "minLength"},
	{"maxItems", "maxLength"}, {"uniqueItems", "unique"}, {"description", "doc"}, {"oneof", "enum"},
}

// ruled returns s with the rules of a field's tag. Rules that a slice cannot have are those of its
// items.
func (s *schema) ruled(tag reflect.StructTag) (*schema, error) {
	r, err := readRules(tag)
	if err != nil || reflect.DeepEqual(r, rulesTags{}) {
		return s, err
	}
	c := *s
	if t := s.resolve(); s.ref != "" && r.constrains() {
		if t == nil || t.kind != "array" && t.kind != "object" || t.properties != nil {
			return nil, fmt.Errorf("tag %s is not for the type %s: write it at the fields of that type", r.first(), s.ref)
		}
		nullable := s.nullable
		c = *t // a named slice or map, with rules of this field alone
		c.nullable = nullable
	}
	if err := c.apply(&r); err != nil {
		return nil, err
	}
	return &c, nil
}

// rulesTags are the tags as they were written; a nil one is not there.
type rulesTags struct {
	min, max, multipleOf, minLength, maxLength, pattern, enum, unique, format *string
	def, example, doc, deprecated                                             *string
}

func readRules(tag reflect.StructTag) (r rulesTags, err error) {
	for _, m := range misspelled {
		if _, ok := tag.Lookup(m[0]); ok {
			return r, fmt.Errorf("tag %s: write %s", m[0], m[1])
		}
	}
	for _, t := range r.all() {
		if v, ok := tag.Lookup(t.name); ok {
			*t.at = &v
		}
	}
	return r, nil
}

type ruleTag struct {
	name string
	at   **string
}

// all lists the tags, those that constrain a value first.
func (r *rulesTags) all() []ruleTag {
	return []ruleTag{
		{"min", &r.min}, {"max", &r.max}, {"multipleOf", &r.multipleOf}, {"minLength", &r.minLength},
		{"maxLength", &r.maxLength}, {"pattern", &r.pattern}, {"enum", &r.enum}, {"unique", &r.unique},
		{"format", &r.format}, {"default", &r.def}, {"example", &r.example}, {"doc", &r.doc},
		{"deprecated", &r.deprecated},
	}
}

// first returns the name of the first tag that constrains a value, or nothing.
func (r *rulesTags) first() string {
	for _, t := range r.all()[:9] {
		if *t.at != nil {
			return t.name
		}
	}
	return ""
}

func (r *rulesTags) constrains() bool { return r.first() != "" }

// apply adds the rules to s, which is a copy.
func (s *schema) apply(r *rulesTags) (err error) {
	if r.doc != nil {
		s.doc = *r.doc
	}
	for _, b := range []struct {
		name string
		tag  *string
		at   *bool
	}{{"unique", r.unique, &s.unique}, {"deprecated", r.deprecated, &s.deprecated}} {
		if b.tag == nil {
			continue
		}
		if *b.at, err = strconv.ParseBool(*b.tag); err != nil {
			return fmt.Errorf("tag %s:%q: write true or false", b.name, *b.tag)
		}
	}
	if s.unique && s.kind != "array" {
		return fmt.Errorf("tag unique is for slices and arrays, not for %s", s.noun())
	}
	for _, l := range []struct {
		name string
		tag  *string
		at   **int
	}{{"minLength", r.minLength, &s.minLength}, {"maxLength", r.maxLength, &s.maxLength}} {
		if l.tag == nil {
			continue
		}
		n, err := strconv.Atoi(*l.tag)
		if err != nil || n < 0 {
			return fmt.Errorf("tag %s:%q: write a number of at least 0", l.name, *l.tag)
		}
		if s.kind != "string" && s.kind != "array" && s.kind != "object" {
			return fmt.Errorf("tag %s is for text, slices and maps, not for %s: write min or max for a number", l.name, s.noun())
		}
		*l.at = &n
	}
	if s.minLength != nil && s.maxLength != nil && *s.minLength > *s.maxLength {
		return fmt.Errorf("minLength %d is greater than maxLength %d", *s.minLength, *s.maxLength)
	}
	single := s
	if s.kind == "array" && s.items.ref == "" {
		items := *s.items
		s.items, single = &items, &items
	}
	if err := single.applyToValue(r); err != nil {
		return err
	}
	return s.applyValues(r)
}

// applyToValue adds the rules for one value, which of an array are those of its items.
func (s *schema) applyToValue(r *rulesTags) error {
	for _, n := range []struct {
		name string
		tag  *string
		at   **bound
	}{{"min", r.min, &s.min}, {"max", r.max, &s.max}, {"multipleOf", r.multipleOf, &s.multipleOf}} {
		if n.tag == nil {
			continue
		}
		if s.kind != "integer" && s.kind != "number" {
			return fmt.Errorf("tag %s is for numbers, not for %s: write minLength or maxLength for text, slices and maps", n.name, s.noun())
		}
		b, err := readBound(*n.tag)
		if err != nil || n.name == "multipleOf" && b.float <= 0 {
			return fmt.Errorf("tag %s:%q: write a number in its range", n.name, *n.tag)
		}
		*n.at = b
	}
	if s.min != nil && s.max != nil && s.min.float > s.max.float {
		return fmt.Errorf("min %s is greater than max %s", s.min.text, s.max.text)
	}
	if r.format != nil {
		if s.kind != "string" {
			return fmt.Errorf("tag format is for text, not for %s", s.noun())
		}
		s.format = *r.format
	}
	if r.pattern != nil {
		if s.kind != "string" {
			return fmt.Errorf("tag pattern is for text, not for %s", s.noun())
		}
		var err error
		if s.pattern, err = readPattern(*r.pattern); err != nil {
			return err
		}
	}
	if r.enum == nil {
		return nil
	}
	var enum []literal
	s.enum = nil // of the type: the field's values need not be among them
	for _, text := range strings.Split(*r.enum, ",") {
		value, err := s.literal(text)
		if err != nil {
			return fmt.Errorf("tag enum: %w", err)
		}
		enum = append(enum, literal{text, value})
	}
	s.enum = enum
	return nil
}

// applyValues adds the default and the example, which must keep all other rules.
func (s *schema) applyValues(r *rulesTags) (err error) {
	for _, v := range []struct {
		name string
		tag  *string
		at   *json.RawMessage
	}{{"default", r.def, &s.def}, {"example", r.example, &s.example}} {
		if v.tag == nil {
			continue
		}
		if *v.at, err = s.literal(*v.tag); err != nil {
			return fmt.Errorf("tag %s: %w", v.name, err)
		}
	}
	return nil
}

// literal reads a value of a tag: text as it is, of slices of scalars the values with commas between
// them, and JSON for all else.
func (s *schema) literal(text string) (json.RawMessage, error) {
	value := json.RawMessage(text)
	t := s.resolve()
	if t == nil {
		t = &schema{}
	}
	switch {
	case t.kind == "string":
		value, _ = json.Marshal(text)
	case t.kind == "array" && !strings.HasPrefix(text, "["):
		var items []json.RawMessage
		for _, item := range strings.Split(text, ",") {
			v, err := t.items.literal(item)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		value, _ = json.Marshal(items)
	}
	if !json.Valid(value) {
		return nil, fmt.Errorf("%q is not %s: write it as JSON", text, s.noun())
	}
	c := checker{text: value}
	if c.check(s); len(c.problems) > 0 {
		return nil, fmt.Errorf("%q %s", text, c.problems[0].Detail)
	}
	return value, nil
}

func readBound(text string) (*bound, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !json.Valid([]byte(text)) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("not a number")
	}
	i, err := strconv.ParseInt(text, 10, 64)
	return &bound{text, f, i, err == nil}, nil
}

// goOnly are parts of patterns that Go has and ECMA 262, which JSON Schema refers to, has not.
var goOnly = []string{"(?i", "(?m", "(?s", "(?U", "(?-", "(?P<", `\A`, `\z`, `\Q`, `\C`, `\a`, "[[:"}

func readPattern(text string) (*regexp.Regexp, error) {
	for _, part := range goOnly {
		if strings.Contains(text, part) {
			return nil, fmt.Errorf("pattern %q: clients of other languages don't know %s: write it without", text, part)
		}
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", text, err)
	}
	return re, nil
}

// refuseText returns what is wrong with a text that is a string, or nothing.
func (s *schema) refuseText(text string) string {
	switch {
	case s.format != "" && !validFormat(s.format, text):
		return formatDetail(s.format)
	case s.enum != nil && !s.listed(text):
		return "must be one of " + s.enumeration()
	}
	if s.minLength == nil && s.maxLength == nil && s.pattern == nil {
		return ""
	}
	return s.refuseBytes([]byte(text))
}

// refuseBytes is refuseText for strings that have neither a format nor a list of values.
func (s *schema) refuseBytes(text []byte) string {
	if s.minLength != nil || s.maxLength != nil {
		if detail := s.refuseLength(utf8.RuneCount(text), "character"); detail != "" {
			return detail
		}
	}
	if s.pattern != nil && !s.pattern.Match(text) {
		return "must match the pattern " + s.pattern.String()
	}
	return ""
}

func (s *schema) listed(text string) bool {
	return slices.ContainsFunc(s.enum, func(l literal) bool { return l.text == text })
}

func (s *schema) enumeration() string {
	texts := make([]string, len(s.enum))
	for i, l := range s.enum {
		texts[i] = string(l.json)
	}
	return strings.Join(texts, ", ")
}

func (s *schema) refuseLength(n int, unit string) string {
	limit, word := s.minLength, "at least"
	if limit == nil || n >= *limit {
		limit, word = s.maxLength, "at most"
		if limit == nil || n <= *limit {
			return ""
		}
	}
	if *limit != 1 {
		unit += "s"
	}
	return fmt.Sprintf("must have %s %d %s", word, *limit, unit)
}

// refuseBounds returns which rule a number breaks. Its text is JSON, and within the type's range.
func (s *schema) refuseBounds(text string) string {
	switch {
	case s.min == nil && s.max == nil && s.multipleOf == nil && s.enum == nil:
		return ""
	case s.min != nil && s.min.compare(text) > 0:
		return "must be at least " + s.min.text
	case s.max != nil && s.max.compare(text) < 0:
		return "must be at most " + s.max.text
	case s.multipleOf != nil && !s.multipleOf.divides(text):
		return "must be a multiple of " + s.multipleOf.text
	case s.enum != nil && !slices.ContainsFunc(s.enum, func(l literal) bool { return sameNumber(l.text, text) }):
		return "must be one of " + s.enumeration()
	}
	return ""
}

// compare compares the bound with a number: -1 if the bound is less.
func (b *bound) compare(text string) int {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil && b.whole {
		return cmp.Compare(b.integer, i)
	}
	f, _ := strconv.ParseFloat(text, 64)
	return cmp.Compare(b.float, f)
}

// divides reports whether a number is a multiple of the bound, exactly, as decimals are read.
func (b *bound) divides(text string) bool {
	if len(text) > 400 {
		return false
	}
	n, ok := new(big.Rat).SetString(text)
	step, _ := new(big.Rat).SetString(b.text)
	return ok && n.Quo(n, step).IsInt()
}

func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, _ := strconv.ParseFloat(a, 64)
	y, err := strconv.ParseFloat(b, 64)
	return err == nil && x == y && math.Abs(x) < 1<<53
}
