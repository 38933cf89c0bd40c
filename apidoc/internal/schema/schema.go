// Package schema describes JSON values. Package gotype makes schemas from Go types, package value
// checks values against them, and package openapi writes them.
package schema

import (
	"encoding/json"
	"reflect"
)

// Schema describes a JSON value. The zero Schema allows any value. It is immutable once its type
// was read.
type Schema struct {
	// Ref is the name of a type; then only Nullable and rules are set too. Target is the definition
	// of that type.
	Ref    string
	Target *Schema
	Named  reflect.Type

	Kind     string // JSON Schema's type
	Nullable bool
	Format   string

	Bits     int  // the size of a Go number; 0 if it has none
	Unsigned bool // the number is not below 0
	Duration bool // a time.Duration: a number, or text of ISO 8601

	Wrapper *Wrapper // around the Go value, also beside a Ref; nil if there is none

	Items  *Schema // of an array
	Length *int    // of a Go array

	Properties []Property
	Closed     bool    // members that are not listed are refused
	Keys       *Schema // the names of members that are not listed
	Values     *Schema // of members that are not listed

	Quoted *Schema   // the schema of the text's content, for the json tag's option ",string"
	OneOf  []*Schema // of a union
	By     *Discriminator
	Rules

	Leaf *Leaf // of a scalar; nil if there is no Go value
	// Checks are the ways of fields to the structs that check themselves: those embedded in the
	// value, and last itself, with the empty way.
	Checks [][]int

	Own reflect.Type // a type that encoding/json encodes and decodes as a whole, by its methods
}

// Discriminator is the member that tells which alternative of a union a value is.
type Discriminator struct {
	Name  string
	Kinds []Kind // its values
}

// Kind is a value of a discriminator, and the alternative that it stands for.
type Kind struct {
	Text   string
	Schema *Schema
}

// Property is one member of an object.
type Property struct {
	Name      string
	Label     string // a comma, the name as JSON, and a colon
	Required  bool
	NeededBy  []string // members that require it if they are there
	Schema    *Schema
	Index     []int // of the field of the Go struct
	Beside    bool  // the field is in the same struct as the one of the property before
	OmitEmpty bool
	OmitZero  bool
	NoZero    bool // a zero value is left out of responses, where the member is not required
}

// RequiredIn reports whether the member is required in requests, or in responses.
func (p *Property) RequiredIn(requests bool) bool { return p.Required && (requests || !p.NoZero) }

// Rules are what tags add to a type.
type Rules struct {
	Min, Max             *Limit
	MultipleOf           *Number
	MinLength, MaxLength *int // characters, items of an array, or members of an object
	Pattern              *Pattern
	Enum                 []Literal
	Unique               bool
	Default, Example     json.RawMessage
	Deprecated           bool
	ReadOnly, WriteOnly  bool // of a member: not in requests, or not in responses
	Doc                  string
}

// Limit is the least or greatest number.
type Limit struct {
	Number
	Exclusive bool // it is not allowed itself
}

// HiddenIn reports whether a member with these rules is no part of requests, or of responses.
func (r *Rules) HiddenIn(requests bool) bool {
	return requests && r.ReadOnly || !requests && r.WriteOnly
}

// Literal is one value of an enumeration.
type Literal struct {
	Text string // the content of a string, or the JSON of other values
	JSON json.RawMessage
}

// Resolve returns the schema after following references.
func (s *Schema) Resolve() *Schema {
	for s.Ref != "" {
		s = s.Target
	}
	return s
}

// PropertyOf returns the index of the property with a name, or -1. It checks guess first, since
// members are mostly in the order of the properties.
func (s *Schema) PropertyOf(name string, guess int) int {
	if guess < len(s.Properties) && s.Properties[guess].Name == name {
		return guess
	}
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return i
		}
	}
	return -1
}

// Scalar reports whether a value is one text in a request.
func (s *Schema) Scalar() bool {
	switch s.Kind {
	case "string", "integer", "number", "boolean":
		return true
	}
	return false
}

// LacksZero reports whether the zero value of the Go type is none, which the schema does not allow.
func (s *Schema) LacksZero() bool {
	return s.Leaf != nil && s.Leaf.ZeroIsNone && !s.Nullable && s.Refuse("") != nil
}

// IsBinary reports whether a value is raw bytes, as those of a file.
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
