package form

import (
	"encoding/hex"
	"net/url"
	"strings"
)

// Fields are the parameters of a query or a form: an urlencoded text (URL Standard, 5.1) or parsed
// values. The text is searched without parsing it first, so that unused keys allocate nothing.
type Fields struct {
	text   string
	parsed url.Values
}

// Query returns the fields of a query.
func Query(text string) Fields { return Fields{text: text} }

// Each calls yield with the values of key until it returns false. It reports whether yield has
// never returned false.
func (f Fields) Each(key string, yield func(value string) bool) bool {
	for _, value := range f.parsed[key] {
		if !yield(value) {
			return false
		}
	}
	for pair := range strings.SplitSeq(f.text, "&") {
		k, value, _ := strings.Cut(pair, "=")
		if pair != "" && unescape(k) == key && !yield(unescape(value)) {
			return false
		}
	}
	return true
}

// AppendKeys appends the keys, once for each pair of a text.
func (f Fields) AppendKeys(keys []string) []string {
	for key := range f.parsed {
		keys = append(keys, key)
	}
	for pair := range strings.SplitSeq(f.text, "&") {
		if key, _, _ := strings.Cut(pair, "="); pair != "" {
			keys = append(keys, unescape(key))
		}
	}
	return keys
}

// Count returns the number of values, also of empty pairs.
func (f Fields) Count() int {
	if f.text != "" {
		return strings.Count(f.text, "&") + 1
	}
	count := 0
	for _, values := range f.parsed {
		count += len(values)
	}
	return count
}

// unescape decodes a key or value: a plus is a space, and a percent sign with two hexadecimal
// digits is a byte. Any other percent sign is literal (URL Standard, "percent-decode").
func unescape(text string) string {
	if !strings.ContainsAny(text, "%+") {
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
