package apidoc

import (
	"io"
	"reflect"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// Type is the type of a value in a request or a response. Make one with [TypeOf]; the zero Type
// describes nothing. Types are comparable and safe for concurrent use.
type Type struct{ goType reflect.Type }

// TypeOf returns the Type of what [encoding/json] writes for a T:
//
//   - text, integers with their size, numbers, booleans; a [time.Time] is text of the format
//     date-time, bytes are text of the format byte (base64), and a type with MarshalText is text;
//   - unlike there, a [net/url.URL] is text of the format uri, or uri-reference if the field's tag
//     says so; a [time.Duration], which is a number of nanoseconds, is text of ISO 8601 if its field
//     has the tag format:"duration"; and a [database/sql.Null] is its value or null;
//   - arrays for slices and arrays, objects for maps and structs; a slice or map is described as if
//     it were never nil;
//   - properties by the rules of json tags, embedding included: a field with omitempty or omitzero
//     is not required, nor is one of an embedded pointer, and a pointer may be null, unless its tag
//     is nullable:"false"; an [Optional] is both;
//   - for a type with a method Values, a [Union] or a [Described], what these methods return;
//   - in requests without the members that are readOnly, and in responses without those that are
//     writeOnly: a type with such a member, anywhere in it, has another definition for requests, with
//     Input behind its name;
//   - any value for interfaces, and for other types with a MarshalJSON of their own, whose values
//     their UnmarshalJSON checks.
//
// Each named struct, slice, array or map becomes a definition with its name, so types may refer to
// each other and to themselves. The name of a generic type is followed by those of its arguments,
// joined by underscores. Functions, channels, complex numbers, and map keys that JSON does not
// allow panic where the type is used.
func TypeOf[T any]() Type {
	t := Type{goType: reflect.TypeFor[T]()}
	if t.goType == reflect.TypeFor[routing.Problem]() {
		return problemType()
	}
	return t
}

// problemType returns the type of problems for the description. Its name is Problem too, and its
// fields are read, while the MarshalJSON of a [Problem] stands for any value.
func problemType() Type {
	type Problem routing.Problem
	return TypeOf[Problem]()
}

// String returns a name of the type.
func (t Type) String() string {
	if t.none() {
		return "any"
	}
	return t.goType.String()
}

// isFile reports whether t is an uploaded file, or several.
func (t Type) isFile() bool {
	return t.goType == reflect.TypeFor[File]() || t.goType == reflect.TypeFor[[]File]()
}

// Union is a type that is encoded as one of several types. Exactly one of them must match a value.
// OneOf is called on the zero value and returns a value of each type. The type must have
// MarshalJSON and UnmarshalJSON. If all types are structs that require a member with different
// enumerations of texts, such as kind, this is the discriminator: it is described, it selects the
// type whose errors an invalid value gets, and another kind gets the list of kinds. Without one the
// error lists the types.
type Union interface{ OneOf() []any }

// Described is a type that is encoded like another type, with rules as in a field's tag. For
// example, money may be encoded as text with a pattern. DescribedAs is called on the zero value. If
// like is a pointer, nil or not, the value may be null. A value must match the rules, and the type
// must decode it without an error.
type Described interface {
	DescribedAs() (like any, rules reflect.StructTag)
}

var readerType = reflect.TypeFor[io.Reader]()

// none reports whether t is the zero Type.
func (t Type) none() bool { return t == Type{} }

// schema returns t's schema, and adds its definitions.
func (t Type) schema(d *gotype.Definitions) (*schema.Schema, error) {
	file := &schema.Schema{Kind: "string", Format: "binary"}
	switch {
	case t.none():
		return &schema.Schema{}, nil
	case t.isFile() && t.goType.Kind() == reflect.Slice:
		return &schema.Schema{Kind: "array", Items: file}, nil
	case t.isFile():
		return file, nil
	}
	return d.Read(t.goType)
}
