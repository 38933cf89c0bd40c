package pattern

import (
	"strings"
	"unicode/utf8"
)

// Ambiguity returns what makes a path ambiguous: a proxy, a file system or another router may read
// it as another path. It is empty for paths that are not ambiguous.
func Ambiguity(escaped, path string) string {
	if path[0] != '/' {
		return "no leading slash"
	}
	if strings.Contains(strings.ToLower(escaped), "%2f") {
		return "an encoded slash"
	}
	if !utf8.ValidString(path) {
		return "text that is not UTF-8"
	}
	for i := range len(path) {
		switch c := path[i]; {
		case c == '\\':
			return "a backslash"
		case c == ';':
			return "a semicolon"
		case c < ' ' || c == 0x7f:
			return "a control character"
		case c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
			return "a character that is encoded twice"
		}
	}
	switch {
	case strings.Contains(path, "//"):
		return "an empty segment"
	case hasDotSegment(path):
		return "a dot segment"
	}
	return ""
}

// hasDotSegment reports whether a path has a segment that clients remove.
func hasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
