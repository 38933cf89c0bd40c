package pattern

import (
	"iter"
	"slices"
	"strings"
)

// This file matches paths against a variant, and captures the parameters. Literal text has the same
// length in the path and in the variant's text, so only the parameters need a search.

// Match reports whether path has this variant. Every path has the nil variant.
func (v *Variant) Match(path string) bool {
	return v == nil || v.length(path) >= 0
}

// length returns the length of the text of path that v matches, without a suffix, or -1 if path
// does not match. Only the variant of a prefix matches less than the path.
func (v *Variant) length(path string) int {
	path, ok := v.cutSuffix(path)
	if !ok {
		return -1
	}
	i, from := 0, 0 // in the path, in the text
	for n, p := range v.params {
		literal := v.text[from:p.from]
		if !strings.HasPrefix(path[i:], literal) {
			return -1
		}
		i += len(literal)
		if v.end == open && n == len(v.params)-1 {
			if !p.class.Match(path[i:]) {
				return -1
			}
			return len(path)
		}
		end := segmentEnd(path, i)
		if end == i || p.class != nil && !p.class.Match(path[i:end]) {
			return -1
		}
		i, from = end, int(p.to)
	}
	rest, ok := strings.CutPrefix(path[i:], v.text[from:])
	switch {
	case !ok:
	case v.expression != nil && !v.expression.match(path):
	case v.expression != nil:
		return len(path)
	case rest == "" || v.end == beforeSlash && rest[0] == '/':
		return len(path) - len(rest)
	}
	return -1
}

// Follows reports whether path matches v, which ends in a wildcard or has an expression. The path
// has no suffix and matches v up to i, where the wildcard or the expression begins.
func (v *Variant) Follows(path string, i int) bool {
	if v.end == byExpression {
		return v.expression.match(path)
	}
	class := v.params[len(v.params)-1].class
	return class == nil || class.Match(path[i:])
}

// cutSuffix returns path without its suffix.
func (v *Variant) cutSuffix(path string) (head string, ok bool) {
	if v.suffix == nil {
		return path, true
	}
	dot := Dot(path)
	if dot < 0 || !v.suffix.class.Match(path[dot+1:]) {
		return "", false
	}
	return path[:dot], true
}

// First returns the first value of key in path, which has the variant v. A nil variant has no
// parameters. The path may have changed since it matched: a parameter that is missing now has no
// value.
func (v *Variant) First(path, key string) (string, bool) {
	if v == nil {
		return "", false
	}
	if v.expression != nil {
		if v.expression.has(key) {
			for k, value := range v.All(path) {
				if k == key {
					return value, true
				}
			}
		}
		return "", false
	}
	head := path
	if v.suffix != nil {
		var ok bool
		if head, ok = v.cutSuffix(path); !ok {
			return "", false
		}
	}
	begin, from := 0, 0 // in the path, in the text
	for i := range v.params {
		p := &v.params[i]
		begin += int(p.from) - from
		end := v.valueEnd(head, begin, i)
		if end < begin {
			return "", false
		}
		if v.text[p.from+1:p.to] == key && key != "" {
			return head[begin:end], true
		}
		begin, from = end, int(p.to)
	}
	if v.suffix != nil && v.suffix.Text == key {
		return path[len(head)+1:], true
	}
	return "", false
}

// HasNames reports whether v has parameters with names. The nil variant has none.
func (v *Variant) HasNames() bool {
	if v == nil {
		return false
	}
	isNamed := func(p span) bool { return p.to > p.from+1 }
	return v.suffix != nil || v.expression != nil && len(v.expression.names) > 1 || slices.ContainsFunc(v.params, isNamed)
}

// MayLack returns the names of the pattern's parameters if a path may lack some of them, else nil.
func (v *Variant) MayLack() []string {
	if v == nil {
		return nil
	}
	return v.mayLack
}

// All returns the names and values in path, which has the variant v, in order. It is inlined, so
// that a loop over it allocates nothing.
func (v *Variant) All(path string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) { v.each(path, yield) }
}

func (v *Variant) each(path string, yield func(key, value string) bool) {
	switch {
	case v == nil:
		return
	case v.expression != nil:
		v.expression.each(path, yield)
		return
	}
	head, ok := v.cutSuffix(path)
	begin, from := 0, 0
	for i := 0; ok && i < len(v.params); i++ {
		p := &v.params[i]
		begin += int(p.from) - from
		end := v.valueEnd(head, begin, i)
		name := v.text[p.from+1 : p.to]
		ok = begin <= end && (name == "" || yield(name, head[begin:end]))
		begin, from = end, int(p.to)
	}
	if ok && v.suffix != nil {
		yield(v.suffix.Text, path[len(head)+1:])
	}
}

// valueEnd returns the end of the value of parameter i, which begins at begin. The end is less than
// begin if the path is too short.
func (v *Variant) valueEnd(path string, begin, i int) int {
	if i == len(v.params)-1 && v.end != beforeSlash {
		return len(path) - (len(v.text) - int(v.params[i].to)) // only literal text follows
	}
	return segmentEnd(path, begin)
}
