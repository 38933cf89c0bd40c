// Package value reads and writes JSON by schemas: it checks a text and sets a Go value in one pass,
// tells all that is wrong with JSON pointers, and encodes values so that they fit.
package value

import (
	"reflect"

	"example.com/flowercafe/apidoc/internal/schema"
)

// Check returns what is wrong with a text, which must be JSON.
func Check(s *schema.Schema, text []byte, mode Mode) []Problem {
	r := newReader(text, mode)
	return r.read(s, reflect.Value{})
}

// Decode checks a text, which must be JSON, and sets v to its value, as encoding/json would. What v
// holds is of no use if there are problems. Members that are left out have their defaults.
func Decode(s *schema.Schema, text []byte, v reflect.Value) []Problem {
	r := newReader(text, Lenient)
	return r.read(s, v)
}
