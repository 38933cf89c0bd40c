package apidoc

import (
	"net/url"
	"strings"
)

// This file finds values in a query or an urlencoded form.

// eachOf calls f with the values of a name in a text of the form application/x-www-form-urlencoded,
// until f returns false. What is no right encoding stands for itself.
func eachOf(pairs, name string, f func(value string) bool) {
	for pairs != "" {
		var pair string
		pair, pairs, _ = strings.Cut(pairs, "&")
		key, value, _ := strings.Cut(pair, "=")
		if decoded(key) == name && pair != "" && !f(decoded(value)) {
			return
		}
	}
}

func decoded(text string) string {
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '+') < 0 {
		return text
	}
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func firstOf(pairs, name string) (value string, ok bool) {
	eachOf(pairs, name, func(v string) bool {
		value, ok = v, true
		return false
	})
	return value, ok
}

func allOf(pairs, name string) (values []string) {
	eachOf(pairs, name, func(v string) bool {
		values = append(values, v)
		return true
	})
	return values
}
