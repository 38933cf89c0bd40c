package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// This file compares JSON by value: the order of members, white space and the spelling of numbers
// do not count.

// compareJSON returns the place of the first difference as a JSON pointer (RFC 6901), and what the
// two texts have there. A text that is not JSON differs from all others.
func compareJSON(old, new string) (pointer, was, is string, differ bool) {
	was0, err := decode(old)
	is0, err2 := decode(new)
	if err != nil || err2 != nil {
		return "", old, new, old != new
	}
	return compareValues("", was0, is0)
}

func decode(text string) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the value")
	}
	return value, nil
}

// missing stands for a member or item that is not there.
type missing struct{}

func compareValues(pointer string, old, new any) (at, was, is string, differ bool) {
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			names := slices.Sorted(maps.Keys(o))
			for _, name := range slices.Sorted(maps.Keys(n)) {
				if _, both := o[name]; !both {
					names = append(names, name)
				}
			}
			for _, name := range names {
				at, was, is, differ = compareValues(pointer+"/"+escapePointer.Replace(name), member(o, name), member(n, name))
				if differ {
					return
				}
			}
			return "", "", "", false
		}
	case []any:
		if n, ok := new.([]any); ok {
			for i := range max(len(o), len(n)) {
				at, was, is, differ = compareValues(fmt.Sprintf("%s/%d", pointer, i), item(o, i), item(n, i))
				if differ {
					return
				}
			}
			return "", "", "", false
		}
	case json.Number:
		if n, ok := new.(json.Number); ok && sameNumber(o, n) {
			return "", "", "", false
		}
	default:
		if old == new { // text, true, false, null, missing
			return "", "", "", false
		}
	}
	return pointer, encode(old), encode(new), true
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func member(object map[string]any, name string) any {
	if value, ok := object[name]; ok {
		return value
	}
	return missing{}
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return missing{}
}

// mostExponent limits the numbers that are compared as such: 1e999999999 would fill the memory.
const mostExponent = 64

// sameNumber compares exactly: as floating-point numbers, two large IDs could be the same.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	if len(a) > mostExponent || len(b) > mostExponent || hugeExponent(a) || hugeExponent(b) {
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

func encode(value any) string {
	if value == (missing{}) {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
