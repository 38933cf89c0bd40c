package stock

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in cents. On the wire it is text such as "12.50".
type Money int64

// MarshalText writes the amount, which is not negative. It is fast, so that it does not affect the
// comparison.
func (m Money) MarshalText() ([]byte, error) {
	text := strconv.AppendInt(make([]byte, 0, 24), int64(m/100), 10)
	return append(text, '.', byte('0'+m/10%10), byte('0'+m%10)), nil
}

// UnmarshalText reads the amount.
func (m *Money) UnmarshalText(text []byte) error {
	whole, cents, ok := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(whole+cents, 10, 64)
	if err != nil || !ok || len(cents) != 2 || n < 0 {
		return fmt.Errorf("%q is not an amount such as 12.50", text)
	}
	*m = Money(n)
	return nil
}
