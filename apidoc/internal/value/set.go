package value

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file makes Go values of the texts of scalars: strings of JSON, numbers, names of members, and
// parameters of requests.

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// Settable reports whether [Set] makes values of a type.
func Settable(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k := t.Kind(); {
	case reflect.PointerTo(t).Implements(textUnmarshaler):
		return true
	case k == reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8
	default:
		return k == reflect.String || k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr
	}
}

// Set checks a text, and sets v to the value that it stands for. It returns what is wrong, or
// nothing. The zero reflect.Value is a check alone.
func Set(s *schema.Schema, v reflect.Value, text string) string {
	if detail := s.Refuse(text); detail != "" || !v.IsValid() {
		return detail
	}
	if err := set(s, pointed(v), text); err != nil {
		return invalid(s)
	}
	return ""
}

// invalid tells that a value keeps all rules and its type cannot read it.
func invalid(s *schema.Schema) string {
	if s.GoType == nil {
		return "cannot be read"
	}
	return "must be a valid " + s.GoType.Name()
}

func set(s *schema.Schema, v reflect.Value, text string) (err error) {
	if s.Quoted != nil {
		return setQuoted(s.Quoted, v, text)
	}
	if s.GoType != nil {
		if own, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			return own.UnmarshalText([]byte(text))
		}
	}
	bits := int(v.Type().Size()) * 8
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		v.SetBool(text == "true")
	case v.CanInt():
		n, e := strconv.ParseInt(text, 10, bits)
		v.SetInt(n)
		err = e
	case v.CanUint():
		n, e := strconv.ParseUint(text, 10, bits)
		v.SetUint(n)
		err = e
	case v.CanFloat():
		n, e := strconv.ParseFloat(text, bits)
		v.SetFloat(n)
		err = e
	default:
		b, e := base64.StdEncoding.DecodeString(text)
		v.SetBytes(b)
		err = e
	}
	return err
}

// setQuoted sets v to a value that is written as JSON within a string.
func setQuoted(s *schema.Schema, v reflect.Value, text string) error {
	if s.Kind == "string" {
		return json.Unmarshal([]byte(text), v.Addr().Interface())
	}
	return set(s, v, text)
}
