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

// Sample returns a path that p matches, or the empty text if an expression decides.
func (p *Pattern) Sample() string {
	shapes := p.open()
	if len(shapes) == 0 {
		return ""
	}
	_, sample, _ := shapes[0].samples()
	return sample
}

// covers reports whether s matches every path that other matches. That is so if it matches both
// samples, has no literal text of theirs, and if its parameters have all values of those of other
// in the same places. Then only its parameters and wildcard can match those of other.
func (s *Shape) covers(other *Shape) bool {
	short, long, ok := other.samples()
	if !ok || strings.Contains(s.source, unusual) || !s.Match(short) || !s.Match(long) || !s.endsInAny() || !other.endsInAny() {
		return false
	}
	own := slices.Collect(s.Segments)
	var last Segment // of other
	i := 0
	for last = range other.Segments {
		switch {
		case !last.Param || i > len(own):
		case i == len(own) && len(s.Rest()) > 1, i < len(own) && !(own[i].Param && own[i].Class.includes(last.Class)):
			return false
		}
		i++
	}
	switch {
	case s.suffix != nil && other.suffix != nil:
		return s.suffix.class.includes(other.suffix.class)
	case s.suffix != nil:
		return other.end == exact && !last.Param
	case other.suffix != nil && s.end == exact:
		return own[len(own)-1].Class == nil
	}
	return true
}

// endsInAny reports whether the wildcard of s, if it has one, has any value that is not empty.
func (s *Shape) endsInAny() bool {
	if s.end != open {
		return true
	}
	c := s.params[len(s.params)-1].class
	return c == nil || c.Equal(some) || c.Equal(someLazy)
}

// unusual is a character that hardly any pattern has.
const unusual = "\uE000"

// samples returns two paths that s matches, with the shortest value for its wildcard and with
// several segments, unless an expression decides about a value.
func (s *Shape) samples() (short, long string, ok bool) {
	suffix, from := "", 0
	if s.suffix != nil {
		if suffix = "." + s.suffix.class.sample(); suffix == "." {
			return "", "", false
		}
	}
	for i, p := range s.params {
		value := p.class.sample()
		if value == "" {
			return "", "", false
		}
		short += s.source[from:p.from]
		if s.end == open && i == len(s.params)-1 {
			least := value
			if p.class == nil {
				least = ""
			}
			return short + least + suffix, short + "/" + value + "/" + value + suffix, true
		}
		short += value
		from = int(p.to)
	}
	short += s.source[from:] + suffix
	return short, short, true
}
