package form

import (
	"iter"
	"net/url"
	"strconv"
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

// Values returns the values of key. It is inlined, so that a loop over it allocates nothing.
func (f Fields) Values(key string) iter.Seq[string] {
	return func(yield func(string) bool) { f.each(key, yield) }
}

func (f Fields) each(key string, yield func(value string) bool) {
	for _, value := range f.parsed[key] {
		if !yield(value) {
			return
		}
	}
	for k, value := range f.pairs {
		if unescape(k) == key && !yield(unescape(value)) {
			return
		}
	}
}

// AppendKeys appends the keys, once for each pair of a text.
func (f Fields) AppendKeys(keys []string) []string {
	for key := range f.parsed {
		keys = append(keys, key)
	}
	for key := range f.pairs {
		keys = append(keys, unescape(key))
	}
	return keys
}

// Count returns the number of values, also of empty pairs.
func (f Fields) Count() int {
	count := 0
	if f.text != "" {
		count = strings.Count(f.text, "&") + 1
	}
	for _, values := range f.parsed {
		count += len(values)
	}
	return count
}

// pairs calls yield with the encoded key and value of each pair of the text.
func (f Fields) pairs(yield func(key, value string) bool) {
	for rest := f.text; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		key, value, _ := strings.Cut(pair, "=")
		if pair != "" && !yield(key, value) {
			return
		}
	}
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
			if char, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c = byte(char)
				i += 2
			}
		}
		decoded = append(decoded, c)
	}
	return string(decoded)
}
