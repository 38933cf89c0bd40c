package apidoc

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"example.com/flowercafe/internal/entitytag"
)

// This file compares the version of an entity with the conditions of a request.

// Version is the state of an entity, by a tag, the time of its last change, or both. The zero
// Version says that there is no entity.
type Version struct {
	Tag  string    // any text; sent in quotation marks, and they and W/ may be in it
	Time time.Time // compared in whole seconds
}

// conditions are what an operation needs to know of its entity.
type conditions struct {
	input    reflect.Type
	find     func(context.Context, reflect.Value) (Version, error) // nil if the operation is not Versioned
	required bool
}

func isSafe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// refusedBy returns the status with which a request's conditions refuse an entity, or 0 (RFC 9110,
// 13.2.2). Dates that are invalid do not count.
func refusedBy(r *http.Request, v Version) int {
	isKnown := !v.Time.IsZero()
	changedAfter := func(header string) (after, ok bool) {
		since, err := http.ParseTime(r.Header.Get(header))
		return v.Time.Truncate(time.Second).After(since), err == nil && isKnown
	}
	if list := r.Header["If-Match"]; list != nil {
		if !v.isIn(list, true) {
			return http.StatusPreconditionFailed
		}
	} else if after, ok := changedAfter("If-Unmodified-Since"); ok && after {
		return http.StatusPreconditionFailed
	}
	list := r.Header["If-None-Match"]
	after, ok := changedAfter("If-Modified-Since")
	switch safe := isSafe(r.Method); {
	case list != nil && v.isIn(list, false) && !safe:
		return http.StatusPreconditionFailed
	case list != nil && v.isIn(list, false), list == nil && safe && ok && !after:
		return http.StatusNotModified
	}
	return 0
}

// quoted returns the tag as it is sent. What a tag must not have, such as a space or a quotation
// mark of a title, is escaped (RFC 9110, 8.8.3).
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

// isIn reports whether the lines of a header list the version's tag. A star lists every entity.
func (v Version) isIn(lines []string, strong bool) bool {
	return v != Version{} && entitytag.IsIn(lines, v.Tag, strong)
}
