package apidoc

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
)

// This file sets Go values while their JSON is checked, as encoding/json would: the check has found
// the members and read the numbers already. Types with a decoding of their own, and values of any
// type, are left to encoding/json.

// decodesItself reports whether encoding/json decodes the value as a whole.
func (s *schema) decodesItself() bool {
	return s.goType != nil || s.oneOf != nil || s.kind == ""
}

// pointed returns what v points to, made on the way. It returns the zero Value for that.
func pointed(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// fieldOf returns the field of a struct, with the embedded structs on the way made.
func (c *checker) fieldOf(v reflect.Value, index []int) reflect.Value {
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i, at := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !v.CanSet() {
				c.tell("cannot be read") // the embedded type is not exported
				return reflect.Value{}
			}
			v = pointed(v)
		}
		v = v.Field(at)
	}
	return v
}

// newElement returns a new element for a map.
func newElement(v reflect.Value) reflect.Value {
	if !v.IsValid() || v.Kind() != reflect.Map {
		return reflect.Value{}
	}
	return reflect.New(v.Type().Elem()).Elem()
}

// setElement sets an element of a map. Its name was checked.
func (c *checker) setElement(v reflect.Value, name string, element reflect.Value) {
	key := reflect.New(v.Type().Key()).Elem()
	text, own := key.Addr().Interface().(encoding.TextUnmarshaler)
	switch {
	case own:
		if text.UnmarshalText([]byte(name)) != nil {
			c.tell("the name cannot be read")
		}
	case key.Kind() == reflect.String:
		key.SetString(name)
	default:
		c.setNumber(key, name)
	}
	v.SetMapIndex(key, element)
}

// itemOf returns the item of an array or slice, which grows by it.
func itemOf(v reflect.Value, i int) reflect.Value {
	switch {
	case !v.IsValid():
		return v
	case v.Kind() == reflect.Slice:
		if i >= v.Cap() {
			v.Grow(4) // of short lists at once, and of long ones as append does
		}
		v.SetLen(i + 1)
		item := v.Index(i)
		item.SetZero()
		return item
	case i < v.Len():
		return v.Index(i)
	}
	return reflect.Value{} // one too many, which is told
}

// setString sets v to a text that was checked.
func (c *checker) setString(s *schema, v reflect.Value, text string) {
	switch {
	case s.quoted != nil && s.quoted.kind != "string":
		c.setQuoted(v, text)
	case s.quoted != nil:
		if json.Unmarshal([]byte(text), v.Addr().Interface()) != nil {
			c.tell("cannot be read")
		}
	case v.Kind() == reflect.String:
		v.SetString(text)
	case isBytes(v.Type()):
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			c.tell("must be base64")
		}
		v.SetBytes(b)
	default: // a time
		t, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
		if !ok || t.UnmarshalText([]byte(text)) != nil {
			c.tell("cannot be read")
		}
	}
}

// setQuoted sets v to a number or boolean within a text.
func (c *checker) setQuoted(v reflect.Value, text string) {
	if v.Kind() == reflect.Bool {
		v.SetBool(text == "true")
		return
	}
	c.setNumber(v, text)
}

// setNumber sets v to a number that was checked.
func (c *checker) setNumber(v reflect.Value, text string) {
	var err error
	switch {
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, v.Type().Bits())
		v.SetUint(n)
	case v.CanFloat():
		var n float64
		n, err = strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(n)
	case v.Kind() == reflect.String: // json.Number
		v.SetString(text)
	default: // big.Int
		err = json.Unmarshal([]byte(text), v.Addr().Interface())
	}
	if err != nil {
		c.tell("cannot be read")
	}
}
