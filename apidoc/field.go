package apidoc

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// This file finds the members that encoding/json writes for a struct. Its rules for embedded
// structs follow Go's for selectors, with json tags counted in: of fields with one name the least
// nested wins, then the one that got the name from a tag; if two are left, neither is written.

// field is one member of a struct's JSON.
type field struct {
	name     string
	goName   string
	goType   reflect.Type
	required bool
	leftOut  bool // where it is empty
	quoted   bool // tagged with ",string"
	tag      reflect.StructTag

	index  []int // the way to the field, through embedded structs
	depth  int
	tagged bool
}

// fieldsOf returns the members of a struct, in the order in which they are written.
func fieldsOf(t reflect.Type) []field {
	all := collect(t, nil, true, []reflect.Type{t}, nil)
	var fields []field
	for _, f := range all {
		if dominant(f, all) {
			fields = append(fields, f)
		}
	}
	return fields
}

// collect appends all members of t and of the structs embedded in it, those included that others
// hide. The types in within are not entered again: what they would bring is hidden by what they
// have brought.
func collect(t reflect.Type, index []int, required bool, within []reflect.Type, fields []field) []field {
	for i := range t.NumField() {
		sf := t.Field(i)
		embedded := sf.Type
		if embedded.Kind() == reflect.Pointer && embedded.Name() == "" {
			embedded = embedded.Elem()
		}
		isStruct := sf.Anonymous && embedded.Kind() == reflect.Struct
		if !sf.IsExported() && !isStruct {
			continue
		}
		tag := sf.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = ""
		}
		if isStruct && name == "" {
			if !slices.Contains(within, embedded) {
				inner := append(slices.Clip(within), embedded)
				// Members of a nil pointer are not written.
				fields = collect(embedded, append(slices.Clip(index), i), required && sf.Type == embedded, inner, fields)
			}
			continue
		}
		if !sf.IsExported() {
			continue
		}
		list := strings.Split(options, ",")
		leftOut := slices.Contains(list, "omitempty") || slices.Contains(list, "omitzero")
		f := field{
			name:     name,
			goName:   sf.Name,
			goType:   sf.Type,
			required: required && !leftOut,
			leftOut:  leftOut,
			quoted:   slices.Contains(list, "string"),
			tag:      sf.Tag,
			index:    append(slices.Clip(index), i),
			depth:    len(index),
			tagged:   name != "",
		}
		if name == "" {
			f.name = sf.Name
		}
		fields = append(fields, f)
	}
	return fields
}

// dominant reports whether no other field of the same name hides f.
func dominant(f field, all []field) bool {
	rivals := 0
	for _, other := range all {
		if other.name != f.name {
			continue
		}
		if other.depth < f.depth || other.depth == f.depth && other.tagged && !f.tagged {
			return false
		}
		if other.depth == f.depth && other.tagged == f.tagged {
			rivals++ // f itself among them
		}
	}
	return rivals == 1
}

// validName reports whether encoding/json takes name from a tag; otherwise the field's own name
// stays.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}
