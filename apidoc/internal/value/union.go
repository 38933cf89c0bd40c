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

// try reads an alternative, of which one problem is enough.
func (r *reader) try(s *schema.Schema, at int) verdict {
	key := choice{s.Resolve(), at}
	if v, ok := r.decided[key]; ok {
		return v
	}
	problems, edits, most := r.problems, r.edits, r.most
	r.at, r.problems, r.edits, r.most = at, nil, nil, 1
	r.value(s, reflect.Value{})
	v := verdict{r.at, len(r.problems) == 0, r.edits}
	r.problems, r.edits, r.most = problems, edits, most
	if most == 1 { // within an alternative that another union may try here
		if r.decided == nil {
			r.decided = make(map[choice]verdict)
		}
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
