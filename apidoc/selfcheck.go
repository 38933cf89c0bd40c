package apidoc

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file runs the checks that types of inputs make themselves.

// SelfChecked is an input, or a struct, slice or map anywhere in a body, that checks itself after
// its rules, for what tags cannot say: that a date is before another one, or that a name is free.
// It returns what is wrong, which is reported with the other errors in one 422. Pointers are
// relative to the value: "/until" is the member of that name. For a parameter the Name is enough,
// as part of the input itself. Another error is an error of the operation.
//
// It is not called if a rule refuses the value or something in it, and for the input itself if
// there is any error. The type of a part that decodes itself is not entered, and the method of an
// embedded struct is that of the struct around it, as everywhere in Go.
type SelfChecked interface {
	CheckInput(ctx context.Context) ([]InputError, error)
}

// checksItself reports whether a type in an input, or a type of one of its parts, is SelfChecked. A
// method of another signature is an error. Entered are types that were looked at before.
func checksItself(t reflect.Type, entered map[reflect.Type]bool) (does bool, err error) {
	if entered[t] {
		return false, nil
	}
	entered[t] = true
	own := reflect.PointerTo(t)
	does = own.Implements(reflect.TypeFor[SelfChecked]())
	if _, isNamed := own.MethodByName("CheckInput"); isNamed && !does {
		return false, fmt.Errorf("type %s: write its method as CheckInput(context.Context) ([]apidoc.InputError, error)", t)
	}
	var parts []reflect.Type
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		parts = append(parts, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			parts = append(parts, t.Field(i).Type)
		}
	}
	for _, part := range parts {
		isPart, err := checksItself(part, entered)
		if err != nil {
			return false, err
		}
		does = does || isPart
	}
	return does, nil
}

// jsonValue is a value of an input that is read from JSON: the body, or a part of a form.
type jsonValue struct {
	in     Place
	name   string // of the part
	index  []int  // of the field, nil for the whole input
	schema *schema.Schema
}

// checkParts returns errs with those that the parts of an input find. all are its values that are
// read from JSON, and placeOf returns the place of a parameter.
func checkParts(
	ctx context.Context, input reflect.Value, all []jsonValue, placeOf func(name string) Place, errs []InputError,
) ([]InputError, error) {
	var failed error
	ruled := errs
	var within jsonValue
	check := func(pointer string, v reflect.Value) {
		part, ok := v.Addr().Interface().(SelfChecked)
		if !ok || failed != nil || len(errs) >= value.MaxProblems {
			return
		}
		for _, e := range ruled { // a pointer that is very long is cut
			if e.In == within.in && e.Name == within.name && (strings.HasPrefix(pointer+"/", e.Pointer+"/") || strings.HasPrefix(e.Pointer+"/", pointer+"/")) {
				return
			}
		}
		more, err := part.CheckInput(ctx)
		failed = err
		for _, e := range more {
			e.In, e.Name, e.Pointer = within.in, within.name, pointer+e.Pointer
			errs = append(errs, e)
		}
	}
	isChecked := false // the input itself, as the body
	for _, within = range all {
		v := input
		if isChecked = within.index == nil; !isChecked {
			v = v.FieldByIndex(within.index)
		}
		value.Walk(within.schema, v, "", check)
	}
	own, ok := input.Addr().Interface().(SelfChecked)
	if !ok || isChecked || len(errs) > 0 || failed != nil {
		return errs, failed
	}
	errs, failed = own.CheckInput(ctx)
	for i := range errs {
		if errs[i].In == "" {
			errs[i].In = placeOf(errs[i].Name)
		}
	}
	return errs, failed
}
