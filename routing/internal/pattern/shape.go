package pattern

import (
	"slices"
	"strings"
)

// Shape is a variant of a pattern without optional tokens and choices: literal text, parameters
// that fill segments, and an ending. It consists of a text such as "/users/:id/files/*splat" and
// the offsets of its parameters. At the end of paths there may be a dot and a parameter: the
// suffix, which is not in the text.
type Shape struct {
	source string
	params []span // in source; the last may be a wildcard
	end    ending
	*shapeExtras
}

// shapeExtras has the fields that few shapes need. All other shapes share noExtras, since an app
// may have 100,000 shapes. It is immutable.
type shapeExtras struct {
	suffix     *Token      // follows the last dot of paths; may be nil
	expression *expression // if end is byExpression; else nil
	names      []string    // of the pattern's parameters, if shapes or paths may lack some
}

var noExtras = new(shapeExtras)

// setExtra copies the extras of s and changes the copy.
func (s *Shape) setExtra(change func(*shapeExtras)) {
	changed := *s.shapeExtras
	change(&changed)
	s.shapeExtras = &changed
}

// ending is the rule for the rest of a path, after the segments and literal text of a shape.
type ending uint8

const (
	exact        ending = iota // the path ends there
	open                       // a wildcard matches the rest
	byExpression               // an expression must match the whole path
	below                      // the path ends there or continues with a slash
)

// span is the range of a parameter in the source, with its colon or star.
type span struct {
	from, to uint32
	class    *Class
}

// Everything is the shape of every path.
var Everything = &Shape{source: "*", params: []span{{to: 1}}, end: open, shapeExtras: noExtras}

// maxShapes is the maximum number of shapes of a pattern. A pattern with more shapes becomes an
// expression.
const maxShapes = 16

// shapesOf returns the shapes of tokens from a pattern's text: one for each variant, or a single
// shape with an expression if a variant needs an expression or if there are too many.
func shapesOf(text string, tokens []Token) (shapes []*Shape, err error) {
	readings := expand(tokens, maxShapes)
	for _, reading := range readings {
		if s := shapeOf(text, reading); s.end != byExpression {
			shapes = append(shapes, s)
		}
	}
	if len(shapes) == len(readings) && len(shapes) > 0 {
		return slices.Clip(shapes), nil
	}
	s := shapeOf(text, tokens)
	e, err := newExpression(tokens)
	s.end, s.shapeExtras = byExpression, &shapeExtras{expression: e}
	return []*Shape{s}, err
}

// expand returns every combination of tokens with and without the optional ones, in the order of a
// backtracking matcher: first with the leftmost optional token. It returns nil if there are more
// than limit.
func expand(tokens []Token, limit int) [][]Token {
	if !slices.ContainsFunc(tokens, func(t Token) bool { return t.Choices != nil }) {
		return [][]Token{tokens}
	}
	readings := [][]Token{nil}
	for _, t := range tokens {
		variants := [][]Token{{t}}
		if t.Choices != nil {
			variants = nil
		}
		for _, tokens := range t.Choices {
			more := expand(tokens, limit)
			if more == nil {
				return nil
			}
			variants = append(variants, more...)
		}
		var longer [][]Token
		for _, reading := range readings {
			variants := variants
			if t.Kind == Optional && beginsWith(t.Choices[0], '.') && takesDots(reading) {
				variants = slices.Concat([][]Token{nil}, variants[:len(variants)-1])
			}
			for _, variant := range variants {
				more := join(slices.Clone(reading), variant)
				if slices.ContainsFunc(longer, func(other []Token) bool { return slices.EqualFunc(more, other, Token.equal) }) {
					continue
				}
				if len(longer) == limit { // checked here, since comparing all alternatives would take quadratic time
					return nil
				}
				longer = append(longer, more)
			}
		}
		readings = longer
	}
	return readings
}

// takesDots reports whether the last token is greedy and matches dots. An optional
// suffix after such a token is always empty.
func takesDots(tokens []Token) bool {
	if len(tokens) == 0 || !tokens[len(tokens)-1].hasValue() {
		return false
	}
	last := tokens[len(tokens)-1]
	isLazy := last.Kind == Wildcard && last.class == nil || last.class != nil && last.class.lazy
	return !isLazy && last.class.has('.')
}

