package value

import (
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file finds the alternative of a union that matches a value. Each alternative is tried once
// at each place of the text, so nested unions take time linear in their number and the text.

// choose checks that exactly one alternative of a union matches. Members that no alternative has
// are read once, before the alternatives.
func (r *reader) choose(s *schema.Schema) {
	start, end, before := r.at, r.at, len(r.problems)
	if start >= r.passed {
		if r.ends == nil {
			r.ends = make(map[int]int)
		}
		r.free()
		if r.passed = r.at; len(r.problems) > before {
			return
		}
	}
	var chosen verdict
	fitting := 0
	for _, alternative := range s.OneOf {
		v := r.try(alternative, start)
		if end = v.end; v.fits {
			chosen = v
			fitting++
		}
	}
	r.at = end
	switch fitting {
	case 1:
		r.edits = append(r.edits, chosen.edits...)
	case 0:
		if one := r.meant(s, start); one != nil && r.most > 1 {
			r.at = start
			r.value(one, reflect.Value{}) // reports its problems
			return
		}
		r.tell(noneOf(s, "must be "))
	default:
		r.tell(noneOf(s, "must be only one of those: "))
	}
}

// try reads an alternative until its first problem.
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
	if most == 1 { // inside an alternative, which another union may try at this place
		if r.decided == nil {
			r.decided = make(map[choice]verdict)
		}
		r.decided[key] = v
	}
	return v
}

// meant returns the alternative that the value of a member identifies: the only one whose
// enumeration has the value. It returns nil if there is none. Members after an object or array are
// not checked, so that no part of the text is checked for two unions.
func (r *reader) meant(s *schema.Schema, start int) *schema.Schema {
	if r.text[start] != '{' {
		return nil
	}
	scan := scanner{r.text, start + 1}
	for scan.space(); scan.text[scan.at] != '}'; scan.next() {
		name := scan.name()
		if c := scan.text[scan.at]; c == '{' || c == '[' {
			return nil
		}
		from := scan.at
		scan.skip()
		meant := slices.DeleteFunc(slices.Clone(s.OneOf), func(one *schema.Schema) bool {
			return !enumerates(one.Resolve(), name, scan.text[from:scan.at])
		})
		if len(meant) == 1 {
			return meant[0]
		}
	}
	return nil
}

// enumerates reports whether a property is an enumeration with a value.
func enumerates(s *schema.Schema, name, text string) bool {
	i := s.PropertyOf(name, 0)
	return i >= 0 && slices.ContainsFunc(s.Properties[i].Schema.Resolve().Enum, func(l schema.Literal) bool { return string(l.JSON) == text })
}

// noneOf is the fault of a value that matches no alternative of a union, or several.
func noneOf(s *schema.Schema, words string) schema.Fault {
	var list []string
	for _, one := range s.OneOf {
		name := one.Ref
		if name == "" {
			name = one.Noun()
		}
		list = append(list, name)
	}
	return schema.Fault{Code: "oneOf", Limit: list, Detail: words + strings.Join(list, " or ")}
}
