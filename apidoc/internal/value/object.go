package value

import (
	"context"
	"reflect"
	"slices"
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
	count, kept, last := 0, 0, 0
	r.at++
	for r.space(); r.text[r.at] != '}'; count++ {
		start, isHidden := r.at, false
		name := r.name()
		r.path = append(r.path, step{name, -1})
		if len(r.problems) > 0 && r.ctx == nil {
			v = reflect.Value{} // the value will not be used
		}
		if i := s.PropertyOf(name, count); i < 0 {
			r.other(name, &rest, v)
		} else {
			if seen[i] {
				r.tell(schema.SameName)
			}
			seen[i] = true
			p := &s.Properties[i]
			if isHidden = r.part.hides(p.Schema); isHidden {
				r.hidden()
			} else {
				r.value(p.Schema, r.field(v, p.Index))
			}
		}
		r.path = r.path[:len(r.path)-1]
		end := r.at
		r.next()
		switch {
		case !isHidden:
			kept++
		case v.IsValid(): // encoding/json does not read the text
		case kept > 0:
			r.edits = append(r.edits, edit{last, end, ""})
		default:
			r.edits = append(r.edits, edit{start, r.at, ""})
		}
		last = end
	}
	r.missing(s, seen, kept, v)
	r.at++
	r.tell(s.RefuseLength(count))
}

// hidden skips a member that is none of this text: readOnly in a request, writeOnly in a response.
// A client may send back what it got, so a request may have the first, also where others are
// refused; it is ignored.
func (r *reader) hidden() {
	r.skip()
	if r.mode == Response {
		r.tell(&schema.Fault{Code: "writeOnly", Detail: "must not be sent"})
	}
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
	// For one that differs only in letter case, encoding/json would take the member.
	switch i := slices.IndexFunc(s.Properties, func(p schema.Property) bool { return strings.EqualFold(p.Name, name) }); {
	case i >= 0:
		right := s.Properties[i].Name
		r.tell(&schema.Fault{Code: "letterCase", Limit: right, Detail: "must be written " + strconv.Quote(right)})
	case twice:
		r.tell(schema.SameName)
	case s.Closed:
		r.tell(schema.Unknown)
	case s.Keys != nil:
		if f := r.scalar(s.Keys.Resolve(), key, name, r.at); f != nil {
			r.tell(f.OfName())
		}
	}
	if inner == anything {
		r.free() // as an item of an array
	} else {
		r.value(inner, element)
	}
	if element.IsValid() && (len(r.problems) == 0 || r.ctx != nil) {
		v.SetMapIndex(key, element)
	}
}

// missing reports required members that are missing, and adds the defaults of others.
func (r *reader) missing(s *schema.Schema, seen []bool, count int, v reflect.Value) {
	for i := range s.Properties {
		p := &s.Properties[i]
		switch {
		case seen[i] || r.part.hides(p.Schema):
		case p.RequiredIn(r.part == InRequests):
			r.tellAt(p.Name, schema.Required)
		case firstSeen(s, p.NeededBy, seen) != "":
			r.tellAt(p.Name, schema.MissingWith(firstSeen(s, p.NeededBy, seen)))
		case p.Schema.Default == nil:
		case v.IsValid():
			r.preset(p.Schema, r.field(v, p.Index))
		case r.mode == Lenient && len(r.problems) == 0: // the value will be used
			text := p.Label + string(p.Schema.Default)
			if count == 0 {
				text = text[1:]
			}
			r.edits = append(r.edits, edit{r.at, r.at, text})
			count++
		}
	}
}

// firstSeen returns the first of some members that is there, or "".
func firstSeen(s *schema.Schema, names []string, seen []bool) string {
	for _, name := range names {
		if seen[s.PropertyOf(name, 0)] {
			return name
		}
	}
	return ""
}

// preset sets v to the default, which was checked when the type was read.
func (r *reader) preset(s *schema.Schema, v reflect.Value) {
	if t := s.Resolve(); !t.Scalar() || t.Own != nil {
		Decode(context.Background(), s, string(s.Default), v, false)
		return
	}
	text := r.scanner
	r.scanner = scanner{text: string(s.Default)}
	r.value(s, v)
	r.scanner = text
}

// field returns the field of a struct, and allocates embedded pointers on the way. One that cannot
// be set, since its type is not exported, is an error.
func (r *reader) field(v reflect.Value, index []int) reflect.Value {
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i, at := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !v.CanSet() {
				r.tell(invalid(anything))
				return reflect.Value{}
			}
			v = pointed(v)
		}
		v = v.Field(at)
	}
	return v
}
