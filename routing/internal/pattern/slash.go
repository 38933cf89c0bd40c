package pattern

import (
	"errors"
	"slices"
	"strings"
)

// This file has the rules for slashes: those before optional parts, which Rails moves into them,
// and those that do not count in an app with loose slashes.

// moveSlashes returns tokens with each slash before an optional part in that part, as Rails does:
// "/s/:id/(:title)" is "/s/:id(/:title)", which matches "/s/1" too. An optional part that begins a
// path gets a slash: "(projects/:id)/search" is "(/projects/:id)/search".
func moveSlashes(tokens []Token, beginPath bool) []Token {
	if beginPath && len(tokens) > 0 && tokens[0].Kind == Optional {
		tokens[0] = optional(withSlash(tokens[0].Choices[0]))
	}
	var moved []Token
	for _, t := range tokens {
		for i := range t.Choices {
			t.Choices[i] = moveSlashes(t.Choices[i], false)
		}
		if last := len(moved) - 1; t.Kind == Optional && last >= 0 && strings.HasSuffix(moved[last].Text, "/") {
			t = optional(withSlash(t.Choices[0]))
			if moved[last].Text = strings.TrimSuffix(moved[last].Text, "/"); moved[last].Text == "" {
				moved = moved[:last]
			}
		}
		moved = join(moved, []Token{t})
	}
	return moved
}

// endWithout returns the tokens of a prefix without a slash at their end, also if their last part
// is left out: the prefix "/a/(:b)?" of Sinatra is "/a(/:b)?".
func endWithout(tokens []Token) []Token {
	last := len(tokens) - 1
	if last < 1 || tokens[last].Kind != Optional {
		return tokens
	}
	return slices.Concat(tokens[:last-1], moveSlashes(tokens[last-1:], false))
}

// withSlash returns tokens with a slash in front.
func withSlash(tokens []Token) []Token {
	switch {
	case beginsWith(tokens, '/'):
		return tokens
	case len(tokens) > 0 && tokens[0].Kind == Optional:
		tokens[0] = optional(withSlash(tokens[0].Choices[0]))
		return tokens
	}
	return join([]Token{slash}, tokens)
}

// tidied returns tokens for tidy paths: they match the tidy form of each path that tokens match,
// and nothing else. A wildcard of Rails has a character that is no slash. It returns an error if
// too many optional parts are next to slashes.
func tidied(tokens []Token) ([]Token, error) {
	t := tidier{left: 1 << 12}
	tidy, _, _ := t.read(tokens, slashes{}, true)
	if t.left < 0 {
		return nil, errors.New("too many optional parts are next to slashes, which do not count in this app: define several routes")
	}
	return tidy, nil
}

// tidier limits the size of its result, which may double with each optional part.
type tidier struct{ left int }

// slashes is what precedes a token: whether there is any text, and whether slashes follow that. Of
// these, one is written before the next text.
type slashes struct{ text, pending bool }

func (at *slashes) write(tokens []Token, t Token) []Token {
	if at.pending {
		tokens = literal(tokens, "/")
	}
	*at = slashes{text: true}
	return join(tokens, []Token{t})
}

// read returns the tidy form of tokens. If they are not the end of the path, it returns what
// follows them, or false if that may be one or the other.
func (t *tidier) read(tokens []Token, at slashes, isEnd bool) (tidy []Token, after slashes, ok bool) {
	for i, token := range tokens {
		if t.left--; t.left < 0 {
			return nil, at, false
		}
		rest := tokens[i+1:]
		switch {
		case token.Kind == Literal:
			for n, text := range strings.Split(token.Text, "/") {
				at.pending = at.pending || n > 0
				if text != "" {
					tidy = at.write(tidy, Token{Text: text})
				}
			}
		case token.Kind == Wildcard && at.pending && token.class.Match(""):
			// It may also take nothing, between slashes that are one then.
			if !isEnd {
				return nil, at, false
			}
			with, before := at, at
			taken := with.write(nil, token)
			whole, _, _ := t.read(rest, with, true)
			if startsOf(rest) == byText || len(rest) == 0 && !at.text {
				return append(tidy, append(taken, whole...)...), at, true
			}
			token.class = none
			without, _, _ := t.read(rest, before, true)
			return append(tidy, oneOf([][]Token{append(taken, whole...), join([]Token{token}, without)})), at, true
		case token.hasValue():
			tidy = at.write(tidy, token)
		default:
			choices, next, same := make([][]Token, len(token.Choices)), at, true
			for n, choice := range token.Choices {
				var end slashes
				choices[n], end, ok = t.read(choice, at, false)
				same = same && ok && (n == 0 || end == next)
				next = end
			}
			if same {
				tidy, at = append(tidy, oneOf(choices)), next
				continue
			}
			if !isEnd {
				return nil, at, false
			}
			for n, choice := range token.Choices {
				choices[n], _, _ = t.read(join(slices.Clone(choice), rest), at, true)
			}
			return append(tidy, oneOf(choices)), at, true
		}
	}
	if isEnd && at.pending && !at.text {
		tidy = literal(tidy, "/")
	}
	return tidy, at, true
}

// oneOf returns the token of one of several lists.
func oneOf(choices [][]Token) Token {
	if len(choices) == 2 && len(choices[1]) == 0 {
		return optional(choices[0])
	}
	return Token{Kind: Choice, Choices: choices}
}
