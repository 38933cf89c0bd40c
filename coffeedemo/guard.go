package coffeedemo

import (
	"net/http"
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
	if fromOtherSite(header) || inFrame(header) || isPrefetch(header) {
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

// fromOtherSite reports whether a page of another origin caused the request. If the header occurs
// several times, each value is checked.
func fromOtherSite(header http.Header) bool {
	for _, site := range header["Sec-Fetch-Site"] {
		switch strings.ToLower(strings.TrimSpace(site)) {
		case "cross-site", "same-site":
			return true
		}
	}
	return false
}

// inFrame reports whether the response would be shown inside another page, where a click may not be
// intended. In a frame of the same origin, Sec-Fetch-Site does not show this.
func inFrame(header http.Header) bool {
	for _, destination := range header["Sec-Fetch-Dest"] {
		switch strings.ToLower(strings.TrimSpace(destination)) {
		case "iframe", "frame", "fencedframe", "embed", "object":
			return true
		}
	}
	return false
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
