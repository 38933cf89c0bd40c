package respond

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/flowercafe/internal/precondition"
	"example.com/flowercafe/routing"
)

// This file answers conditional requests (RFC 9110, 13), and sets headers for caches and downloads.
// Call the functions in an action, before its work.

// ETag sets the ETag of the response, in quotes. If the client has that version already, or expects
// another one, it returns the error of a 304 or a 412:
//
//	if err := respond.ETag(c, user.Version); err != nil {
//		return routing.Result{}, err
//	}
//
// For a request with If-Unmodified-Since, only [LastModified] returns the error of the 304. Call
// ETag only if the resource exists: the star in If-Match means any version.
func ETag(c routing.Context, tag string) error { return setTag(c, `"`, tag) }

// WeakETag is [ETag] with a weak tag, for equivalent responses that may differ in bytes.
func WeakETag(c routing.Context, tag string) error { return setTag(c, `W/"`, tag) }

func setTag(c routing.Context, begin, tag string) error {
	if strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }) { // RFC 9110, 8.8.3
		return fmt.Errorf("respond: ETag %q: write characters without quotes, spaces and control characters", tag)
	}
	c.Header().Set("ETag", begin+tag+`"`)
	// If-Unmodified-Since is evaluated before If-None-Match (RFC 9110, 13.2.2), so this 304 is left
	// to LastModified.
	err := check(c, time.Time{})
	if _, unchanged := err.(*routing.HaltError); unchanged && c.Request().Header["If-Unmodified-Since"] != nil {
		return nil
	}
	return err
}

// LastModified sets the Last-Modified header, unless the time is zero. Like [ETag] it returns the
// error of a 304 or a 412, by RFC 9110, 13.2.2. If a response has both headers, call it after ETag.
func LastModified(c routing.Context, modified time.Time) error {
	if !modified.IsZero() {
		c.Header().Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	return check(c, modified)
}

// check evaluates the conditions of the request.
func check(c routing.Context, modified time.Time) error {
	switch precondition.Refuse(c.Request(), precondition.Version{Tag: c.Header().Get("ETag"), Time: modified}) {
	case http.StatusNotModified:
		return &routing.HaltError{Status: http.StatusNotModified}
	case http.StatusPreconditionFailed:
		return &routing.Problem{Status: http.StatusPreconditionFailed}
	}
	return nil
}

// CacheControl sets the Cache-Control header: the directives, and max-age in seconds unless maxAge
// is negative.
//
//	respond.CacheControl(c, time.Hour, "public", "must-revalidate")
//	respond.CacheControl(c, -1, "no-store")
func CacheControl(c routing.Context, maxAge time.Duration, directives ...string) {
	value := strings.Join(directives, ", ")
	if maxAge >= 0 {
		if value != "" {
			value += ", "
		}
		value += "max-age=" + strconv.FormatInt(int64(maxAge/time.Second), 10)
	}
	c.Header().Del("Cache-Control")
	if value != "" {
		c.Header().Set("Cache-Control", value)
	}
}

// Attachment makes browsers save the response, with the last element of name as the file name.
func Attachment(c routing.Context, name string) {
	parameters := make(map[string]string)
	name = strings.TrimRight(name, `/\`)
	if name = name[strings.LastIndexAny(name, `/\`)+1:]; name != "" {
		parameters["filename"] = name
	}
	c.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", parameters))
}
