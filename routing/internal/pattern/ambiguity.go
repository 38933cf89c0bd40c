package pattern

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Ambiguity returns what makes a path ambiguous: a proxy, a file system or another router may read
// it as another path. It is empty for paths that are not ambiguous.
func Ambiguity(escaped, path string) string {
	if path[0] != '/' {
		return "no leading slash"
	}
	for i := range len(escaped) - 2 {
		if escaped[i] != '%' {
			continue
		}
		switch c, err := hex.DecodeString(escaped[i+1 : i+3]); {
		case err != nil:
		case c[0] == '/':
			return "an encoded slash"
		case isUnreserved(c[0]):
			return "a character that is encoded without need"
		}
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

// isUnreserved reports whether a character means the same encoded or not (RFC 3986, 2.3). Programs
// that compare paths without decoding them, as haproxy's path_beg does, take the two for different.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
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
