package value

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file encodes values like encoding/json, except that nil slices and maps are empty, as
// described. encoding/json encodes values of types that encode themselves.

// Encode appends the JSON of v to b. The schema is that of v's type, and v is addressable.
func Encode(b []byte, s *schema.Schema, v reflect.Value) ([]byte, error) {
	e := encoder{text: b}
	e.value(s, v)
	return e.text, e.err
}

// encoder encodes one text.
type encoder struct {
	text  []byte
	depth int
	err   error // the first error
}

// maxDepth is the maximum depth of values. Deeper ones may be recursive; encoding/json encodes them
// and detects that.
const maxDepth = 1000

func (e *encoder) value(s *schema.Schema, v reflect.Value) {
	if v = pointee(v); s.Wrapper != schema.Bare {
		v = pointee(content(s.Wrapper, v))
	}
	if !v.IsValid() {
		e.text = append(e.text, "null"...)
		return
	}
	s = s.Resolve()
	e.depth++
	switch {
	case s.GoType != nil || s.Kind == "" || e.depth > maxDepth:
		e.own(s, v)
	case s.Quoted != nil:
		e.quoted(s.Quoted, v)
	case v.Kind() == reflect.Struct:
		e.object(s, v)
	case v.Kind() == reflect.Map:
		e.entries(s, v)
	case s.Kind == "array":
		e.array(s, v)
	default:
		e.scalar(s, v)
	}
	e.depth--
}

