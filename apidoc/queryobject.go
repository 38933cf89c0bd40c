package apidoc

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file reads structs and maps from queries, in the style deepObject of OpenAPI: filter[min]=1.
// Such an object becomes JSON, so that it is read, checked and refused like one in a body.

// queryObject is the plan to read a struct or a map, which may be a pointer, from a query.
type queryObject struct {
	parameter
	index   []int
	schema  *schema.Schema
	fields  []*fieldPlan // the members of a struct
	element *fieldPlan   // of a map; nil for a struct
	checks  bool         // it checks itself, or a part of it does
}

// planQueryObject plans a field of an input.
func planQueryObject(p parameter, index []int) (*queryObject, error) {
	for _, rule := range []string{"default", "dependentRequired"} {
		if _, ok := p.Rules.Lookup(rule); ok {
			return nil, fmt.Errorf("a deepObject has no %s: write it on its members", rule)
		}
	}
	types := inputTypes()
	s, err := p.schema(types)
	if err != nil {
		return nil, err
	}
	t := p.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	o := &queryObject{parameter: p, index: index, schema: s.Resolve(), checks: types.Checks}
	isObject := o.schema.Kind == "object" && o.schema.Own == nil // it does not decode itself
	switch {
	case isObject && t.Kind() == reflect.Map:
		o.element, err = planValue(parameter{Name: p.Name + "[name]", In: InQuery, object: p.Name, Type: t.Elem()})
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
			plan, err = planValue(parameter{
				Name: p.Name + "[" + property.Name + "]", In: InQuery, object: p.Name, Type: member.Type, Rules: member.Tag,
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

// read sets the object that the query has, and returns what is wrong with it. Without any member a
// pointer stays nil, no member is required, and others have their defaults.
func (o *queryObject) read(from source, input reflect.Value) (errs []InputError, err error) {
	text, isSent, wrong := o.json(from)
	v := input.FieldByIndex(o.index)
	switch {
	case wrong != nil:
		return wrong, nil
	case isSent:
	case o.Required:
		example := o.Name + "[name]"
		if o.element == nil {
			example = o.fields[0].Name
		}
		return []InputError{o.wrong(&schema.Fault{Code: schema.Required.Code, Detail: "is required, with members such as " + example})}, nil
	case v.Kind() == reflect.Pointer || o.element != nil:
		return nil, nil
	case len(value.Decode(o.schema, text, v)) > 0 || !o.checks:
		return nil, nil
	}
	if o.checks {
		errs, err = value.DecodeChecked(from.Request().Context(), o.schema, text, v)
	} else {
		errs = value.Decode(o.schema, text, v)
	}
	for i := range errs {
		e := &errs[i]
		e.In, e.Name, e.Pointer = InQuery, o.nameOf(e.Pointer), ""
		if with, ok := e.Limit.(string); ok && e.Code == schema.MissingWith("").Code {
			*e = parameter{In: InQuery, Name: e.Name}.wrong(schema.MissingWith(o.nameOf("/" + with)))
		}
	}
	return errs, err
}

// nameOf returns the name in the query for a JSON pointer.
func (o *queryObject) nameOf(pointer string) string {
	if pointer == "" {
		return o.Name
	}
	name, _, _ := strings.Cut(pointer[1:], "/") // items have the name of their list
	return o.Name + "[" + strings.NewReplacer("~1", "/", "~0", "~").Replace(name) + "]"
}

// member is a member of an object in a query, with its values.
type member struct {
	name   string
	values []itemText
	plan   *fieldPlan // nil if it is not described
}

// itemText is a value, and its index in brackets, such as that of filter[kind][0], or -1.
type itemText struct {
	index int
	text  string
}

// json returns the object as JSON, and whether the query has it. Described members come first, in
// their order, and then others in the order of their names.
func (o *queryObject) json(from source) (text string, isSent bool, wrong []InputError) {
	b := []byte("{")
	for _, m := range o.members(from) {
		if i := slices.IndexFunc(m.values, func(i itemText) bool { return !isText(i.text) }); i >= 0 {
			wrong = append(wrong, parameter{In: InQuery, Name: o.Name + "[" + m.name + "]"}.wrong(notText))
			continue
		}
		if m.plan != nil && m.plan.blank {
			m.values = slices.DeleteFunc(m.values, func(i itemText) bool { return i.text == "" })
		}
		if len(m.values) == 0 {
			continue
		}
		isSent = isSent || m.plan != nil || o.schema.Closed
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(value.AppendText(b, textSchema, m.name), ':')
		b = m.append(b)
	}
	return string(append(b, '}')), isSent, wrong
}

// append appends the value of a member: a list if it is one, or if it has indexes.
func (m *member) append(b []byte) []byte {
	one, isList := textSchema, m.values[0].index >= 0
	if m.plan != nil {
		one, isList = m.plan.one, isList || m.plan.list != nil
	}
	if !isList {
		return value.AppendText(b, one, m.values[0].text) // the first, as of each parameter
	}
	slices.SortStableFunc(m.values, func(a, b itemText) int { return a.index - b.index })
	for i, item := range m.values {
		b = value.AppendText(append(b, "[,"[min(i, 1)]), one, item.text)
	}
	return append(b, ']')
}

// members returns the members in the query. Generated clients write the items of lists with or
// without indexes: filter[kind]=a, filter[kind][]=a, filter[kind][0]=a.
func (o *queryObject) members(from source) (all []*member) {
	names := slices.DeleteFunc(from.names(InQuery), func(name string) bool { return !o.has(name) })
	slices.Sort(names)
	byName := make(map[string]*member, len(names))
	for _, whole := range slices.Compact(names) {
		name, at := whole[len(o.Name)+1:len(whole)-1], -1
		if before, text, ok := strings.Cut(name, "]["); ok {
			if n, err := strconv.Atoi("0" + text); err == nil && len(text) < 10 {
				name, at = before, n
			}
		}
		m := byName[name]
		if m == nil {
			m = &member{name: name, plan: o.element}
			byName[name], all = m, append(all, m)
		}
		for _, text := range from.query.Fields(from.Request().URL.RawQuery).Append(nil, whole) {
			m.values = append(m.values, itemText{at, text})
		}
	}
	if o.element != nil {
		return all
	}
	var described []*member
	for _, f := range o.fields {
		name := f.Name[len(o.Name)+1 : len(f.Name)-1]
		if m := byName[name]; m != nil {
			m.plan, described = f, append(described, m)
		}
	}
	return append(described, slices.DeleteFunc(all, func(m *member) bool { return m.plan != nil })...)
}

var textSchema = &schema.Schema{Kind: "string"}

// has reports whether a name in a query is that of a member, described or not.
func (o *queryObject) has(name string) bool { return isWithin(o.Name, name) }
