package flowers

import (
	"fmt"
	"testing"
)

func TestRarest(t *testing.T) {
	c := census{counts: make(map[trigram]seenIn)}
	for i := range 1000 {
		c.add(fmt.Sprintf("rose of garden %04d", i))
	}
	h := hints{common: make(map[trigram]bool)}
	common := []rune(c.common())
	for i := 0; i < len(common); i += 3 {
		h.common[trigram(common[i:i+3])] = true
	}
	for _, test := range []struct{ text, want string }{
		{"rose of garden 0123", "arden 0123"},
		{"0123 rose of garden", "0123 rose "},
		{"rose of garden", "rose of garden"}, // nothing is rare
		{"garden 012", "garden 012"},         // as long as a part
		{"rose", "rose"},
		{"--- ---- ----- ---", "--- ---- ----- ---"},
		{"rose of a jardin", "f a jardin"},
	} {
		if got := h.rarest(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
