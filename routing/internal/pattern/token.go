package pattern

import (
	"fmt"
	"strings"
)

// Kind is the kind of a token.
type Kind uint8

const (
	Literal  Kind = iota
	Param         // one or more characters of a segment
	Wildcard      // any characters, also slashes
	Choice        // one of several lists of tokens
	Optional      // a choice of tokens or none
)

// Token is one part of a pattern in the Sinatra or Rails syntax.
type Token struct {
	Kind    Kind
	Text    string    // of a literal; the name of a parameter or wildcard
	Choices [][]Token // of a choice; those of an optional token are its tokens and nil
	class   *Class    // of a parameter or wildcard
}

// Where returns the expression that was given for the values of a parameter or wildcard. It is
// empty for none.
func (t Token) Where() string {
	if t.class == nil {
		return ""
	}
	return t.class.given
}

// splatKey is the name of unnamed wildcards.
const splatKey = "splat"

// optional returns the token of tokens that may be left out.
func optional(tokens []Token) Token { return Token{Kind: Optional, Choices: [][]Token{tokens, nil}} }

// mistake is an error in the text of a pattern.
type mistake struct {
	offset  int
	problem string
}

func (m mistake) Error() string { return fmt.Sprintf("offset %d: %s", m.offset, m.problem) }

// literal appends literal text to tokens. If their last token is a literal, it becomes longer.
func literal(tokens []Token, text string) []Token {
	last := len(tokens) - 1
	switch {
	case text == "":
		return tokens
	case last >= 0 && tokens[last].Kind == Literal:
		tokens[last].Text += text
		return tokens
	}
	return append(tokens, Token{Kind: Literal, Text: text})
}

// join appends more tokens to tokens.
func join(tokens, more []Token) []Token {
	if len(more) > 0 && more[0].Kind == Literal {
		tokens, more = literal(tokens, more[0].Text), more[1:]
	}
	return append(tokens, more...)
}

// keysOf appends the names of the parameters and wildcards in tokens.
func keysOf(tokens []Token, keys []string) []string {
	for _, t := range tokens {
		if t.Kind == Param || t.Kind == Wildcard {
			keys = append(keys, t.Text)
		}
		for _, tokens := range t.Choices {
			keys = keysOf(tokens, keys)
		}
	}
	return keys
}

// plainEnd returns the offset of the first special character in text from i on.
func plainEnd(text string, i int, special string) int {
	if n := strings.IndexAny(text[i:], special); n >= 0 {
		return i + n
	}
	return len(text)
}

// nameEnd returns the end of the name that starts at i: the first character that is no ASCII
// letter, digit or underscore.
func nameEnd(text string, i int) int {
	for i < len(text) && (text[i] == '_' || isDigit(text[i]) || isLetter(text[i])) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
