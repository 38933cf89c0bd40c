// Package method has the properties of HTTP methods (RFC 9110, 9.2), including QUERY, which
// net/http lacks.
package method

import (
	"net/http"
	"slices"
	"strings"
)

// Query is a GET with a body (RFC 10008).
const Query = "QUERY"

// Known are the methods of RFC 9110, 9.3, RFC 5789 and RFC 10008.
var Known = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect,
	http.MethodOptions, http.MethodTrace, Query,
}

// IsSafe reports whether a method is safe (RFC 9110, 9.2.1; RFC 10008, 2).
func IsSafe(method string) bool {
	return IsRead(method) || method == http.MethodOptions || method == http.MethodTrace
}

// IsRead reports whether a request with the method is for content, which its client may have
// already: if a tag in If-None-Match matches, the response is a 304, not a 412 (RFC 9110, 13.1.2;
// RFC 10008, 2.6).
func IsRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == Query
}

// AcceptQuery returns the value of the header Accept-Query for media types: tokens, which begin
// with a letter as all registered types do (RFC 10008, 3; RFC 9651, 3.3.4).
func AcceptQuery(media ...string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(media))), ", ")
}

// IsToken reports whether text is a token (RFC 9110, 5.6.2), as methods and header names are.
func IsToken(text string) bool {
	for i := range len(text) {
		if !tokenBytes[text[i]] {
			return false
		}
	}
	return text != ""
}

var tokenBytes = func() (set [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		set[c] = true
	}
	return set
}()
