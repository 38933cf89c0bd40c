// Package pattern reads the patterns of routes and filters, tells which paths match them, and cuts
// parameters out of those paths. It knows nothing of HTTP.
//
// A pattern in the Sinatra or Rails syntax is read into tokens (token.go, sinatra.go, rails.go).
// Most patterns are made of whole segments: literal text, parameters that fill their segment, and
// perhaps a wildcard at the end. Such a pattern becomes a few shapes, one for each way to take or
// leave its optional parts. A shape is the pattern's own text and the offsets of its parameters;
// matching and capturing walk along the slashes of the path (shape.go, capture.go), and package
// match finds shapes in a trie. Any other pattern, and each regular expression, becomes one shape
// that leads up to the first part that is not a whole segment, and an expression that decides
// (expression.go).
//
// Matching takes time linear in the path, whatever the pattern: shapes look at each byte once, and
// package regexp guarantees it for expressions.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Pattern is a pattern that has been read. It is immutable and safe for concurrent use. The nil
// Pattern matches every path and has no parameters.
type Pattern struct {
	text   string
	syntax syntax
	shapes []Shape // in the order in which a backtracking matcher would try them
}

// single is a pattern with its only shape beside it, as most patterns have.
type single struct {
	Pattern
	shape [1]Shape
}

func newSingle(text string, syntax syntax, s Shape) *Pattern {
	p := &single{Pattern{text: text, syntax: syntax}, [1]Shape{s}}
	p.shapes = p.shape[:]
	return &p.Pattern
}

// syntax tells how the text of a pattern is read.
type syntax uint8

const (
	sinatra syntax = iota
	rails
	regular
	mount // a literal prefix, and "/*" that may be missing
)

// Sinatra reads a pattern in the syntax of Sinatra and Scalatra.
func Sinatra(text string) (*Pattern, error) { return read(text, sinatra) }

// Rails reads a pattern in the syntax of Rails.
func Rails(text string) (*Pattern, error) { return read(text, rails) }

// Mount returns the pattern of a prefix and everything below it. The prefix is empty or begins with a
// slash; segments such as ":id" are parameters, and everything else stands for itself.
func Mount(prefix string) *Pattern {
	p, err := read(prefix+"/*", mount)
	if err != nil {
		panic(err) // the shapes of such a pattern need no expression
	}
	return p
}

// Regexp returns the pattern that searches paths for a regular expression, which is compiled anew.
func Regexp(re *regexp.Regexp) *Pattern {
	text := re.String()
	return newSingle(text, regular, lead(literalPrefix(text), searchFor(text)))
}

// read reads a pattern that is made of tokens.
func read(text string, syntax syntax) (*Pattern, error) {
	if !utf8.ValidString(text) && syntax != mount {
		return nil, refuse(syntax, text, invalidUTF8(text), "not valid UTF-8")
	}
	var room [8]Token // so that the tokens of most patterns take no allocation
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

// expression returns the expression that decides, or nil if the shapes alone do.
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

// Shapes returns how many shapes the pattern has. Together they match what the pattern matches;
// of those that match a path, the first gives the parameters.
func (p *Pattern) Shapes() int { return len(p.shapes) }

// Shape returns one of the shapes.
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

// Unindexed reports whether paths that match begin with no text that tells them, so that the
// pattern's expression has to be tried on every path.
func (p *Pattern) Unindexed() bool {
	if p == nil || p.expression() == nil {
		return false
	}
	s := &p.shapes[0]
	return len(s.params) == 0 && (s.source == "" || s.source == "/")
}

// Names returns the keys of the parameters in their order; a key that occurs twice is listed twice.
func (p *Pattern) Names() []string {
	switch {
	case p == nil:
		return nil
	case p.syntax == regular:
		return p.expression().keys()
	}
	return keysOf(p.Tokens(), nil)
}

// Reachable returns an error if no path matches because the pattern does not begin with a slash.
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

// refuse is the error of a pattern that cannot be read.
func refuse(syntax syntax, text string, offset int, problem string) error {
	return fmt.Errorf("routing: %s pattern %q, offset %d: %s", syntax, text, offset, problem)
}

// invalidUTF8 returns where the first byte is that is no part of a character.
func invalidUTF8(text string) int {
	for i := 0; ; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
