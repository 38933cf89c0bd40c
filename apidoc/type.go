package apidoc

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"
)

// Type is the type of a value in a request or an answer. Make one with [TypeOf], [Ref] or [ArrayOf]; the zero Type says nothing.
// Types are comparable and safe for concurrent use.
type Type struct {
	goType reflect.Type
	ref    string
	arrays int // how many times ArrayOf was put around
}

// TypeOf returns the Type of what [encoding/json] writes for a T:
//
//   - text, integers with their size, numbers, booleans; a [time.Time] is text of the format date-time, bytes are text of the
//     format byte (base64), and a type with MarshalText is text;
//   - arrays for slices and arrays, objects for maps and structs; a slice or map is described as if it were never nil;
//   - properties by the rules of json tags, embedding included: a field with omitempty or omitzero is not required, nor is one
//     of an embedded pointer, and a pointer without omitempty may be null;
//   - anything at all for interfaces and for types with a MarshalJSON of their own.
//
// Each named struct, slice, array or map becomes a definition of its name, so types may refer to each other and to themselves.
// The name of a generic type has its arguments' names behind it, joined by underscores. Functions, channels and complex numbers
// are refused where the type is used, as are keys of maps that are neither text, integers, nor of a type with MarshalText.
func TypeOf[T any]() Type {
	return Type{goType: reflect.TypeFor[T]()}
}

// Ref returns the Type of a definition by its name. Some other operation must use the Go type that brings the definition:
// [Build] refuses a reference to none.
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

// definitions are the schemas of named types, in the order in which they were met.
type definitions struct {
	names   []string
	schemas map[string]*schema
	types   map[string]reflect.Type
}

func newDefinitions() *definitions {
	return &definitions{schemas: make(map[string]*schema), types: make(map[string]reflect.Type)}
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// read returns the schema of a Go type: of those that encoding/json treats apart first, then by its kind.
func (d *definitions) read(t reflect.Type) (*schema, error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &schema{kind: "string", format: "date-time"}, nil
	case reflect.TypeFor[json.Number]():
		return &schema{kind: "number"}, nil
	case reflect.TypeFor[big.Int]():
		return &schema{kind: "integer"}, nil
	}
	switch {
	case t.Kind() == reflect.Pointer:
		s, err := d.read(t.Elem())
		if err != nil || s.nullable {
			return s, err
		}
		pointed := *s
		pointed.nullable = true
		return &pointed, nil
	case implements(t, marshalerType):
		return &schema{}, nil
	case implements(t, textMarshalerType):
		return &schema{kind: "string"}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &schema{kind: "string"}, nil
	case reflect.Bool:
		return &schema{kind: "boolean"}, nil
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return &schema{kind: "integer", format: "int32", bits: t.Bits()}, nil
	case reflect.Int, reflect.Int64:
		return &schema{kind: "integer", format: "int64", bits: 64}, nil
	case reflect.Uint8, reflect.Uint16:
		return &schema{kind: "integer", format: "int32", unsigned: true, bits: t.Bits()}, nil
	case reflect.Uint32:
		return &schema{kind: "integer", format: "int64", unsigned: true, bits: 32}, nil
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return &schema{kind: "integer", unsigned: true, bits: 64}, nil // int64 holds half of them
	case reflect.Float32:
		return &schema{kind: "number", format: "float", bits: 32}, nil
	case reflect.Float64:
		return &schema{kind: "number", format: "double", bits: 64}, nil
	case reflect.Interface:
		return &schema{}, nil
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return d.composite(t)
	default:
		return nil, fmt.Errorf("type %s: JSON has no form of it: leave it out with the tag `json:\"-\"`", t)
	}
}

// implements reports whether values of t have the method of an interface, as encoding/json looks for it: on the value, or on
// its address.
func implements(t, method reflect.Type) bool {
	return t.Implements(method) || t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(method)
}

// composite returns the schema of a type made of others: a reference if it has a name, since only such types can hold themselves.
func (d *definitions) composite(t reflect.Type) (*schema, error) {
	if t.Name() == "" || isBytes(t) {
		return d.parts(t)
	}
	name := definitionName(t)
	if known, ok := d.types[name]; ok {
		if known != t {
			return nil, fmt.Errorf("types %s and %s are both the definition %s: give one of them another name", path(known), path(t), name)
		}
		return &schema{ref: name}, nil
	}
	s := &schema{}
	d.names = append(d.names, name)
	d.types[name], d.schemas[name] = t, s // before its parts, which may refer to it
	parts, err := d.parts(t)
	if err != nil {
		return nil, err
	}
	*s = *parts
	return &schema{ref: name}, nil
}

// parts returns the schema of a type made of others, in place.
func (d *definitions) parts(t reflect.Type) (*schema, error) {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if isBytes(t) {
			return &schema{kind: "string", format: "byte"}, nil
		}
		items, err := d.read(t.Elem())
		if err != nil {
			return nil, err
		}
		s := &schema{kind: "array", items: items}
		if t.Kind() == reflect.Array {
			length := t.Len()
			s.length = &length
		}
		return s, nil
	case reflect.Map:
		if err := checkKey(t); err != nil {
			return nil, err
		}
		values, err := d.read(t.Elem())
		if err != nil {
			return nil, err
		}
		return &schema{kind: "object", values: values}, nil
	}
	s := &schema{kind: "object"}
	for _, f := range fieldsOf(t) {
		fs, err := d.field(f)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.goName, err)
		}
		s.properties = append(s.properties, property{name: f.name, required: f.required, schema: fs})
	}
	return s, nil
}

// field returns the schema of a struct's field.
func (d *definitions) field(f field) (*schema, error) {
	s, err := d.read(f.goType)
	if err != nil {
		return nil, err
	}
	if f.quoted && s.quotable() {
		s = &schema{kind: "string", nullable: s.nullable}
	}
	if s.nullable && !f.required {
		present := *s
		present.nullable = false // left out in place of null
		return &present, nil
	}
	return s, nil
}

// isBytes reports whether encoding/json writes t as base64 text: slices of bytes, unless the bytes have a form of their own.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		!reflect.PointerTo(t.Elem()).Implements(marshalerType) && !reflect.PointerTo(t.Elem()).Implements(textMarshalerType)
}

// checkKey refuses maps that encoding/json refuses.
func checkKey(t reflect.Type) error {
	switch k := t.Key().Kind(); {
	case k == reflect.String, reflect.Int <= k && k <= reflect.Uintptr, t.Key().Implements(textMarshalerType):
		return nil
	}
	return fmt.Errorf("type %s: JSON has no such keys: use text, integers, or a type with MarshalText", t)
}

// definitionName is the type's name without packages, and with the arguments of a generic type behind it, joined by underscores:
// OpenAPI allows letters, digits, dots, hyphens and underscores in such names.
func definitionName(t reflect.Type) string {
	text := strings.NewReplacer("[]", "\x00ArrayOf\x00", "*", "\x00PointerTo\x00").Replace(t.Name())
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\x00[], {};", r) }) {
		word = word[strings.LastIndexAny(word, "/.")+1:] // without its package
		words = append(words, plainName(word))
	}
	return strings.Join(words, "_")
}

// plainName writes the characters that are not allowed by their numbers.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "u%04X", r)
		}
	}
	return b.String()
}

// path names a type with its package, for messages about two of one name.
func path(t reflect.Type) string {
	return t.PkgPath() + "." + t.Name()
}
