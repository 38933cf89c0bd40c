package value

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file handles types that encoding/json decodes and encodes with their methods. encoding/json
// writes other JSON than this package for addresses, durations and dates with a format, sql.Null,
// and nil slices and maps. The output of such a type is converted to this package's JSON, and its
// input to the JSON of encoding/json.

// decodeByMethods decodes a value that began at start with encoding/json. If a request is only
// checked, the type must be able to decode it too. Unions are the exception, since they would be
// decoded at each level.
func (r *reader) decodeByMethods(s *schema.Schema, v reflect.Value, start int) {
	if !v.IsValid() {
		if s.Opaque == nil || s.OneOf != nil || !r.isRequest() {
			return
		}
		v = reflect.New(s.Opaque).Elem()
	}
	if json.Unmarshal(r.since(start), v.Addr().Interface()) != nil {
		r.report(s.Invalid())
	}
}

// since returns the text from start to the current position, with its edits.
func (r *reader) since(start int) []byte {
	first, _ := slices.BinarySearchFunc(r.edits, start, func(e edit, start int) int { return cmp.Compare(e.from, start) })
	var b []byte
	for first < len(r.edits) && r.edits[first].to == start {
		first++ // an edit of the enclosing value
	}
	for _, e := range r.edits[first:] {
		b = append(append(b, r.text[start:e.from]...), e.text...)
		start = e.to
	}
	return append(b, r.text[start:r.at]...)
}

// fill replaces null, which encoding/json writes for a nil slice or map, by an empty array or
// object. It reports false for other values.
func (r *reader) fill(s *schema.Schema) bool {
	empty := ""
	switch {
	case s.Kind == "array" && !s.Fixed:
		empty = "[]"
	case s.Kind == "object" && s.Values != nil && s.Properties == nil:
		empty = "{}"
	case s.Kind == "string" && s.Format == "byte":
		empty = `""`
	default:
		return false
	}
	r.edits = append(r.edits, edit{r.at, r.at + len("null"), empty})
	return true
}

// foreign reads a value for which encoding/json has other JSON. It reports false for other values.
func (r *reader) foreign(s *schema.Schema, by *schema.Wrapper) bool {
	switch {
	case by != nil && !by.IsOptional:
		inner := *s
		inner.Wrapper, inner.Nullable = nil, true
		if r.amends {
			r.unwrap(&inner)
		} else {
			r.wrap(&inner, by)
		}
		return true
	case !r.amends || s.Codec == nil || !s.Codec.IsForeign || r.text[r.at] == 'n':
		return false
	}
	start, v := r.at, reflect.New(s.Codec.Type)
	r.skip()
	if json.Unmarshal([]byte(r.text[start:r.at]), v.Interface()) == nil {
		if text, err := s.Codec.Append(nil, v.Elem()); err == nil {
			r.edits = append(r.edits, edit{start, r.at, string(appendString(nil, string(text)))})
			return true
		}
	}
	r.at = start
	return false
}

// unwrap replaces an object such as {"String":"a","Valid":true} by the value, or by null if it is
// not valid.
func (r *reader) unwrap(s *schema.Schema) {
	start := r.at
	r.skip()
	end := r.at
	if !strings.HasSuffix(r.text[start:end], ":true}") {
		r.edits = append(r.edits, edit{start, end, "null"})
		return
	}
	r.at = start + 1
	r.quoted()
	r.next()
	r.edits = append(r.edits, edit{start, r.at, ""})
	r.value(s, reflect.Value{})
	r.edits = append(r.edits, edit{r.at, end, ""})
	r.at = end
}

// wrap is the reverse of unwrap.
func (r *reader) wrap(s *schema.Schema, by *schema.Wrapper) {
	start, isNull := r.at, r.text[r.at] == 'n'
	if !isNull {
		r.edits = append(r.edits, edit{start, start, `{"` + by.Name + `":`})
	}
	r.value(s, reflect.Value{})
	if isNull {
		r.edits = append(r.edits, edit{start, r.at, `{"Valid":false}`})
	} else {
		r.edits = append(r.edits, edit{r.at, r.at, `,"Valid":true}`})
	}
}
