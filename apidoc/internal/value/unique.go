package value

import (
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file finds scalars that occur twice in an array, and names that occur twice in an object.

// canonical returns a text that is equal for equal scalars. Strings keep a quotation mark.
func canonical(text string) string {
	switch c := text[0]; {
	case c == '"' && strings.Contains(text, `\`):
		quoted := scanner{text: text}
		return `"` + quoted.quoted()
	case c == '"':
		return text[:len(text)-1]
	case c <= '9': // a minus sign or a digit
		return schema.Canonical(text)
	}
	return text
}

// Seen is a set of texts. A few texts need no allocation.
type Seen struct {
	few  [8]string
	n    int
	many map[string]bool
}

// Add adds a text, and reports whether it was there before.
func (t *Seen) Add(text string) bool {
	switch {
	case slices.Contains(t.few[:t.n], text):
		return true
	case t.n < len(t.few):
		t.few[t.n] = text
		t.n++
		return false
	case t.many == nil:
		t.many = make(map[string]bool)
	}
	before := len(t.many)
	t.many[text] = true
	return len(t.many) == before
}
