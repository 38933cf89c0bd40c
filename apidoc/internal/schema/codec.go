package schema

import (
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"time"
)

// This file has the codecs of scalars: how values of Go types become text, and how text sets them.

// Codec is the codec of a Go type. Its texts are the same everywhere: the content of a string or
// the digits of a number in JSON, a value in a query, a form, a header, a cookie or a URL.
type Codec struct {
	Type   reflect.Type // of the values
	Parse  func(v reflect.Value, text string) error
	Append func(b []byte, v reflect.Value) ([]byte, error)

	// IsStrict means that Parse may refuse a text that no rule of the schema refuses.
	IsStrict bool
	// IsForeign means that encoding/json has another JSON for the type than this codec.
	IsForeign bool
	// ZeroIsAbsent means that the zero value is treated as absent. Its text is empty.
	ZeroIsAbsent bool
	// Formats are the codecs that a tag format selects. If there are any, no others are allowed.
	Formats map[string]*Codec
}

// CodecOf returns the codec of a basic type, or nil for other types. It ignores the methods of t.
func CodecOf(t reflect.Type) *Codec {
	bits := int(t.Size()) * 8
	c := &Codec{Type: t}
	switch zero := reflect.Zero(t); {
	case t.Kind() == reflect.String:
		c.Parse = setter(reflect.Value.SetString, sameText)
		c.Append = func(b []byte, v reflect.Value) ([]byte, error) { return append(b, v.String()...), nil }
	case t.Kind() == reflect.Bool:
		c.Parse = setter(reflect.Value.SetBool, strconv.ParseBool)
		c.Append = func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(b, v.Bool()), nil }
	case zero.CanInt():
		c.Parse = setter(reflect.Value.SetInt, func(text string) (int64, error) { return strconv.ParseInt(text, 10, bits) })
		c.Append = func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int(), 10), nil }
	case zero.CanUint():
		c.Parse = setter(reflect.Value.SetUint, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, bits) })
		c.Append = func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(b, v.Uint(), 10), nil }
	case zero.CanFloat():
		c.Parse = setter(reflect.Value.SetFloat, func(text string) (float64, error) { return strconv.ParseFloat(text, bits) })
		c.Append = func(b []byte, v reflect.Value) ([]byte, error) { return appendFloat(b, v.Float(), bits) }
	default:
		return nil
	}
	return c
}

// setter returns the Parse of a codec: it parses a text and sets the value.
func setter[T any](set func(reflect.Value, T), parse func(string) (T, error)) func(reflect.Value, string) error {
	return func(v reflect.Value, text string) error {
		parsed, err := parse(text)
		set(v, parsed)
		return err
	}
}

func sameText(text string) (string, error) { return text, nil }

// appendFloat appends a number as encoding/json writes it, which has the same rules as ECMA 262.
func appendFloat(b []byte, f float64, bits int) ([]byte, error) {
	size := math.Abs(f)
	switch {
	case size == 0 || size > 1e-5 && size < 1e20: // beyond these it may have an exponent
		return strconv.AppendFloat(b, f, 'f', -1, bits), nil
	case math.IsNaN(f) || math.IsInf(f, 0):
		return b, errors.New("JSON has no number " + strconv.FormatFloat(f, 'g', -1, 64))
	}
	var value any = f
	if bits == 32 {
		value = float32(f)
	}
	text, err := json.Marshal(value)
	return append(b, text...), err
}

// Base64 is the codec of slices of bytes.
var Base64 = (&Codec{
	Type:  reflect.TypeFor[[]byte](),
	Parse: setter(reflect.Value.SetBytes, base64.StdEncoding.DecodeString),
	Append: func(b []byte, v reflect.Value) ([]byte, error) {
		return base64.StdEncoding.AppendEncode(b, v.Bytes()), nil
	},
}).withFormats("byte")

// Time is the codec of times: text of RFC 3339, or of RFC 9110 in the format http-date. In the
// format date it is a day, which is read as its beginning in UTC.
var Time = func() *Codec {
	stamps, dates, days := newCodec(time.Time.AppendText, (*time.Time).UnmarshalText), newCodec(
		func(t time.Time, b []byte) ([]byte, error) { return t.UTC().AppendFormat(b, http.TimeFormat), nil },
		func(t *time.Time, text []byte) (err error) { *t, err = http.ParseTime(string(text)); return err },
	), newCodec(
		func(t time.Time, b []byte) ([]byte, error) {
			stamp, err := t.AppendText(b) // which refuses years of other than four digits
			return stamp[:min(len(stamp), len(b)+len(time.DateOnly))], err
		},
		func(t *time.Time, text []byte) (err error) {
			*t, err = time.Parse(time.DateOnly, string(text))
			return err
		},
	)
	formats := map[string]*Codec{HTTPDate: dates, "date-time": stamps, "date": days}
	stamps.Formats, dates.Formats, days.Formats = formats, formats, formats
	dates.IsForeign, days.IsForeign = true, true
	return stamps
}()

// URL is the codec of URLs.
var URL = func() *Codec {
	c := withAbsentZero(newCodec(
		func(u url.URL, b []byte) ([]byte, error) { return append(b, u.String()...), nil },
		(*url.URL).UnmarshalBinary,
	))
	c.IsForeign = true
	return c.withFormats("uri", "uri-reference")
}()

