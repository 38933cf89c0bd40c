package pattern

import (
	"slices"
	"strings"
)

// Shape is one reading of a pattern: literal text, parameters that fill whole segments, and how it
// ends. It consists of a text such as "/users/:id/files/*splat" and the offsets of its parameters.
// At the end of paths there may be a dot and a parameter: the suffix, which the text does not have.
type Shape struct {
	source     string
	params     []span      // in source; the last may be a wildcard
	suffix     *Token      // follows the last dot of paths; nil for none
	expression *expression // if end is byExpression
	rest       uint32      // the end of the whole segments in source
	end        ending
}

// ending says how a shape continues after its segments and literal text.
type ending uint8

const (
	exact        ending = iota // the path ends there
	open                       // a wildcard matches the rest
	byExpression               // an expression must match the whole path
)

// span is the place of a parameter in the source, with its colon or star.
type span struct {
	from, to uint32
	class    *Class
}

// Everything is the shape of every path, for which the nil Pattern stands.
var Everything = &Shape{source: "*", params: []span{{to: 1}}, end: open}

// shapeOf returns the shape of tokens from a pattern's text. Before the first token that does not
// fill whole segments, it ends, and an expression must decide.
func shapeOf(text string, tokens []Token) (s Shape) {
	if head, suffix := cutSuffix(tokens); suffix != nil {
		if s = shapeOf(text, head); s.end != byExpression && s.suffix == nil {
			s.suffix = suffix
			return s
		}
		s = Shape{}
	}
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
			s.end = byExpression
		}
		if s.end == byExpression {
			break
		}
		if t.Kind == Param {
			t.class = t.class.orNil()
		}
		from := len(source)
		source = append(append(source, mark), t.Text...)
		params = append(params, span{uint32(from), uint32(len(source)), t.class})
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
	case byExpression:
		s.rest = lastSegment(s.source)
	}
	return s
}

