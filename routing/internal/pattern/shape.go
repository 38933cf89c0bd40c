package pattern

import (
	"slices"
	"strings"
)

// Shape is one reading of a pattern: literal text, parameters that fill whole segments, and how it
// ends. It consists of a text such as "/users/:id/files/*" and the offsets of its parameters.
type Shape struct {
	source     string
	params     []span      // in source; the last may be a wildcard
	expression *expression // if end is decided
	rest       uint32      // the end of the whole segments in source
	end        end
	dotless    bool // parameters match no dots, a wildcard at least one character
}

// end says how a shape continues after its segments and literal text.
type end uint8

const (
	exact   end = iota // the path ends there
	open               // a wildcard matches the rest
	decided            // an expression must match the whole path
)

// span is the place of a parameter in the source, with its colon or star.
type span struct{ from, to uint32 }

// maxShapes is how many shapes a pattern may have; beyond, it becomes an expression.
const maxShapes = 16

// shapesOf returns the shapes of tokens with optional parts. It returns nil if there are none, or
// if some reading has partial segments.
func shapesOf(text string, syntax syntax, tokens []Token) []Shape {
	readings, ok := expand(tokens, maxShapes)
	if !ok || len(readings) == 1 {
		return nil
	}
	shapes := make([]Shape, len(readings))
	for i, reading := range readings {
		if shapes[i], ok = shapeOf(text, syntax, reading); !ok {
			return nil
		}
	}
	return shapes
}

func isOptional(t Token) bool { return t.Kind == Optional }

// expand returns every way to take and leave the optional parts of tokens, in the order of a
// backtracking matcher: the leftmost part is taken first. It reports false if there are more than
// most.
func expand(tokens []Token, most int) ([][]Token, bool) {
	readings := [][]Token{nil}
	for _, t := range tokens {
		if t.Kind != Optional {
			for i := range readings {
				readings[i] = append(readings[i], t)
			}
			continue
		}
		inner, ok := expand(t.Tokens, most)
		if !ok || len(readings)*(len(inner)+1) > most {
			return nil, false
		}
		var longer [][]Token
		for _, reading := range readings {
			reading = slices.Clip(reading)
			for _, in := range inner {
				longer = append(longer, append(reading, in...))
			}
			longer = append(longer, reading)
		}
		readings = longer
	}
	return readings, true
}

// shapeOf returns the shape of tokens. It reports false if they are not whole segments; the shape
// then ends before the first token that is not.
func shapeOf(text string, syntax syntax, tokens []Token) (s Shape, whole bool) {
	s.dotless = syntax == rails
	s.source = sourceOf(text, tokens)
	if n := spansIn(tokens); n > 0 {
		s.params = make([]span, 0, n)
	}
	at := 0       // in the source
	segments := 0 // the end of the whole segments
	for i, t := range tokens {
		if t.Kind == Literal {
			at += len(t.Text)
			continue
		}
		end := at + t.width()
		if t.Kind == Wildcard && i == len(tokens)-1 {
			s.params = append(s.params, span{uint32(at), uint32(end)})
			s.end = open
			s.rest = restOf(s.source[:at], segments)
			return s, true
		}
		if t.Kind != Param || at == 0 || s.source[0] != '/' || s.source[at-1] != '/' || !endsSegment(tokens[i+1:]) {
			s.source = s.source[:at]
			s.rest = restOf(s.source, segments)
			return s, false
		}
		s.params = append(s.params, span{uint32(at), uint32(end)})
		at, segments = end, end
	}
	if len(s.source) > 0 && s.source[0] == '/' {
		s.rest = uint32(len(s.source))
	}
	return s, true
}

// sourceOf returns the text of tokens up to an optional part. It is a substring of the pattern's
// text if possible.
func sourceOf(text string, tokens []Token) string {
	if end := slices.IndexFunc(tokens, isOptional); end >= 0 {
		tokens = tokens[:end]
	}
	if len(tokens) == 0 {
		return ""
	}
	verbatim := true
	for i := range tokens {
		t := &tokens[i]
		verbatim = verbatim && (t.Kind != Literal || t.verbatim()) && (i == 0 || t.from == tokens[i-1].to)
	}
	if verbatim {
		return text[tokens[0].from:tokens[len(tokens)-1].to]
	}
	var b strings.Builder
	for i := range tokens {
		if t := &tokens[i]; t.Kind == Literal {
			b.WriteString(t.Text)
		} else {
			b.WriteString(text[t.from:t.to])
		}
	}
	return b.String()
}

// width is the length of a parameter or wildcard in the source.
func (t *Token) width() int { return t.to - t.from }

func spansIn(tokens []Token) int {
	n := 0
	for i := range tokens {
		if tokens[i].Kind == Param || tokens[i].Kind == Wildcard {
			n++
		}
	}
	return n
}

// endsSegment reports whether a parameter before tokens ends its segment.
func endsSegment(tokens []Token) bool {
	return len(tokens) == 0 || tokens[0].Kind == Literal && tokens[0].Text[0] == '/'
}

// restOf returns the start of the last segment of source, which may continue. The segments up to
// the given offset are whole.
func restOf(source string, segments int) uint32 {
	if source == "" || source[0] != '/' {
		return 0
	}
	return uint32(segments + max(strings.LastIndexByte(source[segments:], '/'), 0))
}

// lead returns the shape of paths that start with text and match an expression.
func lead(text string, e *expression) Shape {
	return Shape{source: text, rest: restOf(text, 0), end: decided, expression: e}
}

// everything is the shape of every path.
var everything = Shape{source: "*", params: []span{{0, 1}}, end: open}

// Static returns the path that the shape matches, if there is only one.
func (s *Shape) Static() (path string, ok bool) {
	return s.source, s.end == exact && len(s.params) == 0
}

// Prefix returns the text that paths of this shape start with. It reports false unless every path
// with that prefix matches.
func (s *Shape) Prefix() (prefix string, ok bool) {
	if s.end != open || len(s.params) > 1 || s.dotless {
		return "", false
	}
	return s.source[:s.params[0].from], true
}

// Segment is one segment of a shape, without its slash.
type Segment struct {
	Text    string // of a literal segment
	Param   bool
	Dotless bool // of a parameter that matches no dots
}

// Segments calls yield with each whole segment. [Shape.Rest] returns what follows.
func (s *Shape) Segments(yield func(Segment) bool) {
	params := s.params
	for i := 0; i < int(s.rest); {
		i++ // the slash
		if len(params) > 0 && int(params[0].from) == i {
			i = int(params[0].to)
			params = params[1:]
			if !yield(Segment{Param: true, Dotless: s.dotless}) {
				return
			}
			continue
		}
		end := int(s.rest)
		if n := strings.IndexByte(s.source[i:end], '/'); n >= 0 {
			end = i + n
		}
		if !yield(Segment{Text: s.source[i:end]}) {
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

// Exact reports whether paths of this shape end after the segments.
func (s *Shape) Exact() bool { return s.end == exact }

// Decided reports whether an expression decides if a path matches.
func (s *Shape) Decided() bool { return s.end == decided }

// Match reports whether path has this shape.
func (s *Shape) Match(path string) bool {
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
