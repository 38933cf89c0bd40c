package pattern

import "slices"

// Kind is the kind of a token.
type Kind uint8

const (
	Literal  Kind = iota
	Param         // one or more characters up to a slash; in Rails up to a dot too
	Wildcard      // any characters, as few as possible; in Rails at least one, as many as possible
	Optional      // tokens that may be left out
)

// Token is one part of a pattern in the Sinatra or Rails syntax.
type Token struct {
	Kind   Kind
	Text   string  // of a literal; the name of a parameter or wildcard
	Tokens []Token // of an optional token

	from, to int // its place in the pattern's text
}

// splatKey is the name of unnamed wildcards.
const splatKey = "splat"

// Tokens parses the pattern's text again and returns its parts. It returns nil for a regular
// expression and the nil Pattern.
func (p *Pattern) Tokens() []Token {
	if p == nil || p.syntax == regular {
		return nil
	}
	tokens, _ := tokensOf(nil, p.text, p.syntax) // it was parsed without an error before
	return tokens
}

// tokensOf appends the tokens of text.
func tokensOf(tokens []Token, text string, syntax syntax) (_ []Token, err error) {
	switch syntax {
	case sinatra:
		tokens, err = readSinatra(tokens, text)
	case rails:
		tokens, err = readRails(text)
	default:
		return mountTokens(tokens, text), nil
	}
	return joinLiterals(text, tokens), err
}

// mountTokens parses a prefix and "/*", which is optional. A segment that is a colon and a name is
// a parameter.
func mountTokens(tokens []Token, text string) []Token {
	end := len(text) - len("/*")
	below := []Token{
		{Kind: Literal, Text: "/", from: end, to: end + 1},
		{Kind: Wildcard, Text: splatKey, from: end + 1, to: end + 2},
	}
	if end == 0 {
		return append(tokens, below...)
	}
	for from := 0; from < end; {
		to := SegmentEnd(text, from+1)
		if from+2 < to && text[from+1] == ':' && nameEnd(text, from+2) == to {
			tokens = append(tokens,
				Token{Kind: Literal, Text: "/", from: from, to: from + 1},
				Token{Kind: Param, Text: text[from+2 : to], from: from + 1, to: to})
		} else {
			tokens = append(tokens, Token{Kind: Literal, Text: text[from:to], from: from, to: to})
		}
		from = to
	}
	return append(joinLiterals(text, tokens), Token{Kind: Optional, Tokens: below, from: end, to: len(text)})
}

// joinLiterals merges adjacent literals.
func joinLiterals(text string, tokens []Token) []Token {
	joined := tokens[:0]
	for _, t := range tokens {
		last := len(joined) - 1
		if last < 0 || t.Kind != Literal || joined[last].Kind != Literal {
			joined = append(joined, t)
			continue
		}
		l := &joined[last]
		if l.verbatim() && t.verbatim() {
			l.Text = text[l.from:t.to]
		} else {
			l.Text += t.Text
		}
		l.to = t.to
	}
	return slices.Clip(joined)
}

// verbatim reports whether a literal has no backslashes in the pattern's text.
func (t *Token) verbatim() bool { return len(t.Text) == t.to-t.from }

// keysOf appends the names of the parameters and wildcards in tokens.
func keysOf(tokens []Token, keys []string) []string {
	for _, t := range tokens {
		switch t.Kind {
		case Param, Wildcard:
			keys = append(keys, t.Text)
		case Optional:
			keys = keysOf(t.Tokens, keys)
		}
	}
	return keys
}

// plainEnd returns the end of the text that starts at i and has no special characters. The one at
// i is not special.
func plainEnd(text string, i int, special *[256]bool) int {
	for i++; i < len(text) && !special[text[i]]; i++ {
	}
	return i
}

// nameEnd returns the end of the name that starts at i: the first character that is no ASCII
// letter, digit or underscore.
func nameEnd(text string, i int) int {
	for i < len(text) && isNameByte(text[i]) {
		i++
	}
	return i
}

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
