package value

import (
	"encoding/json"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file walks a text, its schema and a Go value together. With the zero reflect.Value the text
// is only checked.

// Check returns the errors in a text, which must be valid JSON.
func Check(s *schema.Schema, text string, mode Mode) []routing.InputError {
	return newReader(text, mode).read(s, reflect.Value{})
}

// Decode checks a text, which must be valid JSON, and sets v like encoding/json. Missing members
// get their defaults. If there are problems, the value of v is undefined.
func Decode(s *schema.Schema, text string, v reflect.Value) []routing.InputError {
	return newReader(text, Lenient).read(s, v)
}

// DecodeParts is Decode, but sets also the parts of v that have no problem beside others.
func DecodeParts(s *schema.Schema, text string, v reflect.Value) []routing.InputError {
	r := newReader(text, Lenient)
	r.whole = true
	return r.read(s, v)
}

// read reads the whole text, and ends the reader.
func (r *reader) read(s *schema.Schema, v reflect.Value) []routing.InputError {
	defer r.end()
	r.space()
	r.value(s, v)
	return r.problems
}

// value reads the value at the current position, and moves after it.
func (r *reader) value(s *schema.Schema, v reflect.Value) {
	if len(r.problems) == r.most {
		r.skip()
		return
	}
	nullable, wrapper := s.Nullable, s.Wrapper
	s = s.Resolve()
	start, first, before := r.at, r.text[r.at], len(r.problems)
	if (r.mode == amending || len(r.decoding) > 0) && r.foreign(s, wrapper) {
		return
	}
	v = wrapper.Into(v, first == 'n')
	if first == 'n' && (nullable || s.Nullable || r.mode == amending && r.fill(s)) {
		r.at += len("null")
		if ownDecoding(s) && v.IsValid() && v.Kind() != reflect.Pointer && wrapper == nil {
			r.decodeOwn(s, v, start)
		}
		return
	}
	own := ownDecoding(s) && !slices.Contains(r.decoding, s) // if not, the value around it decodes it
	into := v
	if own {
		into = reflect.Value{}
		r.decoding = append(r.decoding, s)
	}
	switch isNumber := first == '-' || isDigit(first); {
	case s.OneOf != nil:
		r.choose(s)
	case s.Kind == "":
		r.free()
	case s.Kind == "object" && first == '{':
		r.object(s, pointed(into))
	case s.Kind == "array" && first == '[':
		r.array(s, pointed(into))
	case s.Kind == "string" && first == '"':
		r.tell(r.scalar(s, into, r.quoted(), start))
	case s.Kind == "integer" && isNumber:
		r.integer(s, into)
	case s.Kind == "number" && isNumber:
		r.tell(r.scalar(s, into, r.word(), start))
	case s.Kind == "boolean" && (first == 't' || first == 'f'):
		r.tell(r.scalar(s, into, r.word(), start))
	default:
		r.skip()
		r.tell(s.WrongType())
	}
	if own {
		r.decoding = r.decoding[:len(r.decoding)-1]
	}
	if own && len(r.problems) == before {
		r.decodeOwn(s, v, start)
	}
}

// ownDecoding reports whether encoding/json decodes the value as a whole.
func ownDecoding(s *schema.Schema) bool {
	return s.OneOf != nil || s.Kind == "" || s.Own != nil
}

// decodeOwn decodes a value that began at start with encoding/json. Even in a check, the type must
// be able to decode it. Unions are the exception, since they would be decoded at each level.
func (r *reader) decodeOwn(s *schema.Schema, v reflect.Value, start int) {
	if !v.IsValid() {
		if s.Own == nil || s.OneOf != nil || r.mode >= Response {
			return
		}
		v = reflect.New(s.Own).Elem()
	}
	if json.Unmarshal(r.since(start), v.Addr().Interface()) != nil {
		r.tell(invalid(s))
	}
}

// fill sets an empty slice or map for null, which stands for Go's nil ones.
func (r *reader) fill(s *schema.Schema) bool {
	empty := ""
	switch {
	case s.Kind == "array" && s.Length == nil:
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

// free accepts any value. Members must still not occur twice.
func (r *reader) free() {
	start := r.at
	switch c := r.text[r.at]; {
	case r.at < r.passed:
		r.skip()
		return
	case c == '{':
		r.object(anything, reflect.Value{})
	case c == '[':
		r.array(anything, reflect.Value{})
	default:
		r.skip()
	}
	if r.ends != nil && r.at-start >= minLong {
		r.ends[start] = r.at
	}
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

func (r *reader) array(s *schema.Schema, v reflect.Value) {
	items := s.Items
	if items == nil {
		items = anything
	}
	var seen texts
	count := 0
	r.at++
	for r.space(); r.text[r.at] != ']'; count++ {
		start := r.at
		r.path = append(r.path, step{index: count})
		if len(r.problems) > 0 && !r.whole {
			v = reflect.Value{} // the value will not be used
		}
		r.value(items, itemOf(v, count))
		if s.Unique && len(r.problems) < r.most && r.repeated(items, start, &seen) {
			r.tell(schema.SameItem)
		}
		r.path = r.path[:len(r.path)-1]
		r.next()
	}
	r.at++
	if count == 0 && v.IsValid() && v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	r.tell(s.RefuseLength(count))
}

// repeated reports whether an item, which began at start and has just been read, is equal to an
// earlier one. Scalars are among those seen. For others the whole text is read once more.
func (r *reader) repeated(items *schema.Schema, start int, seen *texts) bool {
	if items.Resolve().Scalar() {
		return seen.add(canonical(r.text[start:r.at]))
	}
	if r.repeats == nil {
		r.repeats = repeatedItems(r.text)
	}
	_, found := slices.BinarySearch(r.repeats, start)
	return found
}
