package value

import (
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file decides which alternative of a union a value is. Each is tried once at each place of
// the text, so that unions within unions cost no more than their number times the text.

// choose checks that exactly one alternative of a union fits.
func (r *reader) choose(s *schema.Schema) {
	var chosen []verdict
	start, end := r.at, r.at
	for _, alternative := range s.OneOf {
		v := r.try(alternative, start)
		if end = v.end; v.fits {
			chosen = append(chosen, v)
		}
	}
	r.at = end
	switch len(chosen) {
	case 1:
		r.edits = append(r.edits, chosen[0].edits...)
	case 0:
		r.tell("must be " + alternatives(s))
	default:
		r.tell("must be only one of those: " + alternatives(s))
	}
}

func (r *reader) try(s *schema.Schema, at int) verdict {
	key := choice{s.Resolve(), at}
	v, ok := r.decided[key]
	if !ok {
		if r.decided == nil {
			r.decided = make(map[choice]verdict)
		}
		inner := newReader(r.text, r.mode)
		inner.at, inner.decided = at, r.decided
		inner.value(s, reflect.Value{})
		v = verdict{inner.at, len(inner.problems) == 0, inner.edits}
		r.decided[key] = v
	}
	return v
}

func alternatives(s *schema.Schema) string {
	var list []string
	for _, one := range s.OneOf {
		name := one.Ref
		if name == "" {
			name = one.Noun()
		}
		list = append(list, name)
	}
	return strings.Join(list, " or ")
}
