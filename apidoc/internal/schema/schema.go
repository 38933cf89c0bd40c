// Package schema describes JSON values. Package gotype makes schemas from Go types, package value
// checks values against them, and package openapi writes them.
package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file describes values, and checks the texts of scalars.

// Schema describes a JSON value. The zero Schema allows any value. It is immutable once its type
// was read.
type Schema struct {
	// Ref is the name of a type, and Target its definition. Next to these only Nullable, Wrapper
	// and annotations are set.
	Ref    string
	Target *Schema
	Named  reflect.Type // of a definition: its type

	Kind     string // JSON Schema's type
	Nullable bool
	Format   string

	Bits     int  // the size of a Go number, or 0
	Unsigned bool // the number is not below 0
	Duration bool // a time.Duration: a number, or text of ISO 8601

	Wrapper *Wrapper // around the Go value; may be set together with Ref; nil without a wrapper

	Items *Schema // of an array
	Fixed bool    // a Go array, whose type has the length

	Properties []Property
	names      *names  // of the properties, if there are many
	Closed     bool    // members that are not listed are refused
	Keys       *Schema // the names of members that are not listed
	Values     *Schema // of members that are not listed

	DependsOnDirection bool // of a definition: it differs between requests and responses

	Quoted *Schema   // the schema of the text's content, for the json tag's option ",string"
	OneOf  []*Schema // of a union
	By     *Discriminator
	Rules

	Codec *Codec // of a scalar; nil if there is no Go value
	// ValidatorPaths are the index paths of the structs that implement Validator: embedded structs
	// first, and last the value itself, with the empty path.
	ValidatorPaths [][]int

	Opaque reflect.Type // a type that encoding/json encodes and decodes with its methods
}

// Discriminator is the member that names the alternative of a union.
type Discriminator struct {
	Name     string
	Mappings []Mapping // its values
}

// Mapping is a value of a discriminator, and the alternative that it selects.
type Mapping struct {
	Text   string
	Schema *Schema
}

// Property is a member of an object.
type Property struct {
	Name       string
	Label      string // a comma, the name as JSON, and a colon
	Required   bool
	NeededBy   []string // members that require this one if they are present
	Schema     *Schema
	Index      []int // of the field of the Go struct
	SameStruct bool  // the field is in the same struct as the field of the previous property
	OmitZero   bool  // a zero value is left out of responses, where the member is not required

	Omits    func(field reflect.Value) bool // reports whether a response omits the member; nil for never
	LeftOut  json.RawMessage                // what a response has for a member with a default that Omits leaves out; nil for the field's value
	SentWith []int                          // the properties in NeededBy, and the members that require these

	DefaultText string // the content of a default that is a plain scalar; "" for others
}

// RequiredIn reports whether the member is required in requests or responses.
func (p *Property) RequiredIn(direction Direction) bool {
	return p.Required && (direction == InRequests || !p.OmitZero)
}

// Direction selects requests, responses or both. A member of an object may be in only one of them.
type Direction uint8

const (
	InRequests  Direction = 1 + iota // without readOnly members
	InResponses                      // without writeOnly members
	Everywhere                       // with all members
)

// Rules are the restrictions and annotations that tags add to a type.
type Rules struct {
	Min, Max             *Limit
	MultipleOf           *Number
	MinLength, MaxLength *Length
	Pattern              *Pattern
	Enum                 []Literal
	Unique               bool
	Default, Example     json.RawMessage
	Deprecated           bool
	NotIn                Direction // InRequests for a readOnly member, InResponses for writeOnly; 0 for others
	Doc                  string
}

// Limit is a minimum or maximum of numbers.
type Limit struct {
	Number
	Exclusive  bool // the limit itself is not allowed
	isGreatest bool
	fault      *Fault // of a number outside the limit
}

