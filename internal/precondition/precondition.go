// Package precondition evaluates the conditions of a request, such as If-Match (RFC 9110, 13).
package precondition

import (
	"maps"
	"net/http"
	"strings"
	"time"

	"example.com/flowercafe/internal/method"
)

// Version is the version of a resource, as far as it is known.
type Version struct {
	Tag     string    // an ETag with its quotation marks, and perhaps W/; empty if unknown
	Time    time.Time // of the last change; zero if unknown
	Missing bool      // there is nothing, so that not even a star matches
}

// Refuse returns the status with which the conditions end a request: 412 Precondition Failed, 304
// Not Modified, or 0 if they hold. The order follows RFC 9110, 13.2.2. Times are compared in
// whole seconds, and invalid times are ignored.
func Refuse(r *http.Request, v Version) int {
	if list := r.Header["If-Match"]; list != nil {
		if !v.isIn(list, true) {
			return http.StatusPreconditionFailed
		}
	} else if v.compare(r, "If-Unmodified-Since") == changed {
		return http.StatusPreconditionFailed
	}
	list := r.Header["If-None-Match"]
	switch {
	case list != nil && !v.isIn(list, false):
		return 0
	case list != nil && !method.IsRead(r.Method):
		return http.StatusPreconditionFailed
	case list != nil, method.IsRead(r.Method) && v.compare(r, "If-Modified-Since") == same:
		return http.StatusNotModified
	}
	return 0
}

// ForContent returns a request for [http.ServeContent], which then evaluates the conditions as
// Refuse does. Without ForContent it would ignore the conditions and ranges of a QUERY (RFC 10008,
// 2.6 and 2.8), and all lines of If-Match and If-None-Match but the first.
func ForContent(r *http.Request) *http.Request {
	match, noneMatch := r.Header["If-Match"], r.Header["If-None-Match"]
	if r.Method != method.Query && len(match) < 2 && len(noneMatch) < 2 {
		return r
	}
	known := *r
	if r.Method == method.Query {
		known.Method = http.MethodGet
	}
	known.Header = maps.Clone(r.Header)
	for name, lines := range map[string][]string{"If-Match": match, "If-None-Match": noneMatch} {
		if len(lines) > 1 {
			known.Header[name] = []string{strings.Join(lines, ", ")}
		}
	}
	return &known
}

// comparison is the result of comparing a header's time with a version.
type comparison int

const (
	unknown comparison = iota
	same               // not changed since
	changed
)

func (v Version) compare(r *http.Request, header string) comparison {
	if v.Time.IsZero() { // as for most versions, which have a tag
		return unknown
	}
	text := r.Header.Get(header)
	if text == "" {
		return unknown
	}
	since, err := http.ParseTime(text)
	switch {
	case err != nil:
		return unknown
	case v.Time.Truncate(time.Second).After(since):
		return changed
	}
	return same
}

// isIn reports whether the lines of a header list the version.
func (v Version) isIn(lines []string, strong bool) bool {
	return !v.Missing && isIn(lines, v.Tag, strong)
}

// isIn reports whether the lines of a header list a tag (RFC 9110, 8.8.3). A star lists every tag.
// The strong comparison never matches weak tags. A list is read up to the first syntax error.
func isIn(lines []string, tag string, strong bool) bool {
	list := strings.Trim(strings.Join(lines, ","), " \t")
	if list == "*" {
		return true
	}
	own, weak := strings.CutPrefix(tag, "W/")
	for own != "" {
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
