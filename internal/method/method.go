// Package method says what the methods of requests promise. It is the one place that knows QUERY,
// a GET with a body (RFC 10008), which net/http treats as a method that it does not know.
package method

import (
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// Query is the method QUERY, for which net/http has no name.
const Query = "QUERY"

// Known are the methods of RFC 9110, 9.3, RFC 5789 and RFC 10008.
var Known = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect,
	http.MethodOptions, http.MethodTrace, Query,
}

// IsSafe reports whether a request with the method asks for no change (RFC 9110, 9.2.1; RFC 10008,
// 2).
func IsSafe(method string) bool {
	return IsRead(method) || method == http.MethodOptions || method == http.MethodTrace
}

// IsRead reports whether a request with the method asks for content, which its client may have
// already: a tag in If-None-Match then means 304, and not 412 (RFC 9110, 13.1.2; RFC 10008, 2.6).
func IsRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == Query
}

// Accept returns the value of the header Accept-Query for media types (RFC 10008, 3): tokens, or
// text for those that begin like no token (RFC 9651, 3.3.3 and 3.3.4).
func Accept(media ...string) string {
	media = slices.Compact(slices.Sorted(slices.Values(media)))
	for i, m := range media {
		if m[0] != '*' && !unicode.IsLetter(rune(m[0])) {
			media[i] = `"` + m + `"`
		}
	}
	return strings.Join(media, ", ")
}

// AsGet returns a request for [http.ServeContent], which compares versions and sends ranges for GET
// and HEAD alone. A QUERY has both too (RFC 10008, 2.6 and 2.8), so it becomes a GET in a copy.
func AsGet(r *http.Request) *http.Request {
	if r.Method != Query {
		return r
	}
	get := *r
	get.Method = http.MethodGet
	return &get
}