// NewLimit returns a minimum, or a maximum if isGreatest.
func NewLimit(n Number, isGreatest, isExclusive bool) *Limit {
	code, words := "minimum", "at least"
	switch {
	case isGreatest && isExclusive:
		code, words = "exclusiveMaximum", "less than"
	case isGreatest:
		code, words = "maximum", "at most"
	case isExclusive:
		code, words = "exclusiveMinimum", "greater than"
	}
	return &Limit{n, isExclusive, isGreatest, bound(code, words, n.Text)}
}

// refuse returns the fault of a number, or nil if it is within the limit. A nil Limit allows every
// number.
func (l *Limit) refuse(n *Number) *Fault {
	if l == nil {
		return nil
	}
	order := n.Compare(&l.Number)
	if order == 0 && !l.Exclusive || order != 0 && (order > 0) != l.isGreatest {
		return nil
	}
	return l.fault
}

// Length is a minimum or maximum number of characters, bytes of a file, items of an array, or
// members of an object.
type Length struct {
	N     int
	fault *Fault // of a value of another length
}

// NewLength returns a minimum length for s, or a maximum if isGreatest.
func (s *Schema) NewLength(n int, isGreatest bool) *Length {
	code, most, unit := s.LengthRules()
	words := "at least "
	if isGreatest {
		code, words = most, "at most "
	}
	if s.Fixed {
		words = ""
	}
	if n != 1 {
		unit += "s"
	}
	return &Length{n, &Fault{code, n, "must have " + words + strconv.Itoa(n) + " " + unit}}
}

// MarshalJSON returns the number.
func (l *Length) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(l.N), 10), nil }

// Literal is a value of an enumeration.
type Literal struct {
	Text   string // the content of a string, or the JSON of other values
	JSON   json.RawMessage
	number Number // of a number
}

// NewLiteral returns a value whose content is text.
func NewLiteral(text string, as json.RawMessage) Literal { return Literal{text, as, NumberOf(text)} }

// ContentOf returns the content of a string, or the JSON of other values.
func ContentOf(value json.RawMessage) string {
	text := string(value)
	_ = json.Unmarshal(value, &text) // only a string changes it
	return text
}

// Equal reports whether two values of an enumeration are equal, as 1 and 1.0 are.
func (l Literal) Equal(other Literal) bool {
	isNumber := l.JSON[0] != '"' && !math.IsNaN(l.number.float)
	return l.Text == other.Text || isNumber && l.number.Compare(&other.number) == 0
}

// Resolve returns the definition behind a reference, and other schemas as they are.
func (s *Schema) Resolve() *Schema {
	if s.Target != nil {
		return s.Target
	}
	return s
}

// PropertyOf returns the index of the property with a name, or -1. It checks guess first, since
// members are mostly in the order of the properties.
func (s *Schema) PropertyOf(name string, guess int) int {
	if guess < len(s.Properties) && s.Properties[guess].Name == name {
		return guess
	}
	if s.names != nil {
		return indexIn(s.names.exact, name)
	}
	for i := range s.Properties { // a Property is too large to be copied
		if s.Properties[i].Name == name {
			return i
		}
	}
	return -1
}

// PropertyLike returns the index of the first property whose name equals name in another letter
// case, or -1.
func (s *Schema) PropertyLike(name string) int {
	if s.names != nil {
		return indexIn(s.names.folded, folded(name))
	}
	return slices.IndexFunc(s.Properties, func(p Property) bool { return strings.EqualFold(p.Name, name) })
}

// names are the indices of many properties.
type names struct{ exact, folded map[string]int }

// IndexNames prepares an object to find its properties by their names. It is called when all are
// known.
func (s *Schema) IndexNames() {
	const few = 8 // are compared one after the other
	if len(s.Properties) <= few {
		return
	}
	s.names = &names{make(map[string]int), make(map[string]int)}
	for i, p := range s.Properties {
		s.names.exact[p.Name] = i
		if like := folded(p.Name); indexIn(s.names.folded, like) < 0 {
			s.names.folded[like] = i
		}
	}
}

