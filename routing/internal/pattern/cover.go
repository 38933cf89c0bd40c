package pattern

import (
	"slices"
	"strings"
)

// This file finds patterns that match everything that another one matches. It compares shapes
// alone: it is never wrong, but does not find all such patterns.

// Covers reports whether p certainly matches every path that other matches.
func (p *Pattern) Covers(other *Pattern) bool {
	own := p.open()
	for _, s := range other.open() {
		if !slices.ContainsFunc(own, func(by Shape) bool { return by.covers(&s) }) {
			return false
		}
	}
	return len(own) > 0 && other.Sample() != ""
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
	const value = "\uE000" // unlikely in a literal segment
	var b strings.Builder
	s, from := &shapes[0], 0
	for i, param := range s.params {
		b.WriteString(s.source[from:param.from])
		if s.end != open || i < len(s.params)-1 {
			b.WriteString(value)
		} else if s.dotless || b.Len() == 0 {
			b.WriteString("/" + value)
		}
		from = int(param.to)
	}
	b.WriteString(s.source[from:])
	return b.String()
}

// covers reports whether s matches every path that other matches.
func (s *Shape) covers(other *Shape) bool {
	own, others := slices.Collect(s.Segments), slices.Collect(other.Segments)
	if s.end == exact && other.end != exact || len(own) > len(others) {
		return false
	}
	for i, g := range own {
		if !g.covers(others[i]) {
			return false
		}
	}
	if s.end == exact {
		return len(own) == len(others) && s.Rest() == other.Rest()
	}
	// The wildcard must match the part of other after these segments, which must start with the
	// rest.
	rest, more := s.Rest(), others[len(own):]
	if len(more) == 0 {
		behind, ok := strings.CutPrefix(other.Rest(), rest)
		return ok && (!s.dotless || behind != "" || other.end == open && other.dotless)
	}
	switch rest {
	case "":
		return true
	case "/":
		// A literal segment may be empty, with nothing after it.
		return !s.dotless || more[0].Param || more[0].Text != "" || len(more) > 1 || other.Rest() != ""
	}
	known := ""
	for _, g := range more {
		if g.Param {
			break
		}
		known += "/" + g.Text
	}
	return strings.HasPrefix(known, rest) && (!s.dotless || len(known) > len(rest))
}

// covers reports whether g matches every segment that other matches.
func (g Segment) covers(other Segment) bool {
	switch {
	case !g.Param:
		return !other.Param && g.Text == other.Text
	case !other.Param:
		return other.Text != "" && !(g.Dotless && strings.Contains(other.Text, "."))
	}
	return !g.Dotless || other.Dotless
}