// shapeOf returns the shape of a variant. It ends before the first token that does not fill
// complete segments; then an expression must match the path.
func shapeOf(text string, tokens []Token) *Shape {
	if head, suffix := cutSuffix(tokens); suffix != nil {
		if s := segmentsOf(text, head); s.end != byExpression && s.suffix == nil {
			s.shapeExtras = &shapeExtras{suffix: suffix}
			return s
		}
	}
	return segmentsOf(text, tokens)
}

// segmentsOf is shapeOf without a suffix.
func segmentsOf(text string, tokens []Token) *Shape {
	s := &Shape{shapeExtras: noExtras}
	source, params := make([]byte, 0, 64), make([]span, 0, 8)
	for i, t := range tokens {
		mark, from := byte(':'), len(source)
		switch {
		case t.Kind == Literal:
			source = append(source, t.Text...)
			continue
		case t.Kind == Wildcard && i == len(tokens)-1:
			mark, s.end = '*', open
		case t.Kind == Param && from > 0 && source[0] == '/' && source[from-1] == '/' && endsSegment(tokens[i+1:]):
			t.class = t.class.orNil()
		default:
			s.end = byExpression
		}
		if s.end == byExpression {
			break
		}
		source = append(append(source, mark), t.Text...)
		params = append(params, span{uint32(from), uint32(len(source)), t.class})
	}
	if n := len(source); n <= len(text) && string(source) == text[:n] {
		s.source = text[:n] // allocates nothing
	} else {
		s.source = string(source)
	}
	s.params = append(s.params, params...)
	return s
}

// cutSuffix removes a dot and a parameter without dots from the end of tokens.
func cutSuffix(tokens []Token) (head []Token, suffix *Token) {
	last := len(tokens) - 1
	if last < 1 || tokens[last].Kind != Param || tokens[last].class.has('.') || !strings.HasSuffix(tokens[last-1].Text, ".") || tokens[last-1].Kind != Literal {
		return nil, nil
	}
	return literal(slices.Clone(tokens[:last-1]), strings.TrimSuffix(tokens[last-1].Text, ".")), &tokens[last]
}

// tail returns the wildcard at the end.
func (s *Shape) tail() *span { return &s.params[len(s.params)-1] }

// Prefix returns the text at the beginning of paths if every path with it has this shape.
func (s *Shape) Prefix() (text string, ok bool) {
	switch {
	case s == nil:
		return "", false
	case s.end == below && len(s.params) == 0:
		return s.source + "/", true
	case s.end != open || len(s.params) > 1 || s.tail().class != nil || s.suffix != nil:
		return "", false
	}
	return s.source[:s.tail().from], true
}

// Static returns the path that the shape matches, before the suffix, if there is only one.
func (s *Shape) Static() (path string, ok bool) {
	return s.source, s.end == exact && len(s.params) == 0
}

// Segment is a segment of a shape, without its slash.
type Segment struct {
	Text  string // of a literal segment
	Param bool
	Class *Class // of a parameter
}

// Segments returns the complete segments of a shape, the literal text after them, and whether a
// wildcard or an expression follows.
func (s *Shape) Segments() (segments []Segment, rest string, continues bool) {
	source, params := s.source, s.params
	if s.end == open {
		source, params = source[:s.tail().from], params[:len(params)-1]
	}
	segments = make([]Segment, 0, strings.Count(source, "/"))
	i := 0
	for strings.HasPrefix(source[i:], "/") {
		end := segmentEnd(source, i+1)
		switch {
		case len(params) > 0 && int(params[0].from) == i+1:
			segments = append(segments, Segment{Param: true, Class: params[0].class})
			params = params[1:]
		case end == len(source) && s.continues():
			return segments, source[i:], true
		default:
			segments = append(segments, Segment{Text: source[i+1 : end]})
		}
		i = end
	}
	return segments, source[i:], s.continues()
}

// continues reports whether more text, in the same segment or in others, follows the text of s.
func (s *Shape) continues() bool { return s.end == open || s.end == byExpression }

// Suffix returns the class of the suffix of paths, or nil.
func (s *Shape) Suffix() *Class {
	if s.suffix == nil {
		return nil
	}
	return s.suffix.class
}
