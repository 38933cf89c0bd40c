// Package entitytag compares ETags with the headers If-Match and If-None-Match (RFC 9110, 8.8.3 and
// 13.1).
package entitytag

import "strings"

// IsIn reports whether the lines of such a header list a tag, which has its quotation marks and
// perhaps W/. A star lists every tag. The strong comparison finds no weak tags. A list is read up
// to the first syntax error.
func IsIn(lines []string, tag string, strong bool) bool {
	list := strings.Trim(strings.Join(lines, ","), " \t")
	if list == "*" {
		return true
	}
	for own, weak := strings.CutPrefix(tag, "W/"); own != ""; {
		one, isWeak := strings.CutPrefix(strings.TrimLeft(list, " \t,"), "W/")
		if one == "" || one[0] != '"' {
			return false
		}
		end := strings.IndexByte(one[1:], '"') + 2
		if end == 1 {
			return false
		}
		if one[:end] == own && !(strong && (weak || isWeak)) {
			return true
		}
		list = one[end:]
	}
	return false
}
