package pattern

import (
	"iter"
	"strings"
)

// This file matches paths against a shape, and captures the parameters. Literal text has the same
// length in the path and in the shape's source, so only the parameters need a search.

// Match reports whether path has this shape. Every path has the nil shape.
func (s *Shape) Match(path string) bool {
	return s == nil || s.length(path) >= 0
}

// length returns the length of the text of path that s matches, without a suffix, or -1 if path
// does not match. Only the shape of a prefix matches less than the path.
func (s *Shape) length(path string) int {
	path, ok := s.cut(path)
	if !ok {
		return -1
	}
	i, from := 0, 0 // in the path, in the source
	for n, p := range s.params {
		literal := s.source[from:p.from]
		if !strings.HasPrefix(path[i:], literal) {
			return -1
		}
		i += len(literal)
		if s.end == open && n == len(s.params)-1 {
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
	rest, ok := strings.CutPrefix(path[i:], s.source[from:])
	switch {
	case !ok:
	case s.expression != nil && !s.expression.match(path):
	case s.expression != nil:
		return len(path)
	case rest == "" || s.end == below && rest[0] == '/':
		return len(path) - len(rest)
	}
	return -1
}

// Follows reports whether path matches s, which ends in a wildcard or has an expression. The path
// has no suffix and matches s up to i, where the wildcard or the expression begins.
func (s *Shape) Follows(path string, i int) bool {
	if s.end == byExpression {
		return s.expression.match(path)
	}
	class := s.params[len(s.params)-1].class
	return class == nil || class.Match(path[i:])
}

// cut returns path without its suffix.
func (s *Shape) cut(path string) (head string, ok bool) {
	if s.suffix == nil {
		return path, true
	}
	dot := Dot(path)
	if dot < 0 || !s.suffix.class.Match(path[dot+1:]) {
		return "", false
	}
	return path[:dot], true
}

// First returns the first value of key in path, which has shape s. A nil shape has no parameters.
// The path may have changed since it matched: a parameter that is missing now has no value.
func (s *Shape) First(path, key string) (string, bool) {
	if s == nil {
		return "", false
	}
	if s.expression != nil {
		if s.expression.has(key) {
			for k, value := range s.All(path) {
				if k == key {
					return value, true
				}
			}
		}
		return "", false
	}
	head := path
	if s.suffix != nil {
		var ok bool
		if head, ok = s.cut(path); !ok {
			return "", false
		}
	}
	begin, from := 0, 0 // in the path, in the source
	for i := range s.params {
		p := &s.params[i]
		begin += int(p.from) - from
		end := s.valueEnd(head, begin, i)
		if end < begin {
			return "", false
		}
		if s.source[p.from+1:p.to] == key && key != "" {
			return head[begin:end], true
		}
		begin, from = end, int(p.to)
	}
	if s.suffix != nil && s.suffix.Text == key {
		return path[len(head)+1:], true
	}
	return "", false
}

// Names returns the names of the pattern's parameters if a path may have no value for some of them,
// otherwise nil.
func (s *Shape) Names() []string {
	if s == nil {
		return nil
	}
	return s.names
}

// All returns the names and values in path, which has shape s, in order. It is inlined, so that a
// loop over it allocates nothing.
func (s *Shape) All(path string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) { s.each(path, yield) }
}

func (s *Shape) each(path string, yield func(key, value string) bool) {
	switch {
	case s == nil:
		return
	case s.expression != nil:
		s.expression.each(path, yield)
		return
	}
	head, ok := s.cut(path)
	begin, from := 0, 0
	for i := 0; ok && i < len(s.params); i++ {
		p := &s.params[i]
		begin += int(p.from) - from
		end := s.valueEnd(head, begin, i)
		name := s.source[p.from+1 : p.to]
		ok = begin <= end && (name == "" || yield(name, head[begin:end]))
		begin, from = end, int(p.to)
	}
	if ok && s.suffix != nil {
		yield(s.suffix.Text, path[len(head)+1:])
	}
}

// valueEnd returns the end of the value of parameter i, which begins there. It is less than begin
// if the path is too short.
func (s *Shape) valueEnd(path string, begin, i int) int {
	if i == len(s.params)-1 && s.end != below {
		return len(path) - (len(s.source) - int(s.params[i].to)) // only literal text follows
	}
	return segmentEnd(path, begin)
}
