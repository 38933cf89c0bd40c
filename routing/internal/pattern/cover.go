package pattern

import (
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
	return len(others) > 0
}

// open returns the shapes of a pattern without an expression.
func (p *Pattern) open() []Shape {
	switch {
	case p == nil:
		return []Shape{everything}
	case p.expression() != nil:
		return nil
	}
	return p.shapes
}

// Sample returns a path that p matches, or the empty text if p has an expression.
func (p *Pattern) Sample() string {
	shapes := p.open()
	if len(shapes) == 0 {
		return ""
	}
	_, sample := shapes[0].samples()
	return sample
}

// covers reports whether s matches every path that other matches. That is so if it matches both
// samples and has no literal text of theirs: then only its parameters and wildcard can match those
// of other.
func (s *Shape) covers(other *Shape) bool {
	short, long := other.samples()
	return !strings.Contains(s.source, unusual) && s.Match(short) && s.Match(long)
}

// unusual is a character that hardly any pattern has.
const unusual = "\uE000"

// samples returns two paths that s matches, with the shortest value for its wildcard and with
// several segments. All values have dots if they may.
func (s *Shape) samples() (short, long string) {
	value, least := unusual+".", ""
	if s.dotless {
		value, least = unusual, unusual
	}
	from := 0
	for i, p := range s.params {
		short += s.source[from:p.from]
		if s.end == open && i == len(s.params)-1 {
			return short + least, short + "/" + value + "/" + value
		}
		short += value
		from = int(p.to)
	}
	short += s.source[from:]
	return short, short
}
