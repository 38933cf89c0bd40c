package schema

import (
	"encoding/base64"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// HTTPDate is the format of times in headers (RFC 9110, 5.6.7).
const HTTPDate = "http-date"

// formats are the checked formats of strings, with the text of the error. Other formats are only
// described.
var formats = map[string]struct {
	detail string
	valid  func(string) bool
}{
	"date-time":     {"must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z", validTime},
	"date":          {"must be a date, such as 2006-01-02", func(text string) bool { return validTime(text + "T00:00:00Z") }},
	"time":          {"must be a time of day as in RFC 3339, such as 15:04:05Z", func(text string) bool { return validTime("2006-01-02T" + text) }},
	"byte":          {"must be base64", validBase64},
	"uuid":          {"must be a UUID", validUUID},
	"email":         {"must be an email address", parsed(mail.ParseAddress, func(a *mail.Address, text string) bool { return a.Address == text })},
	"uri":           {"must be an absolute URI", parsed(url.Parse, func(u *url.URL, text string) bool { return u.IsAbs() && isPlain(u, text) })},
	"uri-reference": {"must be a URI, which may be relative", parsed(url.Parse, isPlain)},
	"ip":            {"must be an IP address", parsed(netip.ParseAddr, nil)},
	"cidr":          {"must be a network, such as 192.0.2.0/24", parsed(netip.ParsePrefix, nil)},
	"ipv4":          {"must be an IPv4 address", parsed(netip.ParseAddr, func(a netip.Addr, _ string) bool { return a.Is4() })},
	"ipv6":          {"must be an IPv6 address", parsed(netip.ParseAddr, func(a netip.Addr, _ string) bool { return a.Is6() && a.Zone() == "" })},
	HTTPDate:        {"must be an HTTP date, such as Sun, 06 Nov 1994 08:49:37 GMT", parsed(http.ParseTime, nil)},
}

// FormatLike returns the known format whose name equals name in another letter case, or else name.
func FormatLike(name string) string {
	for known := range formats {
		if strings.EqualFold(known, name) {
			return known
		}
	}
	if strings.EqualFold(name, "duration") {
		return "duration"
	}
	return name
}

// parsed returns a function that reports whether a text can be parsed, and whether its value fits.
func parsed[T any](parse func(string) (T, error), fits func(v T, text string) bool) func(string) bool {
	return func(text string) bool {
		v, err := parse(text)
		return err == nil && (fits == nil || fits(v, text))
	}
}

// isPlain reports whether a text has none of the characters that url.Parse accepts but RFC 3986
// does not.
func isPlain(_ *url.URL, text string) bool { return !strings.ContainsAny(text, " <>\"{}|\\^`") }

// validTime reports whether text is a time (RFC 3339, 5.6). time.Parse also accepts an hour of one
// digit, a comma instead of the point, and zones beyond a day.
func validTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	if err != nil || text[len("2006-01-02T1")] == ':' || text[len("2006-01-02T15:04:05")] == ',' {
		return false
	}
	zone := text[len(text)-len("07:00"):]
	return strings.HasSuffix(text, "Z") || zone < "24" && zone[len("07:"):] < "60"
}

// validBase64 reports whether text is base64 with padding and without line breaks.
func validBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

func validUUID(text string) bool {
	for i := range len(text) {
		isHyphen := i == 8 || i == 13 || i == 18 || i == 23
		if isHyphen != (text[i] == '-') || !isHyphen && strings.IndexByte("0123456789abcdefABCDEF", text[i]) < 0 {
			return false
		}
	}
	return len(text) == 36
}
