package schema

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Number is a JSON number with its text.
type Number struct {
	Text    string
	float   float64
	integer int64
	whole   bool // integer holds it
}

// NumberOf parses a number. Numbers that are not 64-bit integers are compared as floats.
func NumberOf(text string) Number {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Number{text, float64(i), i, true}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 {
		f = math.NaN()
	}
	return Number{Text: text, float: f}
}

// Float returns the nearest float, or NaN if the text is not a number.
func (n *Number) Float() float64 { return n.float }

// Compare returns -1 if n is less than other, 1 if it is greater, and 0 if they are equal.
func (n *Number) Compare(other *Number) int {
	if n.whole && other.whole {
		return cmp.Compare(n.integer, other.integer)
	}
	return cmp.Compare(n.float, other.float)
}

// divides reports whether another number is a multiple of n. It reports false for too many digits.
func (n *Number) divides(other *Number) bool {
	if n.whole && other.whole {
		return other.integer%n.integer == 0
	}
	quotient, ok := exactly(other.Text)
	step, known := exactly(n.Text)
	return ok && known && quotient.Quo(quotient, step).IsInt()
}

// isInteger reports whether text is digits, with or without a minus sign.
func isInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return false
		}
	}
	return digits != ""
}

// isNumber reports whether text is a JSON number, without white space.
func isNumber(text string) bool {
	last := len(text) - 1
	return last >= 0 && isDigit(text[last]) && (text[0] == '-' || isDigit(text[0])) && json.Valid([]byte(text))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// PlainInteger writes an integer such as 1.0 or 2e3 with digits only, as encoding/json requires. It
// reports false if the number is not an integer or has too many digits.
func PlainInteger(text string) (string, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(fraction, "0") == "" && isInteger(whole) && whole != "-0" {
		return whole, true
	}
	n, ok := exactly(text)
	if !ok || !n.IsInt() {
		return "", false
	}
	plain := n.Num().String()
	return plain, len(plain) <= maxDigits
}

// maxDigits limits exact numbers: more digits and larger exponents would take too long.
const maxDigits = 400

// exactly parses a JSON number without rounding.
func exactly(text string) (*big.Rat, bool) {
	digits, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if strings.Trim(digits, "-.0") == "" {
		return new(big.Rat), true
	}
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || max(len(digits), shift, -shift) > maxDigits {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
