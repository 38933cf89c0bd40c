package pattern

import (
	"slices"
	"strings"
)

// This file moves slashes before optional parts into them, as Rails does.

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
