package pattern

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file reads patterns in the syntaxes of Sinatra and Rails.

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
	tokens, err = readTokens(nil, text, s == rails)
	if s != rails || err != nil {
		return tokens, err // with the offset of an error in the text as it was written
	}
	return readTokens(nil, normalized(text, isBelow), true)
}

// normalized returns the text of a Rails pattern as Mapper.normalize_path of Action Pack rewrites
// it: a slash before an optional group moves into the group. For example, "/s/:id/(:title)" becomes
// "/s/:id(/:title)", which matches "/s/1" too.
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

// openGroup is a group whose closing parenthesis was not read yet.
type openGroup struct {
	offset int
	before []Token
	others [][]Token // alternatives before the one that is read
}

// readTokens appends the tokens of a pattern. In Rails all groups are optional; in Sinatra a
// question mark makes the character, token or group before it optional.
func readTokens(tokens []Token, text string, rails bool) ([]Token, error) {
	special := `:*?(){|\`
	if rails {
		special = `:*()|\`
	}
	open := []openGroup{{}}
	for i, end := 0, 0; i < len(text); i = end {
		end = i + 1
		in := &open[len(open)-1]
		switch c := text[i]; {
		case (c == ':' || c == '*' && rails) && nameEnd(text, end) > end && !(rails && isDigit(text[end])):
			end = nameEnd(text, end)
			tokens = append(tokens, named(text[i+1:end], c == '*', rails))
		case c == '*' && !rails:
			tokens = append(tokens, Token{Kind: Wildcard, Text: splatKey})
		case c == '{' && !rails:
			from := end
			if strings.HasPrefix(text[end:], "+") {
				from++
			}
			end = nameEnd(text, from)
			if end == from || !strings.HasPrefix(text[end:], "}") {
				return nil, syntaxError{i, `a brace must begin {name} or {+name}: write \{ for a literal one`}
			}
			tokens = append(tokens, named(text[from:end], text[i+1] == '+', false))
			end++
		case c == '(':
			open, tokens = append(open, openGroup{offset: i, before: tokens}), nil
		case c == ')' && len(open) == 1:
			return nil, syntaxError{i, `a closing parenthesis without an opening one: write \) for a literal one`}
		case c == ')':
			inside := choice(in.others, tokens)
			open, tokens = open[:len(open)-1], in.before
			switch {
			case rails:
				tokens = append(tokens, optional(inside))
			case strings.HasPrefix(text[end:], "?"):
				end++
				tokens = append(tokens, optional(inside))
			case !slices.ContainsFunc(inside, func(t Token) bool { return t.Kind != Literal }):
				// A group of literal text alone has no effect in Sinatra, and its parentheses are
				// literal in Scalatra. [Pattern.Foreign] refuses it.
				tokens = literal(join(literal(tokens, "("), inside), ")")
			default:
				tokens = join(tokens, inside)
			}
		case c == '|' && rails:
			return nil, syntaxError{i, `alternatives are not for Rails patterns: define a route for each, or write \| for a literal one`}
		case c == '|':
			in.others, tokens = append(in.others, tokens), nil
		case c == '\\' && rails && end == len(text):
			return nil, syntaxError{i, `a backslash at the end: write \\ for a literal one`}
		case c == '\\' && (rails || end < len(text) && isEscaped(text[end])):
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
			tokens = literal(tokens, text[i+1:end])
		case c == '?' && !rails && len(tokens) == 0:
			return nil, syntaxError{i, "a question mark must follow a character or parameter"}
		case c == '?' && !rails:
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
			tokens = append(tokens, optional([]Token{last}))
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
	if tokens = choice(open[0].others, tokens); rails {
		return tokens, nil
	}
	return lookAhead(tokens), nil
}

// named returns the token of a name.
func named(name string, wildcard, rails bool) Token {
	switch {
	case wildcard && rails:
		return Token{Kind: Wildcard, Text: name, class: railsWildcard}
	case wildcard:
		return Token{Kind: Wildcard, Text: name}
	case rails:
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
