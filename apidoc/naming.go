package apidoc

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
)

// This file names the definitions of types.

// typeNames are the names of definitions in a document. Each is given once: the one of the author, or
// the type's own. A type of another package that has the same gets its package's name in front.
type typeNames struct {
	author func(reflect.Type) string // nil or empty for the types' own
	types  map[reflect.Type]string
	named  map[string]*schema.Schema
}

// add names the definition of a type, unless it has a name.
func (n *typeNames) add(s *schema.Schema) {
	t := s.Named
	if _, ok := n.types[t]; ok {
		return
	}
	name, given := "", false
	if n.author != nil {
		name = n.author(t)
	}
	if given = name != ""; !given {
		name = gotype.DefinitionName(t)
	}
	if other := n.named[name]; other != nil && !given && other.Named.PkgPath() != t.PkgPath() {
		prefix := gotype.PlainName(path.Base(t.PkgPath()))
		name = strings.ToUpper(prefix[:1]) + prefix[1:] + name
	}
	unique := name
	for i := 2; n.named[unique] != nil; i++ {
		unique = fmt.Sprint(name, i)
	}
	n.types[t], n.named[unique] = unique, s
}
