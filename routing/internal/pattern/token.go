package pattern

import (
	"iter"
	"slices"
)

// Kind is the kind of a token.
type Kind uint8

const (
	Literal  Kind = iota
	Param         // one or more characters of a segment
	Wildcard      // any characters, including slashes
	Choice        // one of several lists of tokens
	Optional      // tokens that may be absent
)

// Token is an element of a pattern in the Sinatra or Rails syntax.
type Token struct {
	Kind    Kind
	Text    string    // of a literal; the name of a parameter or wildcard, empty for AnyPath
	Choices [][]Token // of a choice; an optional token has its tokens and nil
	class   *Class    // of a parameter or wildcard
}

// Where returns the expression that a user has set for the values of a parameter or wildcard, or
// the empty string.
func (t Token) Where() string {
	if t.class == nil {
		return ""
	}
	return t.class.given
}

// equal reports whether two tokens without choices are the same.
func (t Token) equal(other Token) bool {
	return t.Kind == other.Kind && t.Text == other.Text && t.class == other.class && t.Choices == nil && other.Choices == nil
}

// hasValue reports whether t is a parameter or wildcard.
func (t Token) hasValue() bool { return t.Kind == Param || t.Kind == Wildcard }

// beginsWith reports whether the first of tokens is literal text that begins with c.
func beginsWith(tokens []Token, c byte) bool {
	return len(tokens) > 0 && tokens[0].Kind == Literal && tokens[0].Text[0] == c
}

// endsSegment reports whether a parameter before tokens ends its segment.
func endsSegment(tokens []Token) bool {
	return len(tokens) == 0 || beginsWith(tokens, '/')
}

// splatKey is the name of unnamed wildcards.
const splatKey = "splat"

var slash = Token{Kind: Literal, Text: "/"}

// optional returns a token that makes tokens optional.
func optional(tokens []Token) Token { return Token{Kind: Optional, Choices: [][]Token{tokens, nil}} }

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

// copied returns tokens that share nothing with the given ones.
func copied(tokens []Token) []Token {
	tokens = slices.Clone(tokens)
	for i, t := range tokens {
		if t.Choices != nil {
			tokens[i].Choices = make([][]Token, len(t.Choices))
			for n, choice := range t.Choices {
				tokens[i].Choices[n] = copied(choice)
			}
		}
	}
	return tokens
}

// all yields tokens and those inside of choices, in order.
func all(tokens []Token) iter.Seq[*Token] {
	return func(yield func(*Token) bool) {
		for i := range tokens {
			if !yield(&tokens[i]) {
				return
			}
			for _, choice := range tokens[i].Choices {
				for t := range all(choice) {
					if !yield(t) {
						return
					}
				}
			}
		}
	}
}

// keysOf returns the names of the parameters and wildcards in tokens.
func keysOf(tokens []Token) (keys []string) {
	for _, t := range tokens {
		if t.hasValue() && t.Text != "" {
			keys = append(keys, t.Text)
		}
		for _, choice := range t.Choices {
			keys = append(keys, keysOf(choice)...)
		}
	}
	return keys
}

// starts describes how the texts that tokens match begin.
type starts uint8

const (
	bySlash    starts = 1 << iota
	byText            // another character
	byWildcard        // any character
	byNothing         // there is a text without any
)

func startsOf(tokens []Token) (s starts) {
	for _, t := range tokens {
		switch {
		case t.Kind == Wildcard:
			return s | byWildcard
		case t.Choices == nil && beginsWith([]Token{t}, '/'):
			return s | bySlash
		case t.Choices == nil:
			return s | byText
		}
		for _, tokens := range t.Choices {
			s |= startsOf(tokens)
		}
		if s&byNothing == 0 {
			return s
		}
		s &^= byNothing
	}
	return s | byNothing
}
