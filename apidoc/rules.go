package apidoc

import (
	"cmp"
	"encoding/json"
	"errors"
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

// ruleTags are the tags of rules in the order in which they are read: what a value must be, then
// values, which must be so, then what is for people.
var ruleTags = [...]string{
	"min", "max", "multipleOf", "minLength", "maxLength", "format", "pattern", "enum", "unique",
	"default", "example", "deprecated", "doc",
}

// isConstraint reports whether a tag says what a value must be.
func isConstraint(tag string) bool { return slices.Index(ruleTags[:], tag) < 9 }

// ruled returns s with the rules of a field's tag. Of a slice, rules for single values are those of
// its items.
func (s *schema) ruled(tag reflect.StructTag) (*schema, error) {
	for _, m := range misspelled {
		if _, ok := tag.Lookup(m[0]); ok {
			return nil, fmt.Errorf("tag %s: write %s", m[0], m[1])
		}
	}
	c := *s
	for _, name := range ruleTags {
		text, ok := tag.Lookup(name)
		if !ok {
			continue
		}
		if c.ref != "" && isConstraint(name) {
			if err := c.inline(name); err != nil {
				return nil, err
			}
		}
		of := &c
		if single := name != "minLength" && name != "maxLength" && name != "unique"; isConstraint(name) && single && c.kind == "array" {
			items := *c.items
			c.items, of = &items, &items
		}
		if err := of.rule(name, text); err != nil {
			return nil, fmt.Errorf("tag %s:%q: %w", name, text, err)
		}
	}
	return &c, c.checkBounds()
}

// inline puts the schema of a named slice or map in the place of a reference, for rules of one
// field.
func (s *schema) inline(tag string) error {
	t := s.resolve()
	if t == nil || t.kind != "array" && t.kind != "object" || t.properties != nil {
		return fmt.Errorf("tag %s is not for the type %s: write it at the fields of that type", tag, s.ref)
	}
	nullable := s.nullable
	*s = *t
	s.nullable = nullable
	return nil
}

// rule adds one rule.
func (s *schema) rule(name, text string) (err error) {
	isNumber, isText := s.kind == "integer" || s.kind == "number", s.kind == "string"
	switch name {
	case "min", "max", "multipleOf":
		at := map[string]**bound{"min": &s.min, "max": &s.max, "multipleOf": &s.multipleOf}[name]
		if !isNumber {
			return fmt.Errorf("this is for numbers, not for %s: write minLength or maxLength for text, slices and maps", s.noun())
		}
		if *at, err = readBound(text); err == nil && name == "multipleOf" && s.multipleOf.float <= 0 {
			err = errors.New("write a number above 0")
		}
	case "minLength", "maxLength":
		at := map[string]**int{"minLength": &s.minLength, "maxLength": &s.maxLength}[name]
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return errors.New("write a number of at least 0")
		}
		if !isText && s.kind != "array" && s.kind != "object" {
			return fmt.Errorf("this is for text, slices and maps, not for %s: write min or max for a number", s.noun())
		}
		*at = &n
	case "format", "pattern":
		if !isText {
			return fmt.Errorf("this is for text, not for %s", s.noun())
		}
		if name == "format" {
			s.format = text
		} else {
			s.pattern, err = readPattern(text)
		}
	case "enum":
		var enum []literal
		s.enum = nil // of the type: the field's values need not be among them
		for _, one := range strings.Split(text, ",") {
			value, err := s.literal(one)
			if err != nil {
				return err
			}
			enum = append(enum, literal{one, value})
		}
		s.enum = enum
	case "unique", "deprecated":
		at := map[string]*bool{"unique": &s.unique, "deprecated": &s.deprecated}[name]
		if name == "unique" && s.kind != "array" {
			return fmt.Errorf("this is for slices and arrays, not for %s", s.noun())
		}
		if *at, err = strconv.ParseBool(text); err != nil {
			err = errors.New("write true or false")
		}
	case "default":
		s.def, err = s.literal(text)
	case "example":
		s.example, err = s.literal(text)
	case "doc":
		s.doc = text
	}
	return err
}

// checkBounds refuses rules that no value keeps.
func (s *schema) checkBounds() error {
	switch {
	case s.min != nil && s.max != nil && s.min.float > s.max.float:
		return fmt.Errorf("min %s is greater than max %s", s.min.text, s.max.text)
	case s.minLength != nil && s.maxLength != nil && *s.minLength > *s.maxLength:
		return fmt.Errorf("minLength %d is greater than maxLength %d", *s.minLength, *s.maxLength)
	}
	return nil
}

// literal reads a value of a tag: text as it is, of slices of scalars the values with commas
// between them, and JSON for all else.
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
		return nil, errors.New(c.problems[0].Detail)
	}
	return value, nil
}

func readBound(text string) (*bound, error) {
	b := boundOf(text)
	if !json.Valid([]byte(text)) || math.IsInf(b.float, 0) {
		return nil, errors.New("write a number")
	}
	return &b, nil
}

// boundOf reads a number. What is no integer of 64 bits is compared as a float.
func boundOf(text string) bound {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return bound{text, float64(i), i, true}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 {
		f = math.NaN()
	}
	return bound{text: text, float: f}
}

// compare returns -1 if b is less than other, 1 if it is greater, and 0 if they are equal.
func (b *bound) compare(other *bound) int {
	if b.whole && other.whole {
		return cmp.Compare(b.integer, other.integer)
	}
	return cmp.Compare(b.float, other.float)
}

// goOnly are parts of patterns that Go has and ECMA 262, which JSON Schema refers to, has not.
var goOnly = []string{"(?i", "(?m", "(?s", "(?U", "(?-", "(?P<", `\A`, `\z`, `\Q`, `\C`, `\a`, "[[:"}

func readPattern(text string) (*regexp.Regexp, error) {
	for _, part := range goOnly {
		if strings.Contains(text, part) {
			return nil, fmt.Errorf("clients of other languages don't know %s: write it without", part)
		}
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
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
	if s.min == nil && s.max == nil && s.multipleOf == nil && s.enum == nil {
		return ""
	}
	n := boundOf(text)
	switch {
	case s.min != nil && s.min.compare(&n) > 0:
		return "must be at least " + s.min.text
	case s.max != nil && s.max.compare(&n) < 0:
		return "must be at most " + s.max.text
	case s.multipleOf != nil && !s.multipleOf.divides(&n):
		return "must be a multiple of " + s.multipleOf.text
	case s.enum != nil && !slices.ContainsFunc(s.enum, func(l literal) bool { return sameNumber(l.text, text) }):
		return "must be one of " + s.enumeration()
	}
	return ""
}

// divides reports whether a number is a multiple of the bound, exactly, as decimals are read.
func (b *bound) divides(n *bound) bool {
	if b.whole && n.whole {
		return n.integer%b.integer == 0
	}
	if len(n.text) > 400 {
		return false
	}
	quotient, ok := new(big.Rat).SetString(n.text)
	step, _ := new(big.Rat).SetString(b.text)
	return ok && quotient.Quo(quotient, step).IsInt()
}

func sameNumber(a, b string) bool {
	x, y := boundOf(a), boundOf(b)
	return x.compare(&y) == 0
}
