package apidoc

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/flowercafe/internal/precondition"
)

// This file compares the version of an entity with the conditions of a request.

// Version is the state of an entity: a tag, the time of its last change, or both. The zero Version
// means that the entity does not exist.
type Version struct {
	Tag  string    // any text, or an ETag with its quotation marks, and W/ if it is weak
	Time time.Time // compared in whole seconds
}

// refusedBy returns the status with which a request's conditions refuse an entity, or 0.
func refusedBy(r *http.Request, v Version) int {
	return precondition.Refuse(r, precondition.Version{Tag: v.Tag, Time: v.Time, Missing: v.isZero()})
}

// isZero reports whether the version is zero. The time may be zero in any zone.
func (v Version) isZero() bool { return v.Tag == "" && v.Time.IsZero() }

// quoted returns the tag as it is sent. Characters that a tag must not have, such as spaces and
// quotation marks, are percent-encoded (RFC 9110, 8.8.3).
func (v Version) quoted() string {
	if v.Tag == "" || strings.HasSuffix(v.Tag, `"`) && isTag(strings.TrimPrefix(v.Tag, "W/")) {
		return v.Tag
	}
	if quoted := `"` + v.Tag + `"`; isTag(quoted) && !strings.Contains(v.Tag, "%") {
		return quoted
	}
	return `"` + url.PathEscape(v.Tag) + `"`
}

// isTag reports whether a text is a tag in quotation marks.
func isTag(text string) bool {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return false
	}
	isForbidden := func(c rune) bool { return c <= ' ' || c == '"' || c == 0x7f }
	return !strings.ContainsFunc(text[1:len(text)-1], isForbidden)
}

// set sets the headers of the version that are not set yet.
func (v Version) set(h http.Header) {
	if v.Tag != "" && h["Etag"] == nil {
		h["Etag"] = []string{v.Tag}
	}
	if !v.Time.IsZero() && h["Last-Modified"] == nil {
		h.Set("Last-Modified", v.Time.UTC().Format(http.TimeFormat))
	}
}
