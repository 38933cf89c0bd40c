package schema

import (
	"encoding/base64"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
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
	"date":          {"must be a date, such as 2006-01-02", validDate},
	"time":          {"must be a time of day as in RFC 3339, such as 15:04:05Z", validTimeOfDay},
	"byte":          {"must be base64", validBase64},
	"uuid":          {"must be a UUID", validUUID},
	"email":         {"must be an email address", validEmail},
	"uri":           {"must be an absolute URI", validURI},
	"ip":            {"must be an IP address", validIP},
	"cidr":          {"must be a network, such as 192.0.2.0/24", validNetwork},
	"ipv4":          {"must be an IPv4 address", validIPv4},
	"ipv6":          {"must be an IPv6 address", validIPv6},
	"uri-reference": {"must be a URI, which may be relative", validReference},
	HTTPDate:        {"must be an HTTP date, such as Sun, 06 Nov 1994 08:49:37 GMT", validHTTPDate},
}

// rfc3339 is the syntax of times (RFC 3339, 5.6). time.Parse also accepts a comma instead of the
// point, hours with one digit, and zones beyond a day.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`)

func validTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil && rfc3339.MatchString(text)
}

func validDate(text string) bool { return validTime(text + "T00:00:00Z") }

func validTimeOfDay(text string) bool { return validTime("2006-01-02T" + text) }

// validBase64 reports whether text is base64 with padding and without line breaks.
func validBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

func validUUID(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		default:
			return false
		}
	}
	return len(text) == 36
}

func validEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text
}

func validURI(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs() && validReference(text)
}

func validReference(text string) bool {
	_, err := url.Parse(text)
	return err == nil && !strings.ContainsAny(text, " <>\"{}|\\^`")
}

func validIP(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

func validNetwork(text string) bool {
	_, err := netip.ParsePrefix(text)
	return err == nil
}

func validIPv4(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is4()
}

func validIPv6(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

func validHTTPDate(text string) bool {
	_, err := http.ParseTime(text)
	return err == nil
}
