// Package urlencoded reads queries and forms: texts of the type application/x-www-form-urlencoded
// (URL Standard, 5.1). The router and typed operations use it, so that both read the same values.
//
// It differs from net/url where that returns an error: a percent sign without two hexadecimal
// digits stands for itself (URL Standard, "percent-decode"), and so does a semicolon.
package urlencoded

import (
	"encoding/hex"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Fields are the values of a query or form: a text, which each lookup searches, or parsed values.
type Fields struct {
	text   string     // empty if only the values are known
	values url.Values // nil if the text is not parsed
}

// MaxFields is the maximum number of fields of a form, as for [url.ParseQuery] since Go 1.25.6. A
// client could send half a million in 1 MiB, which take fifty times as much memory.
const MaxFields = 10_000

// IsOverfull reports whether a text has more than [MaxFields], without reading them.
func IsOverfull(text string) bool { return strings.Count(text, "&") >= MaxFields }

// HasFlag reports whether a text has a key without a value and an equals sign, such as dryRun.
func HasFlag(text, key string) bool {
	for pair := range strings.SplitSeq(text, "&") {
		if pair != "" && !strings.Contains(pair, "=") && unescape(pair) == key {
			return true
		}
	}
	return false
}

// Of returns the fields of a text. A lookup allocates nothing, except for escaped keys and values,
// but takes linear time: use an [Index] for many lookups in a text that may be long.
func Of(text string) Fields { return Fields{text: text} }

// Parsed returns the fields of parsed values.
func Parsed(values url.Values) Fields { return Fields{values: values} }

// Parse returns all values of a text.
func Parse(text string) url.Values {
	values := make(url.Values)
	for key, value := range pairs(text) {
		values[key] = append(values[key], unescape(value))
	}
	return values
}

// pairs returns the keys of a text and their escaped values.
func pairs(text string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for pair := range strings.SplitSeq(text, "&") {
			key, value, _ := strings.Cut(pair, "=")
			if pair != "" && !yield(unescape(key), value) {
				return
			}
		}
	}
}

// Each calls yield with the values of key until it returns false. It reports whether all calls
// returned true.
func (f Fields) Each(key string, yield func(value string) bool) bool {
	if f.values != nil {
		return !slices.ContainsFunc(f.values[key], func(value string) bool { return !yield(value) })
	}
	for k, value := range pairs(f.text) {
		if k == key && !yield(unescape(value)) {
			return false
		}
	}
	return true
}

// Append appends the values of key.
func (f Fields) Append(values []string, key string) []string {
	f.Each(key, func(value string) bool { values = append(values, value); return true })
	return values
}

// AppendLists appends the values of key that are between commas. An encoded comma doesn't separate
// values (RFC 6570, 3.2.8; OpenAPI's form style without explode). The fields must not be [Parsed]
// ones.
func (f Fields) AppendLists(values []string, key string) []string {
	for k, list := range pairs(f.text) {
		if k == key {
			for value := range strings.SplitSeq(list, ",") {
				values = append(values, unescape(value))
			}
		}
	}
	return values
}

// Values returns a copy of all values.
func (f Fields) Values() url.Values {
	if f.values == nil {
		return Parse(f.text)
	}
	values := make(url.Values, len(f.values))
	for key, all := range f.values {
		values[key] = slices.Clone(all)
	}
	return values
}

// AppendKeys appends the keys; of a text, once for each pair.
func (f Fields) AppendKeys(keys []string) []string {
	if f.values != nil {
		return slices.AppendSeq(keys, maps.Keys(f.values))
	}
	for key := range pairs(f.text) {
		keys = append(keys, key)
	}
	return keys
}

// unescape decodes a key or value: a plus is a space, and a percent sign with two hexadecimal
// digits is a byte.
func unescape(text string) string {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '+') < 0 {
		return text
	}
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '+' {
			c = ' '
		} else if c == '%' && i+2 < len(text) {
			var char [1]byte // package strconv allocates its errors
			if _, err := hex.Decode(char[:], []byte(text[i+1:i+3])); err == nil {
				c = char[0]
				i += 2
			}
		}
		decoded = append(decoded, c)
	}
	return string(decoded)
}
