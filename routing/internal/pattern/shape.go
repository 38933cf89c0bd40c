package pattern

import (
	"slices"
	"strings"
)

// Shape is one reading of a pattern: literal text, parameters that fill whole segments, and how it
// ends. It consists of a text such as "/users/:id/files/*splat" and the offsets of its parameters.
type Shape struct {
	source     string
	params     []span      // in source; the last may be a wildcard
	expression *expression // if end is decided
	rest       uint32      // the end of the whole segments in source
	end        ending
	dotless    bool // parameters match no dots, a wildcard at least one character
}

// ending says how a shape continues after its segments and literal text.
type ending uint8

const (
	exact   ending = iota // the path ends there
	open                  // a wildcard matches the rest
	decided               // an expression must match the whole path
)

// span is the place of a parameter in the source, with its colon or star.
type span struct{ from, to uint32 }

// everything is the shape of every path.
var everything = Shape{source: "*" + splatKey, params: []span{{0, 1 + uint32(len(splatKey))}}, end: open}

// shapeOf returns the shape of tokens from a pattern's text. Before the first token that does not
// fill whole segments, it ends, and an expression must decide.
func shapeOf(text string, dotless bool, tokens []Token) Shape {
	s := Shape{dotless: dotless}
	var sourceRoom [64]byte
	var paramRoom [8]span
	source, params := sourceRoom[:0], paramRoom[:0]
	for i, t := range tokens {
		mark := byte(':')
		switch {
		case t.Kind == Literal:
			source = append(source, t.Text...)
			continue
		case t.Kind == Wildcard && i == len(tokens)-1:
			mark, s.end = '*', open
		case t.Kind != Param || !startsSegment(source) || !endsSegment(tokens[i+1:]):
			s.end = decided
		}
		if s.end == decided {
			break
		}
		from := len(source)
		source = append(append(source, mark), t.Text...)
		params = append(params, span{uint32(from), uint32(len(source))})
	}
	if n := len(source); n <= len(text) && string(source) == text[:n] {
		s.source = text[:n] // takes no memory
	} else {
		s.source = string(source)
	}
	s.params = append(s.params, params...)
	switch s.end {
	case exact:
		s.rest = uint32(len(s.source))
	case open:
		s.rest = lastSegment(s.source[:params[len(params)-1].from])
	case decided:
		s.rest = lastSegment(s.source)
	}
	return s
}

// startsSegment reports whether a parameter after source starts a segment.
func startsSegment(source []byte) bool {
	return len(source) > 0 && source[0] == '/' && source[len(source)-1] == '/'
}

// endsSegment reports whether a parameter before tokens ends its segment.
func endsSegment(tokens []Token) bool {
	return len(tokens) == 0 || tokens[0].Kind == Literal && tokens[0].Text[0] == '/'
}

// lastSegment returns the offset of the last segment in source, which may continue.
func lastSegment(source string) uint32 {
	if !strings.HasPrefix(source, "/") {
		return 0
	}
	return uint32(strings.LastIndexByte(source, '/'))
}

// maxShapes is the maximum number of shapes of a pattern. With more, it becomes an expression.
const maxShapes = 16

// shapesOf returns the shapes of tokens with optional parts. It returns nil if an expression must
// decide for some reading, or if there are too many.
func shapesOf(text string, dotless bool, tokens []Token) (shapes []Shape) {
	for _, reading := range expand(tokens) {
		s := shapeOf(text, dotless, reading)
		if s.end == decided {
			return nil
		}
		shapes = append(shapes, s)
	}
	return slices.Clip(shapes)
}

// expand returns every way to take and leave the optional parts of tokens, in the order of a
// backtracking matcher: the leftmost part is taken first. It returns nil if there are too many.
func expand(tokens []Token) [][]Token {
	readings := [][]Token{nil}
	for _, t := range tokens {
		ways := [][]Token{{t}}
		if t.Kind == Optional {
			taken := expand(t.Tokens)
			if taken == nil {
				return nil
			}
			ways = append(taken, nil)
		}
		var longer [][]Token
		for _, reading := range readings {
			for _, way := range ways {
				longer = append(longer, slices.Concat(reading, way))
			}
		}
		if len(longer) > maxShapes {
			return nil
		}
		readings = longer
	}
	return readings
}

// Static returns the path that the shape matches, if there is only one.
func (s *Shape) Static() (path string, ok bool) {
	if s == nil {
		return "", false
	}
	return s.source, s.end == exact && len(s.params) == 0
}

// Prefix returns a text if every path that starts with it has this shape, or else the empty text.
func (s *Shape) Prefix() string {
	if s == nil || s.end != open || len(s.params) > 1 || s.dotless {
		return ""
	}
	return s.source[:s.params[0].from]
}

// Exact reports whether paths of this shape end after the segments.
func (s *Shape) Exact() bool { return s.end == exact }

// Decided reports whether an expression decides if a path matches.
func (s *Shape) Decided() bool { return s.end == decided }

// Segment is one segment of a shape, without its slash.
type Segment struct {
	Text    string // of a literal segment
	Param   bool
	Dotless bool // of a parameter that matches no dots
}

// Segments calls yield with each whole segment of a shape that is not static. [Shape.Rest] returns
// what follows.
func (s *Shape) Segments(yield func(Segment) bool) {
	params := s.params
	for i := 0; i < int(s.rest); {
		g, end := Segment{}, 0
		if i++; len(params) > 0 && int(params[0].from) == i {
			g, end = Segment{Param: true, Dotless: s.dotless}, int(params[0].to)
			params = params[1:]
		} else {
			end = SegmentEnd(s.source[:s.rest], i)
			g.Text = s.source[i:end]
		}
		if !yield(g) {
			return
		}
		i = end
	}
}

// Rest returns the literal text after the whole segments.
func (s *Shape) Rest() string {
	if s.end == open {
		return s.source[s.rest:s.params[len(s.params)-1].from]
	}
	return s.source[s.rest:]
}

// Match reports whether path has this shape, as every path has the nil shape.
func (s *Shape) Match(path string) bool {
	if s == nil {
		return true
	}
	i, from := 0, 0 // in the path, in the source
	for n, p := range s.params {
		literal := s.source[from:p.from]
		if !strings.HasPrefix(path[i:], literal) {
			return false
		}
		i += len(literal)
		if s.end == open && n == len(s.params)-1 {
			return i < len(path) || !s.dotless
		}
		end := SegmentEnd(path, i)
		if end == i || s.dotless && strings.IndexByte(path[i:end], '.') >= 0 {
			return false
		}
		i, from = end, int(p.to)
	}
	if s.end == decided {
		return strings.HasPrefix(path[i:], s.source[from:]) && s.expression.match(path)
	}
	return path[i:] == s.source[from:]
}

// Follows reports whether path, whose segments up to i match those of s, matches s. It is for
// shapes that are not exact.
func (s *Shape) Follows(path string, i int) bool {
	rest := s.Rest()
	if !strings.HasPrefix(path[i:], rest) {
		return false
	}
	if s.end == decided {
		return s.expression.match(path)
	}
	return !s.dotless || i+len(rest) < len(path)
}
