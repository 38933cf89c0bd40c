package pattern

import (
	"regexp"
	"slices"
	"strings"
)

// This file has the rules for slashes: those before optional parts, which Rails moves into them,
// and those that do not count with loose slashes.

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

// trimSlashes removes repeated slashes from the tokens of a pattern, and those at its end.
func trimSlashes(tokens []Token) []Token {
	for i := range tokens {
		if tokens[i].Kind == Literal {
			tokens[i].Text = repeated.ReplaceAllString(tokens[i].Text, "/")
		}
	}
	last := len(tokens) - 1
	if last < 0 || tokens[last].Kind != Literal || last == 0 && tokens[last].Text == "/" {
		return tokens
	}
	return literal(tokens[:last:last], strings.TrimSuffix(tokens[last].Text, "/"))
}

var repeated = regexp.MustCompile("//+")
