package routing

import (
	"regexp"

	"example.com/flowercafe/routing/internal/pattern"
)

// Pattern matches the paths of a route or a filter, in time linear in the length of the path.
// Create one with [Sinatra], [Rails], [Regexp] or [WholeRegexp]. The zero Pattern matches every
// path and has no parameters. Patterns are immutable and safe for concurrent use.
type Pattern struct {
	p *pattern.Pattern
}

// shape is a variant of a pattern, such as the pattern with or without an optional group.
type shape = pattern.Shape

// Sinatra parses a pattern in the syntax of Sinatra 2 and later, the default of an [App]:
//
//	/hello/:name      a parameter: one or more characters up to the next slash; also /hello/{name}
//	/files/*          a wildcard, the parameter "splat": any characters, including slashes, or none
//	/files/{+path}    a wildcard with a name
//	/colou?r          the character before the question mark is optional
//	/list(/:page)?    the group is optional, and so is the parameter; without a value it is absent
//	/(about|team)     alternatives
//
// A name consists of ASCII letters, digits and underscores. A parameter matches as many characters
// as possible, a wildcard as few as possible. Before an optional group at the end of a segment, a
// parameter matches less: in "/:id(.:format)?" and "/:id.?:format?" the format is the text after
// the last dot. As in Sinatra, this does not apply if another optional token follows: use
// [WithOptionalSlash] in place of "/?" there. A backslash makes the punctuation after it literal.
// All other characters are literal, and so is a colon without a name. The pattern matches the whole
// path.
//
// As in Scalatra, parentheses around literal text alone, such as "/f(x)", are literal. Sinatra
// ignores the parentheses, so methods with a pattern given as a string panic for them. They also
// panic for groups that are optional only in Rails: "(.:format)", and "(/:name)" at the beginning.
//
// A star never has a name: "/pre*post" is a wildcard and text. Methods with a pattern given as a
// string panic for a letter after a star, and in both syntaxes for a backslash before a letter.
//
// A question mark at the beginning or after another one, unbalanced parentheses, parentheses nested
// a thousand deep, a brace that is not {name} or {+name}, and text that is not UTF-8 are errors. A
// syntax error has the offset.
func Sinatra(text string) (Pattern, error) {
	p, err := pattern.Sinatra(text)
	return Pattern{p}, err
}

// Rails parses a pattern in the syntax of Rails:
//
//	/doc/:id(.:format)   a parameter: one or more characters up to the next slash or dot; parts in
//	                     parentheses are optional
//	/arch(/:y(/:m))      optional parts may be nested
//	/tree/*path          a named wildcard: one or more characters or slashes, as many as possible
//	/a\(b\)              a backslash makes the next character literal
//
// A name is as in [Sinatra], but does not start with a digit. All other characters are literal,
// also a colon or star without a name. The pattern matches the whole path. The text is rewritten as
// Rails does: a slash before an optional group moves into the group, so "/s/:id/(:title)" also
// matches "/s/1", and "(projects/:id)/search" is "(/projects/:id)/search". A pattern of only
// optional groups, such as "(/:locale)", also matches "/" if every group after the first begins
// with a parameter.
//
// Use [WithFormatSuffix] and [WithLooseSlashes] for the other rules of Rails for paths, [Where] for
// its constraints. Alternatives, unbalanced parentheses, a backslash at the end, parentheses nested
// a thousand deep, and text that is not UTF-8 are errors. A syntax error has the offset.
func Rails(text string) (Pattern, error) {
	p, err := pattern.Rails(text)
	return Pattern{p}, err
}

// Regexp returns the Pattern of a regular expression. It matches anywhere in the path; write
// `^/year/(\d+)$`, or use [WholeRegexp], to match all of it. An expression that is anchored by ^ or
// \A and starts with literal text is indexed by that text. Any other expression is tried on every
// request of its method, which takes some hundred nanoseconds.
//
// All groups, including named ones, are values of the parameter "captures" in order; a group that
// did not match is empty. A named group is also a parameter with its name, absent if it did not
// match.
//
// The text of re is compiled again, so later changes to re have no effect, and expressions of
// [regexp.CompilePOSIX] follow the rules of [regexp.Compile]. It panics if re is nil.
func Regexp(re *regexp.Regexp) Pattern {
	if re == nil {
		panic("routing: Regexp(nil): pass a compiled expression, or use the zero Pattern to match every path")
	}
	return Pattern{pattern.Regexp(re)}
}

// WholeRegexp is [Regexp] for an expression that must match the whole path, with or without
// anchors, as in Sinatra. A dot also matches a line break, as with the flag (?s).
func WholeRegexp(re *regexp.Regexp) Pattern {
	if re == nil {
		return Regexp(nil)
	}
	return Regexp(regexp.MustCompile(`\A(?s:` + re.String() + `)\z`))
}

// Must returns p, and panics if err is not nil. It is for [Sinatra] and [Rails], which return an
// error, and for patterns that are constants.
//
//	app.Route("GET", routing.Must(routing.Rails("/doc/:id(.:format)")), show)
func Must(p Pattern, err error) Pattern {
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the pattern as it was written. It is empty for the zero Pattern.
func (p Pattern) String() string { return p.p.String() }

// Syntax returns "sinatra", "rails" or "regexp". It is empty for the zero Pattern.
func (p Pattern) Syntax() string { return p.p.Syntax() }

// Names returns the names of the parameters in order, with repeated names. The name of an unnamed
// wildcard is "splat". A group of a regular expression is listed as "captures", and then by its own
// name if it has one.
func (p Pattern) Names() []string { return p.p.Names() }

// Match reports whether the pattern matches a decoded path below the base path.
func (p Pattern) Match(path string) bool { return p.p.Match(path) }

// Tokens returns the tokens of the pattern in order, for packages that convert patterns to another
// syntax. It is nil for a regular expression and the zero Pattern. The caller may modify the slice.
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
	TokenWildcard                  // a wildcard, which also matches slashes
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
