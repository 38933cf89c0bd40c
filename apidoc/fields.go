package apidoc

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/routing"
)

// This file walks the fields of structs that are inputs or outputs.

// eachField calls plan with the fields of a struct. It reports false if the whole type is the body:
// if it is not a struct, has one of the methods, or has only fields without tags. If a field has a
// tag, all exported fields must have one.
func eachField(
	t reflect.Type, tags []string, plan func(reflect.StructField) (tagged bool, err error), methods ...gotype.Methods,
) (tagged bool, err error) {
	target := t
	if t.Kind() == reflect.Pointer {
		target = t.Elem()
	}
	isWhole := slices.ContainsFunc(methods, func(method gotype.Methods) bool { return gotype.Implements(t, method) })
	switch {
	case isWhole && hasTag(t, tags):
		return false, errors.New("its JSON or text methods would be called, so the tags of its fields would not be read: " +
			"write the tags without these methods, which also come from an embedded type")
	case target != t && hasTag(target, tags):
		return false, errors.New("write the struct, not a pointer to it")
	case target.Kind() != reflect.Struct || isWhole:
		return false, nil
	}
	if name := onlyBody(target); name != "" {
		return false, fmt.Errorf(`field %s: write the tag body:"", or its type in place of the struct`, name)
	}
	if target != t {
		return false, nil
	}
	tagged = t.NumField() == 0
	without := "" // the first field without a tag
	for _, f := range fieldsOf(t, tags) {
		found, err := plan(f)
		switch {
		case err != nil:
			return false, fmt.Errorf("field %s: %w", f.Name, err)
		case !found && isPointerToTagged(f, tags):
			return false, fmt.Errorf("field %s: write the struct, not a pointer to it", f.Name)
		case !found && without == "" && f.IsExported() && f.Tag.Get("json") != "-":
			without = f.Name
		}
		tagged = tagged || found
	}
	if tagged && without != "" {
		return false, fmt.Errorf("field %s: it needs a tag, since other fields have one: write one of the tags %s, or json:\"-\"; "+
			"write the members of a body in another struct, in a field with the tag body", without, strings.Join(tags, ", "))
	}
	return tagged, nil
}

// onlyBody returns the name of a struct's body, Body or RawBody, if its exported fields are as
// in a request or response of the framework huma. As JSON it would be an object with these members.
func onlyBody(t reflect.Type) (name string) {
	for f := range t.Fields() {
		switch {
		case f.Tag != "" || f.Anonymous:
			return ""
		case f.Name == "Body" || f.Name == "RawBody":
			name = f.Name
		case f.IsExported() && f.Name != "Status":
			return ""
		}
	}
	return name
}

// isPointerToTagged reports whether a field is a pointer to a struct with tagged fields. A field
// with a json tag is a member of a JSON object instead.
func isPointerToTagged(f reflect.StructField, tags []string) bool {
	if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") != "" {
		return false
	}
	return f.Type.Kind() == reflect.Pointer && hasTag(f.Type.Elem(), tags)
}

// hasTag reports whether a field of a struct has one of the tags, or is a [routing.Context].
func hasTag(t reflect.Type, tags []string) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(fieldsOf(t, tags), func(f reflect.StructField) bool { return isTagged(f, tags) || isContext(f) })
}

func isContext(f reflect.StructField) bool {
	return f.Type == reflect.TypeFor[routing.Context]() && f.IsExported()
}

// isTagged reports whether a field has one of the tags.
func isTagged(f reflect.StructField, tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { _, ok := f.Tag.Lookup(tag); return ok })
}

// fieldsOf returns the fields of a struct. Embedded structs, and other structs with
// tagged fields, are replaced by their fields. A field of the struct hides the fields of embedded
// structs with the same name.
func fieldsOf(t reflect.Type, tags []string) (fields []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !isEntered(f, tags) {
			fields = append(fields, f)
			continue
		}
		for _, inner := range fieldsOf(f.Type, tags) {
			if outer, ok := t.FieldByName(inner.Name); ok && f.Anonymous && len(outer.Index) == 1 && outer.Index[0] != i {
				continue
			}
			inner.Index = append([]int{i}, inner.Index...)
			fields = append(fields, inner)
		}
	}
	return fields
}

// isEntered reports whether the fields of a field are used in its place.
func isEntered(f reflect.StructField, tags []string) bool {
	isWhole := f.Type.Kind() != reflect.Struct || f.Type == reflect.TypeFor[routing.Context]() || isTagged(f, tags)
	return !isWhole && (f.Anonymous || f.IsExported() && f.Tag.Get("json") != "-" && hasTag(f.Type, tags))
}

// checkReachable returns an error for a field that cannot be set or read.
func checkReachable(t reflect.Type, f reflect.StructField) error {
	reachable := f.IsExported()
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
		reachable = reachable && t.Kind() != reflect.Pointer
	}
	if !reachable {
		return errors.New("write its name with a capital letter, outside of an embedded pointer")
	}
	return nil
}
