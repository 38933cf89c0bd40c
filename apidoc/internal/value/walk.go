package value

import (
	"reflect"
	"strconv"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file finds the parts of a decoded value.

// Walk calls visit with each part of v and its JSON pointer: a struct after its members. It enters
// no part that decodes itself, whose schema need not be like its Go type. v is addressable.
func Walk(s *schema.Schema, v reflect.Value, pointer string, visit func(string, reflect.Value)) {
	if v = s.Content(v); !v.IsValid() {
		return
	}
	s = s.Resolve()
	below := func(s *schema.Schema, name string, v reflect.Value) {
		if isBasic := v.Type().PkgPath() == "" && s.Resolve().Scalar(); !isBasic { // which have no methods
			Walk(s, v, pointer+"/"+pointerEscapes.Replace(name), visit)
		}
	}
	switch k := v.Kind(); {
	case s.Own != nil || s.Leaf != nil:
	case k == reflect.Struct:
		for i := range s.Properties {
			p := &s.Properties[i]
			last := len(p.Index) - 1
			if parent, ok := embedded(v, p.Index[:last]); ok {
				below(p.Schema, p.Name, parent.Field(p.Index[last]))
			}
		}
	case s.Items != nil:
		for i := range v.Len() {
			below(s.Items, strconv.Itoa(i), v.Index(i))
		}
	case k == reflect.Map && s.Values != nil:
		for each := v.MapRange(); each.Next(); {
			element := reflect.New(v.Type().Elem()).Elem() // addressable, so that pointer methods are found
			element.Set(each.Value())
			if name, err := nameOf(each.Key()); err == nil {
				below(s.Values, name, element)
			}
		}
	}
	visit(pointer, v)
}
