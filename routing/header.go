package routing

import (
	"net/http"
	"strings"
)

// isToken reports whether text is a token (RFC 9110, 5.6.2), as methods and header names are.
func isToken(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isAlphanumeric(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isFieldValue reports whether text can be the value of a header (RFC 9110, 5.5): no control characters but the tab. With a CR, LF
// or NUL in it, one header could become two.
func isFieldValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// illegalHeader returns the name of a header that is not legal.
func illegalHeader(header http.Header) (name string, found bool) {
	for name, values := range header {
		if !isToken(name) {
			return name, true
		}
		for _, value := range values {
			if !isFieldValue(value) {
				return name, true
			}
		}
	}
	return "", false
}
