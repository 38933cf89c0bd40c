package pattern

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// This file has functions for paths that need no pattern.

// segmentEnd returns the end of the segment of path that contains or starts at i. A loop finds it
// sooner than strings.IndexByte, since segments are short.
func segmentEnd(path string, i int) int {
	for i < len(path) && path[i] != '/' {
		i++
	}
	return min(i, len(path))
}

// Dot returns the index of the dot before the suffix of a path, or -1 if the last segment has no
// text after a dot.
func Dot(path string) int {
	i := len(path) - 1
	for i >= 0 && path[i] != '/' && path[i] != '.' {
		i--
	}
	if i < 0 || path[i] == '/' || i+1 == len(path) {
		return -1
	}
	return i
}

// IsTidy reports whether path has no slash at its end and no repeated slashes, or is "/".
func IsTidy(path string) bool {
	return !strings.Contains(path, "//") && (len(path) < 2 || path[len(path)-1] != '/')
}

// Tidy returns path without slashes at its end and without repeated slashes, except for "/". It
// does not add a slash at the beginning.
func Tidy(path string) string {
	if IsTidy(path) {
		return path
	}
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	tidy := strings.Join(segments, "/")
	if path[0] == '/' {
		return "/" + tidy
	}
	return tidy
}

// Ambiguity returns the reason why a proxy, a file system or another router may read path, sent as
// raw, as another path, or the empty string. Raw may be empty for the usual encoding of path.
func Ambiguity(raw, path string) string {
	switch {
	case path == "": // of CONNECT, and of a URL without a path
		return ""
	case path[0] != '/':
		return "no leading slash"
	}
	for i := range len(raw) {
		switch c, ok := encoded(raw[i:]); {
		case !ok:
		case c == '/':
			return "an encoded slash"
		case isLetter(c) || isDigit(c) || strings.IndexByte("-._~", c) >= 0:
			// Unreserved characters mean the same encoded or not (RFC 3986, 2.3). Programs that
			// compare paths without decoding them, as haproxy's path_beg does, treat them as
			// different.
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
		}
		if _, ok := encoded(path[i:]); ok {
			return "a character that is encoded twice"
		}
	}
	switch {
	case strings.Contains(path, "//"):
		return "an empty segment"
	case HasDotSegment(path):
		return "a dot segment"
	}
	return ""
}

// encoded returns the character that text begins with, if that is percent-encoded.
func encoded(text string) (c byte, ok bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	decoded, err := hex.DecodeString(text[1:3])
	if err != nil {
		return 0, false
	}
	return decoded[0], true
}

// HasDotSegment reports whether a path has a segment "." or "..", which clients remove.
func HasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
