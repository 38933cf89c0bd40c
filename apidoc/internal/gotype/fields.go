package gotype

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// This file finds the members that encoding/json writes for a struct. The rules for embedded
// structs are like Go's rules for selectors: of fields with the same name the least nested wins,
// then one whose name is from a tag. If two are left, neither is written.

// field is one member of a struct's JSON.
type field struct {
	reflect.StructField          // its Index leads through embedded structs
	name                string   // in JSON
	tagged              bool     // the name is from a tag
	options             []string // of the tag
	mayMiss             bool     // an embedded pointer leads to it
}

// has reports whether the json tag has an option.
func (f field) has(option string) bool { return slices.Contains(f.options, option) }

// fieldsOf returns the members of a struct, in the order in which they are written.
func fieldsOf(t reflect.Type) []field {
	all := collect(t, field{}, []reflect.Type{t}, nil)
	var fields []field
	for _, f := range all {
		if dominant(f, all) {
			fields = append(fields, f)
		}
	}
	return fields
}

// collect appends all members of t and of its embedded structs, also hidden ones. The types in
// within are not entered again, because their further members would be hidden.
func collect(t reflect.Type, at field, within []reflect.Type, fields []field) []field {
	for i := range t.NumField() {
		f := field{StructField: t.Field(i), mayMiss: at.mayMiss}
		f.Index = append(slices.Clip(at.Index), i)
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer && embedded.Name() == "" {
			embedded = embedded.Elem()
		}
		isStruct := f.Anonymous && embedded.Kind() == reflect.Struct
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !isStruct {
			continue
		}
		parts := strings.Split(tag, ",")
		f.name, f.options, f.tagged = parts[0], parts[1:], validName(parts[0])
		switch {
		case isStruct && !f.tagged:
			if !slices.Contains(within, embedded) {
				f.mayMiss = f.mayMiss || f.Type != embedded // members of a nil pointer are not written
				fields = collect(embedded, f, append(slices.Clip(within), embedded), fields)
			}
			continue
		case !f.IsExported():
			continue
		case !f.tagged:
			f.name = f.Name
		}
		fields = append(fields, f)
	}
	return fields
}

// dominant reports whether no other field of the same name hides f.
func dominant(f field, all []field) bool {
	rivals := 0
	for _, other := range all {
		if other.name != f.name || len(other.Index) > len(f.Index) {
			continue
		}
		if len(other.Index) < len(f.Index) || other.tagged && !f.tagged {
			return false
		}
		if other.tagged == f.tagged {
			rivals++ // f itself among them
		}
	}
	return rivals == 1
}

// validName reports whether encoding/json accepts name from a tag. Otherwise it uses the field's
// own name.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}
