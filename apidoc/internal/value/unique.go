package value

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file finds items that occur twice in an array, in one pass over a text: each value gets a
// number that is made of the numbers of its parts, so that nested values are compared once, not at
// each level.

// repeatedItems returns the starts of all items that are equal to an earlier item of their array,
// sorted.
func repeatedItems(text string) []int {
	f := former{scanner: scanner{text: text}, numbers: make(map[string]int), repeated: []int{}}
	f.space()
	f.value()
	slices.Sort(f.repeated)
	return f.repeated
}

// former numbers the values of a text. Equal values have the same number.
type former struct {
	scanner
	numbers  map[string]int // by the canonical texts of scalars, and by the keys of others
	parts    []part         // of the arrays and objects that are not finished
	seen     []int          // by number, the array in which it was seen last
	arrays   int            // finished ones
	key      []byte
	repeated []int
}

// part is an item that begins at a place, or a member with the number of its name.
type part struct{ at, number int }

// value moves after a value, and returns its number.
func (f *former) value() int {
	start, first := f.at, len(f.parts)
	switch f.text[start] {
	case '[':
		f.items()
	case '{':
		f.members()
	default:
		f.skip()
		return f.number(canonical(f.text[start:f.at]))
	}
	parts := f.parts[first:]
	f.key = append(f.key[:0], f.text[start])
	if f.text[start] == '{' {
		slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
		for _, p := range parts {
			f.key = binary.AppendUvarint(f.key, uint64(p.at))
			f.key = binary.AppendUvarint(f.key, uint64(p.number))
		}
	} else {
		f.compare(parts)
		for _, p := range parts {
			f.key = binary.AppendUvarint(f.key, uint64(p.number))
		}
	}
	f.parts = f.parts[:first]
	if n, ok := f.numbers[string(f.key)]; ok { // without a copy
		return n
	}
	return f.number(string(f.key))
}

func (f *former) items() {
	f.at++
	for f.space(); f.text[f.at] != ']'; f.next() {
		start := f.at
		f.parts = append(f.parts, part{start, f.value()})
	}
	f.at++
}

func (f *former) members() {
	f.at++
	for f.space(); f.text[f.at] != '}'; f.next() {
		name := f.number(`"` + f.name())
		f.parts = append(f.parts, part{name, f.value()})
	}
	f.at++
}

// compare records the repeated items of an array.
func (f *former) compare(items []part) {
	f.arrays++
	f.seen = append(f.seen, make([]int, len(f.numbers)-len(f.seen))...)
	for _, item := range items {
		if f.seen[item.number] == f.arrays {
			f.repeated = append(f.repeated, item.at)
		}
		f.seen[item.number] = f.arrays
	}
}

// number returns the number of a text or key.
func (f *former) number(key string) int {
	n, ok := f.numbers[key]
	if !ok {
		n = len(f.numbers)
		f.numbers[key] = n
	}
	return n
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
