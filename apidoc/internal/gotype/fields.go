package gotype

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file finds the members that encoding/json writes for a struct. The rules for embedded
// structs are like Go's rules for selectors: of fields with the same name the least nested wins,
// then the field with a name from a tag. If two fields remain, neither is written.

// field is a member of a struct's JSON.
type field struct {
	reflect.StructField // its Index leads through embedded structs
	jsonTag
	mayMiss bool // an embedded pointer leads to it
	isStuck bool // behind an embedded pointer to an unexported type, which no decoder can set
}

// fieldsOf returns the members of a struct, in the order in which they are written, and whether a
// field _ refuses others.
func fieldsOf(t reflect.Type) (fields []field, isClosed bool, err error) {
	all, err := collect(t, field{}, []reflect.Type{t}, nil)
	depth := math.MaxInt // of the field _ that decides: the least nested one
	for _, f := range all {
		switch {
		case f.Name != "_":
			if dominant(f, all) {
				fields = append(fields, f)
			}
		case len(f.Index) < depth:
			depth = len(f.Index)
			isClosed, _ = IsClosed(f.StructField) // collect has the error
		}
	}
	return fields, isClosed, err
}

// IsClosed reports whether a field is _ with the tag additionalProperties:"false". It returns an
// error for this tag on another field, and for other rules on the field _.
func IsClosed(f reflect.StructField) (is bool, err error) {
	text, ok := f.Tag.Lookup("additionalProperties")
	switch {
	case ok && f.Name != "_":
		return false, errors.New("tag additionalProperties: write it on a field _ struct{}")
	case f.Name != "_":
		return false, nil
	case unread(f.Tag) != "":
		return false, errUnread(f.Tag)
	case ok && text != "true" && text != "false":
		return false, fmt.Errorf("tag additionalProperties:%q: write true or false", text)
	}
	for _, name := range ownTags() {
		if _, ok := f.Tag.Lookup(name); ok {
			return false, fmt.Errorf("tag %s: a field _ has only the tag additionalProperties: write it on another field, or on a field of this type", name)
		}
	}
	return text == "false", nil
}

