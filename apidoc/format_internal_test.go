package apidoc

import (
	"encoding/json"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// This file holds the parsers of texts against the standard library.

// An integer in digits alone is the number that JSON means.
func FuzzPlainInteger(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1.0", "-12e3", "1.5e1", "1e-2", "100e-2", "0e999", "1e400", "1e401", "12.50e1", "0.0001e4", "1E+2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !numberText.MatchString(text) || len(text) > 60 {
			t.Skip()
		}
		number, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skip() // an exponent that is too large for it
		}
		got, ok := plainInteger(text)
		want := number.IsInt() && len(number.Num().String()) <= maxDigits
		if ok != want || ok && (got != number.Num().String() || !isInteger(got)) {
			t.Errorf("%s: got %q %t, want %s %t", text, got, ok, number.Num(), want)
		}
	})
}

// What is accepted as a time is read by encoding/json, and what this writes is accepted.
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

// Queries are read as net/url reads them, where it does.
func FuzzQueries(f *testing.F) {
	for _, seed := range []string{"a=1&a=2", "%61=x+y", "a", "&&a=&=", "a=%zz", "b=1;a=2", "+=1"} {
		f.Add(seed, "a")
		f.Add(seed, "+")
	}
	f.Fuzz(func(t *testing.T, query, name string) {
		want, err := url.ParseQuery(query)
		if err != nil {
			t.Skip()
		}
		if got := allOf(query, name); !slices.Equal(got, want[name]) {
			t.Errorf("%q in %q: got %q, want %q", name, query, got, want[name])
		}
	})
}

// Names without letter case are the same exactly where encoding/json takes one for the other.
func FuzzFold(f *testing.F) {
	f.Add("name", "NAME")
	f.Add("straße", "STRASSE")
	f.Add("K", "\u212a")
	f.Add("ſ", "s")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip()
		}
		got := string(fold(nil, []byte(a))) == string(fold(nil, []byte(b)))
		if want := strings.EqualFold(a, b); got != want {
			t.Errorf("%q and %q: got %t, want %t", a, b, got, want)
		}
	})
}
