package value

import (
	"context"
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
	r := newReader(text, mode)
	defer r.end()
	r.space()
	r.value(s, reflect.Value{})
	return r.problems
}

// Decode checks a text, which must be valid JSON, and sets v like encoding/json. Missing members
// get their defaults. If there are problems, the value of v is undefined.
//
// With checks it sets also the parts of v that have no problem beside others, and lets these check
// themselves. The error is that of such a check.
func Decode(ctx context.Context, s *schema.Schema, text string, v reflect.Value, checks bool) ([]routing.InputError, error) {
	r := newReader(text, Lenient)
	defer r.end()
	if checks {
		r.ctx = ctx
	}
	r.space()
	r.value(s, v)
	return r.problems, r.failed
}

// value reads the value at the current position, and moves after it.
func (r *reader) value(s *schema.Schema, v reflect.Value) {
	if len(r.problems) == r.most {
		r.skip()
		return
	}
	nullable, wrapper := s.Nullable, s.Wrapper
	s = s.Resolve()
	start, first, before := r.at, r.text[r.at], len(r.problems)-r.found
	if (r.mode == amending || len(r.decoding) > 0) && r.foreign(s, wrapper) {
		return
	}
	if wrapper != nil {
		v = wrapper.Into(v, first == 'n')
	}
	own := s.Own != nil || s.Kind == "" || s.OneOf != nil // encoding/json decodes it as a whole
	if first == 'n' && (nullable || s.Nullable || r.mode == amending && r.fill(s)) {
		r.at += len("null")
		if own && v.IsValid() && v.Kind() != reflect.Pointer && wrapper == nil {
			r.decodeOwn(s, v, start)
		}
		return
	}
	into := v
	if own = own && !slices.Contains(r.decoding, s); own { // if not, the value around it decodes it
		into = reflect.Value{}
		r.decoding = append(r.decoding, s)
	}
	switch isNumber := first == '-' || '0' <= first && first <= '9'; {
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
		r.tell(wrongType(s, first))
	}
	if own {
		r.decoding = r.decoding[:len(r.decoding)-1]
	}
	if own && len(r.problems)-r.found == before {
		r.decodeOwn(s, v, start)
	}
	if r.ctx != nil && s.Checks != nil && r.failed == nil && len(r.problems)-r.found == before && v.IsValid() {
		r.problems, r.failed = checkItself(r.ctx, s, pointed(v), r.pointer, r.problems)
		if r.found = len(r.problems) - before; r.failed != nil {
			r.most = len(r.problems) // nothing else matters
		}
	}
}

// CheckItself lets a value that was set from text check itself, or the items of a list.
func CheckItself(ctx context.Context, s *schema.Schema, v reflect.Value) ([]routing.InputError, error) {
	if v = s.Content(v); !v.IsValid() {
		return nil, nil
	}
	s = s.Resolve()
	root := func() string { return "" }
	problems, err := checkItself(ctx, s, v, root, nil)
	for i := 0; s.Items != nil && i < v.Len() && err == nil; i++ {
		if item := s.Items.Content(v.Index(i)); item.IsValid() {
			problems, err = checkItself(ctx, s.Items.Resolve(), item, root, problems)
		}
	}
	return problems, err
}

// checkItself appends what the parts of a value find that check themselves. Pointers to their
// errors begin with that of the value, which is made only for them.
func checkItself(
	ctx context.Context, s *schema.Schema, v reflect.Value, pointer func() string, problems []routing.InputError,
) ([]routing.InputError, error) {
	for _, way := range s.Checks {
		part, ok := embedded(v, way)
		if !ok || !part.CanInterface() {
			continue // it is nil, or of a type that nobody can set
		}
		found, err := part.Addr().Interface().(selfChecked).CheckInput(ctx)
		if err != nil {
			return problems, err
		}
		for _, e := range found {
			if e.In, e.Name, e.Pointer = "body", "", pointer()+e.Pointer; len(problems) < MaxProblems {
				problems = append(problems, e)
			}
		}
	}
	return problems, nil
}

// selfChecked is apidoc.SelfChecked.
type selfChecked interface {
	CheckInput(ctx context.Context) ([]routing.InputError, error)
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
	case r.at < r.passed, len(r.problems) == r.most:
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

func (r *reader) array(s *schema.Schema, v reflect.Value) {
	items := s.Items
	if items == nil {
		items = anything
	}
	var seen *texts // large for the stack of a deep text
	if s.Unique {
		seen = new(texts)
	}
	count := 0
	r.at++
	for r.space(); r.text[r.at] != ']'; count++ {
		start := r.at
		r.path = append(r.path, step{index: count})
		if len(r.problems) > 0 && r.ctx == nil {
			v = reflect.Value{} // the value will not be used
		}
		if items == anything {
			r.free() // with less on the stack, for a deep text
		} else {
			r.value(items, itemOf(v, count))
		}
		if s.Unique && len(r.problems) < r.most && seen.add(canonical(r.text[start:r.at])) {
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

// wrongType is the fault of a value of another type, which began with a character. Null for a list
// or a map is mostly a nil one of a client in Go.
func wrongType(s *schema.Schema, first byte) *schema.Fault {
	f := s.WrongType()
	switch {
	case first == 'n' && s.Kind == "array":
		return &schema.Fault{Code: f.Code, Limit: f.Limit, Detail: f.Detail + ", not null: send [] (in Go a slice that is not nil)"}
	case first == 'n' && s.Kind == "object" && s.Values != nil:
		return &schema.Fault{Code: f.Code, Limit: f.Limit, Detail: f.Detail + ", not null: send {} (in Go a map that is not nil)"}
	}
	return f
}