func indexIn(indices map[string]int, name string) int {
	if i, ok := indices[name]; ok {
		return i
	}
	return -1
}

// folded returns a text that is equal for names that [strings.EqualFold] takes as equal.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		if 'A' <= least && least <= 'Z' {
			least += 'a' - 'A' // as most names are written
		}
		return least
	}, name)
}

// Scalar reports whether values are strings, numbers or booleans.
func (s *Schema) Scalar() bool {
	switch s.Kind {
	case "string", "integer", "number", "boolean":
		return true
	}
	return false
}

// LacksZero reports whether the zero value of the Go type is treated as absent because the schema
// does not allow it.
func (s *Schema) LacksZero() bool {
	return s.Codec != nil && s.Codec.ZeroIsAbsent && !s.Nullable && s.Refuse("") != nil
}

// IsBinary reports whether a value is raw bytes, such as a file's.
func (s *Schema) IsBinary() bool { return s.Kind == "string" && s.Format == "binary" }

// IsAny reports whether every JSON value is allowed.
func (s *Schema) IsAny() bool { return s.Kind == "" && s.Ref == "" && s.OneOf == nil }

// Noun returns the kind of value for an error text.
func (s *Schema) Noun() string {
	switch t := s.Resolve(); {
	case t.IsAny():
		return "JSON"
	case t.OneOf != nil:
		return "one of the described kinds"
	case t.Kind == "array" || t.Kind == "integer" || t.Kind == "object":
		return "an " + t.Kind
	default:
		return "a " + t.Kind
	}
}

// Fault is the rule that a value violates. Nil means that the value is valid. It is immutable.
type Fault struct {
	Code   string // of the rule: its keyword in JSON Schema, if it has one
	Limit  any    // the keyword's value; nil if the code is enough
	Detail string // the rule in English, such as "must be an integer"
}

// Faults that are the same for all values.
var (
	Required = &Fault{Code: "required", Detail: "is required"}
	Unknown  = &Fault{Code: "additionalProperties", Detail: "is not a described member"}
	SameName = &Fault{Code: "duplicate", Detail: "must not occur twice"}
	SameItem = &Fault{Code: "uniqueItems", Detail: "must not occur twice"}
)

// MissingWith is the fault of a missing value that another value requires.
func MissingWith(name string) *Fault {
	return &Fault{"dependentRequired", name, "is required with " + strconv.Quote(name)}
}

// OfName returns the fault of a member whose name has the fault.
func (f *Fault) OfName() *Fault { return &Fault{"propertyNames", f.Limit, "the name " + f.Detail} }

// WrongType is the fault of a value of another type.
func (s *Schema) WrongType() *Fault {
	t := s.Resolve()
	if f := wrongTypes[t.Kind]; f != nil {
		return f
	}
	return &Fault{"type", t.Kind, "must be " + t.Noun()}
}

// wrongTypes are made once, since they are the same for all schemas of a kind.
var wrongTypes = func() map[string]*Fault {
	all := make(map[string]*Fault)
	for _, kind := range []string{"string", "integer", "number", "boolean", "array", "object"} {
		all[kind] = &Fault{"type", kind, "must be " + (&Schema{Kind: kind}).Noun()}
	}
	return all
}()

// bound returns the fault of a number outside a limit. Words precede the limit, such as "at most".
func bound(code, words, limit string) *Fault {
	return &Fault{code, json.Number(limit), "must be " + words + " " + limit}
}

// unlisted is the fault of a value that an enumeration does not have.
func (s *Schema) unlisted() *Fault {
	texts, values := make([]string, len(s.Enum)), make([]any, len(s.Enum))
	for i, l := range s.Enum {
		texts[i], values[i] = string(l.JSON), json.Number(l.JSON)
		if l.JSON[0] == '"' {
			values[i] = l.Text
		}
	}
	return &Fault{"enum", values, "must be one of " + strings.Join(texts, ", ")}
}

