package respond

import (
	"net/http"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file refuses paths that have more than one meaning.

// StrictPaths is middleware that responds with 400 to paths that a proxy, a file system or another
// router may read differently: not empty and without a leading slash, or with two slashes in a row,
// "." or ".." segments, an encoded slash, a backslash, a semicolon, ASCII control characters, text
// that is not UTF-8, a character that is encoded twice, or an encoded ASCII letter, digit or one of
// "-._~". Use it as the outermost handler.
func StrictPaths(next http.Handler) http.Handler {
	if nilvalue.In(next) {
		panic("respond: StrictPaths: pass a handler, not nil")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// RawPath is empty for the usual encoding. EscapedPath would decode it if the client has
		// left out an encoding, as in /a"b%2Fc.
		if r.URL.Opaque != "" || pattern.Ambiguity(r.URL.RawPath, r.URL.Path) != "" {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
