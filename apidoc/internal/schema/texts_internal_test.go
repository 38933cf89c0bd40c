package schema

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"
)

// This file compares the parsers of texts with the standard library.

// An integer written with digits only is the same number.
func FuzzPlainInteger(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1.0", "-12e3", "1.5e1", "1e-2", "100e-2", "0e999", "1e400", "1e401", "12.50e1", "0.0001e4", "1E+2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !isNumber(text) || len(text) > 60 {
			t.Skip()
		}
		number, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skip() // an exponent that is too large for it
		}
		got, ok := PlainInteger(text)
		want := number.IsInt() && len(number.Num().String()) <= maxDigits
		if ok != want || ok && (got != number.Num().String() || !isInteger(got)) {
			t.Errorf("%s: got %q %t, want %s %t", text, got, ok, number.Num(), want)
		}
	})
}

// encoding/json can read every accepted time, and times that it writes are accepted.
func FuzzTimes(f *testing.F) {
	for _, seed := range []string{"2026-11-21T10:00:00Z", "2026-11-21T1:00:00Z", "2026-11-21T10:00:00,5Z", "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:00.123+01:30", "0000-01-01T00:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !validTime(text) {
			return
		}
		quoted, _ := json.Marshal(text)
		var read time.Time
		if err := json.Unmarshal(quoted, &read); err != nil {
			t.Fatalf("%q is accepted: %v", text, err)
		}
		written, err := read.MarshalText()
		if err == nil && !validTime(string(written)) {
			t.Errorf("%q is written as %q, which is refused", text, written)
		}
	})
}