// cutSuffix returns tokens without the dot and the parameter without dots that are at their end, if
// they are.
func cutSuffix(tokens []Token) (head []Token, suffix *Token) {
	last := len(tokens) - 1
	if last < 1 || tokens[last].Kind != Param || tokens[last].class.has('.') || !strings.HasSuffix(tokens[last-1].Text, ".") || tokens[last-1].Kind != Literal {
		return nil, nil
	}
	return literal(slices.Clone(tokens[:last-1]), strings.TrimSuffix(tokens[last-1].Text, ".")), &tokens[last]
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
func shapesOf(text string, tokens []Token) (shapes []Shape) {
	for _, reading := range expand(tokens) {
		s := shapeOf(text, reading)
		if s.end == byExpression {
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
		var ways [][]Token
		for _, tokens := range t.Choices {
			more := expand(tokens)
			if more == nil {
				return nil
			}
			ways = append(ways, more...)
		}
		if t.Choices == nil {
			ways = [][]Token{{t}}
		}
		var longer [][]Token
		for _, reading := range readings {
			ways := ways
			if t.Kind == Optional && startsWithDot(t.Choices[0]) && endsWithDots(reading) {
				ways = slices.Concat([][]Token{nil}, ways[:len(ways)-1])
			}
			for _, way := range ways {
				longer = append(longer, join(slices.Clone(reading), way))
			}
		}
		if len(longer) > maxShapes {
			return nil
		}
		readings = longer
	}
	return readings
}

func startsWithDot(tokens []Token) bool {
	return len(tokens) > 0 && tokens[0].Kind == Literal && tokens[0].Text[0] == '.'
}

// endsWithDots reports whether the last token matches as much as possible, dots too. Then it leaves
// nothing to an optional suffix.
func endsWithDots(tokens []Token) bool {
	last := len(tokens) - 1
	if last < 0 || tokens[last].Kind != Param && tokens[last].Kind != Wildcard {
		return false
	}
	isLazy := tokens[last].Kind == Wildcard && tokens[last].class == nil || tokens[last].class != nil && tokens[last].class.lazy
	return !isLazy && tokens[last].class.has('.')
}

// Static returns the path that the shape matches, before the suffix, if there is only one.
func (s *Shape) Static() (path string, ok bool) {
	if s == nil {
		return "", false
	}
	return s.source, s.end == exact && len(s.params) == 0
}

// Prefix returns a text if every path that starts with it has this shape, or else the empty text.
func (s *Shape) Prefix() string {
	if s == nil || !s.isPrefix() {
		return ""
	}
	return s.literal()
}

// isPrefix reports whether every path that starts with the literal text has this shape.
func (s *Shape) isPrefix() bool {
	return s.end == open && len(s.params) == 1 && s.tail() == nil && s.suffix == nil
}

// literal returns the literal text that begins all paths of s.
func (s *Shape) literal() string {
	if len(s.params) == 0 {
		return s.source
	}
	return s.source[:s.params[0].from]
}

// tail returns the class of the wildcard at the end.
func (s *Shape) tail() *Class { return s.params[len(s.params)-1].class }

// Exact reports whether paths of this shape end after the segments.
func (s *Shape) Exact() bool { return s.end == exact }

// HasExpression reports whether an expression must match the whole path.
func (s *Shape) HasExpression() bool { return s.end == byExpression }

// Segment is one segment of a shape, without its slash.
type Segment struct {
	Text  string // of a literal segment
	Param bool
	Class *Class // of a parameter
}

// Segments calls yield with each whole segment of a shape that is not static. [Shape.Rest] returns
// what follows.
func (s *Shape) Segments(yield func(Segment) bool) {
	params := s.params
	for i := 0; i < int(s.rest); {
		g, end := Segment{}, 0
		if i++; len(params) > 0 && int(params[0].from) == i {
			g, end = Segment{Param: true, Class: params[0].class}, int(params[0].to)
			params = params[1:]
		} else {
			end = segmentEnd(s.source[:s.rest], i)
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

// segmentEnd returns the end of the segment of path that contains or starts at i.
func segmentEnd(path string, i int) int {
	if n := strings.IndexByte(path[i:], '/'); n >= 0 {
		return i + n
	}
	return len(path)
}

// Dot returns the place of the dot before the suffix of a path, or -1 if the last segment has no
// text after a dot.
func Dot(path string) int {
	for i := len(path) - 1; i >= 0 && path[i] != '/'; i-- {
		if path[i] == '.' && i+1 < len(path) {
			return i
		} else if path[i] == '.' {
			break
		}
	}
	return -1
}

// Suffix returns the class of what follows the last dot of paths, or nil if that is nothing special.
func (s *Shape) Suffix() *Class {
	if s.suffix == nil {
		return nil
	}
	return s.suffix.class
}

// Match reports whether path has this shape, as every path has the nil shape.
func (s *Shape) Match(path string) bool {
	if s == nil {
		return true
	}
	path, ok := s.cut(path)
	if !ok {
		return false
	}
	i, from := 0, 0 // in the path, in the source
	for n, p := range s.params {
		literal := s.source[from:p.from]
		if !strings.HasPrefix(path[i:], literal) {
			return false
		}
		i += len(literal)
		if s.end == open && n == len(s.params)-1 {
			return p.class.Match(path[i:])
		}
		end := segmentEnd(path, i)
		if end == i || p.class != nil && !p.class.Match(path[i:end]) {
			return false
		}
		i, from = end, int(p.to)
	}
	if s.end == byExpression {
		return strings.HasPrefix(path[i:], s.source[from:]) && s.expression.match(path)
	}
	return path[i:] == s.source[from:]
}

// Follows reports whether path, which has no suffix and matches s up to i, where the wildcard of s
// begins or its expression decides, matches s. It is for shapes that are not exact.
func (s *Shape) Follows(path string, i int) bool {
	if s.end == byExpression {
		return s.expression.match(path)
	}
	class := s.tail()
	return class == nil || class.Match(path[i:])
}
