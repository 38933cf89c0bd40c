package routing

import (
	"regexp"

	"example.com/flowercafe/routing/internal/pattern"
)

// Pattern matches the paths of a route or a filter. The zero Pattern matches every path. Patterns
// are immutable and safe for concurrent use.
type Pattern struct {
	p *pattern.Pattern
}

// variant is a pattern.Variant, such as the pattern with or without an optional group.
type variant = pattern.Variant

// Sinatra parses a pattern in the syntax of Sinatra 2 and later, the default of an [App]:
//
//	/hello/:name      a parameter: one or more characters except slashes; also /hello/{name}
//	/files/*          a wildcard, the parameter "splat": any characters, including slashes, or none
//	/files/{+path}    a wildcard with a name
//	/colou?r          the character before the question mark is optional
//	/list(/:page)?    the group is optional; without a value the parameter is absent
//	/(about|team)     alternatives
//	/a\?b             a backslash makes punctuation literal
//
// A wildcard matches as few characters as possible. In "/:id(.:format)?" a format is the text after
// the last dot.
func Sinatra(text string) (Pattern, error) {
	p, err := pattern.Sinatra(text)
	return Pattern{p}, err
}

// Rails parses a pattern in the syntax of Rails:
//
//	/doc/:id(.:format)   a parameter: one or more characters except slashes and dots; parts in
//	                     parentheses are optional
//	/arch(/:y(/:m))      optional parts may be nested
//	/tree/*path          a named wildcard: one or more characters, including slashes
//	/a\(b\)              a backslash makes the next character literal
//
// As in Rails, a slash before an optional group belongs to the group: "/s/:id/(:title)" also
// matches "/s/1". For constraints, see [Where].
func Rails(text string) (Pattern, error) {
	p, err := pattern.Rails(text)
	return Pattern{p}, err
}

// Regexp returns the Pattern of a regular expression, which matches anywhere in the path: write
// `^/year/(\d+)$`, or use [WholeRegexp], to match all of it.
//
// All groups are values of the parameter "captures" in order; a group that did not match is empty.
// A named group is also a parameter with its name, absent if it did not match.
func Regexp(re *regexp.Regexp) Pattern {
	if re == nil {
		panic("routing: Regexp(nil): pass a compiled expression, or use the zero Pattern to match every path")
	}
	return Pattern{pattern.Regexp(re)}
}

// WholeRegexp is [Regexp] for an expression that must match the whole path. A dot also matches a
// line break.
func WholeRegexp(re *regexp.Regexp) Pattern {
	if re == nil {
		return Regexp(nil)
	}
	whole, err := regexp.Compile(`\A(?s:` + re.String() + `)\z`)
	if err != nil { // a \Q quotes the rest of the text
		whole = regexp.MustCompile(`\A(?s:` + re.String() + `\E)\z`)
	}
	return Regexp(whole)
}

// Must returns p, and panics if err is not nil.
func Must(p Pattern, err error) Pattern {
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the text of the pattern.
func (p Pattern) String() string { return p.p.String() }

// Syntax returns "sinatra", "rails" or "regexp", or "" for the zero Pattern.
func (p Pattern) Syntax() string { return p.p.Syntax() }

// Names returns the names of the parameters in order, with repeated names; for a group of a regular
// expression "captures", and then its own name if it has one.
func (p Pattern) Names() []string { return p.p.Names() }

// Match reports whether the pattern matches a decoded path below the base path.
func (p Pattern) Match(path string) bool { return p.p.Match(path) }

// Tokens returns the tokens of the pattern in order, or nil for a regular expression and the zero
// Pattern.
func (p Pattern) Tokens() []Token { return tokensOf(p.p.Tokens()) }

// Token is an element of a [Pattern], such as a parameter.
type Token struct {
	Kind    TokenKind
	Text    string    // of a literal, unescaped; the name of a parameter or wildcard, if it has one
	Tokens  []Token   // of an optional token
	Choices [][]Token // the alternatives of a choice
	Where   string    // the expression of [Where] for the value of a parameter or wildcard
}

// TokenKind is the kind of a [Token].
type TokenKind uint8

const (
	TokenLiteral  TokenKind = iota // literal text; two literals never follow each other
	TokenParam                     // a parameter, within a segment
	TokenWildcard                  // a wildcard, which may match slashes
	TokenChoice                    // one of several lists of tokens
	TokenOptional                  // tokens that may be left out
)

func tokensOf(read []pattern.Token) []Token {
	var tokens []Token
	for _, t := range read {
		own := Token{Kind: TokenKind(t.Kind), Text: t.Text, Where: t.Where()}
		for _, choice := range t.Choices {
			own.Choices = append(own.Choices, tokensOf(choice))
		}
		if own.Kind == TokenOptional {
			own.Tokens, own.Choices = own.Choices[0], nil
		}
		tokens = append(tokens, own)
	}
	return tokens
}
