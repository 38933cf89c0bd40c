package apidoc

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file reads structs and maps from queries, in the style deepObject of OpenAPI: filter[min]=1.

// queryObject is the plan to read a struct or a map, which may be a pointer, from a query.
type queryObject struct {
	Parameter
	index   []int
	schema  *schema.Schema
	fields  []*fieldPlan // the members of a struct
	element *fieldPlan   // of a map; nil for a struct
}

// planQueryObject plans a field of an input.
func planQueryObject(p Parameter, index []int) (*queryObject, error) {
	for _, rule := range []string{"default", "dependentRequired"} {
		if _, ok := p.Rules.Lookup(rule); ok {
			return nil, fmt.Errorf("a deepObject has no %s: write it on its members", rule)
		}
	}
	s, err := p.schema(gotype.NewDefinitions())
	if err != nil {
		return nil, err
	}
	t := p.Type.goType
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	o := &queryObject{Parameter: p, index: index, schema: s.Resolve()}
	switch {
	case t.Kind() == reflect.Map && o.schema.Kind == "object" && o.schema.Own == nil: // it does not decode itself
		o.element, err = planValue(Parameter{Name: p.Name + "[name]", In: InQuery, object: p.Name, Type: Type{goType: t.Elem()}})
		return o, err
	case t.Kind() != reflect.Struct || len(o.schema.Properties) == 0:
		return nil, fmt.Errorf("a deepObject is a struct or a map, not a %s: write members in it", t)
	}
	for _, property := range o.schema.Properties {
		if property.Schema.HiddenIn(true) {
			continue
		}
		member := t.FieldByIndex(property.Index)
		member.Index = property.Index
		err := checkReachable(t, member)
		var plan *fieldPlan
		if err == nil {
			plan, err = planValue(Parameter{
				Name: p.Name + "[" + property.Name + "]", In: InQuery, object: p.Name, Type: Type{goType: member.Type}, Rules: member.Tag,
			})
		}
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", member.Name, err)
		}
		plan.index, plan.Required = slices.Concat(index, property.Index), property.Required
		o.fields = append(o.fields, plan)
	}
	if o.fields == nil {
		return nil, errors.New("all its members are readOnly, so a request has none: leave it out")
	}
	return o, nil
}

// read sets the members that the query has, and returns errs with those that are wrong. Without any
// member a pointer stays nil, and no member is required.
func (o *queryObject) read(from source, input reflect.Value, errs []InputError) ([]InputError, error) {
	before := len(errs)
	fields, example := o.fields, o.Name+"[name]"
	if o.element != nil {
		fields = o.entries(from)
	} else {
		example = fields[0].Name
	}
	isSent := slices.ContainsFunc(fields, func(f *fieldPlan) bool { return f.isSent(from) })
	if o.schema.Closed {
		isKnown := func(name string) bool { return !o.has(name) || o.isMember(name) }
		errs = append(errs, unknown(InQuery, "member", from.names(InQuery), isKnown)...)
	}
	v := input.FieldByIndex(o.index)
	isPointer := v.Kind() == reflect.Pointer
	switch {
	case !isSent && o.Required:
		return append(errs, o.wrong(&schema.Fault{Code: schema.Required.Code, Detail: "is required, with members such as " + example})), nil
	case !isSent && isPointer:
		return errs, nil
	case isPointer:
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	for _, f := range fields {
		switch {
		case o.element != nil:
			errs = o.add(v, f, from, errs)
		case isSent || !f.Required:
			errs = f.read(from, input.FieldByIndex(f.index), errs)
		}
	}
	if wrong := o.schema.RefuseLength(len(fields)); wrong != nil && o.element != nil && isSent {
		errs = append(errs, o.wrong(wrong))
	}
	checked, ok := v.Addr().Interface().(SelfChecked)
	if !ok || len(errs) > before {
		return errs, nil
	}
	return o.check(from.Request().Context(), checked, errs)
}

// entries returns plans for the elements of a map that are sent.
func (o *queryObject) entries(from source) (fields []*fieldPlan) {
	names := slices.DeleteFunc(from.names(InQuery), func(name string) bool { return !o.has(name) })
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		f := *o.element
		if f.Name = name; f.isSent(from) {
			fields = append(fields, &f)
		}
	}
	return fields
}

// add adds an element to a map, and returns errs with what is wrong with it.
func (o *queryObject) add(to reflect.Value, f *fieldPlan, from source, errs []InputError) []InputError {
	t := to.Type()
	key, element := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	if len(errs) >= value.MaxProblems {
		return errs
	}
	if wrong := value.Set(o.schema.Keys.Resolve(), key, f.Name[len(o.Name)+1:len(f.Name)-1]); wrong != nil {
		return append(errs, f.wrong(wrong.OfName()))
	}
	if to.IsNil() {
		to.Set(reflect.MakeMap(t))
	}
	errs = f.read(from, element, errs)
	to.SetMapIndex(key, element)
	return errs
}

// check returns errs with those that the struct finds itself.
func (o *queryObject) check(ctx context.Context, v SelfChecked, errs []InputError) ([]InputError, error) {
	more, err := v.CheckInput(ctx)
	for _, e := range more {
		if e.In, e.Name = InQuery, o.Name; e.Pointer != "" {
			e.Name, e.Pointer = o.Name+"["+strings.TrimPrefix(e.Pointer, "/")+"]", ""
		}
		errs = append(errs, e)
	}
	return errs, err
}

// has reports whether a name in a query is that of a member, described or not.
func (o *queryObject) has(name string) bool { return isWithin(o.Name, name) }

func (o *queryObject) isMember(name string) bool {
	return slices.ContainsFunc(o.fields, func(f *fieldPlan) bool { return f.Name == name })
}
