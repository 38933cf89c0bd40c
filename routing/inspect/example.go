package inspect

import (
	"strings"

	"example.com/flowercafe/routing"
)

// This file makes example paths of patterns, to find out which patterns overlap.

// examples returns paths that a pattern matches, with and without its optional parts. It returns no
// path for regular expressions and the zero Pattern, and may return no path if [routing.Where]
// restricts a parameter.
func examples(p routing.Pattern) []string {
	tokens := p.Tokens()
	if tokens == nil {
		return nil
	}
	var paths []string
	for _, optional := range []bool{true, false} {
		var b strings.Builder
		writeExample(&b, tokens, optional)
		if path := b.String(); p.Match(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func writeExample(b *strings.Builder, tokens []routing.Token, optional bool) {
	for _, t := range tokens {
		switch t.Kind {
		case routing.TokenLiteral:
			b.WriteString(t.Text)
		case routing.TokenChoice:
			writeExample(b, t.Choices[0], optional)
		case routing.TokenOptional:
			if optional {
				writeExample(b, t.Tokens, optional)
			}
		default:
			b.WriteString("~" + t.Text) // unlikely in another pattern
		}
	}
}
