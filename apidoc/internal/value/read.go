package value

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file walks a JSON text, its schema and a Go value together. With the zero reflect.Value it
// only validates the text.

// Check returns the errors in a text, which must be valid JSON. For requests, it also calls the
// decoding methods of types that have them.
func Check(s *schema.Schema, text string, direction schema.Direction) []routing.InputError {
	r := newReader(text, direction)
	defer r.end()
	r.value(s, reflect.Value{})
	return r.problems
}

// Decode checks a text, which must be valid JSON, and sets v like encoding/json. Missing members
// get their defaults. If there are problems, the caller must not use v.
//
// If hasValidators is true, Decode calls the Validate methods of the valid parts of v, even if
// others are invalid. The error is from such a method. Otherwise it decodes nothing behind a
// problem, which keeps large invalid bodies cheap.
func Decode(ctx context.Context, s *schema.Schema, text string, v reflect.Value, hasValidators bool) ([]routing.InputError, error) {
	r := newReader(text, schema.InRequests)
	defer r.end()
	if hasValidators {
		r.ctx = ctx
	}
	r.value(s, v)
	return r.problems, r.failed
}

// value reads the value at the current position and advances past it.
func (r *reader) value(s *schema.Schema, v reflect.Value) {
	if len(r.problems) == r.limit {
		r.skip()
		return
	}
	nullable, wrapper := s.Nullable, s.Wrapper
	if s.Target != nil {
		s = s.Target
	}
	start, first, before := r.at, r.text[r.at], len(r.problems)-r.found
	if (r.amends || len(r.decoding) > 0) && r.foreign(s, wrapper) {
		return
	}
	if wrapper != nil {
		v = wrapper.Into(v, first == 'n')
	}
	isWhole := s.Opaque != nil || s.Kind == "" || s.OneOf != nil // encoding/json decodes it as a whole
	if first == 'n' && (nullable || s.Nullable || r.amends && r.fill(s)) {
		r.at += len("null")
		if isWhole && v.IsValid() && v.Kind() != reflect.Pointer && wrapper == nil {
			r.decodeByMethods(s, v, start)
		}
		return
	}
	decodesItself := s.Opaque != nil && r.isRequest()
	switch {
	case decodesItself && r.nested == maxNested:
		r.skip()
		r.report(tooDeep)
		return
	case decodesItself:
		r.nested++
	}
	into := v
	if isWhole = isWhole && !slices.Contains(r.decoding, s); isWhole { // otherwise the enclosing value decodes it
		into = reflect.Value{}
		r.decoding = append(r.decoding, s)
	}
	switch isNumber := first == '-' || '0' <= first && first <= '9'; {
	case s.OneOf != nil:
		r.choose(s)
	case s.Kind == "":
		r.anyValue()
	case s.Kind == "object" && first == '{':
		r.object(s, pointed(into))
	case s.Kind == "array" && first == '[':
		r.array(s, pointed(into))
	case s.Kind == "string" && first == '"':
		r.report(r.scalar(s, into, r.quoted(), start))
	case (s.Kind == "integer" || s.Kind == "number") && isNumber, s.Kind == "boolean" && (first == 't' || first == 'f'):
		r.report(r.scalar(s, into, r.word(), start))
	default:
		r.skip()
		r.report(wrongType(s, first, r.direction))
	}
	if decodesItself {
		r.nested--
	}
	if isWhole {
		r.decoding = r.decoding[:len(r.decoding)-1]
	}
	if isWhole && len(r.problems)-r.found == before {
		r.decodeByMethods(s, v, start)
	}
	if r.ctx != nil && s.ValidatorPaths != nil && r.failed == nil && len(r.problems)-r.found == before && v.IsValid() {
		r.problems, r.failed = validate(r.ctx, s, pointed(v), r.pointer, r.problems)
		r.found = len(r.problems) - before
		if r.failed != nil {
			r.limit = len(r.problems) // collect no more errors
		}
	}
}

var tooDeep = &schema.Fault{Code: "depth", Limit: maxNested, Detail: "must not be nested deeper than " + strconv.Itoa(maxNested) + " values"}

