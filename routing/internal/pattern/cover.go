package pattern

import (
	"slices"
	"strings"
)

// This file compares shapes: which paths both match. Its results are right, but it does not find
// all shapes that cover another one.

// covers reports whether s matches every path that other matches. The text of other stands for
// these paths: literal text of s must be literal there too, and each parameter of s must have all
// values of what is in its place.
func (s *Shape) covers(other Shape) bool {
	switch {
	case s.end == byExpression:
		return other.end == byExpression && s.expression.re.String() == other.expression.re.String()
	case other.expression != nil:
		text, isPrefix := s.Prefix()
		return isPrefix && other.skip(0, text) >= 0
	case s.suffix != nil && other.suffix != nil:
		if !s.suffix.class.includes(other.suffix.class) {
			return false
		}
	case s.suffix != nil: // the text of other must end like one
		dot := Dot(other.source)
		if other.end != exact || dot < 0 || !s.suffix.class.Match(other.source[dot+1:]) {
			return false
		}
		other.source = other.source[:dot]
	case other.suffix != nil: // is text like any other
		other.source += ".:"
		n := uint32(len(other.source))
		other.params = append(slices.Clip(other.params), span{n - 1, n, other.suffix.class})
	}
	from, at := 0, 0 // in the sources
	for i, p := range s.params {
		if at = other.skip(at, s.source[from:p.from]); at < 0 {
			return false
		}
		end, isTail := segmentEnd(other.source, at), false
		if s.end == open && i == len(s.params)-1 {
			end, isTail = len(other.source), true
		}
		if !p.class.coversText(&other, at, end, isTail) {
			return false
		}
		at, from = end, int(p.to)
	}
	if s.end == open {
		return true
	}
	end := other.skip(at, s.source[from:])
	return end == len(other.source) || s.end == below && end >= 0 && other.source[end] == '/'
}

// skip returns the end of a literal text in the source of s that begins at i, or -1 if it is not
// there.
func (s *Shape) skip(i int, text string) int {
	if !strings.HasPrefix(s.source[i:], text) || len(s.within(i, i+len(text))) > 0 {
		return -1
	}
	return i + len(text)
}

// within returns the parameters that begin in a part of the source.
func (s *Shape) within(from, to int) []span {
	return slices.DeleteFunc(slices.Clone(s.params), func(p span) bool { return int(p.from) < from || to <= int(p.from) })
}

// coversText reports whether a parameter of the class, or a wildcard, has all values that a part of
// the source of s stands for.
func (c *Class) coversText(s *Shape, from, to int, isWildcard bool) bool {
	params := s.within(from, to)
	if len(params) == 0 {
		return (isWildcard || from < to) && c.Match(s.source[from:to])
	}
	p, hasWildcard := params[0], slices.ContainsFunc(params, func(p span) bool { return s.source[p.from] == '*' })
	switch {
	case hasWildcard && !isWildcard: // it may have slashes
		return false
	case int(p.from) == from && int(p.to) == to:
		mayBeEmpty := hasWildcard && p.class.Match("")
		return c.includes(p.class) && (!mayBeEmpty || c.Match(""))
	}
	return c == nil || c.Equal(some) || c.Equal(someLazy) // any text that is not empty
}
