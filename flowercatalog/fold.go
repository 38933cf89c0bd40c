package flowercatalog

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold returns the text that stands for all texts that differ from this one in letter case alone: two texts are a canonical
// caseless match (Unicode Standard, 3.13, D145) if their folds are the same. Composed at the end, so that a letter is not found
// in the same letter with an accent. Bytes that are not UTF-8 become U+FFFD, as JSON would show them.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = norm.NFD.String(text)
	text = strings.Map(cherokeeCapital, text)
	text = cases.Fold().String(text)
	return norm.NFC.String(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// cherokeeCapital returns the capital of a small Cherokee letter. The two cases of Cherokee are brought to one before they are
// folded, since package cases would only swap them.
func cherokeeCapital(r rune) rune {
	switch {
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 0x13F8 + 0x13F0
	}
	return r
}
