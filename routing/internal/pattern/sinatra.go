package pattern

import (
	"strings"
	"unicode/utf8"
)

// sinatraEscaped are the characters that a backslash makes literal. Before others it is literal
// itself.
const sinatraEscaped = `:*?{}<>()\`

// readSinatra appends the tokens of a pattern in the Sinatra syntax. A question mark makes the
// character or token before it optional.
func readSinatra(tokens []Token, text string) ([]Token, error) {
	for i, end := 0, 0; i < len(text); i = end {
		end = i + 1
		switch c := text[i]; {
		case c == ':' && nameEnd(text, end) > end:
			end = nameEnd(text, end)
			tokens = append(tokens, Token{Kind: Param, Text: text[i+1 : end]})
		case c == '*':
			tokens = append(tokens, Token{Kind: Wildcard, Text: splatKey})
		case c == '\\' && end < len(text) && strings.IndexByte(sinatraEscaped, text[end]) >= 0:
			end++
			tokens = literal(tokens, text[i+1:end])
		case c == '?' && len(tokens) == 0:
			return nil, mistake{i, "a question mark must follow a character or parameter"}
		case c == '?':
			last := tokens[len(tokens)-1]
			tokens = tokens[:len(tokens)-1]
			switch last.Kind {
			case Optional:
				return nil, mistake{i, "a question mark must not follow another one: write a single one"}
			case Literal: // its last character
				_, size := utf8.DecodeLastRuneInString(last.Text)
				before := len(last.Text) - size
				if before > 0 {
					tokens = append(tokens, Token{Kind: Literal, Text: last.Text[:before]})
				}
				last.Text = last.Text[before:]
			}
			tokens = append(tokens, Token{Kind: Optional, Tokens: []Token{last}})
		default:
			end = plainEnd(text, end, `:*?\`)
			tokens = literal(tokens, text[i:end])
		}
	}
	return tokens, nil
}
