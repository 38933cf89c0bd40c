package pattern

import (
	"errors"
	"slices"
	"strings"
)

// This file has the readings of a pattern in an app with loose slashes, in which slashes at the end
// of a path and all but one of several in a row do not count.

// tidied returns tokens for tidy paths: they match the tidy form of each path that tokens match,
// and nothing else. A wildcard of Rails has a character that is no slash. It returns an error if
// there are too many optional parts.
func tidied(tokens []Token) ([]Token, error) {
	tooMany := errors.New("there are too many optional parts and wildcards: define several routes")
	readings := expand(tokens, mostShapes)
	if readings == nil {
		return nil, tooMany
	}
	var tidy [][]Token
	for _, reading := range readings {
		forms := tidyForms(reading, slashes{})
		if forms == nil || len(tidy) > mostShapes {
			return nil, tooMany
		}
		for _, form := range forms {
			if !slices.ContainsFunc(tidy, func(other []Token) bool { return slices.EqualFunc(form, other, Token.equal) }) {
				tidy = append(tidy, form)
			}
		}
	}
	if len(tidy) == 1 {
		return tidy[0], nil
	}
	return []Token{{Kind: Choice, Choices: tidy}}, nil
}

// slashes is what precedes a token: whether there is any text, and whether slashes follow that. Of
// these, one is written before the next text.
type slashes struct{ text, pending bool }

func (at *slashes) write(tokens []Token, t Token) []Token {
	if at.pending {
		tokens = literal(tokens, "/")
	}
	*at = slashes{text: true}
	return join(tokens, []Token{t})
}

// tidyForms returns the tidy forms of a reading: two for each wildcard that may take nothing
// between slashes, which are one then. It returns nil if there are too many.
func tidyForms(tokens []Token, at slashes) [][]Token {
	var tidy []Token
	for i, token := range tokens {
		switch rest := tokens[i+1:]; {
		case token.Kind == Literal:
			for n, text := range strings.Split(token.Text, "/") {
				at.pending = at.pending || n > 0
				if text != "" {
					tidy = at.write(tidy, Token{Text: text})
				}
			}
		case token.Kind == Wildcard && at.pending && token.class.Match(""):
			with := at
			taken := with.write(slices.Clone(tidy), token)
			forms := after(taken, tidyForms(rest, with))
			if forms == nil || startsOf(rest) == byText || len(rest) == 0 && !at.text {
				return forms
			}
			token.class = none
			others := after(append(tidy, token), tidyForms(rest, at))
			if others == nil || len(forms)+len(others) > mostShapes {
				return nil
			}
			return append(forms, others...)
		default:
			tidy = at.write(tidy, token)
		}
	}
	if at.pending && !at.text {
		tidy = literal(tidy, "/")
	}
	return [][]Token{tidy}
}

// after returns lists of tokens that begin with the given ones.
func after(tokens []Token, lists [][]Token) [][]Token {
	for i, list := range lists {
		lists[i] = join(slices.Clone(tokens), list)
	}
	return lists
}
