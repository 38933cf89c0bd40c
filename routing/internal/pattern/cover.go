package pattern

import (
	"slices"
	"strings"
)

// This file tells which patterns match whatever another one matches. It decides by shapes alone, so
// that it never says so wrongly, but does not find all such patterns.

// Covers reports whether p is known to match every path that other matches.
func (p *Pattern) Covers(other *Pattern) bool {
	own := p.open()
	for _, s := range other.open() {
		if !slices.ContainsFunc(own, func(by Shape) bool { return by.covers(&s) }) {
			return false
		}
	}
	return len(own) > 0 && other.Sample() != ""
}

// open returns the shapes of a pattern that needs no expression.
func (p *Pattern) open() []Shape {
	switch {
	case p == nil:
		return []Shape{everything}
	case p.expression() != nil:
		return nil
	}
	return p.shapes
}

// Sample returns a path that p matches, or the empty text if that takes more than shapes to find.
func (p *Pattern) Sample() string {
	shapes := p.open()
	if len(shapes) == 0 {
		return ""
	}
	const value = "\uE000" // what no literal segment is likely to be
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

// covers reports whether every path of the shape other has the shape s too.
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
	// The wildcard takes what other has behind these segments, if that begins with the rest.
	rest, more := s.Rest(), others[len(own):]
	if len(more) == 0 {
		behind, ok := strings.CutPrefix(other.Rest(), rest)
		return ok && (!s.dotless || behind != "" || other.end == open && other.dotless)
	}
	switch rest {
	case "":
		return true
	case "/":
		// A literal segment may be empty, and nothing may follow it.
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

// covers reports whether the segment g admits every text that other does.
func (g Segment) covers(other Segment) bool {
	switch {
	case !g.Param:
		return !other.Param && g.Text == other.Text
	case !other.Param:
		return other.Text != "" && !(g.Dotless && strings.Contains(other.Text, "."))
	}
	return !g.Dotless || other.Dotless
}
