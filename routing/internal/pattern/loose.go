package pattern

import (
	"regexp"
	"strings"
)

// This file lets paths match that have a slash at the end or several slashes in a row.

// Tidy returns path without slashes at its end and without several in a row, except for "/".
func Tidy(path string) string {
	if !strings.Contains(path, "//") && (len(path) < 2 || path[len(path)-1] != '/') {
		return path
	}
	var b strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" {
			b.WriteString("/" + segment)
		}
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

// trimSlashes removes repeated slashes from the tokens of a pattern, and those at its end.
func trimSlashes(tokens []Token) []Token {
	for i := range tokens {
		if tokens[i].Kind == Literal {
			tokens[i].Text = repeated.ReplaceAllString(tokens[i].Text, "/")
		}
	}
	last := len(tokens) - 1
	if last < 0 || tokens[last].Kind != Literal || last == 0 && tokens[last].Text == "/" {
		return tokens
	}
	return literal(tokens[:last:last], strings.TrimSuffix(tokens[last].Text, "/"))
}

var repeated = regexp.MustCompile("//+")
