package value

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file sets Go values from the texts of scalars, returns these texts, and makes the values
// that contain them.

// Set checks a text, and sets v to its value unless it has a fault. With the zero reflect.Value it
// only checks. A number is written as in JSON, but may begin with zeros.
func Set(s *schema.Schema, v reflect.Value, text string) *schema.Fault {
	t := s.Resolve()
	if t.Kind == "integer" || t.Kind == "number" {
		text = trimZeros(text)
	}
	if t.Kind == "integer" && schema.IsNumber(text) {
		if plain, ok := schema.PlainInteger(text); ok {
			text = plain
		}
	}
	return set(t, pointed(s.Wrapper.Into(v, false)), text)
}

// set sets the value in what [Set] gets.
func set(s *schema.Schema, v reflect.Value, text string) *schema.Fault {
	if f := s.Refuse(text); f != nil || !v.IsValid() {
		return f
	}
	if err := s.Leaf.Parse(v, text); err != nil {
		return invalid(s)
	}
	return nil
}

// scalar checks the text of a scalar, which began at start, and sets v.
func (r *reader) scalar(s *schema.Schema, v reflect.Value, text string, start int) *schema.Fault {
	isForeign := len(r.decoding) > 0 && s.Leaf != nil && s.Leaf.IsForeign
	if !v.IsValid() && s.Leaf != nil && s.Leaf.IsStrict && (r.mode < Response || isForeign) {
		v = reflect.New(s.Leaf.Type).Elem()
	}
	if v = pointed(v); v.IsValid() && v.Kind() == reflect.String {
		text = r.own(s, text)
	}
	f := set(s, v, text)
	if f == nil && isForeign {
		text, _ := json.Marshal(v.Addr().Interface()) // as the type around it reads it
		r.edits = append(r.edits, edit{start, r.at, string(text)})
	}
	return f
}

func (r *reader) integer(s *schema.Schema, v reflect.Value) {
	start := r.at
	text := r.word()
	plain, ok := schema.PlainInteger(text)
	switch {
	case !ok:
		r.tell(s.WrongType())
	default:
		if plain != text && !v.IsValid() {
			r.edits = append(r.edits, edit{start, r.at, plain})
		}
		r.tell(r.scalar(s, v, plain, start))
	}
}

// own returns the text of a value, which does not keep the whole body in memory. Members of an
// enumeration have the text of the schema, and equal short texts mostly share one.
func (r *reader) own(s *schema.Schema, text string) string {
	for i := range s.Enum {
		if s.Enum[i].Text == text {
			return s.Enum[i].Text
		}
	}
	const short = 32
	if text == "" || len(text) > short {
		return strings.Clone(text)
	}
	known := &r.texts[(len(text)+3*int(text[0])+7*int(text[len(text)-1]))%len(r.texts)]
	if *known != text {
		*known = strings.Clone(text)
	}
	return *known
}

// invalid is the fault of a value that matches all rules but that its type cannot decode.
func invalid(s *schema.Schema) *schema.Fault {
	t := s.Own
	if t == nil && s.Leaf != nil {
		t = s.Leaf.Type
	}
	if t == nil {
		return &schema.Fault{Code: "invalid", Detail: "cannot be read"}
	}
	name, _, _ := strings.Cut(t.Name(), "[") // the arguments of a generic type contain their packages
	return &schema.Fault{Code: "invalid", Detail: "must be a valid " + name}
}

// AppendText appends the JSON of a scalar's text, as a query has it. What is no number or boolean
// becomes a string, which the schema then refuses.
func AppendText(b []byte, s *schema.Schema, text string) []byte {
	switch kind := s.Resolve().Kind; {
	case kind == "boolean" && text == "on": // a checkbox without a value of its own
		return append(b, "true"...)
	case kind == "boolean" && (text == "true" || text == "false"):
		return append(b, text...)
	case kind == "integer" || kind == "number":
		if number := trimZeros(text); schema.IsNumber(number) {
			return append(b, number...)
		}
	}
	return appendString(b, text)
}

// trimZeros returns a number without zeros at its start, which JSON does not allow.
func trimZeros(text string) string {
	digits, isNegative := strings.CutPrefix(text, "-")
	rest := strings.TrimLeft(digits, "0")
	if len(rest) < len(digits) && (rest == "" || rest[0] < '0' || rest[0] > '9') {
		rest = "0" + rest
	}
	if isNegative {
		return "-" + rest
	}
	return rest
}

// Texts returns the texts of a scalar, or of the items of a list. Nil and null have none. v is
// addressable.
func Texts(s *schema.Schema, v reflect.Value) ([]string, error) {
	if v = s.Content(v); !v.IsValid() {
		return nil, nil
	}
	if s = s.Resolve(); s.Kind != "array" {
		text, err := s.Leaf.Append(nil, v)
		return []string{string(text)}, err
	}
	var texts []string
	for i := range v.Len() {
		item, err := Texts(s.Items, v.Index(i))
		if err != nil {
			return nil, err
		}
		if item == nil {
			return nil, fmt.Errorf("item %d is null", i)
		}
		texts = append(texts, item...)
	}
	return texts, nil
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
