package pattern

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file reads patterns in the syntaxes of Sinatra and Rails.

// syntax is the syntax of a pattern's text.
type syntax uint8

const (
	sinatra syntax = iota
	rails
	regular
	anyBelow // "/*", which is optional below a prefix
)

var syntaxNames = [...]string{sinatra: "sinatra", rails: "rails", regular: "regexp", anyBelow: "sinatra"}

// parse returns the tokens of a text, which may be below a prefix.
func parse(text string, s syntax, isBelow bool) (tokens []Token, err error) {
	switch {
	case s == anyBelow && isBelow:
		return []Token{optional([]Token{slash, {Kind: Wildcard}})}, nil
	case s == anyBelow:
		return []Token{slash, {Kind: Wildcard}}, nil
	}
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return nil, syntaxError{i, "not valid UTF-8"}
		}
	}
	tokens, err = readTokens(text, s)
	if s != rails || err != nil {
		return tokens, err // with the offset of an error in the text as it was written
	}
	return readTokens(normalized(text, isBelow), s)
}

// openGroup is a group whose closing parenthesis was not read yet.
type openGroup struct {
	offset int
	before []Token
	others [][]Token // alternatives before the one that is read
}

// readTokens returns the tokens of a text. In Rails all groups are optional; in Sinatra a question
// mark makes the character, token or group before it optional.
func readTokens(text string, s syntax) (tokens []Token, err error) {
	special := `:*?(){|\`
	if s == rails {
		special = `:*()|\`
	}
	open := []openGroup{{}}
	for i, end := 0, 0; i < len(text); i = end {
		end = i + 1
		in := &open[len(open)-1]
		switch c := text[i]; {
		case (c == ':' || c == '*' && s == rails) && nameEnd(text, end) > end && !(s == rails && isDigit(text[end])):
			end = nameEnd(text, end)
			tokens = append(tokens, named(text[i+1:end], c == '*', s))
		case c == '*' && s != rails:
			tokens = append(tokens, Token{Kind: Wildcard, Text: splatKey})
		case c == '{' && s != rails:
			var inBraces Token
			if inBraces, end, err = readBraces(text, i); err != nil {
				return nil, err
			}
			tokens = append(tokens, inBraces)
		case c == '(':
			open, tokens = append(open, openGroup{offset: i, before: tokens}), nil
		case c == ')' && len(open) == 1:
			return nil, syntaxError{i, `a closing parenthesis without an opening one: write \) for a literal one`}
		case c == ')':
			isOptional := s == rails
			if s != rails && strings.HasPrefix(text[end:], "?") {
				isOptional = true
				end++
			}
			open, tokens = open[:len(open)-1], closeGroup(in.before, choice(in.others, tokens), isOptional)
		case c == '|' && s == rails:
			return nil, syntaxError{i, `alternatives are not for Rails patterns: define a route for each, or write \| for a literal one`}
		case c == '|':
			in.others, tokens = append(in.others, tokens), nil
		case c == '\\' && s == rails && end == len(text):
			return nil, syntaxError{i, `a backslash at the end: write \\ for a literal one`}
		case c == '\\' && (s == rails || end < len(text) && isEscaped(text[end])):
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
			tokens = literal(tokens, text[i+1:end])
		case c == '?' && s != rails:
			if tokens, err = lastOptional(tokens, i); err != nil {
				return nil, err
			}
		default:
			if n := strings.IndexAny(text[end:], special); n >= 0 {
				end += n
			} else {
				end = len(text)
			}
			tokens = literal(tokens, text[i:end])
		}
	}
	if last := len(open) - 1; last > 0 {
		return nil, syntaxError{open[last].offset, `an opening parenthesis without a closing one: write \( for a literal one`}
	}
	tokens = choice(open[0].others, tokens)
	if s == rails {
		return tokens, nil
	}
	return lookAhead(tokens), nil
}

// readBraces returns the token {name} or {+name} that begins at i, and its end.
func readBraces(text string, i int) (t Token, end int, err error) {
	from := i + 1
	if strings.HasPrefix(text[from:], "+") {
		from++
	}
	end = nameEnd(text, from)
	if end == from || !strings.HasPrefix(text[end:], "}") {
		return t, 0, syntaxError{i, `a brace must begin {name} or {+name}: write \{ for a literal one`}
	}
	return named(text[from:end], text[i+1] == '+', sinatra), end + 1, nil
}

// closeGroup appends the tokens inside a group to those before it.
func closeGroup(before, inside []Token, isOptional bool) []Token {
	switch {
	case isOptional:
		return append(before, optional(inside))
	case !slices.ContainsFunc(inside, func(t Token) bool { return t.Kind != Literal }):
		// A group of literal text alone has no effect in Sinatra, and its parentheses are literal
		// in Scalatra. [Pattern.Foreign] refuses it.
		return literal(join(literal(before, "("), inside), ")")
	}
	return join(before, inside)
}

// lastOptional makes the last token or character of tokens optional, for the question mark at i.
func lastOptional(tokens []Token, i int) ([]Token, error) {
	if len(tokens) == 0 {
		return nil, syntaxError{i, "a question mark must follow a character or parameter"}
	}
	last := tokens[len(tokens)-1]
	tokens = tokens[:len(tokens)-1]
	switch last.Kind {
	case Optional:
		return nil, syntaxError{i, "a question mark must not follow another one: write a single one"}
	case Literal: // its last character
		_, size := utf8.DecodeLastRuneInString(last.Text)
		before := len(last.Text) - size
		tokens, last.Text = literal(tokens, last.Text[:before]), last.Text[before:]
	}
	return append(tokens, optional([]Token{last})), nil
}

// named returns the token of a name.
func named(name string, wildcard bool, s syntax) Token {
	switch {
	case wildcard && s == rails:
		return Token{Kind: Wildcard, Text: name, class: railsWildcard}
	case wildcard:
		return Token{Kind: Wildcard, Text: name}
	case s == rails:
		return Token{Kind: Param, Text: name, class: railsParam}
	}
	return Token{Kind: Param, Text: name}
}

// choice returns a choice token of all alternatives, or if there are no others the tokens of the
// last.
func choice(others [][]Token, last []Token) []Token {
	if others == nil {
		return last
	}
	return []Token{{Kind: Choice, Choices: append(others, last)}}
}

// lookAhead makes parameters end before an optional part that follows in the same segment, as the
// look-ahead of Sinatra does: in "/:id(.:format)?" and "/:id.?:format?" the format is the text
// after the last dot. Otherwise the parameter would match everything.
func lookAhead(tokens []Token) []Token {
	for _, t := range tokens {
		for n, choice := range t.Choices {
			t.Choices[n] = lookAhead(choice)
		}
	}
	for i := 0; i+1 < len(tokens); i++ {
		if tokens[i].Kind != Param || tokens[i+1].Kind != Optional {
			continue
		}
		part, after := tokens[i+1].Choices[0], i+2
		if after < len(tokens) && tokens[after].Kind == Optional {
			if more := tokens[after].Choices[0]; len(more) == 1 && more[0].Kind == Param {
				part = slices.Concat(part, more) // .?:format? is (.:format)?
				after++
			}
		}
		if len(part) == 0 || len(part) > 2 || len(part) == 2 && part[1].Kind != Param || part[0].Kind != Literal || part[0].Text[0] == '/' || !endsSegment(tokens[after:]) {
			continue
		}
		if first, size := utf8.DecodeRuneInString(part[0].Text); size == len(part[0].Text) && len(part) == 2 {
			part[1].class = builtinClass("[^/" + regexp.QuoteMeta(string(first)) + "]+")
		}
		tokens[i].class, tokens[i+1] = lazyParam, optional(part)
		tokens = slices.Delete(tokens, i+2, after)
	}
	return tokens
}

// normalized returns the text of a Rails pattern as Mapper.normalize_path of Action Pack rewrites
// it: a slash before an optional group moves into the group. For example, "/s/:id/(:title)" becomes
// "/s/:id(/:title)", which matches "/s/1" too. Package resources does the same to the paths that it
// joins, so that their names are those of Rails.
func normalized(text string, isBelow bool) string {
	if !isBelow && strings.HasPrefix(text, "(") {
		text = "/" + text
	}
	text = slashBefore.ReplaceAllString(text, "$1/")
	// A path of optional parts matches "/", unless a part after the first is literal text.
	if !isBelow && optionalParts.MatchString(text) {
		text = "/" + strings.Replace(text, "/", "", 1)
	}
	return text
}

var (
	slashBefore   = regexp.MustCompile(`/(\(+)/?`)
	optionalParts = regexp.MustCompile(`^\(+/[^)]*\)(?:\(+/:[^)]+\))*$`)
)

// syntaxError is an error in the text of a pattern.
type syntaxError struct {
	offset  int
	problem string
}

func (e syntaxError) Error() string { return fmt.Sprintf("offset %d: %s", e.offset, e.problem) }

// isEscaped reports whether a backslash makes a byte literal in Sinatra, as it does in `/\.git`.
// Before letters, digits and others it is literal itself. In Rails it makes every character
// literal.
func isEscaped(c byte) bool { return '!' <= c && c <= '~' && !isDigit(c) && !isLetter(c) }

// nameEnd returns the end of the name that starts at i: the first character that is not an ASCII
// letter, digit or underscore.
func nameEnd(text string, i int) int {
	for i < len(text) && (text[i] == '_' || isDigit(text[i]) || isLetter(text[i])) {
		i++
	}
	return i
}
