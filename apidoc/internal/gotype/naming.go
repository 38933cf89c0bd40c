package gotype

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// DefinitionName returns the type's name without packages. The arguments of a generic type follow,
// joined by underscores: OpenAPI allows letters, digits, dots, hyphens and underscores in such
// names.
func DefinitionName(t reflect.Type) string {
	raw := reflect.TypeFor[json.RawMessage]() // an alias of another type since Go 1.27
	text := strings.NewReplacer("[]", "\x00ArrayOf\x00", "*", "\x00PointerTo\x00", raw.PkgPath()+"."+raw.Name(), "RawMessage").Replace(t.Name())
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\x00[], {};", r) }) {
		word = word[strings.LastIndexAny(word, "/.")+1:] // without its package
		word, _, _ = strings.Cut(word, "·")              // without the number of a function's local type
		words = append(words, PlainName(word))
	}
	return strings.Join(words, "_")
}

// PlainName replaces all characters other than ASCII letters, digits and underscores by u and their
// code points.
func PlainName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "u%04X", r)
		}
	}
	return b.String()
}
