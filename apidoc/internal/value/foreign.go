package value

import (
	"encoding/json"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file translates within types that encoding/json encodes and decodes as a whole, by their
// methods: it has another JSON than ours for addresses, for durations and dates in our formats, and
// for sql.Null. What such a type has written becomes ours, and what it reads becomes that of
// encoding/json.

// foreign reads a value of which encoding/json has another JSON. It reports false for others.
func (r *reader) foreign(s *schema.Schema, by *schema.Wrapper) bool {
	switch {
	case by != nil && !by.IsOptional:
		inner := *s
		inner.Wrapper, inner.Nullable = nil, true
		if r.mode == amending {
			r.unwrap(&inner)
		} else {
			r.wrap(&inner, by)
		}
		return true
	case r.mode != amending || s.Leaf == nil || !s.Leaf.IsForeign || r.text[r.at] == 'n':
		return false
	}
	start, v := r.at, reflect.New(s.Leaf.Type)
	r.skip()
	if json.Unmarshal([]byte(r.text[start:r.at]), v.Interface()) == nil {
		if text, err := s.Leaf.Append(nil, v.Elem()); err == nil {
			r.edits = append(r.edits, edit{start, r.at, string(appendString(nil, text))})
			return true
		}
	}
	r.at = start
	return false
}

// unwrap makes an object of the value and whether it is valid, in this order, the value or null.
func (r *reader) unwrap(s *schema.Schema) {
	start := r.at
	r.skip()
	end := r.at
	if !strings.HasSuffix(r.text[start:end], ":true}") {
		r.edits = append(r.edits, edit{start, end, "null"})
		return
	}
	r.at = start + 1
	r.name()
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