// Addr and Prefix are the codecs of IP addresses and networks.
var (
	Addr   = withAbsentZero(ByMethods(reflect.TypeFor[netip.Addr](), "string")).withFormats("ip", "ipv4", "ipv6")
	Prefix = withAbsentZero(ByMethods(reflect.TypeFor[netip.Prefix](), "string")).withFormats("cidr")
)

// withFormats sets the formats that a tag may select, all with this codec.
func (c *Codec) withFormats(formats ...string) *Codec {
	c.Formats = make(map[string]*Codec)
	for _, format := range formats {
		c.Formats[format] = c
	}
	return c
}

func withAbsentZero(c *Codec) *Codec {
	c.ZeroIsAbsent = true
	return c
}

// Duration is the codec of durations: a number of nanoseconds, or text of ISO 8601 in the format
// duration.
var Duration = func() *Codec {
	c, text := CodecOf(reflect.TypeFor[time.Duration]()), newCodec(
		func(d time.Duration, b []byte) ([]byte, error) { return append(b, formatDuration(d)...), nil },
		func(d *time.Duration, text []byte) (err error) { *d, err = ParseDuration(string(text)); return err },
	)
	text.IsForeign = true
	c.Formats = map[string]*Codec{"duration": text}
	return c
}()

// Digits is the codec of [json.Number].
var Digits = &Codec{
	Type:  reflect.TypeFor[json.Number](),
	Parse: setter(reflect.Value.SetString, sameText),
	Append: func(b []byte, v reflect.Value) ([]byte, error) {
		text := cmp.Or(v.String(), "0")
		if !IsNumber(text) {
			return b, fmt.Errorf("%q is not a number", text)
		}
		return append(b, text...), nil
	},
}

// newCodec returns the codec of a type with two functions.
func newCodec[T any](write func(T, []byte) ([]byte, error), read func(*T, []byte) error) *Codec {
	return &Codec{
		Type: reflect.TypeFor[T](), IsStrict: true,
		Parse: func(v reflect.Value, text string) error { return read(v.Addr().Interface().(*T), []byte(text)) },
		Append: func(b []byte, v reflect.Value) ([]byte, error) {
			return write(*v.Addr().Interface().(*T), b)
		},
	}
}

// ByMethods returns the codec of a type that encodes and decodes itself: with its text methods, or
// else with its JSON methods, for scalars of a kind.
func ByMethods(t reflect.Type, kind string) *Codec {
	return &Codec{
		Type: t, IsStrict: true,
		Parse: func(v reflect.Value, text string) error {
			if t, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
				return t.UnmarshalText([]byte(text))
			}
			quoted := []byte(text)
			if kind == "string" {
				quoted, _ = json.Marshal(text) // a string has no error
			}
			return json.Unmarshal(quoted, v.Addr().Interface())
		},
		Append: func(b []byte, v reflect.Value) ([]byte, error) {
			switch t := v.Addr().Interface().(type) {
			case encoding.TextMarshaler:
				text, err := t.MarshalText()
				return append(b, text...), err
			case encoding.TextAppender: // alone, which encoding/json calls since Go 1.27
				return t.AppendText(b)
			}
			text, err := json.Marshal(v.Addr().Interface())
			if kind == "string" && err == nil {
				var quoted string
				if err = json.Unmarshal(text, &quoted); err == nil {
					text = []byte(quoted)
				}
			}
			return append(b, text...), err
		},
	}
}

// Within returns the codec of a value whose JSON is the content of a string, for the json tag's
// option ",string".
func (s *Schema) Within() *Codec {
	c := *s.Codec
	if s.Kind == "string" {
		c.Parse = func(v reflect.Value, text string) error { return json.Unmarshal([]byte(text), v.Addr().Interface()) }
		c.Append = func(b []byte, v reflect.Value) ([]byte, error) {
			text, err := json.Marshal(v.String())
			return append(b, text...), err
		}
	}
	c.IsStrict = true // so that the content of the string is parsed too
	return &c
}

// Wrapper is a Go struct around a value that may be null.
type Wrapper struct {
	IsOptional bool   // it is an apidoc.Optional, otherwise like [database/sql.Null]
	Name       string // the field with the value, unless IsOptional
}

// Into returns the value in a wrapper, and sets whether it is null. A nil Wrapper returns v itself.
func (w *Wrapper) Into(v reflect.Value, isNull bool) reflect.Value {
	switch {
	case w == nil || !v.IsValid():
		return v
	case w.IsOptional:
		v.Field(1).SetBool(isNull)
		v.Field(2).SetBool(true)
	default:
		v.Field(1).SetBool(!isNull)
	}
	return v.Field(0)
}

// Content returns the value in v: it follows pointers and unwraps the schema's Wrapper. It returns
// the zero Value for nil and for null.
func (s *Schema) Content(v reflect.Value) reflect.Value {
	if v = pointee(v); s.Wrapper == nil || !v.IsValid() {
		return v
	}
	if isNull := v.Field(1).Bool() == s.Wrapper.IsOptional; isNull || s.Wrapper.IsOptional && !v.Field(2).Bool() {
		return reflect.Value{}
	}
	return pointee(v.Field(0))
}

// pointee follows pointers. It returns the zero Value for nil.
func pointee(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}
