package value

import (
	"reflect"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file decodes objects into structs and maps.

func (r *reader) object(s *schema.Schema, v reflect.Value) {
	var room [32]bool // of most structs
	seen := append(room[:0], make([]bool, len(s.Properties))...)
	rest := rest{object: s}
	if v.IsValid() && v.Kind() == reflect.Map {
		t := v.Type()
		v.Set(reflect.MakeMap(t))
		rest.key, rest.element = reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	}
	count := 0
	r.at++
	for r.space(); r.text[r.at] != '}'; count++ {
		name := r.name()
		r.path = append(r.path, step{name, -1})
		if len(r.problems) > 0 && !r.whole {
			v = reflect.Value{} // the value will not be used
		}
		if i := s.PropertyOf(name, count); i < 0 {
			r.other(name, &rest, v)
		} else {
			if seen[i] {
				r.tell(schema.SameName)
			}
			seen[i] = true
			if p := &s.Properties[i]; p.Schema.ReadOnly && r.mode == Lenient {
				r.skip()
			} else {
				r.value(p.Schema, r.field(v, p.Index))
			}
		}
		r.path = r.path[:len(r.path)-1]
		r.next()
	}
	r.missing(s, seen, count, v)
	r.at++
	r.tell(s.RefuseLength(count))
}

// rest are the members of an object that are not properties.
type rest struct {
	object       *schema.Schema
	names        texts
	key, element reflect.Value // of a map, used for one element after the other
}

// other decodes a member that is not a property.
func (r *reader) other(name string, rest *rest, v reflect.Value) {
	s, key, element := rest.object, reflect.Value{}, reflect.Value{}
	inner := s.Values
	if inner == nil {
		inner = anything
	}
	if v.IsValid() && v.Kind() == reflect.Map {
		key, element = rest.key, rest.element
		key.SetZero()
		element.SetZero()
	}
	twice := rest.names.add(name)
	switch misspelled := sameName(s, name); {
	case misspelled != "":
		r.tell(schema.Fault{Code: "letterCase", Limit: misspelled, Detail: "must be written " + strconv.Quote(misspelled)})
	case twice:
		r.tell(schema.SameName)
	case s.Closed:
		r.tell(schema.Unknown)
	case s.Keys != nil:
		if f := r.scalar(s.Keys.Resolve(), key, name); f.Found() {
			f.Code, f.Detail = "propertyNames", "the name "+f.Detail
			r.tell(f)
		}
	}
	if r.value(inner, element); element.IsValid() && (len(r.problems) == 0 || r.whole) {
		v.SetMapIndex(key, element)
	}
}

// sameName returns the property whose name differs only in letter case, for which encoding/json
// would take the member.
func sameName(s *schema.Schema, name string) string {
	for i := range s.Properties {
		if strings.EqualFold(s.Properties[i].Name, name) {
			return s.Properties[i].Name
		}
	}
	return ""
}

// missing reports required members that are missing, and adds the defaults of others.
func (r *reader) missing(s *schema.Schema, seen []bool, count int, v reflect.Value) {
	for i := range s.Properties {
		p := &s.Properties[i]
		switch {
		case seen[i], p.Schema.ReadOnly && r.mode == Lenient, p.Schema.WriteOnly && r.mode != Lenient:
		case p.Required:
			r.path = append(r.path, step{p.Name, -1})
			r.tell(schema.Required)
			r.path = r.path[:len(r.path)-1]
		case p.Schema.Default == nil:
		case v.IsValid():
			r.preset(p.Schema, r.field(v, p.Index))
		case r.mode == Lenient && len(r.problems) == 0: // the value will be used
			text := p.Label + string(p.Schema.Default)
			if count > 0 {
				text = "," + text
			}
			r.edits = append(r.edits, edit{r.at, r.at, text})
			count++
		}
	}
}

// preset sets v to the default, which was checked when the type was read.
func (r *reader) preset(s *schema.Schema, v reflect.Value) {
	if t := s.Resolve(); !t.Scalar() || t.GoType != nil {
		newReader(string(s.Default), Lenient).read(s, v)
		return
	}
	text := r.scanner
	r.scanner = scanner{text: string(s.Default)}
	r.value(s, v)
	r.scanner = text
}

func (r *reader) field(v reflect.Value, index []int) reflect.Value {
	field, ok := fieldOf(v, index)
	if !ok {
		r.tell(invalid(anything))
	}
	return field
}
