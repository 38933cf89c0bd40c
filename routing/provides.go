package routing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/response"
)

// This file chooses the format of a response by the Accept header.

// Provides limits a route to requests that accept one of the formats, by their Accept header (RFC
// 9110, 12.5.1). For a 406, add a route without Provides that is tried last.
//
//	app.Get("/flowers", page, routing.Provides("html"))
//	app.Get("/flowers", data, routing.Provides("json", "csv"))
//
// The Content-Type of a result of [Text], [HTML], [Bytes], [JSON] or [Stream] is the format with
// the highest weight, then the one that is accepted most specifically, then the first, unless the
// action or an after filter sets the header. When the Accept header is read, it is added to Vary.
//
// A format is one of html, json, xml, text, css, js, csv, atom, rss and pdf, or a media type such
// as "text/calendar; charset=utf-8".
func Provides(formats ...string) RouteOption {
	contentTypes, offers := offersOf(formats)
	if len(formats) == 0 || slices.Contains(contentTypes, "") {
		panic(fmt.Sprintf("routing: Provides(%q): pass formats, such as html or text/calendar", formats))
	}
	condition := Condition{name: "Accept: " + strings.Join(formats, ", "), offers: offers}
	return Combine(condition, Wrap(func(next Action) Action {
		return func(c Context) (result Result, err error) {
			best, _ := accept.Best(c.r.Header["Accept"], offers)
			isOwn := false // the response is the result of the action
			before := c.Header()["Content-Type"]
			c.SetContentType(contentTypes[best])
			defer func() { // also after a panic
				if isOwn || c.Header().Get("Content-Type") != contentTypes[best] {
					return
				}
				c.Header().Del("Content-Type")
				if before != nil {
					c.Header()["Content-Type"] = before
				}
			}()
			if result, err = next(c); err == nil {
				kind := result.body.Kind
				isOwn = kind == nil || kind.Handler == nil // an app or handler sets its own types
			}
			return result, err
		}
	}))
}

// Accepts returns the format that the client prefers by its Accept header (RFC 9110, 12.5.1), with
// the formats and the rules of [Provides]. It is empty if the client accepts none. Accept is added
// to Vary.
func (c Context) Accepts(formats ...string) string {
	if c.r == nil || len(formats) == 0 {
		return ""
	}
	response.AddVary(c.Header(), "Accept")
	contentTypes, offers := offersOf(formats)
	if best, accepted := accept.Best(c.r.Header["Accept"], offers); accepted && contentTypes[best] != "" {
		return formats[best]
	}
	return ""
}

// contentTypes are the types of formats with a short name.
var contentTypes = map[string]string{
	"html": "text/html; charset=utf-8",
	"json": "application/json",
	"xml":  "application/xml; charset=utf-8",
	"text": "text/plain; charset=utf-8",
	"css":  "text/css; charset=utf-8",
	"js":   "text/javascript; charset=utf-8",
	"csv":  "text/csv; charset=utf-8",
	"atom": "application/atom+xml; charset=utf-8",
	"rss":  "application/rss+xml; charset=utf-8",
	"pdf":  "application/pdf",
}

// offersOf returns the content types of formats, and their media types for package accept. Both are
// empty for an invalid format.
func offersOf(formats []string) (types []string, offers [][]string) {
	types, offers = make([]string, len(formats)), make([][]string, len(formats))
	for i, format := range formats {
		contentType := cmp.Or(contentTypes[format], format)
		media, _, _ := strings.Cut(contentType, ";")
		media = strings.TrimSpace(media)
		major, minor, _ := strings.Cut(media, "/")
		if method.IsToken(major) && method.IsToken(minor) && !strings.Contains(media, "*") && response.IsFieldValue(format) {
			types[i], offers[i] = contentType, []string{media}
		}
	}
	return types, offers
}
