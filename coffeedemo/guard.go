package coffeedemo

import (
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

// This file is the guard of the routes that change data on GET. It is also the example of a before filter: it reads the request,
// and ends it by returning an error, or lets it go on by returning nil.

// guard refuses requests that no one has made on purpose, by what browsers tell in the headers that pages cannot set: Sec-Fetch-Site
// (W3C, Fetch Metadata Request Headers, 2.4) and Sec-Purpose (WHATWG, Fetch, 3.1.3; Purpose in older browsers). A request without
// them passes: curl and a host's own client send none.
func guard(c routing.Context) error {
	header := c.Request().Header
	if fromOtherSite(header) || isPrefetch(header) {
		return &routing.HaltError{
			Status: http.StatusForbidden,
			Header: http.Header{
				"Cache-Control":          {"no-store"},
				"X-Content-Type-Options": {"nosniff"},
				"X-Robots-Tag":           {"noindex"},
				// Other requests for the same URL are answered (RFC 9110, 12.5.5).
				"Vary": {"Sec-Fetch-Site, Sec-Purpose, Purpose"},
			},
			Body: routing.Text("This changes data: open it yourself, not by a link or form of another site."),
		}
	}
	return nil
}

// fromOtherSite reports whether a page of another origin has caused the request. Of several values every one counts, since
// only a mistake or an attack sends several.
func fromOtherSite(header http.Header) bool {
	for _, site := range header["Sec-Fetch-Site"] {
		switch strings.ToLower(strings.TrimSpace(site)) {
		case "cross-site", "same-site":
			return true
		}
	}
	return false
}

// isPrefetch reports whether a browser has made the request in advance. The value may have parameters and company:
// "prefetch;prerender" is what Chromium sends.
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
