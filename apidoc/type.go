package apidoc

import (
	"reflect"
	"strings"
)

// Type is the type of a value in a request or a response. Make one with [TypeOf], [Ref] or
// [ArrayOf]; the zero Type says nothing. Types are comparable and safe for concurrent use.
type Type struct {
	goType reflect.Type
	ref    string
	arrays int // how many times ArrayOf was put around
}

// TypeOf returns the Type of what [encoding/json] writes for a T:
//
//   - text, integers with their size, numbers, booleans; a [time.Time] is text of the format
//     date-time, bytes are text of the format byte (base64), and a type with MarshalText is text;
//   - arrays for slices and arrays, objects for maps and structs; a slice or map is described as if
//     it were never nil;
//   - properties by the rules of json tags, embedding included: a field with omitempty or omitzero
//     is not required, nor is one of an embedded pointer, and a pointer may be null;
//   - what the type tells of itself, by a method Values, [Union] or [Described];
//   - anything at all for interfaces and for other types with a MarshalJSON of their own, which
//     their UnmarshalJSON checks.
//
// Each named struct, slice, array or map becomes a definition of its name, so types may refer to
// each other and to themselves. The name of a generic type has its arguments' names behind it,
// joined by underscores. Functions, channels and complex numbers are refused where the type is
// used, as are keys of maps that are neither text, integers, nor of a type with MarshalText.
func TypeOf[T any]() Type {
	return Type{goType: reflect.TypeFor[T]()}
}

// Ref returns the Type of a definition by its name. Some other operation must use the Go type that
// brings the definition: [Build] refuses a reference to none.
func Ref(name string) Type {
	return Type{ref: name}
}

// ArrayOf returns the Type of an array of t.
func ArrayOf(t Type) Type {
	t.arrays++
	return t
}

// String names the type.
func (t Type) String() string {
	name := "any"
	if t.goType != nil {
		name = t.goType.String()
	} else if t.ref != "" {
		name = t.ref
	}
	return strings.Repeat("[]", t.arrays) + name
}

// none reports whether t is the zero Type.
func (t Type) none() bool { return t == Type{} }

// schema returns t's schema, and adds the definitions that it refers to.
func (t Type) schema(d *definitions) (*schema, error) {
	s := &schema{}
	switch {
	case t.goType != nil:
		var err error
		if s, err = d.read(t.goType); err != nil {
			return nil, err
		}
	case t.ref != "":
		s.ref = t.ref
	}
	for range t.arrays {
		s = &schema{kind: "array", items: s}
	}
	return s, nil
}
