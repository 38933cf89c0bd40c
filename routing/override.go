package routing

import (
	"net/http"
	"strings"

	"example.com/flowercafe/routing/internal/form"
)

// This file overrides methods: browsers send forms by GET and POST only (HTML Standard, 4.10.18.6),
// so a form that updates or deletes has a field _method, as in Rails and Sinatra.

const overrideHeader = "X-HTTP-Method-Override"

// overridden returns the new method of a POST, or the empty string. It is the first value of
// _method in the form, or else the header's. A body that cannot be read is ignored.
func (c *call) overridden() (method string, err error) {
	if c.override == nil || c.r.Method != http.MethodPost {
		return "", nil
	}
	defer contain(&err) // middleware may have replaced the body by one that panics
	// The query is not read: another site could link to a page with _method in its URL, and a form
	// of that page without an action attribute is posted to the same URL.
	method = c.allowedOverride(form.Of(c.r).Field(c.r, "_method", c.app.settings.bodyLimit))
	if method == "" {
		method = c.allowedOverride(c.r.Header.Get(overrideHeader))
	}
	return method, nil
}

// allowedOverride returns the method that value names if the app allows it, or the empty string.
func (ix *index) allowedOverride(value string) string {
	for _, method := range ix.override {
		if strings.EqualFold(value, method) {
			return method
		}
	}
	return ""
}
