package coffeedemo

import (
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file is the guard of the routes that change data on GET. It is also an example of a before
// filter: it ends a request by returning an error.

// guard refuses requests that no user intended. It reads headers that browsers set and pages cannot
// set: Sec-Fetch-Site and Sec-Fetch-Dest (W3C, Fetch Metadata Request Headers, 2.4 and 2.1),
// Sec-Purpose (WHATWG, Fetch, 3.1.3), and Purpose of older browsers. Browsers send Sec-Fetch
// headers only to potentially trustworthy URLs: https and loopback. Requests without these headers,
// also those of curl, pass.
func guard(c routing.Context) error {
	header := c.Request().Header
	otherSite := has(header, "Sec-Fetch-Site", "cross-site", "same-site")
	// In a frame, a click may not be intended. In one of the same origin, Sec-Fetch-Site does not
	// show this.
	inFrame := has(header, "Sec-Fetch-Dest", "iframe", "frame", "fencedframe", "embed", "object")
	if otherSite || inFrame || isPrefetch(header) {
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

// has reports whether a value of the header is one of the words. If the header occurs several
// times, each value is checked.
func has(header http.Header, name string, words ...string) bool {
	return slices.ContainsFunc(header[name], func(value string) bool {
		return slices.Contains(words, strings.ToLower(strings.TrimSpace(value)))
	})
}

// isPrefetch reports whether a browser made the request in advance. The header may have parameters
// and several values: Chromium sends "prefetch;prerender".
func isPrefetch(header http.Header) bool {
	for _, name := range [...]string{"Sec-Purpose", "Purpose"} {
		for _, purpose := range header[name] {
			if strings.Contains(strings.ToLower(purpose), "prefetch") {
				return true
			}
		}
	}
	return false
}
