package pattern

import (
	"slices"
	"strings"
)

// Variant is a pattern without optional tokens and choices: literal text, parameters
// that fill segments, and an ending. It consists of a text such as "/users/:id/files/*splat" and
// the offsets of its parameters. At the end of paths there may be a dot and a parameter: the
// suffix, which is not in the text.
type Variant struct {
	text   string
	params []span // in text; the last may be a wildcard
	end    ending
	*uncommonVariant
}

// uncommonVariant has the fields that few variants need. All other variants share noUncommon, since
// an app may have 100,000 variants. It is immutable.
type uncommonVariant struct {
	suffix     *Token      // follows the last dot of paths; may be nil
	expression *expression // if end is byExpression; else nil
	mayLack    []string    // the parameters of the pattern, if a path may lack some; else nil
}

var noUncommon = new(uncommonVariant)

// setUncommon copies the uncommon fields of v and changes the copy.
func (v *Variant) setUncommon(change func(*uncommonVariant)) {
	changed := *v.uncommonVariant
	change(&changed)
	v.uncommonVariant = &changed
}

// ending is the rule for the rest of a path, after the segments and literal text of a variant.
type ending uint8

const (
	exact        ending = iota // the path ends there
	open                       // a wildcard matches the rest
	byExpression               // an expression must match the whole path
	beforeSlash                // the path ends there or continues with a slash
)

// span is the range of a parameter in the text, with its colon or star.
type span struct {
	from, to uint32
	class    *Class
}

// Everything is the variant of every path.
var Everything = &Variant{text: "*", params: []span{{to: 1}}, end: open, uncommonVariant: noUncommon}

// maxVariants is the maximum number of variants of a pattern. A pattern with more variants becomes
// an expression.
const maxVariants = 16

// variantsOf returns the variants of tokens from a pattern's text: one for each combination, or a
// single variant with an expression if one of them needs an expression or if there are too many.
func variantsOf(text string, tokens []Token) (variants []*Variant, err error) {
	readings := expand(tokens, maxVariants)
	for _, reading := range readings {
		if v := variantOf(text, reading); v.end != byExpression {
			variants = append(variants, v)
		}
	}
	if len(variants) == len(readings) && len(variants) > 0 {
		return slices.Clip(variants), nil
	}
	v := variantOf(text, tokens)
	e, err := newExpression(tokens)
	v.end, v.uncommonVariant = byExpression, &uncommonVariant{expression: e}
	return []*Variant{v}, err
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
		choices := [][]Token{{t}}
		if t.Choices != nil {
			choices = nil
		}
		for _, tokens := range t.Choices {
			more := expand(tokens, limit)
			if more == nil {
				return nil
			}
			choices = append(choices, more...)
		}
		var longer [][]Token
		for _, reading := range readings {
			choices := choices
			if t.Kind == Optional && beginsWith(t.Choices[0], '.') && takesDots(reading) {
				choices = slices.Concat([][]Token{nil}, choices[:len(choices)-1])
			}
			for _, choice := range choices {
				more := join(slices.Clone(reading), choice)
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

// variantOf returns the variant of tokens without choices. It ends before the first token that does
// not fill complete segments; then an expression must match the path.
func variantOf(text string, tokens []Token) *Variant {
	if head, suffix := cutSuffix(tokens); suffix != nil {
		if v := segmentsOf(text, head); v.end != byExpression && v.suffix == nil {
			v.uncommonVariant = &uncommonVariant{suffix: suffix}
			return v
		}
	}
	return segmentsOf(text, tokens)
}

// segmentsOf is variantOf without a suffix.
func segmentsOf(text string, tokens []Token) *Variant {
	v := &Variant{uncommonVariant: noUncommon}
	own, params := make([]byte, 0, 64), make([]span, 0, 8)
	for i, t := range tokens {
		mark, from := byte(':'), len(own)
		switch {
		case t.Kind == Literal:
			own = append(own, t.Text...)
			continue
		case t.Kind == Wildcard && i == len(tokens)-1:
			mark, v.end = '*', open
		case t.Kind == Param && from > 0 && own[0] == '/' && own[from-1] == '/' && endsSegment(tokens[i+1:]):
			t.class = t.class.orNil()
		default:
			v.end = byExpression
		}
		if v.end == byExpression {
			break
		}
		own = append(append(own, mark), t.Text...)
		params = append(params, span{uint32(from), uint32(len(own)), t.class})
	}
	if n := len(own); n <= len(text) && string(own) == text[:n] {
		v.text = text[:n] // allocates nothing
	} else {
		v.text = string(own)
	}
	v.params = append(v.params, params...)
	return v
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
func (v *Variant) tail() *span { return &v.params[len(v.params)-1] }

// Prefix returns the text at the beginning of paths if every path with it has this variant.
func (v *Variant) Prefix() (text string, ok bool) {
	switch {
	case v == nil:
		return "", false
	case v.end == beforeSlash && len(v.params) == 0:
		return v.text + "/", true
	case v.end != open || len(v.params) > 1 || v.tail().class != nil || v.suffix != nil:
		return "", false
	}
	return v.text[:v.tail().from], true
}

// Static returns the path that the variant matches, before the suffix, if there is only one.
func (v *Variant) Static() (path string, ok bool) {
	return v.text, v.end == exact && len(v.params) == 0
}

// Segment is a segment of a variant, without its slash.
type Segment struct {
	Text  string // of a literal segment
	Param bool
	Class *Class // of a parameter
}

// Segments returns the complete segments of a variant, the literal text after them, and whether a
// wildcard or an expression follows.
func (v *Variant) Segments() (segments []Segment, rest string, continues bool) {
	text, params := v.text, v.params
	if v.end == open {
		text, params = text[:v.tail().from], params[:len(params)-1]
	}
	segments = make([]Segment, 0, strings.Count(text, "/"))
	i := 0
	for strings.HasPrefix(text[i:], "/") {
		end := segmentEnd(text, i+1)
		switch {
		case len(params) > 0 && int(params[0].from) == i+1:
			segments = append(segments, Segment{Param: true, Class: params[0].class})
			params = params[1:]
		case end == len(text) && v.continues():
			return segments, text[i:], true
		default:
			segments = append(segments, Segment{Text: text[i+1 : end]})
		}
		i = end
	}
	return segments, text[i:], v.continues()
}

// continues reports whether more text, in the same segment or in others, follows the text of v.
func (v *Variant) continues() bool { return v.end == open || v.end == byExpression }

// Suffix returns the class of the suffix of paths, or nil.
func (v *Variant) Suffix() *Class {
	if v.suffix == nil {
		return nil
	}
	return v.suffix.class
}
