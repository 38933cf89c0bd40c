package inspect

import (
	"strings"

	"example.com/flowercafe/routing"
)

// This file makes example paths of patterns, to find out which patterns overlap.

// examples returns paths that a pattern matches, with and without its optional parts. It returns
// no example for regular expressions and the zero Pattern.
func examples(p routing.Pattern) []string {
	tokens := p.Tokens()
	if tokens == nil {
		return nil
	}
	var paths []string
	for _, optional := range []bool{true, false} {
		var b strings.Builder
		write(&b, tokens, optional)
		if path := b.String(); p.Match(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func write(b *strings.Builder, tokens []routing.Token, optional bool) {
	for _, t := range tokens {
		switch t.Kind {
		case routing.TokenLiteral:
			b.WriteString(t.Text)
		case routing.TokenChoice:
			write(b, t.Choices[0], optional)
		case routing.TokenOptional:
			if optional {
				write(b, t.Tokens, optional)
			}
		default:
			b.WriteString("~" + t.Text) // unlikely in another pattern
		}
	}
}
