package pattern

import "strings"

// readMount returns the tokens of a prefix and "/*", which is optional. A segment that is a colon
// and a name is a parameter; everything else is literal.
func readMount(text string) (tokens []Token) {
	prefix := strings.TrimSuffix(text, "/*")
	below := []Token{{Kind: Literal, Text: "/"}, {Kind: Wildcard, Text: splatKey}}
	if prefix == "" {
		return below
	}
	for segment := range strings.SplitSeq(prefix[1:], "/") {
		tokens = literal(tokens, "/")
		if nameEnd(segment, 1) == len(segment) && len(segment) > 1 && segment[0] == ':' {
			tokens = append(tokens, Token{Kind: Param, Text: segment[1:]})
		} else {
			tokens = literal(tokens, segment)
		}
	}
	return append(tokens, Token{Kind: Optional, Tokens: below})
}
