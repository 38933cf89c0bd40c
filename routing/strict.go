package routing

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

func pathTooLong(limit int) *RequestError {
	return &RequestError{http.StatusRequestURITooLong, fmt.Errorf("path longer than %d bytes", limit)}
}

// checkStrict refuses a path that others may read as another path.
func checkStrict(u *url.URL, path string) error {
	if problem := ambiguity(u.EscapedPath(), path); problem != "" {
		return &RequestError{http.StatusBadRequest, errors.New("path with " + problem)}
	}
	return nil
}

// ambiguity tells what makes a path ambiguous, given as it was sent and decoded.
func ambiguity(escaped, path string) string {
	if path[0] != '/' {
		return "no slash in front"
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
	for segments := path[1:]; segments != ""; {
		segment, rest, more := strings.Cut(segments, "/")
		switch {
		case segment == "" && more:
			return "an empty segment"
		case segment == "." || segment == "..":
			return "a dot segment"
		}
		segments = rest
	}
	return ""
}
