package pattern

import "unicode/utf8"

// readRails returns the tokens of a pattern in the Rails syntax. Parts in parentheses are
// optional, and a backslash makes the next character literal.
func readRails(text string) (tokens []Token, _ error) {
	type parenthesis struct {
		offset int
		before []Token
	}
	var opened []parenthesis
	for i, end := 0, 0; i < len(text); i = end {
		end = i + 1
		switch c := text[i]; {
		case (c == ':' || c == '*') && nameEnd(text, end) > end && !isDigit(text[end]):
			end = nameEnd(text, end)
			t := Token{Kind: Param, Text: text[i+1 : end]}
			if c == '*' {
				t.Kind = Wildcard
			}
			tokens = append(tokens, t)
		case c == '(':
			opened = append(opened, parenthesis{i, tokens})
			tokens = nil
		case c == ')' && len(opened) == 0:
			return nil, mistake{i, `a closing parenthesis without an opening one: write \) for a literal one`}
		case c == ')':
			last := len(opened) - 1
			tokens = append(opened[last].before, Token{Kind: Optional, Tokens: tokens})
			opened = opened[:last]
		case c == '\\' && end == len(text):
			return nil, mistake{i, `a backslash at the end: write \\ for a literal one`}
		case c == '\\':
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
			tokens = literal(tokens, text[i+1:end])
		default:
			end = plainEnd(text, end, `:*()\`)
			tokens = literal(tokens, text[i:end])
		}
	}
	if last := len(opened) - 1; last >= 0 {
		return nil, mistake{opened[last].offset, `an opening parenthesis without a closing one: write \( for a literal one`}
	}
	return tokens, nil
}
