package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file compares JSON by value: the order of members, white space and the spelling of numbers
// do not count. A name that an object has twice counts twice, since parsers choose one of them.

// compareJSON returns all differences of two texts, each with its JSON pointer (RFC 6901). It
// reports false if one of them is not JSON in UTF-8 (RFC 8259).
func compareJSON(old, new string) (found []difference, ok bool) {
	oldValue, err := parseJSON(old)
	newValue, err2 := parseJSON(new)
	if err != nil || err2 != nil {
		return nil, false
	}
	compareValues("body", oldValue, newValue, func(d difference) { found = append(found, d) })
	return found, true
}

// jsonValue is a JSON value. The zero jsonValue means that the value is missing.
type jsonValue struct {
	kind    byte   // '{', '[', or 's' for all others
	text    string // as it was sent
	members map[memberName]jsonValue
	items   []jsonValue
	scalar  any // a text, a json.Number, a bool, or nil for null
}

// memberName is a name in an object, and how many members before it have the same name.
type memberName struct {
	name   string
	before int
}

func parseJSON(text string) (jsonValue, error) {
	if !utf8.ValidString(text) { // encoding/json takes all wrong bytes for the same character
		return jsonValue{}, errors.New("not UTF-8")
	}
	if !json.Valid([]byte(text)) { // this also limits the depth
		return jsonValue{}, errors.New("not JSON")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return readValue(d, text)
}

func readValue(d *json.Decoder, text string) (v jsonValue, err error) {
	start := d.InputOffset()
	token, err := d.Token()
	if err != nil {
		return v, err
	}
	switch token {
	case json.Delim('{'):
		v.kind, v.members = '{', make(map[memberName]jsonValue)
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return v, err
			}
			key := memberName{name: fmt.Sprint(name)}
			for _, exists := v.members[key]; exists; _, exists = v.members[key] {
				key.before++
			}
			if v.members[key], err = readValue(d, text); err != nil {
				return v, err
			}
		}
		_, err = d.Token()
	case json.Delim('['):
		v.kind = '['
		for d.More() {
			item, err := readValue(d, text)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
		}
		_, err = d.Token()
	default:
		v.kind, v.scalar = 's', token
	}
	v.text = strings.TrimLeft(text[start:d.InputOffset()], " \t\r\n,:")
	return v, err
}

func compareValues(at string, old, new jsonValue, add func(difference)) {
	switch {
	case old.kind == '{' && new.kind == '{':
		names := slices.AppendSeq(slices.Collect(maps.Keys(old.members)), maps.Keys(new.members))
		slices.SortFunc(names, func(a, b memberName) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.before, b.before))
		})
		for _, name := range slices.Compact(names) {
			pointer := at + "/" + escapePointer.Replace(name.name)
			if name.before > 0 {
				pointer += fmt.Sprintf(" (number %d of this name)", name.before+1)
			}
			compareValues(pointer, old.members[name], new.members[name], add)
		}
	case old.kind == '[' && new.kind == '[':
		for i := range max(len(old.items), len(new.items)) {
			compareValues(fmt.Sprintf("%s/%d", at, i), item(old, i), item(new, i), add)
		}
	case old.kind != new.kind || !sameScalar(old.scalar, new.scalar):
		add(difference{at, old.compact(), new.compact()})
	}
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func item(list jsonValue, i int) jsonValue {
	if i < len(list.items) {
		return list.items[i]
	}
	return jsonValue{}
}

// compact returns the text without white space, in one line.
func (v jsonValue) compact() string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(v.text)) != nil {
		return v.text // empty: the value is missing
	}
	return b.String()
}

func sameScalar(old, new any) bool {
	a, ok := old.(json.Number)
	b, ok2 := new.(json.Number)
	if ok && ok2 {
		return sameNumber(a, b)
	}
	return old == new
}

// maxExponent limits the numbers that are compared as such: 1e999999999 would fill the memory.
const maxExponent = 64

// sameNumber compares exactly: as floating-point numbers, two large IDs could be the same.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	if len(a) > maxExponent || len(b) > maxExponent || hugeExponent(a) || hugeExponent(b) {
		return false
	}
	x, ok := new(big.Rat).SetString(string(a))
	y, ok2 := new(big.Rat).SetString(string(b))
	return ok && ok2 && x.Cmp(y) == 0
}

func hugeExponent(n json.Number) bool {
	_, exponent, found := strings.Cut(strings.ToLower(string(n)), "e")
	return found && len(strings.TrimLeft(exponent, "+-0")) > 3
}
