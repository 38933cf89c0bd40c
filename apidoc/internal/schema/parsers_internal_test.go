package schema

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
)

// This file compares the parsers of texts with the standard library.

// An integer written with digits only is the same number, and no other text is one. Long ones are
// "".
func FuzzPlainInteger(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1.0", "-12e3", "1.5e1", "1e-2", "100e-2", "0e999", "1e400", "1e401", "12.50e1", "0.0001e4", "1E+2", "1.", ".0", "1.x", "", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := PlainInteger(text); ok && !IsNumber(text) && !isInteger(text) { // zeros at the start are trimmed before
			t.Errorf("%q is read as %s", text, got)
		}
		if !IsNumber(text) || len(text) > 60 {
			t.Skip()
		}
		number, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skip() // an exponent that is too large for it
		}
		got, ok := PlainInteger(text)
		want := number.Num().String()
		if len(strings.TrimPrefix(want, "-")) > maxPlainDigits {
			want = ""
		}
		if ok != number.IsInt() || ok && (got != want || got != "" && !isInteger(got)) {
			t.Errorf("%s: got %q %t, want %s %t", text, got, ok, want, number.IsInt())
		}
	})
}

// Numbers are those of JSON.
func FuzzNumberSyntax(f *testing.F) {
	for _, seed := range []string{"0", "-0", "01", "-01", "1.", ".5", "1.50", "-", "", "1e5", "1E+05", "1e", "1e-", "1.e1", "+1", " 1", "0x1", "1_0", "NaN", "1e1.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := json.Valid([]byte(text)) && strings.Trim(text, "-+.eE0123456789") == ""
		if got := IsNumber(text); got != want {
			t.Errorf("%q: got %t", text, got)
		}
	})
}

// Numbers are compared without rounding, and equal numbers have one canonical text.
func FuzzNumbers(f *testing.F) {
	for _, seed := range [][2]string{
		{"1", "1.0"}, {"0100", "1e2"}, {"9223372036854775809", "9223372036854775810"}, {"0.1", "0.10000000000000000001"},
		{"1e500", "4"}, {"1e500", "3"}, {"300", "3e2"}, {"-0", "0e7"}, {"-1.5", "-15e-1"}, {"1e-399", "0"}, {"12e1", "1200e-1"}, {"1e99", "1e100"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a, b} {
			if _, exponent, _ := strings.Cut(strings.ToLower(text), "e"); !IsNumber(strings.TrimLeft(text, "0")) || len(exponent) > 4 || len(text) > 60 {
				t.Skip()
			}
		}
		x, known := new(big.Rat).SetString(a)
		y, alsoKnown := new(big.Rat).SetString(b)
		if !known || !alsoKnown {
			t.Skip() // a sign behind zeros
		}
		m, n := NumberOf(a), NumberOf(b)
		if got, want := m.Compare(&n), x.Cmp(y); got != want {
			t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
		}
		if want := y.Sign() != 0 && new(big.Rat).Quo(x, y).IsInt(); n.IsStep() && n.divides(&m) != want {
			t.Errorf("%s is a multiple of %s: want %t", a, b, want)
		}
		if got, want := Canonical(a) == Canonical(b), x.Cmp(y) == 0; got != want {
			t.Errorf("%s and %s: canonical %s and %s", a, b, Canonical(a), Canonical(b))
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
