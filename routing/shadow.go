package routing

import (
	"fmt"
	"strings"
)

// Shadow is a route that a later one hides: whatever matches Hidden matches By too, which goes first. Hidden runs only when By
// passes.
type Shadow struct {
	Hidden, By *Route
}

// String tells both routes.
func (s Shadow) String() string {
	return fmt.Sprintf("%s is hidden by %s, which is defined later", s.Hidden, s.By)
}

// Shadowed returns the routes that later ones hide entirely, in order of definition, each with the newest that does. It never names a
// route that can be reached, but it does not find all that cannot: patterns that need a regular expression, and ones that only
// several later routes hide together, are left out. A route with conditions hides nothing.
func (a *App) Shadowed() []Shadow {
	ix := a.current()
	var shadows []Shadow
	for _, hidden := range ix.routes {
		if by := ix.hider(hidden); by != nil {
			shadows = append(shadows, Shadow{hidden, by})
		}
	}
	return shadows
}

// hider returns the newest route that hides r, or nil. Only a route that matches a sample of r's paths can, so the index tells
// which to compare.
func (ix *index) hider(r *Route) *Route {
	method := r.method
	t := ix.methods[method]
	if t == nil {
		t = ix.any
	}
	var samples []*leaf
	if shapes := shapesOf(r); len(shapes) > 0 {
		samples = t.all(nil, shapes[0].sample(), noBound)
	}
	for _, l := range samples {
		by := l.route
		if by.index <= r.index {
			break
		}
		if len(by.conditions) == 0 && (by.method == method || by.method == "") && by.covers(r) {
			return by
		}
	}
	return nil
}

// everything is the shape of the zero Pattern.
var everything = &shape{end: wildcard, static: true}

// shapesOf returns the shapes of a route that don't need an expression; none if one does.
func shapesOf(r *Route) []*shape {
	if r.pattern.p == nil {
		return []*shape{everything}
	}
	if r.pattern.p.expression != nil {
		return nil
	}
	return r.pattern.p.shapes
}

// covers reports whether every shape of hidden is covered by one of r.
func (r *Route) covers(hidden *Route) bool {
	own := shapesOf(r)
	for _, s := range shapesOf(hidden) {
		covered := false
		for _, by := range own {
			covered = covered || by.covers(s)
		}
		if !covered {
			return false
		}
	}
	return true
}

// sample returns a path that has the shape.
func (s *shape) sample() string {
	var b strings.Builder
	for _, g := range s.segments {
		b.WriteByte('/')
		if g.param {
			b.WriteString("\uE000") // what no literal segment is likely to be
		} else {
			b.WriteString(g.text)
		}
	}
	b.WriteString(s.rest)
	if s.end == wildcard && (s.nonEmpty || b.Len() == 0) {
		b.WriteString("/\uE000")
	}
	return b.String()
}

// covers reports whether every path of the shape other has the shape s too.
func (s *shape) covers(other *shape) bool {
	if s.end == exact && other.end != exact || len(s.segments) > len(other.segments) {
		return false
	}
	for i, g := range s.segments {
		if !g.covers(other.segments[i]) {
			return false
		}
	}
	if s.end == exact {
		return len(s.segments) == len(other.segments)
	}
	// The wildcard takes what other has behind these segments, if that begins with the rest.
	more := other.segments[len(s.segments):]
	if len(more) == 0 {
		rest, ok := strings.CutPrefix(other.rest, s.rest)
		return ok && (!s.nonEmpty || rest != "" || other.nonEmpty)
	}
	switch {
	case s.rest == "":
		return true
	case s.rest == "/":
		// A literal segment may be empty, and nothing may follow it.
		return !s.nonEmpty || more[0].param || more[0].text != "" || len(more) > 1 || other.rest != ""
	}
	known := ""
	for _, g := range more {
		if g.param {
			break
		}
		known += "/" + g.text
	}
	return strings.HasPrefix(known, s.rest) && (!s.nonEmpty || len(known) > len(s.rest))
}

// covers reports whether the segment g admits every text that other does.
func (g segment) covers(other segment) bool {
	switch {
	case !g.param:
		return !other.param && g.text == other.text
	case !other.param:
		return g.admits(other.text)
	}
	return !g.dotless || other.dotless
}