// collect appends all members of t and of its embedded structs, including hidden ones. The types in
// within are not entered again, because their other members would be hidden.
func collect(t reflect.Type, at field, within []reflect.Type, fields []field) (_ []field, err error) {
	for i := range t.NumField() {
		f := field{StructField: t.Field(i), mayMiss: at.mayMiss, isStuck: at.isStuck}
		f.Index = append(slices.Clip(at.Index), i)
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer && embedded.Name() == "" {
			embedded = embedded.Elem()
		}
		isStruct := embedded.Kind() == reflect.Struct
		if _, err := IsClosed(f.StructField); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if _, ok := f.Tag.Lookup("additionalProperties"); ok {
			fields = append(fields, f)
			continue
		}
		if f.Tag.Get("json") == "-" || !f.IsExported() && !(f.Anonymous && isStruct) {
			continue
		}
		if f.jsonTag, err = readTag(f.StructField); err != nil {
			return nil, fmt.Errorf("%s.%s: tag json: %w", t, f.Name, err)
		}
		switch {
		case isStruct && (f.embed || f.Anonymous && !f.tagged):
			if !slices.Contains(within, embedded) {
				f.mayMiss = f.mayMiss || f.Type != embedded // members of a nil pointer are not written
				f.isStuck = f.isStuck || f.Type != embedded && !f.IsExported()
				fields, err = collect(embedded, f, append(slices.Clip(within), embedded), fields)
			}
		case f.embed && f.IsExported() && (embedded.Kind() == reflect.Map || embedded == reflect.TypeFor[json.RawMessage]()):
			err = fmt.Errorf("%s.%s: the option embed is for structs here: give the member a name, or the type MarshalJSON and UnmarshalJSON", t, f.Name)
		case f.IsExported():
			fields = append(fields, f)
		}
		if err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// isInStructOf reports whether other is in the same struct.
func (f *field) isInStructOf(other field) bool {
	return slices.Equal(f.Index[:len(f.Index)-1], other.Index[:len(other.Index)-1])
}

// omits returns a function that reports whether a value is omitted, because of the tag's options or
// because its schema has no JSON for the zero value. It returns nil if all values are written.
func (f *field) omits(s *schema.Schema) func(reflect.Value) bool {
	zero := isZero(f.Type)
	switch byZero := f.omitZero || s.LacksZero() || f.omitEmpty && arrayLacksZero(s); {
	case byZero && f.omitEmpty:
		return func(v reflect.Value) bool { return isEmpty(v) || zero(v) }
	case byZero:
		return zero
	case f.omitEmpty:
		return isEmpty
	}
	return nil
}

// arrayLacksZero reports whether s is a Go array of values whose zero value has no JSON.
func arrayLacksZero(s *schema.Schema) bool {
	s = s.Resolve()
	return s.Fixed && (s.Items.Resolve().LacksZero() || arrayLacksZero(s.Items))
}

// leftOut returns what a response has for a member with a default that is left out: the JSON of the
// empty value, or the default if that is not allowed. It returns nil if the value itself is
// written, such as a struct.
func (f *field) leftOut(s *schema.Schema) json.RawMessage {
	empty := ""
	switch t := s.Resolve(); {
	case isOptional(s.Wrapper) || s.LacksZero() || f.Type.Kind() == reflect.Pointer && !s.Nullable:
		return s.Default
	case s.Nullable || t.IsAny():
		empty = "null"
	case t.Kind == "boolean":
		empty = "false"
	case t.Kind == "integer" || t.Kind == "number":
		empty = "0"
	case t.Kind == "string" && t.Codec != nil && !t.Codec.IsStrict:
		empty = `""`
	case t.Kind == "array" && !t.Fixed:
		empty = "[]"
	case t.Kind == "object" && t.Properties == nil:
		empty = "{}"
	default:
		return nil
	}
	if len(value.Check(s, empty, schema.InResponses)) > 0 {
		return s.Default
	}
	return json.RawMessage(empty)
}

// isEmpty reports whether omitempty omits v.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero returns a function that reports whether omitzero omits a value of type t. It calls the
// type's method IsZero, if any.
func isZero(t reflect.Type) func(reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	isPointer := t.Kind() == reflect.Pointer
	if !isPointer {
		t = reflect.PointerTo(t)
	}
	if !t.Implements(reflect.TypeFor[zeroer]()) {
		return reflect.Value.IsZero
	}
	return func(v reflect.Value) bool {
		if !isPointer {
			v = v.Addr()
		}
		return v.IsNil() || v.Interface().(zeroer).IsZero()
	}
}

// dominant reports whether no other field of the same name hides f.
func dominant(f field, all []field) bool {
	rivals := 0
	for _, other := range all {
		if other.name != f.name || len(other.Index) > len(f.Index) {
			continue
		}
		if len(other.Index) < len(f.Index) || other.tagged && !f.tagged {
			return false
		}
		if other.tagged == f.tagged {
			rivals++ // counts f too
		}
	}
	return rivals == 1
}

// jsonTag has the settings that encoding/json reads from a tag.
type jsonTag struct {
	name                        string // in JSON
	tagged                      bool   // the name is from the tag
	omitEmpty, omitZero, asText bool   // the options omitempty, omitzero and string
	embed                       bool   // the struct's members are written as members of the outer object
}

// readTag finds the effects of a json tag by encoding structs with the tag, since the versions of
// encoding/json differ in their options and in their treatment of invalid names.
func readTag(f reflect.StructField) (t jsonTag, err error) {
	t.name = f.Name
	text, ok := f.Tag.Lookup("json")
	if !ok {
		return t, nil
	}
	unlike := "X" + strings.Repeat("x", len(text)) // longer than any name in the tag
	write := func(v any) string {
		s := reflect.New(reflect.StructOf([]reflect.StructField{{Name: unlike, Type: reflect.TypeOf(v), Tag: f.Tag}})).Elem()
		s.Field(0).Set(reflect.ValueOf(v))
		b, cause := json.Marshal(s.Interface())
		err = cmp.Or(err, cause)
		return string(b)
	}
	var members map[string]json.RawMessage
	json.Unmarshal([]byte(write(1)), &members)
	for name, number := range members {
		t.asText = number[0] == '"'
		if t.tagged = name != unlike; t.tagged {
			t.name = name
		}
	}
	t.omitEmpty = write([]int{}) == "{}"
	object := write(struct{ N int }{})
	t.omitZero, t.embed = object == "{}", object == `{"N":0}`
	return t, err
}
