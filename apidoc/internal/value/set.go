package value

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file sets Go values from the texts of scalars (strings, numbers, names of members,
// parameters of requests), and makes the values that contain them.

// Set checks a text, and sets v to its value unless it has a fault. With the zero reflect.Value it
// only checks.
func Set(s *schema.Schema, v reflect.Value, text string) *schema.Fault {
	if f := s.Refuse(text); f != nil || !v.IsValid() {
		return f
	}
	if err := set(s, pointed(v), text); err != nil {
		return invalid(s)
	}
	return nil
}

// invalid is the fault of a value that matches all rules but that its type cannot decode.
func invalid(s *schema.Schema) *schema.Fault {
	f := &schema.Fault{Code: "invalid", Detail: "cannot be read"}
	if s.GoType != nil {
		name, _, _ := strings.Cut(s.GoType.Name(), "[") // the arguments of a generic type contain their packages
		f.Detail = "must be a valid " + name
	}
	return f
}

func set(s *schema.Schema, v reflect.Value, text string) (err error) {
	switch q := s.Quoted; {
	case q != nil && q.Kind == "string": // JSON within a string
		return json.Unmarshal([]byte(text), v.Addr().Interface())
	case q != nil:
		return set(q, v, text)
	}
	if s.GoType != nil {
		own := v.Addr().Interface()
		if at, ok := own.(*time.Time); ok && s.Format == schema.HTTPDate {
			*at, err = http.ParseTime(text)
			return err
		}
		switch own := own.(type) {
		case *url.URL:
			return own.UnmarshalBinary([]byte(text))
		case encoding.TextUnmarshaler:
			return own.UnmarshalText([]byte(text))
		}
	}
	bits := int(v.Type().Size()) * 8
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		v.SetBool(text == "true")
	case s.Duration && s.Kind == "string":
		d, e := schema.ParseDuration(text)
		v.SetInt(int64(d))
		err = e
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

// fieldOf returns the field of a struct, and allocates embedded pointers on the way. It reports
// false if one cannot be set, since its type is not exported.
func fieldOf(v reflect.Value, index []int) (field reflect.Value, ok bool) {
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}, true
	}
	for i, at := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !v.CanSet() {
				return reflect.Value{}, false
			}
			v = pointed(v)
		}
		v = v.Field(at)
	}
	return v, true
}

// pointed returns the value that v points to, and allocates it. It returns the zero Value for the
// zero Value.
func pointed(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// wrapped returns the value in a wrapper, and sets whether it is null.
func wrapped(by schema.Wrapper, v reflect.Value, isNull bool) reflect.Value {
	if !v.IsValid() {
		return v
	}
	if by == schema.Optional {
		v.Field(1).SetBool(isNull)
		v.Field(2).SetBool(true)
	} else {
		v.Field(1).SetBool(!isNull)
	}
	return v.Field(0)
}

// itemOf returns an item of an array, or a new item of a slice.
func itemOf(v reflect.Value, i int) reflect.Value {
	switch {
	case !v.IsValid():
		return v
	case v.Kind() == reflect.Slice:
		if i >= v.Cap() {
			v.Grow(4) // immediately for short lists, and like append for long ones
		}
		v.SetLen(i + 1)
		item := v.Index(i)
		item.SetZero()
		return item
	case i < v.Len():
		return v.Index(i)
	}
	return reflect.Value{} // one too many, which is reported
}
