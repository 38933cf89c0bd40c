package form

import (
	"net/url"
	"strings"
)

// Fields are the parameters of a form: the pairs of an urlencoded one, or parsed values.
type Fields struct {
	Pairs  Pairs
	Values url.Values
}

func (f Fields) First(key string) (string, bool) {
	if values := f.Values[key]; len(values) > 0 {
		return values[0], true
	}
	return f.Pairs.First(key)
}

func (f Fields) All(key string, values []string) []string {
	return f.Pairs.Append(key, append(values, f.Values[key]...))
}

func (f Fields) Keys(keys []string) []string {
	for key := range f.Values {
		keys = append(keys, key)
	}
	return f.Pairs.Keys(keys)
}

func (f Fields) Count() int {
	count := f.Pairs.Count()
	for _, values := range f.Values {
		count += len(values)
	}
	return count
}

// Pairs is a text of type application/x-www-form-urlencoded (URL Standard, 5.1). It is searched
// without parsing it first, so that unused keys allocate nothing.
type Pairs string

// each calls f with the encoded key and value of each pair until f returns false.
func (p Pairs) each(f func(key, value string) bool) {
	for rest := string(p); rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		key, value, _ := strings.Cut(pair, "=")
		if pair != "" && !f(key, value) {
			return
		}
	}
}

func (p Pairs) First(key string) (value string, ok bool) {
	p.each(func(k, v string) bool {
		if ok = isKey(k, key); ok {
			value = unescape(v)
		}
		return !ok
	})
	return value, ok
}

func (p Pairs) Append(key string, values []string) []string {
	p.each(func(k, v string) bool {
		if isKey(k, key) {
			values = append(values, unescape(v))
		}
		return true
	})
	return values
}

func (p Pairs) Keys(keys []string) []string {
	p.each(func(k, _ string) bool {
		keys = append(keys, unescape(k))
		return true
	})
	return keys
}

// Count returns the number of pairs, also empty ones.
func (p Pairs) Count() int {
	if p == "" {
		return 0
	}
	return strings.Count(string(p), "&") + 1
}

func (p Pairs) Within(limit int) bool {
	return len(p) < limit || p.Count() <= limit
}

// isKey reports whether encoded decodes to key.
func isKey(encoded, key string) bool {
	if !isEncoded(encoded) {
		return encoded == key
	}
	return unescape(encoded) == key
}

func isEncoded(text string) bool { return strings.ContainsAny(text, "%+") }

// unescape decodes a key or value: a plus is a space, and a percent sign with two hexadecimal
// digits is a byte. Any other percent sign is literal (URL Standard, "percent-decode").
func unescape(text string) string {
	if !isEncoded(text) {
		return text
	}
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+':
			decoded = append(decoded, ' ')
		case c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			decoded = append(decoded, fromHex(text[i+1])<<4|fromHex(text[i+2]))
			i += 2
		default:
			decoded = append(decoded, c)
		}
	}
	return string(decoded)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func fromHex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}
