package routing

import (
	"regexp"

	"example.com/flowercafe/routing/internal/pattern"
)

// Pattern tells which paths a route or a filter is for. Make one with [Sinatra], [Rails] or [Regexp];
// the zero Pattern matches every path and has no parameters. Patterns are immutable and safe for
// concurrent use. Matching takes time linear in the path, whatever the pattern.
type Pattern struct {
	p *pattern.Pattern
}

// shape is one way in which a path can match a pattern.
type shape = pattern.Shape

// Sinatra reads a pattern in the syntax of Sinatra and Scalatra, the default of an [App]:
//
//	/hello/:name    a parameter: one or more characters up to the next slash
//	/files/*        a wildcard, the parameter "splat": any characters, slashes and line breaks too, or none
//	/colou?r        the character before the question mark is optional
//	/list/?:page?   the slash is optional, and the parameter too; without a value it is absent
//
// A name is made of ASCII letters, digits and underscores. A parameter takes as many characters as
// it can, a wildcard as few. Every other character, parentheses and a colon without a name included,
// stands for itself, and one of :*?{}<>()\ does behind a backslash. The pattern matches the whole path.
//
// A question mark at the beginning or after another one, and text that is not UTF-8, are errors
// that tell the offset.
func Sinatra(text string) (Pattern, error) {
	p, err := pattern.Sinatra(text)
	return Pattern{p}, err
}

// Rails reads a pattern in the syntax of Rails:
//
//	/doc/:id(.:format)   a parameter: one or more characters up to the next slash or dot; parts in
//	                     parentheses are optional
//	/arch(/:y(/:m))      optional parts may be nested
//	/tree/*path          a wildcard with a name: one or more characters, slashes too, as many as it can
//	/a\(b\)              a backslash makes the next character plain
//
// A name begins with an ASCII letter or an underscore and goes on with letters, digits and
// underscores. Every other character, a colon or star without a name included, stands for itself.
// The pattern matches the whole path.
//
// Parentheses that don't match, a backslash at the end, and text that is not UTF-8 are errors that
// tell the offset; so are parentheses nested a thousand deep.
func Rails(text string) (Pattern, error) {
	p, err := pattern.Rails(text)
	return Pattern{p}, err
}

// Regexp returns the Pattern of a regular expression. The expression is searched for in the path, so
// write `^/year/(\d+)$` to match all of it. An expression that is anchored by ^ or \A and begins with
// literal text is found by that text; any other is tried on every request of its method, see
// [App.Unindexed].
//
// All groups, named ones included, are the values of the parameter "captures", in their order; a
// group that took no part gives the empty text. The value of a named group is a parameter of that
// name too.
//
// The text of re is compiled anew, so that nothing done to re later matters; expressions of
// [regexp.CompilePOSIX] get the rules of [regexp.Compile]. A nil re panics.
func Regexp(re *regexp.Regexp) Pattern {
	if re == nil {
		panic("routing: Regexp(nil): pass a compiled expression, or use the zero Pattern to match every path")
	}
	return Pattern{pattern.Regexp(re)}
}

// Must returns p, and panics if err is not nil. It is for patterns written in the program's text:
//
//	app.Route("GET", routing.Must(routing.Rails("/doc/:id(.:format)")), show)
func Must(p Pattern, err error) Pattern {
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the pattern as it was written; the zero Pattern is the empty text.
func (p Pattern) String() string { return p.p.String() }

// Syntax returns "sinatra", "rails" or "regexp", and the empty text for the zero Pattern.
func (p Pattern) Syntax() string { return p.p.Syntax() }

// Names returns the keys of the parameters that the pattern gives, in their order; a key that occurs
// twice is listed twice. A wildcard without a name is "splat", a group of a regular expression
// "captures".
func (p Pattern) Names() []string { return p.p.Names() }

// Match reports whether the decoded path matches. The path is the text that routes see: below the
// base path, with a slash in front.
func (p Pattern) Match(path string) bool { return p.p.Match(path) }

// Tokens returns the parts of the pattern in their order, for packages that write patterns in
// another form. It returns nil for a regular expression and for the zero Pattern. The tokens are
// read anew on each call, and the caller may change them.
func (p Pattern) Tokens() []Token { return tokensOf(p.p.Tokens()) }

// Token is one part of a [Pattern].
type Token struct {
	Kind TokenKind

	// Text is the text of a literal, without backslashes, or the key of a parameter or wildcard.
	Text string

	// Tokens are the parts of an optional part.
	Tokens []Token
}

// TokenKind tells what a [Token] is.
type TokenKind uint8

const (
	TokenLiteral  TokenKind = iota // text that stands for itself; two literals never follow each other
	TokenParam                     // a parameter, within a segment
	TokenWildcard                  // a wildcard, which takes slashes too
	TokenOptional                  // tokens that may be left out
)

func tokensOf(read []pattern.Token) []Token {
	var tokens []Token
	for _, t := range read {
		tokens = append(tokens, Token{TokenKind(t.Kind), t.Text, tokensOf(t.Tokens)})
	}
	return tokens
}
