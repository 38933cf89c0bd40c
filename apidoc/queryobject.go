package apidoc

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file reads structs from queries, in the style deepObject of OpenAPI: filter[min]=1.

// queryObject is the plan to read a struct, which may be a pointer, from a query.
type queryObject struct {
	name     string
	index    []int
	required bool
	closed   bool        // other members are refused
	fields   []fieldPlan // its members
}

// planQueryObject plans a field of an input.
func planQueryObject(f reflect.StructField, name string, required bool) (*queryObject, Parameter, error) {
	described := Parameter{
		Name: name, In: InQuery, Required: required, Description: f.Tag.Get("doc"), Type: Type{goType: f.Type}, Rules: f.Tag,
	}
	for _, rule := range []string{"default", "dependentRequired"} {
		if _, ok := f.Tag.Lookup(rule); ok {
			return nil, described, fmt.Errorf("a deepObject has no %s: write it on its members", rule)
		}
	}
	s, err := described.schema(gotype.NewDefinitions())
	if err != nil {
		return nil, described, err
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s = s.Resolve()
	if t.Kind() != reflect.Struct || len(s.Properties) == 0 {
		return nil, described, fmt.Errorf("a deepObject is a struct with members, not a %s", t)
	}
	o := &queryObject{name: name, index: f.Index, required: required, closed: s.Closed}
	for _, p := range s.Properties {
		if p.Schema.HiddenIn(true) {
			continue
		}
		member := t.FieldByIndex(p.Index)
		member.Index = p.Index
		err := checkReachable(t, member)
		var plan fieldPlan
		if err == nil {
			plan, err = planValue(Parameter{
				Name: name + "[" + p.Name + "]", In: InQuery, object: name, Type: Type{goType: member.Type}, Rules: member.Tag,
			})
		}
		if err != nil {
			return nil, described, fmt.Errorf("member %s: %w", member.Name, err)
		}
		plan.index, plan.Required = slices.Concat(f.Index, p.Index), p.Required
		o.fields = append(o.fields, plan)
	}
	return o, described, nil
}

// read sets the members that the query has, and returns errs with those that are wrong. Without any
// member a pointer stays nil, and no member is required.
func (o *queryObject) read(c routing.Context, query *urlencoded.Index, input reflect.Value, errs []InputError) ([]InputError, error) {
	before := len(errs)
	all, isSent := make([][]string, len(o.fields)), false
	for i := range o.fields {
		all[i] = o.fields[i].given(o.fields[i].sent(c, query, nil))
		isSent = isSent || len(all[i]) > 0
	}
	if o.closed {
		names := query.Fields(c.Request().URL.RawQuery).AppendKeys(nil)
		isKnown := func(name string) bool { return !o.has(name) || o.isMember(name) }
		errs = append(errs, unknown(InQuery, "member", names, isKnown)...)
	}
	v := input.FieldByIndex(o.index)
	isPointer := v.Kind() == reflect.Pointer
	switch {
	case !isSent && o.required:
		missing := &schema.Fault{Code: schema.Required.Code, Detail: "is required, with members such as " + o.fields[0].Name}
		return append(errs, Parameter{In: InQuery, Name: o.name}.wrong(missing)), nil
	case !isSent && isPointer:
		return errs, nil
	case isPointer:
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	for i := range o.fields {
		f := &o.fields[i]
		if f.Required && !isSent {
			continue
		}
		if wrong := f.fill(input.FieldByIndex(f.index), all[i]); wrong != nil {
			errs = append(errs, f.wrong(wrong))
		}
	}
	checked, ok := v.Addr().Interface().(SelfChecked)
	if !ok || len(errs) > before {
		return errs, nil
	}
	return o.check(c.Request().Context(), checked, errs)
}

// check returns errs with those that the struct finds itself.
func (o *queryObject) check(ctx context.Context, v SelfChecked, errs []InputError) ([]InputError, error) {
	more, err := v.CheckInput(ctx)
	for _, e := range more {
		if e.In, e.Name = InQuery, o.name; e.Pointer != "" {
			e.Name, e.Pointer = o.name+"["+strings.TrimPrefix(e.Pointer, "/")+"]", ""
		}
		errs = append(errs, e)
	}
	return errs, err
}

// has reports whether a name in a query is that of a member, described or not.
func (o *queryObject) has(name string) bool {
	return strings.HasPrefix(name, o.name+"[") && strings.HasSuffix(name, "]")
}

func (o *queryObject) isMember(name string) bool {
	return slices.ContainsFunc(o.fields, func(f fieldPlan) bool { return f.Name == name })
}
