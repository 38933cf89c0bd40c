package stock

import (
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in cents. On the wire it is text such as "12.50".
type Money int64

// MarshalText writes the amount.
func (m Money) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", m/100, m%100), nil
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
