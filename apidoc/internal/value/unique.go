package value

import (
	"hash/maphash"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file finds items that occur twice in an array, in one pass over a text: each value gets a
// hash that is made of the hashes of its parts, so that nested values are compared once, not at each
// level. The seed is new for each text, so nobody can choose values with equal hashes.

// repeatedItems returns the starts of all items that are equal to an earlier item of their array,
// sorted.
func repeatedItems(text string) []int {
	h := hasher{scanner: scanner{text: text}, seed: maphash.MakeSeed(), repeated: []int{}}
	h.space()
	h.value()
	slices.Sort(h.repeated)
	return h.repeated
}

// hasher hashes the values of a text.
type hasher struct {
	scanner
	seed     maphash.Seed
	repeated []int
}

// pair is a name or a kind of value, and a hash.
type pair struct {
	text string
	hash uint64
}

// value moves after a value, and returns its hash. Members of an object may be in any order.
func (h *hasher) value() (hash uint64) {
	start := h.at
	switch h.text[start] {
	case '[':
		seen := make(map[uint64]bool)
		h.at++
		for h.space(); h.text[h.at] != ']'; h.next() {
			at := h.at
			item := h.value()
			if seen[item] {
				h.repeated = append(h.repeated, at)
			}
			seen[item] = true
			hash = maphash.Comparable(h.seed, [2]uint64{hash, item})
		}
	case '{':
		h.at++
		for h.space(); h.text[h.at] != '}'; h.next() {
			name := h.name()
			hash += maphash.Comparable(h.seed, pair{name, h.value()})
		}
	default:
		h.skip()
		return maphash.String(h.seed, canonical(h.text[start:h.at]))
	}
	h.at++
	return maphash.Comparable(h.seed, pair{h.text[start : start+1], hash})
}

// canonical returns a text that is equal for equal scalars. Strings keep a quotation mark.
func canonical(text string) string {
	switch c := text[0]; {
	case c == '"' && strings.Contains(text, `\`):
		quoted := scanner{text: text}
		return `"` + quoted.quoted()
	case c == '"':
		return text[:len(text)-1]
	case c == '-' || isDigit(c):
		return schema.Canonical(text)
	}
	return text
}

// texts is a set of texts. Few of them take no memory of their own.
type texts struct {
	few  [8]string
	n    int
	many map[string]bool
}

// add adds a text, and reports whether it was there before.
func (t *texts) add(text string) bool {
	if slices.Contains(t.few[:t.n], text) || t.many[text] {
		return true
	}
	switch {
	case t.n < len(t.few):
		t.few[t.n] = text
		t.n++
		return false
	case t.many == nil:
		t.many = make(map[string]bool)
	}
	t.many[text] = true
	return false
}
