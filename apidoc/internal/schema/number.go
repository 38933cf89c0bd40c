package schema

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// This file compares numbers. Two texts are compared without rounding, as JSON Schema does: limits
// above 2⁵³ would otherwise let their neighbors pass.

// Number is a JSON number with its text.
type Number struct {
	Text  string
	float float64
}

// NumberOf parses a number.
func NumberOf(text string) Number {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 {
		f = math.NaN()
	}
	return Number{text, f}
}

// MarshalJSON returns the text.
func (n *Number) MarshalJSON() ([]byte, error) { return []byte(n.Text), nil }

// Float returns the nearest float, or NaN if the text is not a number.
func (n *Number) Float() float64 { return n.float }

// Compare returns -1 if n is less than other, 1 if it is greater, and 0 if they are equal.
func (n *Number) Compare(other *Number) int {
	if c := cmp.Compare(n.float, other.float); c != 0 || n.Text == other.Text { // rounding keeps the order
		return c
	}
	a, b := decimalOf(n.Text), decimalOf(other.Text)
	return a.compare(&b)
}

// MaxStepDigits is the maximum number of digits of multipleOf.
const MaxStepDigits = 18

// IsStep reports whether n is valid as multipleOf: above 0, with at most [MaxStepDigits] digits.
func (n *Number) IsStep() bool {
	return n.float > 0 && len(decimalOf(n.Text).digits) <= MaxStepDigits
}

// divides reports whether another number is a multiple of n. n must satisfy [Number.IsStep].
func (n *Number) divides(other *Number) bool {
	step, number := decimalOf(n.Text), decimalOf(other.Text)
	zeros := number.exponent - step.exponent // behind the digits of number, in units of the step's last digit
	switch {
	case number.digits == "":
		return true
	case zeros < 0: // the last digit, which is not 0, is behind the digits of all multiples
		return false
	}
	by, _ := strconv.ParseUint(step.digits, 10, 64)
	rest := uint64(0)
	for i := range len(number.digits) {
		rest = (rest*10 + uint64(number.digits[i]-'0')) % by
	}
	for range min(zeros, 64) { // more zeros have no effect: by has less than 64 factors 2 or 5
		rest = rest * 10 % by
	}
	return rest == 0
}

// IsWritten reports whether text is an integer as it is written in paths and names: 7, but not 07,
// 7.0 and -0, so that equal integers are equal texts.
func IsWritten(text string) bool {
	return text == "0" || isInteger(text) && strings.TrimPrefix(text, "-")[0] != '0'
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

// IsNumber reports whether text is a JSON number (RFC 8259, 6), without white space.
func IsNumber(text string) bool {
	digits := func() bool {
		rest := strings.TrimLeft(text, "0123456789")
		some := len(rest) < len(text)
		text = rest
		return some
	}
	text = strings.TrimPrefix(text, "-")
	isPadded := len(text) > 1 && text[0] == '0' && isDigit(text[1])
	if isPadded || !digits() {
		return false
	}
	if strings.HasPrefix(text, ".") {
		text = text[1:]
		if !digits() {
			return false
		}
	}
	if text == "" || text[0]|' ' != 'e' {
		return text == ""
	}
	text = text[1:]
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return digits() && text == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// decimal is a number without rounding: digits × 10^exponent. The digits neither begin nor end
// with a zero, and are empty for 0, so equal numbers are equal decimals.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// maxExponent is the maximum exponent. Greater exponents are reduced to it.
const maxExponent = 1 << 30

// decimalOf parses a JSON number, which may also begin with zeros.
func decimalOf(text string) (d decimal) {
	digits, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		digits, exponent = text[:i], text[i+1:]
	}
	digits, d.negative = strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	d.digits = strings.TrimLeft(whole+fraction, "0")
	if d.digits == "" {
		return decimal{}
	}
	shift, _ := strconv.Atoi(exponent) // the nearest int if it is out of range
	d.exponent = min(max(shift, -maxExponent), maxExponent)
	length := len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	d.exponent += length - len(d.digits) - len(fraction)
	return d
}

// magnitude is the exponent of the first digit.
func (d *decimal) magnitude() int { return len(d.digits) + d.exponent }

func (d *decimal) compare(other *decimal) int {
	sign := func(d *decimal) int {
		switch {
		case d.digits == "":
			return 0
		case d.negative:
			return -1
		}
		return 1
	}
	signed := sign(d)
	if c := cmp.Compare(signed, sign(other)); c != 0 || signed == 0 {
		return c
	}
	return signed * cmp.Or(cmp.Compare(d.magnitude(), other.magnitude()), cmp.Compare(d.digits, other.digits))
}

// Canonical returns a text that is the same for equal numbers, such as 100, 1e2 and 0100.00, unless
// their exponents exceed half of maxExponent.
func Canonical(number string) string {
	if len(number) <= maxPlainDigits && '1' <= number[0] && number[0] <= '9' && isInteger(number) {
		return number // as the following would return it
	}
	d := decimalOf(number)
	plain, ok := d.plain()
	switch {
	case ok:
		return plain
	case d.exponent < -maxExponent/2 || d.exponent > maxExponent/2: // decimalOf may have reduced it
		return number
	}
	return d.sign() + d.digits + "e" + strconv.Itoa(d.exponent)
}

// PlainInteger writes an integer such as 1.0 or 2e3 with digits only, as encoding/json requires. It
// returns "" if that takes more than maxPlainDigits digits, and reports false for other texts.
func PlainInteger(text string) (plain string, ok bool) {
	if isInteger(text) && text != "-0" {
		return text, true
	}
	if !IsNumber(text) {
		return "", false
	}
	d := decimalOf(text)
	plain, ok = d.plain()
	return plain, ok || d.exponent >= 0
}

// plain writes an integer with digits only. It reports false for other numbers and for too many
// digits.
func (d *decimal) plain() (string, bool) {
	switch {
	case d.digits == "":
		return "0", true
	case d.exponent < 0 || d.magnitude() > maxPlainDigits:
		return "", false
	}
	return d.sign() + d.digits + strings.Repeat("0", d.exponent), true
}

func (d *decimal) sign() string {
	if d.negative {
		return "-"
	}
	return ""
}

// maxPlainDigits limits plain integers: an exponent of few digits would make a long text.
const maxPlainDigits = 400

// maxIntegerDigits limits integers of any size, because parsing takes quadratic time: seconds for a
// million digits.
const maxIntegerDigits = 4000
