package apidoc

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"time"
)

// This file makes schemas of Go types, as package encoding/json writes and reads them.

// definitions are the schemas of named types, in the order in which they were met. A document names
// them.
type definitions struct {
	list   []*schema
	byType map[reflect.Type]*schema
}

func newDefinitions() *definitions {
	return &definitions{byType: make(map[reflect.Type]*schema)}
}

var (
	marshalerType       = reflect.TypeFor[json.Marshaler]()
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// read returns the schema of a Go type: of those that encoding/json treats apart first, then by its
// kind.
func (d *definitions) read(t reflect.Type) (*schema, error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return &schema{kind: "string", format: "date-time"}, nil
	case reflect.TypeFor[json.Number]():
		return &schema{kind: "number"}, nil
	case reflect.TypeFor[big.Int]():
		return &schema{kind: "integer"}, nil
	case reflect.TypeFor[json.RawMessage]():
		return &schema{}, nil
	case reflect.TypeFor[File]():
		return &schema{kind: "string", format: "binary"}, nil
	}
	if t.Kind() == reflect.Pointer {
		s, err := d.read(t.Elem())
		if err != nil || s.nullable || s.isAny() {
			return s, err
		}
		pointed := *s
		pointed.nullable = true
		return &pointed, nil
	}
	if s, err := d.own(t); s != nil || err != nil {
		return s, err
	}
	switch {
	case implements(t, marshalerType) || implements(t, unmarshalerType):
		return &schema{goType: t}, nil
	case implements(t, textMarshalerType) || implements(t, textUnmarshalerType):
		s := &schema{kind: "string", goType: t}
		if t.Name() == "UUID" {
			s.format = "uuid"
		}
		return s, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &schema{kind: "string"}, nil
	case reflect.Bool:
		return &schema{kind: "boolean"}, nil
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return &schema{kind: "integer", format: "int32", bits: t.Bits()}, nil
	case reflect.Int, reflect.Int64:
		return &schema{kind: "integer", format: "int64", bits: t.Bits()}, nil
	case reflect.Uint8, reflect.Uint16:
		return &schema{kind: "integer", format: "int32", unsigned: true, bits: t.Bits()}, nil
	case reflect.Uint32:
		return &schema{kind: "integer", format: "int64", unsigned: true, bits: 32}, nil
	case reflect.Uint, reflect.Uint64, reflect.Uintptr: // int64 holds half of them
		return &schema{kind: "integer", unsigned: true, bits: 64}, nil
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

// implements reports whether values of t have the method of an interface, as encoding/json looks
// for it: on the value, or on its address.
func implements(t, method reflect.Type) bool {
	return t.Implements(method) || t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(method)
}

// composite returns the schema of a type made of others: a reference if it has a name, since only
// such types can hold themselves.
func (d *definitions) composite(t reflect.Type) (*schema, error) {
	if t.Name() == "" || isBytes(t) {
		return d.parts(t)
	}
	return d.define(t, d.parts)
}

// define returns a reference to the definition of t, which read makes when it is met first.
func (d *definitions) define(t reflect.Type, read func(reflect.Type) (*schema, error)) (*schema, error) {
	s, ok := d.byType[t]
	reference := &schema{ref: definitionName(t)}
	if ok {
		reference.target = s
		return reference, nil
	}
	s = &schema{}
	reference.target = s
	d.list = append(d.list, s)
	d.byType[t] = s // before its parts, which may refer to it
	parts, err := read(t)
	if err != nil {
		return nil, err
	}
	*s = *parts
	s.named = t
	return reference, nil
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
		keys, err := readKeys(t)
		if err != nil {
			return nil, err
		}
		values, err := d.read(t.Elem())
		if err != nil {
			return nil, err
		}
		return &schema{kind: "object", keys: keys, values: values}, nil
	}
	s := &schema{kind: "object"}
	for _, f := range fieldsOf(t) {
		fs, err := d.field(f)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.goName, err)
		}
		s.properties = append(s.properties, property{f.name, f.required && fs.def == nil, f.leftOut, fs, f.index})
	}
	if rest, ok := t.FieldByName("_"); ok {
		s.closed = rest.Tag.Get("additionalProperties") == "false"
	}
	s.index()
	return s, nil
}

// field returns the schema of a struct's field.
func (d *definitions) field(f field) (*schema, error) {
	s, err := d.read(f.goType)
	if err != nil {
		return nil, err
	}
	if f.quoted && s.quotable() {
		inner := *s
		inner.nullable = false
		s = &schema{kind: "string", nullable: s.nullable, quoted: &inner}
	}
	return s.ruled(f.tag)
}

// isBytes reports whether encoding/json writes t as base64 text: slices of bytes, unless the bytes
// have a form of their own.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		!reflect.PointerTo(t.Elem()).Implements(marshalerType) && !reflect.PointerTo(t.Elem()).Implements(textMarshalerType)
}

// readKeys returns the schema of a map's keys, nil where any text is one. It refuses those that
// encoding/json refuses.
func readKeys(t reflect.Type) (*schema, error) {
	key := t.Key()
	switch k := key.Kind(); {
	case k == reflect.String && !implements(key, textUnmarshalerType):
		return nil, nil
	case key.Implements(textMarshalerType):
		return &schema{kind: "string", goType: key}, nil
	case k == reflect.String:
		return nil, nil
	case slices.Contains(integerKinds, k):
		return &schema{kind: "integer", bits: key.Bits(), unsigned: k >= reflect.Uint}, nil
	}
	return nil, fmt.Errorf("type %s: JSON has no such keys: use text, integers, or a type with MarshalText", t)
}

var integerKinds = []reflect.Kind{
	reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
	reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
}
