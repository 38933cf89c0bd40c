package routing

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Sinatra reads a pattern in the syntax of Sinatra and Scalatra, the default of an [App]:
//
//	/hello/:name    a parameter: one or more characters up to the next slash
//	/files/*        a wildcard, the parameter "splat": any characters, slashes and line breaks too, or none
//	/colou?r        the character before the question mark may be missing
//	/list/?:page?   the slash may be missing, and the parameter too; then it is absent
//
// A name is made of ASCII letters, digits and underscores. A parameter takes as many characters as it can, a wildcard as
// few. Every other character, parentheses and a colon without a name included, stands for itself. The pattern matches the
// whole path. A question mark at the beginning or after another one is an error that tells its offset.
func Sinatra(pattern string) (Pattern, error) {
	const syntax = "sinatra"
	if err := checkUTF8(syntax, pattern); err != nil {
		return Pattern{}, err
	}
	var tokens []token
	text := func(s string) { tokens = append(tokens, token{kind: literal, text: s}) }
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case ':':
			end := nameEnd(pattern, i+1)
			if end == i+1 {
				text(":")
			} else {
				tokens = append(tokens, token{kind: param, text: pattern[i+1 : end]})
			}
			i = end
		case '*':
			tokens = append(tokens, token{kind: splat, text: "splat"})
			i++
		case '?':
			if len(tokens) == 0 {
				return Pattern{}, patternError(syntax, pattern, i, "a question mark needs a character or parameter before it; a path cannot contain one that is not encoded")
			}
			last := &tokens[len(tokens)-1]
			if last.kind == optional {
				return Pattern{}, patternError(syntax, pattern, i, "a question mark after another one: write a single one")
			}
			*last = token{kind: optional, tokens: []token{*last}}
			i++
		default:
			end := plainEnd(pattern, i, ":*?")
			if end < len(pattern) && pattern[end] == '?' {
				// The question mark is about the last character alone.
				_, size := utf8.DecodeLastRuneInString(pattern[i:end])
				if i < end-size {
					text(pattern[i : end-size])
				}
				i = end - size
			}
			text(pattern[i:end])
			i = end
		}
	}
	return newPattern(syntax, pattern, joinLiterals(tokens)), nil
}

// plainEnd returns where the text that begins at i and holds none of the special characters ends. The first is not special.
func plainEnd(pattern string, i int, special string) int {
	for i++; i < len(pattern) && strings.IndexByte(special, pattern[i]) < 0; i++ {
	}
	return i
}

// nameEnd returns where the name that begins at i ends: at the first character that is no ASCII letter, digit or underscore.
func nameEnd(pattern string, i int) int {
	for i < len(pattern) && isNameByte(pattern[i]) {
		i++
	}
	return i
}

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// joinLiterals makes one literal of those that follow each other.
func joinLiterals(tokens []token) []token {
	joined := tokens[:0]
	for _, t := range tokens {
		if last := len(joined) - 1; last >= 0 && t.kind == literal && joined[last].kind == literal {
			joined[last].text += t.text
			continue
		}
		joined = append(joined, t)
	}
	return slices.Clip(joined)
}