// LengthRules returns the keywords for limits of a value's length, and the unit. JSON Schema
// has no keywords for the bytes of a file.
func (s *Schema) LengthRules() (least, most, unit string) {
	switch {
	case s.IsBinary():
		return "minBytes", "maxBytes", "byte"
	case s.Kind == "array":
		return "minItems", "maxItems", "item"
	case s.Kind == "object":
		return "minProperties", "maxProperties", "member"
	}
	return "minLength", "maxLength", "character"
}

// RefuseLength returns the fault of a value's length.
func (s *Schema) RefuseLength(n int) *Fault {
	switch {
	case s.MinLength != nil && n < s.MinLength.N:
		return s.MinLength.fault
	case s.MaxLength != nil && n > s.MaxLength.N:
		return s.MaxLength.fault
	}
	return nil
}

// Refuse is [Schema.Set] without a value.
func (s *Schema) Refuse(text string) *Fault {
	_, f := s.Set(reflect.Value{}, text)
	return f
}

// Set checks the text of a scalar, and sets v to its value unless it has a fault. With the zero
// Value it only checks. It returns the text; an integer such as 1.0 is returned with digits only.
// For the kind number, the text must be a number (see [IsNumber]); for others it may be any text.
func (s *Schema) Set(v reflect.Value, text string) (plain string, f *Fault) {
	switch {
	case s.Quoted != nil:
		f = s.Quoted.refuseWithin(text)
	case s.Kind == "boolean" && text != "true" && text != "false":
		f = &Fault{"type", s.Kind, "must be true or false"}
	case s.Kind == "integer":
		switch plain, isInteger := PlainInteger(text); {
		case !isInteger:
			f = s.WrongType()
		case plain == "":
			f = s.refuseLong(text)
		default:
			text, f = plain, s.refuseInteger(plain)
		}
	case s.Kind == "number":
		f = s.refuseNumber(text)
	case s.Kind == "string":
		f = s.refuseString(text)
	}
	if f == nil && v.IsValid() && s.Codec.Parse(v, text) != nil {
		f = s.Invalid()
	}
	return text, f
}

// Invalid is the fault of a value that matches all rules but that its type cannot decode.
func (s *Schema) Invalid() *Fault {
	t := s.Opaque
	if t == nil && s.Codec != nil {
		t = s.Codec.Type
	}
	if t == nil {
		return &Fault{Code: "invalid", Detail: "cannot be read"}
	}
	name, _, _ := strings.Cut(t.Name(), "[") // the arguments of a generic type contain their packages
	return &Fault{Code: "invalid", Detail: "must be a valid " + name}
}

// refuseWithin returns the fault of JSON within a string. Values of an enumeration must be written
// exactly as in the enumeration.
func (s *Schema) refuseWithin(text string) *Fault {
	var f *Fault
	inner := text
	switch {
	case !json.Valid([]byte(text)), s.Kind == "string" && (text[0] != '"' || json.Unmarshal([]byte(text), &inner) != nil):
		f = s.WrongType()
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return string(l.JSON) == text }):
		f = s.unlisted()
	default:
		f = s.RefuseText(inner)
	}
	if f == nil {
		return nil
	}
	return &Fault{f.Code, f.Limit, f.Detail + " in a string"}
}

// RefuseText is [Schema.Refuse] for text that is not JSON, such as the name of a member. An integer
// is written as [IsWritten] requires: not as 1.0 or -0.
func (s *Schema) RefuseText(text string) *Fault {
	switch {
	case s.Kind == "integer" && !IsWritten(text), s.Kind == "number" && !IsNumber(text):
		return s.WrongType()
	case s.Kind == "integer":
		return s.refuseInteger(text)
	}
	return s.Refuse(text)
}

