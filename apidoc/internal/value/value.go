// Package value reads and writes JSON by schemas: it checks a text and sets a Go value in one pass,
// tells all that is wrong with JSON pointers, and encodes values so that they fit.
package value

import (
	"reflect"

	"example.com/flowercafe/apidoc/internal/schema"
)

// Problem tells what is wrong with a part of a value.
type Problem struct {
	Pointer string // a JSON pointer (RFC 6901) to the part, empty for the whole value
	Detail  string // what the part must be
}

// Mode tells what a check is for.
type Mode uint8

const (
	Lenient  Mode = iota // integers may be written 1.0, as JSON Schema says
	Strict               // integers are digits alone: encoding/json will decode the text as it is
	Response             // the text was sent by us: types with a decoding of their own are not asked
	filling              // of responses: null is an empty slice or map
)

// Check returns what is wrong with a text, which must be JSON.
func Check(s *schema.Schema, text []byte, mode Mode) []Problem {
	r := reader{text: text, mode: mode}
	return r.read(s, reflect.Value{})
}

// Decode checks a text, which must be JSON, and sets v to its value, as encoding/json would. What v
// holds is of no use if there are problems. Members that are left out have their defaults.
func Decode(s *schema.Schema, text []byte, v reflect.Value) []Problem {
	r := reader{text: text}
	return r.read(s, v)
}

// fillNils writes [] and {} in place of null where the schema has a slice or a map.
func fillNils(s *schema.Schema, text []byte) []byte {
	r := reader{text: text, mode: filling}
	r.read(s, reflect.Value{})
	return r.since(0)
}
