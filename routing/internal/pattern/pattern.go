// Package pattern parses the patterns of routes and filters, matches paths, and captures
// parameters. It does not depend on HTTP.
//
// A pattern in the Sinatra or Rails syntax is parsed into tokens (token.go, sinatra.go, rails.go).
// Most patterns consist of whole segments: literal text, parameters that fill their segment, and
// perhaps a wildcard at the end. Such a pattern becomes a few shapes, one for each way to take or
// leave its optional parts. A shape is the pattern's text with the offsets of its parameters.
// Matching and capturing go from slash to slash (shape.go, capture.go), and package match finds
// shapes in a trie.
//
// Any other pattern, and each regular expression, becomes one shape with an expression
// (expression.go). The shape is the part before the first partial segment; the expression then
// matches the whole path.
//
// Matching takes time linear in the length of the path: shapes look at each byte once, and package
// regexp guarantees it for expressions.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Pattern is a parsed pattern. It is immutable and safe for concurrent use. The nil Pattern
// matches every path and has no parameters.
type Pattern struct {
	text   string
	syntax syntax
	shapes []Shape // in the order in which a backtracking matcher would try them
}

// single is a pattern and its only shape in one allocation.
type single struct {
	Pattern
	shape [1]Shape
}

func newSingle(text string, syntax syntax, s Shape) *Pattern {
	p := &single{Pattern{text: text, syntax: syntax}, [1]Shape{s}}
	p.shapes = p.shape[:]
	return &p.Pattern
}

// syntax is how the text of a pattern is parsed.
type syntax uint8

const (
	sinatra syntax = iota
	rails
	regular
	mount // a prefix and an optional "/*"
)

// Sinatra parses a pattern in the syntax of Sinatra and Scalatra.
func Sinatra(text string) (*Pattern, error) { return read(text, sinatra) }

// Rails parses a pattern in the syntax of Rails.
func Rails(text string) (*Pattern, error) { return read(text, rails) }

// Mount returns the pattern of a prefix and everything below it. The prefix is empty or starts
// with a slash. Segments such as ":id" are parameters; everything else is literal.
func Mount(prefix string) *Pattern {
	p, err := read(prefix+"/*", mount)
	if err != nil {
		panic(err) // cannot happen: these patterns need no expression
	}
	return p
}

// Regexp returns the pattern of a regular expression, which is compiled again.
func Regexp(re *regexp.Regexp) *Pattern {
	text := re.String()
	return newSingle(text, regular, lead(literalPrefix(text), searchFor(text)))
}

// read parses a pattern that consists of tokens.
func read(text string, syntax syntax) (*Pattern, error) {
	if !utf8.ValidString(text) && syntax != mount {
		return nil, refuse(syntax, text, invalidUTF8(text), "not valid UTF-8")
	}
	var room [8]Token // saves an allocation for most patterns
	tokens, err := tokensOf(room[:0], text, syntax)
	if err != nil {
		return nil, err
	}
	s, whole := shapeOf(text, syntax, tokens)
	if whole {
		return newSingle(text, syntax, s), nil
	}
	if shapes := shapesOf(text, syntax, tokens); shapes != nil {
		return &Pattern{text, syntax, shapes}, nil
	}
	s.end = decided
	if s.expression, err = matching(tokens, syntax); err != nil {
		return nil, refuse(syntax, text, 0, err.Error())
	}
	return newSingle(text, syntax, s), nil
}

// expression returns the pattern's expression, or nil if it has none.
func (p *Pattern) expression() *expression { return p.shapes[0].expression }

// String returns the pattern as it was written.
func (p *Pattern) String() string {
	if p == nil {
		return ""
	}
	return p.text
}

// Syntax returns "sinatra", "rails" or "regexp".
func (p *Pattern) Syntax() string {
	if p == nil {
		return ""
	}
	return p.syntax.String()
}

func (s syntax) String() string {
	switch s {
	case rails:
		return "rails"
	case regular:
		return "regexp"
	default:
		return "sinatra"
	}
}

// Shapes returns the number of shapes. The pattern matches what they match together; the first
// that matches a path captures the parameters.
func (p *Pattern) Shapes() int { return len(p.shapes) }

// Shape returns shape i.
func (p *Pattern) Shape(i int) *Shape { return &p.shapes[i] }

// Find returns the first shape that matches path, or nil.
func (p *Pattern) Find(path string) *Shape {
	for i := range p.shapes {
		if s := &p.shapes[i]; s.Match(path) {
			return s
		}
	}
	return nil
}

// Match reports whether path matches.
func (p *Pattern) Match(path string) bool { return p == nil || p.Find(path) != nil }

// Unindexed reports whether the pattern has an expression and no literal prefix, so that it must
// be tried on every path.
func (p *Pattern) Unindexed() bool {
	if p == nil || p.expression() == nil {
		return false
	}
	s := &p.shapes[0]
	return len(s.params) == 0 && (s.source == "" || s.source == "/")
}

// Names returns the names of the parameters in order; a name that occurs twice is listed twice.
func (p *Pattern) Names() []string {
	switch {
	case p == nil:
		return nil
	case p.syntax == regular:
		return p.expression().keys()
	}
	return keysOf(p.Tokens(), nil)
}

// Reachable returns an error if no path matches because the pattern does not start with a slash.
func (p *Pattern) Reachable() error {
	if p == nil || p.syntax == regular || strings.HasPrefix(p.text, "/") {
		return nil
	}
	tokens := p.Tokens()
	switch {
	case len(tokens) == 0:
		return errors.New(`the empty pattern matches no path: write "/" for the base path, or "*" for every path`)
	case tokens[0].Kind == Literal && tokens[0].Text[0] != '/', tokens[0].Kind == Param:
		return fmt.Errorf("patterns must start with /: write %q", "/"+p.text)
	}
	return nil
}

// refuse returns the error of a pattern that cannot be parsed.
func refuse(syntax syntax, text string, offset int, problem string) error {
	return fmt.Errorf("routing: %s pattern %q, offset %d: %s", syntax, text, offset, problem)
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8.
func invalidUTF8(text string) int {
	for i := 0; ; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
