package pattern

import "unicode/utf8"

var railsSpecial = [256]bool{':': true, '*': true, '(': true, ')': true, '\\': true}

// readRails returns the tokens of a pattern in the Rails syntax. Parts in parentheses are
// optional, and a backslash makes the next character literal.
func readRails(text string) (tokens []Token, _ error) {
	// The tokens before each open parenthesis, and its offset.
	var outer [][]Token
	var opened []int
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case ':', '*':
			end := nameEnd(text, i+1)
			t := Token{Kind: Param, from: i, to: end}
			switch {
			case end == i+1 || isDigit(text[i+1]):
				t.Kind, t.Text, t.to = Literal, text[i:i+1], i+1
			case c == '*':
				t.Kind, t.Text = Wildcard, text[i+1:end]
			default:
				t.Text = text[i+1 : end]
			}
			tokens = append(tokens, t)
			i = t.to
		case '(':
			outer, opened = append(outer, tokens), append(opened, i)
			tokens = nil
			i++
		case ')':
			last := len(opened) - 1
			if last < 0 {
				return nil, refuse(rails, text, i,
					`a closing parenthesis without an opening one: write \) for a literal one`)
			}
			i++
			t := Token{Kind: Optional, Tokens: joinLiterals(text, tokens), from: opened[last], to: i}
			tokens = append(outer[last], t)
			outer, opened = outer[:last], opened[:last]
		case '\\':
			if i+1 == len(text) {
				return nil, refuse(rails, text, i, `a backslash at the end: write \\ for a literal one`)
			}
			_, size := utf8.DecodeRuneInString(text[i+1:])
			end := i + 1 + size
			tokens = append(tokens, Token{Kind: Literal, Text: text[i+1 : end], from: i, to: end})
			i = end
		default:
			end := plainEnd(text, i, &railsSpecial)
			tokens = append(tokens, Token{Kind: Literal, Text: text[i:end], from: i, to: end})
			i = end
		}
	}
	if len(opened) > 0 {
		return nil, refuse(rails, text, opened[len(opened)-1],
			`an opening parenthesis without a closing one: write \( for a literal one`)
	}
	return tokens, nil
}
