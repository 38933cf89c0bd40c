package apidoc

import (
	"fmt"
	"path"
	"reflect"
	"strings"
)

// This file names the definitions of types.

// name returns the name of t's definition: the one that the author gave, or the type's own. A type
// of another package that has the same gets its package's name in front.
func (d *definitions) name(t reflect.Type) string {
	var name string
	if d.typeName != nil {
		name = d.typeName(t)
	}
	given := name != ""
	if !given {
		name = definitionName(t)
	}
	if d.schemas[name] != nil && !given && d.packageOf(name) != t.PkgPath() {
		prefix := plainName(path.Base(t.PkgPath()))
		name = strings.ToUpper(prefix[:1]) + prefix[1:] + name
	}
	unique := name
	for n := 2; d.schemas[unique] != nil; n++ {
		unique = fmt.Sprint(name, n)
	}
	return unique
}

// packageOf returns the package of the type that has a name.
func (d *definitions) packageOf(name string) string {
	for t, other := range d.types {
		if other == name {
			return t.PkgPath()
		}
	}
	return ""
}

// definitionName is the type's name without packages, and with the arguments of a generic type
// behind it, joined by underscores: OpenAPI allows letters, digits, dots, hyphens and underscores
// in such names.
func definitionName(t reflect.Type) string {
	text := strings.NewReplacer("[]", "\x00ArrayOf\x00", "*", "\x00PointerTo\x00").Replace(t.Name())
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\x00[], {};", r) }) {
		word = word[strings.LastIndexAny(word, "/.")+1:] // without its package
		words = append(words, plainName(word))
	}
	return strings.Join(words, "_")
}

// plainName writes the characters that are not allowed by their numbers.
func plainName(name string) string {
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
