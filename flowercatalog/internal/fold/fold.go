// Package fold folds letter case by the rules of Unicode. It corrects what golang.org/x/text does
// otherwise.
package fold

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Text returns the case-insensitive form of a text: two texts are a canonical caseless match
// (Unicode Standard, 3.13, D145) if their folds are equal. The result is composed (NFC). Bytes that
// are not UTF-8 become U+FFFD.
func Text(text string) string {
	if IsASCII(text) {
		return strings.ToLower(text)
	}
	text = cases.Fold().String(string(decompose(strings.ToValidUTF8(text, "\uFFFD"))))
	text = strings.Map(cherokeeCapital, text)
	return string(compose(decompose(text)))
}

// firstMark is the first character that combines with the one before, and firstComposed the first
// with a decomposition.
const (
	firstMark     = 0x300
	firstComposed = 0xC0
)

// decompose returns the canonical decomposition (D68) of text. Package norm decomposes the
// characters one by one, because it inserts a U+034F after 30 combining marks (UAX #15, 13).
func decompose(text string) []rune {
	all := make([]rune, 0, len(text))
	for _, r := range text {
		if r < firstComposed {
			all = append(all, r)
			continue
		}
		for _, part := range norm.NFD.String(string(r)) {
			all = append(all, part)
		}
	}
	for begin := 0; begin < len(all); begin++ {
		end := begin
		for end < len(all) && class(all[end]) != 0 {
			end++
		}
		slices.SortStableFunc(all[begin:end], func(a, b rune) int { return cmp.Compare(class(a), class(b)) })
		begin = end
	}
	return all
}

// compose composes a decomposed text in place (D117): each character with the starter before it, if
// no character between them blocks it.
func compose(text []rune) []rune {
	all, starter, last := text[:0], -1, uint8(0)
	for _, r := range text {
		class := class(r)
		if starter >= 0 && (starter == len(all)-1 || last < class) &&
			r >= firstMark && !norm.NFC.PropertiesString(string(r)).BoundaryBefore() { // or r never combines with those before
			if whole, ok := composite(all[starter], r); ok {
				all[starter] = whole
				continue
			}
		}
		if class == 0 {
			starter = len(all)
		}
		all, last = append(all, r), class
	}
	return all
}

// composite returns the character that a and b compose to, if any. The result of package norm
// is checked, because it drops all but 16 bits of a and b: Deseret U+10430 and a breve
// became the Cyrillic U+04D1 (go.dev/issue/81028).
func composite(a, b rune) (rune, bool) {
	pair := string([]rune{a, b})
	composed := norm.NFC.String(pair)
	whole, size := utf8.DecodeRuneInString(composed)
	return whole, size == len(composed) && norm.NFD.String(composed) == norm.NFD.String(pair)
}

// class returns the canonical combining class of r.
func class(r rune) uint8 {
	if r < firstMark {
		return 0
	}
	return norm.NFC.PropertiesString(string(r)).CCC()
}

// IsASCII reports whether a text has only characters of ASCII.
func IsASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cherokeeCapital returns the capital of a small Cherokee letter, to which it is folded, and other
// characters unchanged. Package cases swaps the two cases of Cherokee instead.
func cherokeeCapital(r rune) rune {
	switch {
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 0x13F8 + 0x13F0
	}
	return r
}