// anyValue accepts any value, but no duplicate members.
func (r *reader) anyValue() {
	start := r.at
	switch c := r.text[r.at]; {
	case r.at < r.passed, len(r.problems) == r.limit:
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
	isForeign := len(r.decoding) > 0 && s.Codec != nil && s.Codec.IsForeign
	isOnlyChecked := !v.IsValid() // encoding/json may still read the text
	if !v.IsValid() && s.Codec != nil && s.Codec.IsStrict && (r.isRequest() || isForeign) {
		v = reflect.New(s.Codec.Type).Elem()
	}
	if v = pointed(v); v.IsValid() && v.Kind() == reflect.String {
		text = r.copyText(s, text)
	}
	plain, f := s.Set(v, text)
	switch {
	case f != nil:
	case isForeign:
		text, _ := json.Marshal(v.Addr().Interface()) // as the enclosing type reads it
		r.edits = append(r.edits, edit{start, r.at, string(text)})
	case plain != text && isOnlyChecked:
		r.edits = append(r.edits, edit{start, r.at, plain})
	}
	return f
}

// copyText returns the text of a value, copied if the body is large: a short text must not keep the
// body in memory. For members of an enumeration it returns the schema's text.
func (r *reader) copyText(s *schema.Schema, text string) string {
	for i := range s.Enum {
		if s.Enum[i].Text == text {
			return s.Enum[i].Text
		}
	}
	const short, shared = 64, 1024 // bytes
	switch {
	case len(r.text) <= shared:
		return text
	case len(text) > short:
		return strings.Clone(text)
	case r.texts.Cap()-r.texts.Len() < len(text):
		r.texts = strings.Builder{}
		r.texts.Grow(shared)
	}
	start := r.texts.Len()
	r.texts.WriteString(text)
	return r.texts.String()[start:]
}

func (r *reader) array(s *schema.Schema, v reflect.Value) {
	items := s.Items
	if items == nil {
		items = anything
	}
	var seen *Seen // not on the stack, which would grow with each nested array
	if s.Unique {
		seen = new(Seen)
	}
	count := 0
	r.at++
	for r.next(); r.text[r.at] != ']'; count++ {
		start := r.at
		r.path = append(r.path, step{index: count})
		if len(r.problems) > 0 && r.ctx == nil {
			v = reflect.Value{} // the value will not be used
		}
		if items == anything {
			r.anyValue() // needs less stack for each nested array
		} else {
			r.value(items, itemOf(v, count))
		}
		if s.Unique && len(r.problems) < r.limit && seen.Add(canonical(r.text[start:r.at])) {
			r.report(schema.SameItem)
		}
		r.path = r.path[:len(r.path)-1]
		r.next()
	}
	r.at++
	if count == 0 && v.IsValid() && v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	r.report(s.RefuseLength(count))
}

func (r *reader) object(s *schema.Schema, v reflect.Value) {
	var buffer [32]bool // enough for most structs
	seen := append(buffer[:0], make([]bool, len(s.Properties))...)
	rest := rest{object: s}
	if v.IsValid() && v.Kind() == reflect.Map {
		t := v.Type()
		v.Set(reflect.MakeMap(t))
		rest.key, rest.element = reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	}
	count, kept, last, expected := 0, 0, 0, 0
	r.at++
	for r.next(); r.text[r.at] != '}'; count++ {
		start, isHidden := r.at, false
		name := r.quoted()
		r.next()
		r.path = append(r.path, step{name, -1})
		if len(r.problems) > 0 && r.ctx == nil {
			v = reflect.Value{} // the value will not be used
		}
		if i := s.PropertyOf(name, expected); i < 0 {
			r.otherMember(name, &rest, v)
		} else {
			expected = i + 1
			if seen[i] {
				r.report(schema.SameName)
			}
			seen[i] = true
			p := &s.Properties[i]
			switch isHidden = p.Schema.NotIn == r.direction; {
			case !isHidden:
				r.value(p.Schema, fieldOf(v, p.Index))
			case r.direction == schema.InResponses && !r.amends:
				r.report(&schema.Fault{Code: "writeOnly", Detail: "must not be sent"})
				fallthrough
			default: // a client may send back a response, even if unknown members are refused
				r.skip()
			}
		}
		r.path = r.path[:len(r.path)-1]
		end := r.at
		r.next()
		switch {
		case !isHidden:
			kept++
		case v.IsValid(): // encoding/json does not read the text
		case kept > 0:
			r.edits = append(r.edits, edit{last, end, ""})
		default:
			r.edits = append(r.edits, edit{start, r.at, ""})
		}
		last = end
	}
	r.missing(s, seen, kept, v)
	r.at++
	r.report(s.RefuseLength(count))
}

// rest is the state for reading the members of an object that are not properties.
type rest struct {
	object       *schema.Schema
	names        Seen
	key, element reflect.Value // of a map, reused for each element
	keys         reflect.Value // a set, if the text is only checked
}

// keyOf returns a value to decode a key into if the text is only validated. It returns the zero
// Value if names need not be decoded to be compared.
func (rest *rest) keyOf(s *schema.Schema) reflect.Value {
	if isName(s) || !s.Codec.Type.Comparable() {
		return reflect.Value{}
	}
	if !rest.keys.IsValid() {
		rest.key = reflect.New(s.Codec.Type).Elem()
		rest.keys = reflect.MakeMap(reflect.MapOf(s.Codec.Type, reflect.TypeFor[struct{}]()))
	}
	rest.key.SetZero()
	return rest.key
}

// isName reports whether keys are equal only if their names are equal.
func isName(s *schema.Schema) bool {
	return s.Codec == nil || (s.Kind == "string" || s.Kind == "integer") && !s.Codec.IsStrict
}

// isKnown reports whether an earlier name was decoded to an equal key.
func (rest *rest) isKnown(key, v reflect.Value) bool {
	if !rest.keys.IsValid() {
		return v.IsValid() && v.MapIndex(key).IsValid()
	}
	isKnown := rest.keys.MapIndex(key).IsValid()
	rest.keys.SetMapIndex(key, reflect.ValueOf(struct{}{}))
	return isKnown
}

// otherMember decodes a member that is not a property.
func (r *reader) otherMember(name string, rest *rest, v reflect.Value) {
	s, key, element := rest.object, reflect.Value{}, reflect.Value{}
	inner := s.Values
	if inner == nil {
		inner = anything
	}
	if v.IsValid() && v.Kind() == reflect.Map {
		key, element = rest.key, rest.element
		key.SetZero()
		element.SetZero()
	}
	twice := rest.names.Add(name)
	// encoding/json would accept a name that differs from a property only in letter case.
	switch i := s.PropertyLike(name); {
	case i >= 0:
		right := s.Properties[i].Name
		r.report(&schema.Fault{Code: "letterCase", Limit: right, Detail: "must be written " + strconv.Quote(right)})
	case twice:
		r.report(schema.SameName)
	case s.Closed:
		r.report(schema.Unknown)
	case s.Keys != nil:
		keys, edits := s.Keys.Resolve(), len(r.edits)
		f := keys.RefuseText(name)
		if f == nil {
			if !key.IsValid() && r.isRequest() {
				key = rest.keyOf(keys)
			}
			f = r.scalar(keys, key, name, r.at)
			r.edits = r.edits[:edits] // which would change the value, not the name
		}
		switch {
		case f != nil:
			r.report(f.OfName())
		case key.IsValid() && !isName(keys) && rest.isKnown(key, v):
			r.report(schema.SameName)
		}
	}
	if inner == anything {
		r.anyValue() // needs less stack, as in array
	} else {
		r.value(inner, element)
	}
	if element.IsValid() && (len(r.problems) == 0 || r.ctx != nil) {
		v.SetMapIndex(key, element)
	}
}

// missing reports required members that are missing, and adds the defaults of others.
func (r *reader) missing(s *schema.Schema, seen []bool, count int, v reflect.Value) {
	for i := range s.Properties {
		p := &s.Properties[i]
		needs := func(name string) bool { return seen[s.PropertyOf(name, 0)] }
		switch {
		case seen[i] || p.Schema.NotIn == r.direction:
		case p.RequiredIn(r.direction):
			r.reportAt(p.Name, schema.Required)
		case slices.ContainsFunc(p.NeededBy, needs):
			r.reportAt(p.Name, schema.MissingWith(p.NeededBy[slices.IndexFunc(p.NeededBy, needs)]))
		case p.Schema.Default == nil:
		case v.IsValid(): // the default was checked when the type was read
			setDefault(p, fieldOf(v, p.Index))
		case (r.isRequest() || r.amends && r.direction != schema.InRequests) && len(r.problems) == 0: // the value will be used
			text := p.Label + string(p.Schema.Default)
			if r.amends && p.LeftOut != nil {
				text = p.Label + string(p.LeftOut)
			}
			if count == 0 {
				text = text[1:]
			}
			r.edits = append(r.edits, edit{r.at, r.at, text})
			count++
		}
	}
}

// setDefault sets a field to its default, without Validate methods.
func setDefault(p *schema.Property, v reflect.Value) {
	if p.DefaultText != "" {
		Set(p.Schema, v, p.DefaultText)
		return
	}
	r := newReader(string(p.Schema.Default), schema.InRequests)
	defer r.end()
	r.value(p.Schema, v)
}

// fieldOf returns the field of a struct, and allocates embedded pointers.
func fieldOf(v reflect.Value, index []int) reflect.Value {
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i, at := range index {
		if i > 0 {
			v = pointed(v)
		}
		v = v.Field(at)
	}
	return v
}

// wrongType returns the fault of a value of another type that begins with first. Null for an array
// or a map usually comes from a nil slice or map of a Go program.
func wrongType(s *schema.Schema, first byte, direction schema.Direction) *schema.Fault {
	f := s.WrongType()
	isList, isMap := s.Kind == "array" && !s.Fixed, s.Kind == "object" && s.Values != nil
	if first != 'n' || !isList && !isMap {
		return f
	}
	empty, kind := "[]", "slice"
	if isMap {
		empty, kind = "{}", "map"
	}
	f = &schema.Fault{Code: f.Code, Limit: f.Limit, Detail: f.Detail + ", not null: send " + empty}
	if direction == schema.InResponses { // which the programmer reads, not a client
		f.Detail += " (in Go a " + kind + " that is not nil)"
	}
	return f
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
			v.Grow(4) // one allocation for short lists; long lists grow as with append
		}
		v.SetLen(i + 1)
		item := v.Index(i)
		item.SetZero()
		return item
	case i < v.Len():
		return v.Index(i)
	}
	return reflect.Value{} // too many items, which is reported
}

