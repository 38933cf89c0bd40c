package apidoc

import (
	"encoding"
	"encoding/base64"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// This file makes Go values of the texts of parameters, and finds these in a query.

// setter sets a value to what a text stands for. The text was checked against the type's schema.
type setter func(v reflect.Value, text string) error

// setterOf returns the setter of a type.
func setterOf(t reflect.Type) (setter, error) {
	if t.Kind() == reflect.Pointer {
		set, err := setterOf(t.Elem())
		return func(v reflect.Value, text string) error {
			v.Set(reflect.New(t.Elem()))
			return set(v.Elem(), text)
		}, err
	}
	if reflect.PointerTo(t).Implements(textUnmarshalerType) {
		return func(v reflect.Value, text string) error {
			return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
		}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value, text string) error { v.SetString(text); return nil }, nil
	case reflect.Bool:
		return func(v reflect.Value, text string) error { v.SetBool(text == "true"); return nil }, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value, text string) error {
			n, err := strconv.ParseInt(text, 10, t.Bits())
			v.SetInt(n)
			return err
		}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(v reflect.Value, text string) error {
			n, err := strconv.ParseUint(text, 10, t.Bits())
			v.SetUint(n)
			return err
		}, nil
	case reflect.Float32, reflect.Float64:
		return func(v reflect.Value, text string) error {
			n, err := strconv.ParseFloat(text, t.Bits())
			v.SetFloat(n)
			return err
		}, nil
	}
	if isBytes(t) {
		return func(v reflect.Value, text string) error {
			b, err := base64.StdEncoding.DecodeString(text)
			v.SetBytes(b)
			return err
		}, nil
	}
	return nil, fmt.Errorf("type %s: parameters are text, numbers, booleans, times, types with UnmarshalText, and slices of these", t)
}

// eachOf calls f with the values of a name in a text of the form application/x-www-form-urlencoded,
// until f returns false. What is no right encoding stands for itself.
func eachOf(pairs, name string, f func(value string) bool) {
	for pairs != "" {
		var pair string
		pair, pairs, _ = strings.Cut(pairs, "&")
		key, value, _ := strings.Cut(pair, "=")
		if decoded(key) == name && pair != "" && !f(decoded(value)) {
			return
		}
	}
}

func decoded(text string) string {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '+') < 0 {
		return text
	}
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func firstOf(pairs, name string) (value string, ok bool) {
	eachOf(pairs, name, func(v string) bool {
		value, ok = v, true
		return false
	})
	return value, ok
}

func allOf(pairs, name string) (values []string) {
	eachOf(pairs, name, func(v string) bool {
		values = append(values, v)
		return true
	})
	return values
}
