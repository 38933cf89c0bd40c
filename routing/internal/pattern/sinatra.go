package pattern

import (
	"strings"
	"unicode/utf8"
)

var sinatraSpecial = [256]bool{':': true, '*': true, '?': true, '\\': true}

// sinatraEscaped are the characters that a backslash makes literal. Before others it is literal
// itself.
const sinatraEscaped = `:*?{}<>()\`

// readSinatra appends the tokens of a pattern in the Sinatra syntax. A question mark makes the
// character or token before it optional.
func readSinatra(tokens []Token, text string) ([]Token, error) {
	literal := func(from, to int) {
		tokens = append(tokens, Token{Kind: Literal, Text: text[from:to], from: from, to: to})
	}
	for i := 0; i < len(text); {
		switch text[i] {
		case ':':
			end := nameEnd(text, i+1)
			if end == i+1 {
				literal(i, end)
			} else {
				tokens = append(tokens, Token{Kind: Param, Text: text[i+1 : end], from: i, to: end})
			}
			i = end
		case '*':
			tokens = append(tokens, Token{Kind: Wildcard, Text: splatKey, from: i, to: i + 1})
			i++
		case '?':
			if len(tokens) == 0 {
				return nil, refuse(sinatra, text, i,
					"a question mark must follow a character or parameter")
			}
			last := &tokens[len(tokens)-1]
			if last.Kind == Optional {
				return nil, refuse(sinatra, text, i, "a question mark must not follow another one: write a single one")
			}
			*last = Token{Kind: Optional, Tokens: []Token{*last}, from: last.from, to: i + 1}
			i++
		case '\\':
			from, end := i, i+1
			if end < len(text) && strings.IndexByte(sinatraEscaped, text[end]) >= 0 {
				i, end = end, end+1
			}
			tokens = append(tokens, Token{Kind: Literal, Text: text[i:end], from: from, to: end})
			i = end
		default:
			end := plainEnd(text, i, &sinatraSpecial)
			if end < len(text) && text[end] == '?' {
				// The question mark applies to the last character alone.
				_, size := utf8.DecodeLastRuneInString(text[i:end])
				if i < end-size {
					literal(i, end-size)
				}
				i = end - size
			}
			literal(i, end)
			i = end
		}
	}
	return tokens, nil
}
