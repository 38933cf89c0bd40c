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
	own, others := p.open(), other.open()
	for _, s := range others {
		if !slices.ContainsFunc(own, func(by Shape) bool { return by.covers(&s) }) {
			return false
		}
	}
	return true
}

// open returns the shapes of a pattern, also of the nil one.
func (p *Pattern) open() []Shape {
	if p == nil {
		return []Shape{*Everything}
	}
	return p.shapes
}

// Sample returns a path that p matches, or the empty text if none is found.
func (p *Pattern) Sample() string {
	_, sample := p.open()[0].samples()
	if !p.Match(sample) {
		return ""
	}
	return sample
}

// covers reports whether s matches every path that other matches. That is so if it matches both
// samples, has no literal text of theirs, and if its parameters have all values of those of other
// in the same places. Then only its parameters and wildcard can match those of other.
func (s *Shape) covers(other *Shape) bool {
	switch {
	case s.end == byExpression:
		return other.end == byExpression && s.expression.re.String() == other.expression.re.String()
	case other.end == byExpression:
		return s.isPrefix() && strings.HasPrefix(other.literal(), s.literal())
	}
	short, long := other.samples()
	if strings.Contains(s.source, unusual) || !s.Match(short) || !s.Match(long) {
		return false
	}
	own, others := slices.Collect(s.Segments), slices.Collect(other.Segments)
	for i, segment := range others {
		switch {
		case !segment.Param || i > len(own):
		case i == len(own) && len(s.Rest()) > 1, i < len(own) && !(own[i].Param && own[i].Class.includes(segment.Class)):
			return false
		}
	}
	isOpen, isSame := other.end == open, len(own) == len(others) && s.Rest() == other.Rest()
	switch {
	case isOpen && s.end != open:
		return false
	case s.end == open && !(s.tail().isAny() && (!isOpen || other.tail().isAny())) && !(isOpen && isSame && s.tail().includes(other.tail())):
		return false
	case s.suffix != nil && other.suffix != nil:
		return s.suffix.class.includes(other.suffix.class)
	case s.suffix != nil:
		return !isOpen && (len(others) == 0 || !others[len(others)-1].Param)
	case other.suffix != nil && s.end == exact:
		return own[len(own)-1].Class == nil
	}
	return true
}

// isAny reports whether a wildcard of the class has any value that is not empty.
func (c *Class) isAny() bool { return c == nil || c.Equal(some) || c.Equal(someLazy) }

// unusual is a character that hardly any pattern has.
const unusual = "\uE000"

// samples returns two paths that s matches: one with the shortest value for its wildcard, and one
// with several segments, if it may have any.
func (s *Shape) samples() (short, long string) {
	if s.end == byExpression {
		sample := sampleOf(s.expression.re.String())
		return sample, sample
	}
	suffix, from := "", 0
	if s.suffix != nil {
		suffix = "." + s.suffix.class.sample()
	}
	for i, p := range s.params {
		value := p.class.sample()
		short += s.source[from:p.from]
		if from = int(p.to); s.end == exact || i < len(s.params)-1 {
			short += value
			continue
		}
		long = short + value
		if p.class.isAny() {
			long = short + "/" + value + "/" + value
		}
		if !p.class.Match("") {
			short += value
		}
		return short + suffix, long + suffix
	}
	short += s.source[from:] + suffix
	return short, short
}

// sample returns a value of the class, one with a dot if all values may have any.
func (c *Class) sample() string {
	switch {
	case c == nil:
		return unusual + "."
	case c.has(unusual[0]) && c.re == nil:
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
