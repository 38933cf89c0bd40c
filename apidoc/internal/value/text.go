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
