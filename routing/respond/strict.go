package respond

import (
	"net/http"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file refuses paths that have more than one meaning.

// StrictPaths is middleware that responds with 400 to paths that a proxy, a file system or another
// router may read differently: not empty and without a leading slash, or with empty, "." or ".."
// segments, an encoded slash, a backslash, a semicolon, control characters, text that is not UTF-8,
// a character that is encoded twice, or a letter, digit or one of "-._~" that is encoded. Use it as
// the outermost handler.
func StrictPaths(next http.Handler) http.Handler {
	if nilvalue.In(next) {
		panic("respond: StrictPaths: pass a handler, not nil")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Opaque != "" || pattern.Ambiguity(r.URL.EscapedPath(), r.URL.Path) != "" {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
