package pattern

import (
	"slices"
	"strings"
)

// moveSlashes returns tokens with each slash before an optional part in that part, as Rails does:
// "/s/:id/(:title)" is "/s/:id(/:title)", which matches "/s/1" too.
func moveSlashes(tokens []Token) []Token {
	var moved []Token
	for _, t := range tokens {
		t.Tokens = moveSlashes(t.Tokens)
		if last := len(moved) - 1; t.Kind == Optional && last >= 0 && strings.HasSuffix(moved[last].Text, "/") {
			t.Tokens = withSlash(t.Tokens)
			if moved[last].Text = strings.TrimSuffix(moved[last].Text, "/"); moved[last].Text == "" {
				moved = moved[:last]
			}
		}
		moved = join(moved, []Token{t})
	}
	return moved
}

// railsSlashes returns the tokens of a whole pattern with their slashes moved. One that starts with
// an optional part gets its slash there: "(projects/:id)/search" is "(/projects/:id)/search". One of
// optional parts alone also matches "/".
func railsSlashes(tokens []Token, loose bool) []Token {
	if len(tokens) > 0 && tokens[0].Kind == Optional {
		tokens[0].Tokens = withSlash(tokens[0].Tokens)
	}
	tokens = moveSlashes(tokens)
	if loose {
		tokens = trimSlashes(tokens)
	}
	if len(tokens) == 0 || slices.ContainsFunc(tokens, func(t Token) bool { return t.Kind != Optional }) {
		return tokens
	}
	return []Token{{Kind: Choice, Choices: [][]Token{tokens, {{Kind: Literal, Text: "/"}}}}}
}

// withSlash returns tokens with a slash in front.
func withSlash(tokens []Token) []Token {
	switch {
	case len(tokens) > 0 && tokens[0].Kind == Literal && tokens[0].Text[0] == '/':
		return tokens
	case len(tokens) > 0 && tokens[0].Kind == Optional:
		tokens[0].Tokens = withSlash(tokens[0].Tokens)
		return tokens
	}
	return join([]Token{{Kind: Literal, Text: "/"}}, tokens)
}
