package apidoc

import (
	"fmt"
	"path"
	"reflect"
	"strings"
)

// This file names the definitions of types.

// typeNames are the names of definitions in a document. Each is given once: the one of the author, or
// the type's own. A type of another package that has the same gets its package's name in front.
type typeNames struct {
	author func(reflect.Type) string // nil or empty for the types' own
	types  map[reflect.Type]string
	named  map[string]*schema
}

// add names the definition of a type, unless it has a name.
func (n *typeNames) add(s *schema) {
	t := s.named
	if _, ok := n.types[t]; ok {
		return
	}
	name, given := "", false
	if n.author != nil {
		name = n.author(t)
	}
	if given = name != ""; !given {
		name = definitionName(t)
	}
	if other := n.named[name]; other != nil && !given && other.named.PkgPath() != t.PkgPath() {
		prefix := plainName(path.Base(t.PkgPath()))
		name = strings.ToUpper(prefix[:1]) + prefix[1:] + name
	}
	unique := name
	for i := 2; n.named[unique] != nil; i++ {
		unique = fmt.Sprint(name, i)
	}
	n.types[t], n.named[unique] = unique, s
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