func (s *Schema) refuseString(text string) *Fault {
	if s.Duration {
		if _, err := ParseDuration(text); err != nil {
			return &Fault{"format", s.Format, "must be a duration as in ISO 8601, without years and months, such as P1DT2H"}
		}
	}
	if s.Format != "" {
		if f, ok := formats[s.Format]; ok && !f.valid(text) {
			return &Fault{"format", s.Format, f.detail}
		}
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return l.Text == text }) {
		return s.unlisted()
	}
	if s.MinLength != nil || s.MaxLength != nil {
		length := len(text)
		if s.Format != "binary" {
			length = utf8.RuneCountInString(text)
		}
		if f := s.RefuseLength(length); f != nil {
			return f
		}
	}
	if s.Pattern != nil && !s.Pattern.MatchString(text) {
		return s.Pattern.fault
	}
	return nil
}

func (s *Schema) refuseInteger(text string) *Fault {
	if f := s.refuseByRules(text); f != nil {
		return f
	}
	isShort := len(text) <= (s.Bits-1)*3/10 // each bit is worth .301 decimal digits
	isNegative := text[0] == '-'
	switch {
	case s.Bits == 0 && len(strings.TrimPrefix(text, "-")) > maxIntegerDigits:
		return &Fault{Code: "invalid", Detail: "must have at most " + strconv.Itoa(maxIntegerDigits) + " digits"}
	case s.Bits == 0 || isShort && !(s.Unsigned && isNegative):
		return nil
	case s.Unsigned:
		if _, err := strconv.ParseUint(text, 10, s.Bits); err == nil {
			return nil
		}
	default:
		if _, err := strconv.ParseInt(text, 10, s.Bits); err == nil {
			return nil
		}
	}
	return s.outside(isNegative)
}

// refuseLong returns the fault of an integer that is written with an exponent or a fraction
// and has many digits.
func (s *Schema) refuseLong(text string) *Fault {
	if f := s.refuseByRules(text); f != nil {
		return f
	}
	if s.Bits != 0 {
		return s.outside(text[0] == '-')
	}
	return &Fault{Code: "invalid", Detail: "has more than " + strconv.Itoa(maxPlainDigits) + " digits: it must be written without an exponent and a fraction"}
}

// outside is the fault of an integer that its Go type cannot represent.
func (s *Schema) outside(isNegative bool) *Fault {
	least, most := int64(0), uint64(math.MaxUint64)>>(64-s.Bits)
	if !s.Unsigned {
		least, most = math.MinInt64>>(64-s.Bits), most/2
	}
	if isNegative {
		return bound("minimum", "at least", strconv.FormatInt(least, 10))
	}
	return bound("maximum", "at most", strconv.FormatUint(most, 10))
}

func (s *Schema) refuseNumber(text string) *Fault {
	if s.Bits == 32 || s.Bits == 64 && len(text) > 15 || strings.ContainsAny(text, "eE") {
		if _, err := strconv.ParseFloat(text, max(s.Bits, 32)); s.Bits != 0 && err != nil {
			return &Fault{"format", s.Format, "must be a number of " + strconv.Itoa(s.Bits) + " bits"}
		}
	}
	return s.refuseByRules(text)
}

// refuseByRules returns the fault of a number, without the limits of its Go type.
func (s *Schema) refuseByRules(text string) *Fault {
	if s.Min == nil && s.Max == nil && s.MultipleOf == nil && s.Enum == nil {
		return nil
	}
	n := NumberOf(text)
	if f := s.Min.refuse(&n); f != nil {
		return f
	}
	if f := s.Max.refuse(&n); f != nil {
		return f
	}
	switch {
	case s.MultipleOf != nil && !s.MultipleOf.divides(&n):
		return bound("multipleOf", "a multiple of", s.MultipleOf.Text)
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return l.number.Compare(&n) == 0 }):
		return s.unlisted()
	}
	return nil
}
