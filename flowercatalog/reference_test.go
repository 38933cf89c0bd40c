package flowercatalog_test

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// reference folds by the definition (Unicode Standard, 3.13, D145), without shortcuts.
func reference(text string) string {
	decomposed := norm.NFD.String(text)
	var b strings.Builder
	for _, r := range decomposed {
		switch {
		case 0xAB70 <= r && r <= 0xABBF:
			r -= 0xAB70 - 0x13A0
		case 0x13F8 <= r && r <= 0x13FD:
			r -= 8
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(cases.Fold().String(b.String()))
}
