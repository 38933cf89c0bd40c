package pattern

import (
	"cmp"
	"slices"
	"strings"
)

// This file finds out whether a pattern matches all paths of another.

// Covers reports whether p matches every path of other. It compares variants segment by segment, so
// it also reports false for some pairs with partial segments or different classes.
func (p *Pattern) Covers(other *Pattern) bool {
	for _, v := range other.Variants() {
		covers := func(by *Variant) bool { return cmp.Or(by, Everything).covers(cmp.Or(v, Everything)) }
		if !slices.ContainsFunc(p.Variants(), covers) {
			return false
		}
	}
	return true
}

func (v *Variant) covers(other *Variant) bool {
	if v.end == byExpression {
		return other.end == byExpression && v.expression.re.String() == other.expression.re.String()
	}
	if v.suffix != nil && (other.suffix == nil || !v.suffix.class.Equal(other.suffix.class)) {
		return false
	}
	hasMore := v.suffix == nil && other.suffix != nil // a dot and a value after all that is compared here
	segments, text, _ := v.Segments()
	others, otherText, continues := other.Segments()
	n := len(segments)
	if len(others) < n || !slices.EqualFunc(segments, others[:n], Segment.covers) {
		return false
	}
	if v.end != open {
		takesMore := n > 0 && segments[n-1].takesAll()
		return !continues && len(others) == n && otherText == text && (!hasMore || takesMore)
	}
	class := v.tail().class
	if other.end == open && len(others) == n && otherText == text && class.Equal(other.tail().class) && !hasMore {
		return true
	}
	first, isLonger := literalText(others[n:], otherText)
	isLonger = isLonger || len(first) > len(text) || other.end == open && !other.tail().class.Match("")
	return strings.HasPrefix(first, text) && (class == nil || isLonger && class.isRails())
}

// covers reports whether s has every value of other.
func (s Segment) covers(other Segment) bool {
	switch {
	case !s.Param:
		return !other.Param && s.Text == other.Text
	case other.Param:
		return s.takesAll() || s.Class.Equal(other.Class)
	}
	return other.Text != "" && s.Class.Match(other.Text)
}

// takesAll reports whether s is a parameter for any segment.
func (s Segment) takesAll() bool { return s.Param && s.Class == nil }

// literalText returns the literal text at the beginning of segments and of the text after them. It
// reports whether a parameter follows, which is not empty.
func literalText(segments []Segment, text string) (first string, param bool) {
	for _, s := range segments {
		first += "/"
		if s.Param {
			return first, true
		}
		first += s.Text
	}
	return first + text, false
}

// isRails reports whether c is the class of a wildcard in Rails.
func (c *Class) isRails() bool { return c == railsWildcard || c == lazyRailsWildcard }
