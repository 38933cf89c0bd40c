package pattern

import (
	tree "regexp/syntax"
	"slices"
	"strings"
)

// This file finds patterns that match everything that another one matches. It only compares shapes:
// its results are right, but it does not find all such patterns.

// Covers reports whether p certainly matches every path that other matches.
func (p *Pattern) Covers(other *Pattern) bool {
	for _, s := range other.readings() {
		if !slices.ContainsFunc(p.readings(), func(by Shape) bool { return by.covers(s) }) {
			return false
		}
	}
	return true
}

// readings returns the shapes of a pattern, also of the nil one.
func (p *Pattern) readings() []Shape {
	if p == nil {
		return []Shape{*Everything}
	}
	return p.shapes
}

// covers reports whether s matches every path that other matches. The text of other stands for
// these paths: literal text of s must be literal there too, and each parameter of s must have all
// values of what is in its place.
func (s *Shape) covers(other Shape) bool {
	switch {
	case s.end == byExpression:
		return other.end == byExpression && s.expression.re.String() == other.expression.re.String()
	case other.end == byExpression:
		return s.isPrefix() && strings.HasPrefix(other.literal(), s.literal())
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
	return s.end == open || other.skip(at, s.source[from:]) == len(other.source)
}

// skip returns the end of a literal text in the source of s that begins at i, or -1 if it is not
// there.
func (s *Shape) skip(i int, text string) int {
	if !strings.HasPrefix(s.source[i:], text) || len(s.within(i, i+len(text))) > 0 {
		return -1
	}
	return i + len(text)
}

// within returns the parameters in a part of the source.
func (s *Shape) within(from, to int) (params []span) {
	for _, p := range s.params {
		if from <= int(p.from) && int(p.from) < to {
			params = append(params, p)
		}
	}
	return params
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

// unusual is a character that hardly any pattern has.
const unusual = "\uE000"

// Sample returns a path that p matches, or the empty text if none is found.
func (p *Pattern) Sample() string {
	s := p.readings()[0]
	if s.end == byExpression {
		return p.ifMatches(sampleOf(s.expression.re.String()))
	}
	path, from := "", 0
	for _, param := range s.params {
		path += s.source[from:param.from] + param.class.sample()
		from = int(param.to)
	}
	if path += s.source[from:]; s.suffix != nil {
		path += "." + s.suffix.class.sample()
	}
	return p.ifMatches(path)
}

// ifMatches returns path if p matches it, or else the empty text.
func (p *Pattern) ifMatches(path string) string {
	if !p.Match(path) {
		return ""
	}
	return path
}

// sample returns a value of the class, one that hardly any literal text is equal to if possible.
func (c *Class) sample() string {
	if c.Match(unusual) {
		return unusual
	}
	return sampleOf(c.text)
}

// sampleOf returns a text that an expression matches, unless its assertions prevent that.
func sampleOf(expression string) string {
	parsed, err := tree.Parse(expression, tree.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	writeSample(&b, parsed)
	return b.String()
}

func writeSample(b *strings.Builder, e *tree.Regexp) {
	switch e.Op {
	case tree.OpLiteral:
		b.WriteString(string(e.Rune))
	case tree.OpCharClass:
		b.WriteRune(e.Rune[0])
	case tree.OpAnyChar, tree.OpAnyCharNotNL:
		b.WriteString(unusual)
	case tree.OpConcat:
		for _, part := range e.Sub {
			writeSample(b, part)
		}
	case tree.OpAlternate, tree.OpPlus, tree.OpCapture:
		writeSample(b, e.Sub[0])
	case tree.OpRepeat:
		for range e.Min {
			writeSample(b, e.Sub[0])
		}
	}
}
