package value

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file finds the alternative of a union that matches a value. Each alternative is tried once
// at each position in the text, so the time for nested unions is linear in their number and in the
// length of the text.

// choose checks that exactly one alternative of a union matches. Members that no alternative has
// are read once, before the alternatives.
func (r *reader) choose(s *schema.Schema) {
	start, end, before := r.at, r.at, len(r.problems)
	if start >= r.passed {
		if r.ends == nil {
			r.ends = make(map[int]int)
		}
		r.anyValue()
		r.passed = r.at
		if len(r.problems) > before {
			return
		}
	}
	if s.By != nil && r.text[start] == '{' {
		r.at = start
		r.selected(s)
		return
	}
	var chosen verdict
	fitting := 0
	for _, alternative := range s.OneOf {
		v := r.try(alternative, start)
		end = v.end
		if v.fits {
			chosen = v
			fitting++
		}
	}
	r.at = end
	switch fitting {
	case 1:
		r.edits = append(r.edits, chosen.edits...)
	case 0:
		r.report(noneOf(s, "must be "))
	default:
		r.report(noneOf(s, "must be only one of those: "))
	}
}

// try reads an alternative until its first problem.
func (r *reader) try(s *schema.Schema, at int) verdict {
	key := choice{s.Resolve(), at}
	if v, ok := r.decided[key]; ok {
		return v
	}
	problems, edits, limit := r.problems, r.edits, r.limit
	r.at, r.problems, r.edits, r.limit = at, nil, nil, 1
	r.value(s, reflect.Value{})
	v := verdict{r.at, len(r.problems) == 0, r.edits}
	r.problems, r.edits, r.limit = problems, edits, limit
	if limit == 1 { // inside an alternative, which another union may try at this place
		if r.decided == nil {
			r.decided = make(map[choice]verdict)
		}
		r.decided[key] = v
	}
	return v
}

// selected reads an object as the alternative that its discriminator names.
func (r *reader) selected(s *schema.Schema) {
	kind, ok := r.textOf(s.By.Name)
	i := slices.IndexFunc(s.By.Mappings, func(k schema.Mapping) bool { return ok && k.Text == kind })
	if i >= 0 {
		r.value(s.By.Mappings[i].Schema, reflect.Value{})
		return
	}
	kinds, texts := make([]string, len(s.By.Mappings)), make([]string, len(s.By.Mappings))
	for i, k := range s.By.Mappings {
		kinds[i], texts[i] = k.Text, strconv.Quote(k.Text)
	}
	r.reportAt(s.By.Name, &schema.Fault{Code: "discriminator", Limit: kinds, Detail: "must be one of " + strings.Join(texts, ", ")})
	r.skip()
}

// textOf returns the text of a member of the object that follows. It reports false if there is no
// such text.
func (r *reader) textOf(name string) (text string, ok bool) {
	defer func(start int) { r.at = start }(r.at)
	r.at++
	for r.next(); r.text[r.at] != '}'; r.next() {
		isNamed := r.quoted() == name
		r.next()
		if isNamed && r.text[r.at] == '"' {
			return r.quoted(), true
		}
		r.skip()
	}
	return "", false
}

// noneOf is the fault of a value that does not match exactly one alternative of a union.
func noneOf(s *schema.Schema, words string) *schema.Fault {
	var list []string
	for _, one := range s.OneOf {
		name := one.Ref
		if name == "" {
			name = one.Noun()
		}
		list = append(list, name)
	}
	return &schema.Fault{Code: "oneOf", Limit: list, Detail: words + strings.Join(list, " or ")}
}