// pointee follows pointers. It returns the zero Value for nil.
func pointee(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// content returns the value in a wrapper, or the zero Value for null.
func content(by schema.Wrapper, v reflect.Value) reflect.Value {
	if isNull := v.Field(1).Bool() == (by == schema.Optional); isNull {
		return reflect.Value{}
	}
	return v.Field(0)
}

// own encodes a value whose type encodes itself.
func (e *encoder) own(s *schema.Schema, v reflect.Value) {
	address := v.Addr().Interface()
	switch t := address.(type) {
	case *time.Time:
		b, err := t.AppendText(append(e.text, '"'))
		e.text = append(b, '"')
		e.fail(err)
		return
	case *url.URL:
		e.text = appendString(e.text, t.String())
		return
	}
	if text, ok := address.(encoding.TextMarshaler); ok && s.ByText && s.Kind == "string" {
		b, err := text.MarshalText()
		e.text = appendString(e.text, b)
		e.fail(err)
		return
	}
	b, err := json.Marshal(address)
	e.fail(err)
	if err == nil && bytes.Contains(b, []byte("null")) {
		b = fillNils(s, b)
	}
	e.text = append(e.text, b...)
}

// fillNils replaces null by [] and {} if the schema has a slice or a map.
func fillNils(s *schema.Schema, text []byte) []byte {
	r := newReader(string(text), filling)
	r.read(s, reflect.Value{})
	return r.since(0)
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// quoted encodes the JSON of a value as a string, for the json tag's option ",string".
func (e *encoder) quoted(s *schema.Schema, v reflect.Value) {
	start := len(e.text)
	e.scalar(s, v)
	inner := string(e.text[start:])
	e.text = appendString(e.text[:start], inner)
}

func (e *encoder) scalar(s *schema.Schema, v reflect.Value) {
	f := 0.0
	if v.CanFloat() {
		f = math.Abs(v.Float())
	}
	switch k := v.Kind(); {
	case k == reflect.String && s.Kind == "string":
		e.text = appendString(e.text, v.String())
	case k == reflect.Bool:
		e.text = strconv.AppendBool(e.text, v.Bool())
	case s.Duration && s.Kind == "string":
		e.text = appendString(e.text, schema.FormatDuration(time.Duration(v.Int())))
	case v.CanInt():
		e.text = strconv.AppendInt(e.text, v.Int(), 10)
	case v.CanUint():
		e.text = strconv.AppendUint(e.text, v.Uint(), 10)
	case f > 1e-5 && f < 1e20: // beyond these, encoding/json writes an exponent
		e.text = strconv.AppendFloat(e.text, v.Float(), 'f', -1, v.Type().Bits())
	case k == reflect.Slice:
		e.text = append(base64.StdEncoding.AppendEncode(append(e.text, '"'), v.Bytes()), '"')
	default:
		e.own(s, v)
	}
}

func (e *encoder) array(s *schema.Schema, v reflect.Value) {
	e.text = append(e.text, '[')
	for i := range v.Len() {
		e.comma('[')
		e.value(s.Items, v.Index(i))
	}
	e.text = append(e.text, ']')
}

func (e *encoder) object(s *schema.Schema, v reflect.Value) {
	e.text = append(e.text, '{')
	var way []int // to parent, which neighboring fields mostly share
	parent, ok := v, true
	for i := range s.Properties {
		p := &s.Properties[i]
		last := len(p.Index) - 1
		if !slices.Equal(p.Index[:last], way) {
			way = p.Index[:last]
			parent, ok = embedded(v, way)
		}
		if !ok {
			continue
		}
		field := parent.Field(p.Index[last])
		if p.OmitEmpty && isEmpty(field) || p.OmitZero && isZero(field) {
			continue
		}
		e.comma('{')
		e.text = append(e.text, p.Label...)
		e.value(p.Schema, field)
	}
	e.text = append(e.text, '}')
}

// entries encodes a map, sorted by name.
func (e *encoder) entries(s *schema.Schema, v reflect.Value) {
	t, length := v.Type(), v.Len()
	list := make([]entry, 0, length)
	key := reflect.New(t.Key()).Elem()
	elements := reflect.MakeSlice(reflect.SliceOf(t.Elem()), length, length) // addressable, so that pointer methods are found
	for each := v.MapRange(); each.Next(); {
		key.SetIterKey(each)
		name, err := nameOf(key)
		e.fail(err)
		element := elements.Index(len(list))
		element.SetIterValue(each)
		list = append(list, entry{name, element})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	e.text = append(e.text, '{')
	for _, one := range list {
		e.comma('{')
		e.text = append(appendString(e.text, one.name), ':')
		e.value(s.Values, one.element)
	}
	e.text = append(e.text, '}')
}

// entry is an element of a map.
type entry struct {
	name    string
	element reflect.Value
}

// nameOf returns the name of a map's element.
func nameOf(key reflect.Value) (string, error) {
	switch {
	case key.Kind() == reflect.String:
		return key.String(), nil
	case key.Type().Implements(textMarshaler):
		text, err := key.Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), nil
	}
	return strconv.FormatUint(key.Uint(), 10), nil
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// comma writes a comma unless the value is the first after an opening bracket.
func (e *encoder) comma(opening byte) {
	if e.text[len(e.text)-1] != opening {
		e.text = append(e.text, ',')
	}
}

// escaped are the bytes that must be escaped in a string.
var escaped = func() (set [256]bool) {
	for c := range set {
		set[c] = c < ' ' || c > '~' || strings.ContainsRune(`"\<>&`, rune(c))
	}
	return set
}()

// appendString appends a string. encoding/json encodes strings with escapes.
func appendString[T string | []byte](b []byte, text T) []byte {
	for i := range len(text) {
		if escaped[text[i]] {
			whole, _ := json.Marshal(string(text)) // a string has no error
			return append(b, whole...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// embedded returns a struct that is embedded in v. It reports false if a pointer on the way is nil.
func embedded(v reflect.Value, way []int) (reflect.Value, bool) {
	for _, at := range way {
		if v = v.Field(at); v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
	}
	return v, true
}

// isEmpty is the rule of omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is the rule of omitzero.
func isZero(v reflect.Value) bool {
	own := v
	if v.Kind() != reflect.Pointer {
		own = v.Addr()
	}
	if zero, ok := own.Interface().(interface{ IsZero() bool }); ok && !own.IsNil() {
		return zero.IsZero()
	}
	return v.IsZero()
}
