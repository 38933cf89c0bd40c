package value

import (
	"fmt"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file has the texts of scalars outside of JSON: of parameters and headers.

// Set checks a text, and sets v to its value unless it has a fault. With the zero reflect.Value it
// only checks. A number is written as in JSON, but may begin with zeros.
func Set(s *schema.Schema, v reflect.Value, text string) *schema.Fault {
	t := s.Resolve()
	if t.Kind == "integer" || t.Kind == "number" {
		if text = trimZeros(text); !schema.IsNumber(text) {
			return t.WrongType()
		}
	}
	_, f := t.Set(pointed(s.Wrapper.Into(v, false)), text)
	return f
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

// Texts returns the texts of a scalar, or of the items of a list. Nil and null have no texts. v is
// addressable.
func Texts(s *schema.Schema, v reflect.Value) ([]string, error) { return AppendTexts(nil, s, v) }

// AppendTexts appends the texts of v to a list. With an error it may have appended some of them.
func AppendTexts(texts []string, s *schema.Schema, v reflect.Value) ([]string, error) {
	if v = s.Content(v); !v.IsValid() {
		return texts, nil
	}
	s = s.Resolve()
	switch {
	case s.Kind == "array":
	case v.Kind() == reflect.String && !s.Codec.IsStrict:
		return append(texts, v.String()), nil
	default:
		text, err := s.Codec.Append(make([]byte, 0, 32), v) // enough for a time
		return append(texts, string(text)), err
	}
	for i := range v.Len() {
		before := len(texts)
		var err error
		if texts, err = AppendTexts(texts, s.Items, v.Index(i)); err != nil {
			return texts, err
		}
		if len(texts) == before {
			return texts, fmt.Errorf("item %d is null", i)
		}
	}
	return texts, nil
}