// report records the fault of the value at the current path, if any.
func (r *reader) report(f *schema.Fault) {
	if f != nil && len(r.problems) < r.limit {
		if r.problems == nil {
			r.problems = make([]routing.InputError, 0, min(r.limit, 2)) // more are rare
		}
		r.problems = append(r.problems, routing.InputError{In: "body", Pointer: r.pointer(), Detail: f.Detail, Code: f.Code, Limit: f.Limit})
	}
}

// reportAt records the fault of a member of the value.
func (r *reader) reportAt(name string, f *schema.Fault) {
	r.path = append(r.path, step{name, -1})
	r.report(f)
	r.path = r.path[:len(r.path)-1]
}

// maxPointer is the maximum length of a pointer in bytes. Longer ones are cut.
const maxPointer = 512

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (r *reader) pointer() string {
	var buffer [64]byte // enough for most pointers
	pointer := buffer[:0]
	for _, s := range r.path {
		text := s.name
		if s.index >= 0 {
			text = strconv.Itoa(s.index)
		}
		text = pointerEscapes.Replace(strings.ToValidUTF8(text[:min(len(text), maxPointer)], "\uFFFD"))
		if len(pointer)+1+len(text) > maxPointer {
			break
		}
		pointer = append(append(pointer, '/'), text...)
	}
	return string(pointer)
}
