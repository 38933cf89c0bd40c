package apidoc

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// This file reads the texts of scalars: numbers, and strings of a format.

// checkedFormats are the formats of strings that are checked, each with what a value must be.
// Any other format is described only.
var checkedFormats = map[string]struct {
	detail string
	valid  func(string) bool
}{
	"date-time": {"must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z", validTime},
	"date":      {"must be a date, such as 2006-01-02", func(s string) bool { return validLayout(time.DateOnly, s) }},
	"time": {"must be a time of day as in RFC 3339, such as 15:04:05Z", func(s string) bool {
		return validTime("2006-01-02T" + s)
	}},
	"byte": {"must be base64", validBase64},
	"uuid": {"must be a UUID", uuidText.MatchString},
	"email": {"must be an email address", func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	}},
	"uri": {"must be an absolute URI", func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && u.IsAbs() && !strings.ContainsAny(s, " <>\"{}|\\^`")
	}},
	"ipv4": {"must be an IPv4 address", func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	}},
	"ipv6": {"must be an IPv6 address", func(s string) bool {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == ""
	}},
}

func validFormat(format, text string) bool {
	f, ok := checkedFormats[format]
	return !ok || f.valid(text)
}

func formatDetail(format string) string { return checkedFormats[format].detail }

var uuidText = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// validTime reports whether text is a time as in RFC 3339, 5.6. time.Parse takes a comma for the
// point too, hours of one digit, and zones beyond a day.
func validTime(text string) bool {
	const zone = len("+00:00")
	if _, err := time.Parse(time.RFC3339, text); err != nil || text[len("2006-01-02T15")] != ':' {
		return false
	}
	if strings.HasSuffix(text, "Z") {
		return !strings.Contains(text, ",")
	}
	at := len(text) - zone
	return !strings.Contains(text, ",") && text[at+1:at+3] < "24" && text[at+4:] < "60"
}

func validLayout(layout, text string) bool {
	_, err := time.Parse(layout, text)
	return err == nil && len(text) == len(layout)
}

// validBase64 reports whether text is base64 with padding and without line breaks.
func validBase64(text string) bool {
	if len(text)%4 != 0 {
		return false
	}
	digits := strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	for i := range len(digits) {
		switch c := digits[i]; {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
		default:
			return false
		}
	}
	return true
}

// refuseInteger returns what is wrong with digits and perhaps a sign, or nothing.
func (s *schema) refuseInteger(text string) string {
	switch {
	case !isInteger(text):
		return "must be an integer"
	case s.unsigned && text[0] == '-':
		return "must be an integer of at least 0"
	case s.unsigned:
		if _, err := strconv.ParseUint(text, 10, s.bits); err != nil {
			return "must be an integer of " + strconv.Itoa(s.bits) + " bits, without a sign"
		}
	case s.bits != 0 && (s.bits != 64 || len(text) > 18):
		if _, err := strconv.ParseInt(text, 10, s.bits); err != nil {
			return "must be an integer of " + strconv.Itoa(s.bits) + " bits"
		}
	}
	return s.refuseBounds(text)
}

// isInteger reports whether text is digits, with or without a minus sign.
func isInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != ""
}

// refuseNumber returns what is wrong with a number as JSON writes it, or nothing.
func (s *schema) refuseNumber(text string) string {
	if s.bits == 32 || s.bits == 64 && len(text) > 15 || strings.ContainsAny(text, "eE") {
		if _, err := strconv.ParseFloat(text, max(s.bits, 32)); s.bits != 0 && err != nil {
			return "must be a number of " + strconv.Itoa(s.bits) + " bits"
		}
	}
	return s.refuseBounds(text)
}

var numberText = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)

// refuse returns what is wrong with a scalar as requests write it outside of JSON, or nothing.
func (s *schema) refuse(text string) string {
	switch s.kind {
	case "boolean":
		if text != "true" && text != "false" {
			return "must be true or false"
		}
	case "integer":
		return s.refuseInteger(text)
	case "number":
		if !numberText.MatchString(text) {
			return "must be a number"
		}
		return s.refuseNumber(text)
	case "string":
		return s.refuseText(text)
	}
	return ""
}

// maxDigits limits what an exponent may stand for in an integer.
const maxDigits = 400

// plainInteger writes an integer such as 1.0 or 2e3 in digits alone, as encoding/json wants it. It
// reports false for a number that is no integer, and for one of too many digits.
func plainInteger(text string) (string, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(strings.TrimPrefix(exponent, "+")); err != nil || shift > maxDigits || shift < -len(text) {
			return "0", strings.Trim(whole+fraction, "0") == ""
		}
	}
	digits := whole + fraction
	point := len(whole) + shift
	for len(digits) < point {
		digits += "0"
	}
	if strings.Trim(digits[max(point, 0):], "0") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits[:max(point, 0)], "0")
	switch {
	case digits == "":
		return "0", true
	case len(digits) > maxDigits:
		return "", false
	}
	return sign + digits, true
}
