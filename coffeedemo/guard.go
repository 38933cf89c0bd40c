package coffeedemo

import (
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file is the guard of the routes that change data on GET. It is also an example of a before
// filter: it ends a request by returning an error.

// guard refuses requests that the user probably did not intend. It reads headers that browsers set:
// Sec-Fetch-Site and Sec-Fetch-Dest (W3C, Fetch Metadata Request Headers, 2.4 and 2.1),
// Sec-Purpose (WHATWG, Fetch, 3.1.3), and Purpose of older browsers. Browsers send Sec-Fetch
// headers only to potentially trustworthy URLs: https and loopback. Requests without these headers,
// such as curl's, pass.
func guard(c routing.Context) error {
	header := c.Request().Header
	otherSite := has(header, "Sec-Fetch-Site", "cross-site", "same-site")
	// In a frame, a click may not be intended. In one of the same origin, Sec-Fetch-Site does not
	// show this.
	inFrame := has(header, "Sec-Fetch-Dest", "iframe", "frame", "fencedframe", "embed", "object")
	isPrefetch := has(header, "Sec-Purpose", "prefetch") || has(header, "Purpose", "prefetch")
	if otherSite || inFrame || isPrefetch {
		return &routing.HaltError{
			Status: http.StatusForbidden,
			Header: http.Header{
				"Cache-Control":          {"no-store"},
				"X-Content-Type-Options": {"nosniff"},
				"X-Robots-Tag":           {"noindex"},
				// Other requests for the same URL are not refused (RFC 9110, 12.5.5).
				"Vary": {"Sec-Fetch-Site, Sec-Fetch-Dest, Sec-Purpose, Purpose"},
			},
			Body: routing.Text("This changes data: open it yourself, not by a link or form of another site, or in a frame."),
		}
	}
	return nil
}

// has reports whether a value of the header has one of the words. If the header occurs several
// times, each value is checked. It may be a list, with parameters: Chromium sends
// "prefetch;prerender".
func has(header http.Header, name string, words ...string) bool {
	return slices.ContainsFunc(header[name], func(value string) bool {
		parts := strings.FieldsFunc(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune(",; \t", r) })
		return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(words, part) })
	})
}
