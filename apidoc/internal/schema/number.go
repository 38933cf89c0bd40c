package schema

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// This file compares numbers. Two texts are compared without rounding, as JSON Schema does: limits
// above 2⁵³ would otherwise let their neighbors pass.

// Number is a JSON number with its text.
type Number struct {
	Text    string
	float   float64
	integer int64
	whole   bool // integer holds it
}

// NumberOf parses a number.
func NumberOf(text string) Number {
	if isInteger(text) { // package strconv allocates its errors
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return Number{text, float64(i), i, true}
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 {
		f = math.NaN()
	}
	return Number{Text: text, float: f}
}

// MarshalJSON returns the text.
func (n *Number) MarshalJSON() ([]byte, error) { return []byte(n.Text), nil }

// Float returns the nearest float, or NaN if the text is not a number.
func (n *Number) Float() float64 { return n.float }

// Compare returns -1 if n is less than other, 1 if it is greater, and 0 if they are equal.
func (n *Number) Compare(other *Number) int {
	if n.whole && other.whole {
		return cmp.Compare(n.integer, other.integer)
	}
	if c := cmp.Compare(n.float, other.float); c != 0 { // rounding keeps the order
		return c
	}
	a, b := decimalOf(n.Text), decimalOf(other.Text)
	return a.compare(&b)
}

// divides reports whether another number is a multiple of n. It reports false for too many digits.
func (n *Number) divides(other *Number) bool {
	if n.whole && other.whole {
		return other.integer%n.integer == 0
	}
	if step, ok := fixedOf(n.Text); ok {
		if number, ok := fixedOf(other.Text); ok {
			if rest, ok := number.modulo(step); ok {
				return rest == 0
			}
		}
	}
	quotient, ok := exactly(other.Text)
	step, known := exactly(n.Text)
	return ok && known && quotient.Quo(quotient, step).IsInt()
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
		if text = text[1:]; !digits() {
			return false
		}
	}
	if text == "" || text[0]|' ' != 'e' {
		return text == ""
	}
	if text = text[1:]; text != "" && (text[0] == '+' || text[0] == '-') {
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

// farthest is the greatest exponent, to which greater ones are cut.
const farthest = 1 << 30

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
	shift, _ := strconv.Atoi(exponent) // the nearest int if it is beyond these
	d.exponent = min(max(shift, -farthest), farthest)
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
	own := sign(d)
	if c := cmp.Compare(own, sign(other)); c != 0 || own == 0 {
		return c
	}
	return own * cmp.Or(cmp.Compare(d.magnitude(), other.magnitude()), cmp.Compare(d.digits, other.digits))
}

// fixed is a number without its sign and without an exponent in its text: n × 10^-places.
type fixed struct {
	n      uint64
	places int
}

// fixedOf parses a number. It reports false if it has an exponent, or may not fit into 64 bits.
func fixedOf(text string) (f fixed, ok bool) {
	const most = 19 // digits that always fit
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	for _, digits := range [...]string{whole, fraction} {
		for i := range len(digits) {
			if !isDigit(digits[i]) {
				return f, false
			}
			f.n = f.n*10 + uint64(digits[i]-'0')
		}
	}
	f.places = len(fraction)
	return f, len(whole)+len(fraction) <= most
}

// modulo returns the remainder of a division, in units of the last place. It reports false if a
// number with as many places as the other does not fit into 64 bits.
func (f fixed) modulo(by fixed) (rest uint64, ok bool) {
	places := max(f.places, by.places)
	for _, one := range [...]*fixed{&f, &by} {
		for ; one.places < places; one.places++ {
			if one.n > math.MaxUint64/10 {
				return 0, false
			}
			one.n *= 10
		}
	}
	return f.n % by.n, true
}

// Canonical returns a text that is the same for equal numbers, such as 100, 1e2 and 0100.00.
func Canonical(number string) string {
	if last := len(number) - 1; number[last] != '0' && number[0] != '0' && number[0] != '-' && isInteger(number) {
		return number // as the following would return it
	}
	d := decimalOf(number)
	switch {
	case d.digits == "":
		return "0"
	case d.exponent < -farthest/2 || d.exponent > farthest/2: // cut
		return number
	}
	text := d.digits
	if d.negative {
		text = "-" + text
	}
	if d.exponent != 0 {
		text += "e" + strconv.Itoa(d.exponent)
	}
	return text
}

// PlainInteger writes an integer such as 1.0 or 2e3 with digits only, as encoding/json requires. It
// reports false if the number is not an integer or has too many digits.
func PlainInteger(text string) (string, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(fraction, "0") == "" && isInteger(whole) && whole != "-0" {
		return whole, true
	}
	d := decimalOf(text)
	switch {
	case d.digits == "":
		return "0", true
	case d.exponent < 0 || d.magnitude() > maxDigits:
		return "", false
	}
	plain := d.digits + strings.Repeat("0", d.exponent)
	if d.negative {
		plain = "-" + plain
	}
	return plain, true
}

// maxDigits limits exact numbers: more digits and larger exponents would take too long.
const maxDigits = 400

// exactly parses a JSON number without rounding.
func exactly(text string) (*big.Rat, bool) {
	d := decimalOf(text)
	if max(len(d.digits), d.exponent, -d.exponent) > maxDigits {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
