package apidoc

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/urlencoded"
)

// This file reads structs and maps from queries, in the style deepObject of OpenAPI: filter[min]=1.
// Such an object becomes JSON, so that it is read, checked and refused like one in a body.

// queryObject is the plan to read a struct or a map, which may be a pointer, from a query.
type queryObject struct {
	parameter
	index   []int
	schema  *schema.Schema
	fields  []*fieldPlan   // the members of a struct
	ranks   map[string]int // their places, by their names
	element *fieldPlan     // of a map; nil for a struct
	checks  bool           // it checks itself, or a part of it does
}

// planQueryObject plans a field of an input.
func planQueryObject(p parameter, s *schema.Schema, index []int, types *gotype.Definitions) (o *queryObject, err error) {
	t := p.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	o = &queryObject{parameter: p, index: index, schema: s.Resolve(), ranks: make(map[string]int), checks: types.Checks}
	isObject := o.schema.Kind == "object" && o.schema.Opaque == nil // it does not decode itself
	switch {
	case isObject && t.Kind() == reflect.Map:
		o.element, err = planValue(parameter{Name: p.Name + "[name]", In: InQuery, object: p.Name, Type: t.Elem()}, o.schema.Values, types)
		return o, err
	case t.Kind() != reflect.Struct || len(o.schema.Properties) == 0:
		return nil, fmt.Errorf("a deepObject is a struct or a map, not a %s: write members in it", t)
	}
	for _, property := range o.schema.Properties {
		if property.Schema.NotIn == schema.InRequests {
			continue
		}
		member := t.FieldByIndex(property.Index)
		member.Index = property.Index
		err := checkReachable(t, member)
		var plan *fieldPlan
		if err == nil {
			plan, err = planValue(parameter{
				Name: p.Name + "[" + property.Name + "]", In: InQuery, Required: p.Required && property.Required, object: p.Name, Type: member.Type,
			}, property.Schema, types)
		}
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", member.Name, err)
		}
		plan.index, plan.Required = slices.Concat(index, property.Index), property.Required
		o.ranks[property.Name] = len(o.fields)
		o.fields = append(o.fields, plan)
	}
	if o.fields == nil {
		return nil, errors.New("all its members are readOnly, so a request has none: leave it out")
	}
	return o, nil
}

// read sets the object that the query has, and returns what is wrong with it. Without any member a
// pointer stays nil, no member is required, and others have their defaults.
func (o *queryObject) read(from incoming, v reflect.Value) (errs []InputError, err error) {
	text, isSent, wrong := o.json(from)
	ctx := from.request.Context()
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
	default:
		if missing, _ := value.Decode(ctx, o.schema, text, v, false); missing != nil || !o.checks {
			return nil, nil
		}
	}
	errs, err = value.Decode(ctx, o.schema, text, v, o.checks)
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
	return o.Name + "[" + pointerUnescapes.Replace(name) + "]"
}

// pointerUnescapes is the reverse of what JSON pointers escape (RFC 6901, 4).
var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

// memberText is a value of a member, and its index in brackets, such as that of filter[kind][0], or
// -1. Rank is the place of a described member, and at that of the value in the query.
type memberText struct {
	rank      int
	name      string
	index, at int
	text      string
}

// json returns the object as JSON, and whether the query has it.
func (o *queryObject) json(from incoming) (text string, isSent bool, wrong []InputError) {
	rest := o.sent(from)
	if rest == nil {
		return "{}", false, nil
	}
	b := append(make([]byte, 0, len(from.request.URL.RawQuery)), '{') // usually enough
	for len(rest) > 0 {
		name, plan := rest[0].name, o.element
		if rest[0].rank < len(o.fields) {
			plan = o.fields[rest[0].rank]
		}
		end := slices.IndexFunc(rest, func(v memberText) bool { return v.name != name })
		if end < 0 {
			end = len(rest)
		}
		values := rest[:end]
		rest = rest[end:]
		if slices.ContainsFunc(values, func(v memberText) bool { return !isText(v.text) }) {
			wrong = append(wrong, parameter{In: InQuery, Name: o.Name + "[" + name + "]"}.wrong(notText))
			continue
		}
		if plan != nil && plan.blank {
			values = slices.DeleteFunc(values, func(v memberText) bool { return v.text == "" })
		}
		if len(values) == 0 {
			continue
		}
		isSent = isSent || plan != nil || o.schema.Closed
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(value.AppendText(b, textSchema, name), ':')
		b = appendMember(b, values, plan)
	}
	return string(append(b, '}')), isSent, wrong
}

// appendMember appends the value of a member: a list if it is one, or if it has indexes.
func appendMember(b []byte, values []memberText, plan *fieldPlan) []byte {
	one, isList := textSchema, values[0].index >= 0
	if plan != nil {
		one, isList = plan.one, isList || plan.list != nil
	}
	if !isList {
		return value.AppendText(b, one, values[0].text) // the first, as of each parameter
	}
	for i, item := range values {
		b = value.AppendText(append(b, "[,"[min(i, 1)]), one, item.text)
	}
	return append(b, ']')
}

// sent returns the values in the query: those of described members in their order, and then others
// by their names. Generated clients write the items of lists with or without indexes:
// filter[kind]=a, filter[kind][]=a, filter[kind][0]=a.
func (o *queryObject) sent(from incoming) (all []memberText) {
	query := from.request.URL.RawQuery
	for whole, text := range from.query.Fields(query).All() {
		if !o.has(whole) {
			continue
		}
		name, index := whole[len(o.Name)+1:len(whole)-1], -1
		if before, text, ok := strings.Cut(name, "]["); ok {
			if n, err := strconv.Atoi("0" + text); err == nil && len(text) < 10 {
				name, index = before, n
			}
		}
		if all == nil {
			all = make([]memberText, 0, min(strings.Count(query, "&")+1, urlencoded.MostFields))
		}
		rank, isDescribed := o.ranks[name]
		if !isDescribed {
			rank = len(o.fields)
		}
		all = append(all, memberText{rank, name, index, len(all), text})
	}
	slices.SortFunc(all, func(a, b memberText) int {
		if c := cmp.Or(a.rank-b.rank, strings.Compare(a.name, b.name)); c != 0 {
			return c
		}
		return cmp.Or(a.index-b.index, a.at-b.at)
	})
	return all
}

var textSchema = &schema.Schema{Kind: "string"}

// has reports whether a name in a query is that of a member, described or not.
func (o *queryObject) has(name string) bool { return isWithin(o.Name, name) }
