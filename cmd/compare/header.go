package main

import (
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// This file reduces the headers of responses to what they mean, so that the order of list members
// and the spelling that HTTP leaves open do not count.

// defaultHeaders are headers that affect clients and can be the same on two servers.
var defaultHeaders = []string{
	"Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Max-Age", "Allow", "Cache-Control",
	"Content-Disposition", "Content-Language", "Content-Security-Policy", "Content-Type", "Link", "Location", "Retry-After",
	"Set-Cookie", "Vary", "Www-Authenticate",
}

// headersOf returns the headers to compare: the default ones, and the names in a list. A minus
// before a name removes it.
func headersOf(list string) ([]string, error) {
	names := slices.Clone(defaultHeaders)
	for name := range strings.SplitSeq(list, ",") {
		name, removed := strings.CutPrefix(strings.TrimSpace(name), "-")
		name = http.CanonicalHeaderKey(name)
		at := slices.Index(names, name)
		switch {
		case name == "":
		case removed && at < 0:
			return nil, fmt.Errorf("-headers: %s is not among the compared ones", name)
		case removed:
			names = slices.Delete(names, at, at+1)
		case at < 0:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// headerText returns the values of a header in one text. host is the server's.
func headerText(name string, header http.Header, host string) string {
	values := header.Values(name)
	switch name {
	case "Set-Cookie":
		now := dateOf(header)
		var cookies []string
		for _, cookie := range setCookies(header) {
			cookies = append(cookies, cookieText(cookie, now, host))
		}
		slices.Sort(cookies)
		return strings.Join(cookies, ", ")
	case "Access-Control-Allow-Headers", "Access-Control-Expose-Headers", "Vary": // names of headers
		return members(strings.ToLower(strings.Join(values, ",")), ",")
	case "Access-Control-Allow-Methods", "Allow", "Cache-Control":
		return members(strings.Join(values, ","), ",")
	case "Content-Security-Policy":
		return members(nonce.ReplaceAllString(strings.Join(values, ", "), "'nonce-…'"), ";")
	case "Content-Type":
		values = slices.Clone(values)
		for i, value := range values {
			values[i] = mediaText(value)
		}
	case "Retry-After": // seconds, or a date
		if at, err := http.ParseTime(header.Get(name)); err == nil && len(values) == 1 {
			return fmt.Sprintf("in %d seconds", rounded(at.Unix()-dateOf(header).Unix()))
		}
	}
	return strings.Join(values, ", ")
}

// nonce matches a nonce, which differs in each response.
var nonce = regexp.MustCompile(`'nonce-[^']*'`)

// members returns the members of a list, sorted, each of them once.
func members(list, separator string) string {
	var found []string
	for member := range strings.SplitSeq(list, separator) {
		if member = strings.Join(strings.Fields(member), " "); member != "" {
			found = append(found, member)
		}
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), separator+" ")
}

func mediaText(value string) string {
	media, parameters, err := mime.ParseMediaType(value)
	if err != nil {
		return value
	}
	for key, text := range parameters {
		parameters[key] = strings.ToLower(text)
	}
	return mime.FormatMediaType(media, parameters)
}

func mediaOf(header http.Header) string {
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return media
}

// setCookies returns the cookies of a response. [http.Response.Cookies] leaves out those with names
// and values that browsers accept, such as prefs[theme].
func setCookies(header http.Header) []*http.Cookie {
	var cookies []*http.Cookie
	for _, line := range header.Values("Set-Cookie") {
		pair, attributes, _ := strings.Cut(line, ";")
		name, value, found := strings.Cut(pair, "=")
		cookie, err := http.ParseSetCookie("name=value;" + attributes)
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			continue // as browsers do (RFC 6265, 5.2)
		}
		cookie.Name, cookie.Value = name, strings.TrimSpace(value)
		cookies = append(cookies, cookie)
	}
	return cookies
}

// cookieText returns a cookie without its value, which differs for each session.
func cookieText(c *http.Cookie, now time.Time, host string) string {
	text := []string{c.Name}
	add := func(isSet bool, attribute string) {
		if isSet {
			text = append(text, attribute)
		}
	}
	expires := !c.Expires.IsZero() && c.MaxAge == 0
	seconds := int64(c.MaxAge)
	if expires {
		seconds = c.Expires.Unix() - now.Unix()
	}
	deleted := c.MaxAge < 0 || expires && seconds <= 0
	add(deleted, "deleted")
	add(!deleted && (c.MaxAge > 0 || expires), fmt.Sprintf("for %d seconds", rounded(seconds)))
	if strings.EqualFold(strings.TrimPrefix(c.Domain, "."), host) {
		c.Domain = "its own"
	}
	add(c.Domain != "", "Domain="+c.Domain)
	add(c.Path != "", "Path="+c.Path)
	add(c.Secure, "Secure")
	add(c.HttpOnly, "HttpOnly")
	add(c.SameSite == http.SameSiteLaxMode, "SameSite=Lax")
	add(c.SameSite == http.SameSiteStrictMode, "SameSite=Strict")
	add(c.SameSite == http.SameSiteNoneMode, "SameSite=None")
	add(c.Partitioned, "Partitioned")
	return strings.Join(text, "; ")
}

// dateOf returns the time at which a response was sent.
func dateOf(header http.Header) time.Time {
	if at, err := http.ParseTime(header.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}

// rounded returns the nearest multiple of 5: dates have whole seconds, so that one may have begun
// between two of them.
func rounded(seconds int64) int64 { return (min(seconds, 1<<60) + 2) / 5 * 5 }
