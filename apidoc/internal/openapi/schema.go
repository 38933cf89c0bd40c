package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file writes schemas. The formats differ in the members that are allowed with a reference,
// and in null and unions, which Swagger 2.0 does not have.

// schema writes s, or a reference to its definition. It returns nil for nil.
func (w *writer) schema(s *schema.Schema) object {
	if s == nil {
		return nil
	}
	w.inline = max(0, w.inline-1)
	switch {
	case s.Ref != "" && w.inline > 0 && !slices.Contains(w.within, s.Target):
		return w.inPlace(s)
	case s.Ref != "":
		return w.refer(s)
	}
	dependent := w.dependentRequired(s)
	if dependent != nil && !w.isJSONSchema { // other formats have no member for it
		noted := *s
		for _, m := range dependent {
			noted.Doc = strings.TrimSpace(fmt.Sprintf("%s\n\nWith %s it requires %s.", noted.Doc, m.name, strings.Join(m.value.([]string), ", ")))
		}
		s, dependent = &noted, nil
	}
	least, most, _ := s.LengthRules()
	if s.IsBinary() { // clients of openapi-generator read a file's length as a text's
		least, most = "x-"+least, "x-"+most
	}
	o := object{
		{"type", w.kind(s)},
		{"format", s.Format},
	}
	o = append(append(o, w.limit("minimum", "exclusiveMinimum", s.Min)...), w.limit("maximum", "exclusiveMaximum", s.Max)...)
	o = append(o, object{
		{"multipleOf", s.MultipleOf},
		{"items", w.schema(s.Items)},
		{least, s.MinLength},
		{most, s.MaxLength},
		{"pattern", pattern(s)},
		{"enum", w.enum(s)},
		{"uniqueItems", flag(s.Unique)},
		{"properties", w.properties(s)},
		{"required", w.required(s)},
		{"dependentRequired", dependent},
		{"propertyNames", w.keys(s)},
		{"additionalProperties", w.additionalProperties(s)},
		{"oneOf", w.alternatives(s)},
		{"discriminator", w.discriminator(s)},
	}...)
	if s.Quoted != nil && w.isJSONSchema {
		o = append(o, object{{"contentMediaType", "application/json"}, {"contentSchema", w.schema(s.Quoted)}}...)
	}
	if s.Nullable && (s.Kind != "" || s.OneOf != nil) && w.nullable != "" {
		o = append(o, member{w.nullable, true})
	}
	return append(o, w.notes(s)...)
}

// refer writes a reference and the members next to it. OpenAPI 3.1 and 3.2 read these: 3.0 needs an
// allOf around the reference.
func (w *writer) refer(s *schema.Schema) object {
	reference, notes := w.reference(s), w.notes(s)
	switch {
	case !s.Nullable && (w.isSwagger() || notes == nil):
		return reference
	case w.isSwagger():
		return w.orNull(s)
	case w.isJSONSchema && s.Nullable:
		return append(object{{"anyOf", []object{reference, {{"type", "null"}}}}}, notes...)
	case w.isJSONSchema:
		return append(reference, notes...)
	}
	all := member{"allOf", []object{reference}}
	if !s.Nullable {
		return append(object{all}, notes...)
	}
	t := s.Resolve() // tools read nullable only next to a type, and require items for an array
	return append(object{{"type", commonKind(t)}, {"items", w.schema(t.Items)}, all, {w.nullable, true}}, notes...)
}

// commonKind returns the type of a schema, or of all alternatives of a union, or the empty string.
func commonKind(s *schema.Schema) string {
	if s.OneOf == nil {
		return s.Kind
	}
	kind := s.OneOf[0].Resolve().Kind
	if slices.ContainsFunc(s.OneOf, func(one *schema.Schema) bool { return one.Resolve().Kind != kind }) {
		return ""
	}
	return kind
}

// orNull returns a reference to a definition of 2.0 that adds null to another one. An inline allOf
// would be enough, but go-swagger generates recursive types from it.
func (w *writer) orNull(s *schema.Schema) object {
	name := w.uniqueName(w.nameOf(s) + "OrNull")
	w.define(name, func() object { return object{{"allOf", []object{w.reference(s)}}, {w.nullable, true}} })
	return object{{"$ref", w.references + name}}
}

// kind returns the type, which since OpenAPI 3.1 includes null.
func (w *writer) kind(s *schema.Schema) any {
	switch {
	case s.Nullable && s.Kind != "" && w.isJSONSchema:
		return []string{s.Kind, "null"}
	case s.Nullable && s.OneOf != nil && w.Format == OpenAPI30: // tools read nullable only next to a type
		return commonKind(s)
	}
	return s.Kind
}

// limit writes a limit. Before OpenAPI 3.1, an exclusive limit has a separate flag.
func (w *writer) limit(limit, exclusive string, n *schema.Limit) object {
	switch {
	case n == nil || !n.Exclusive:
		return object{{limit, n}}
	case w.isJSONSchema:
		return object{{exclusive, n}}
	}
	return object{{limit, n}, {exclusive, true}}
}

// pattern returns the pattern of a string, which may contain a number.
func pattern(s *schema.Schema) string {
	switch q := s.Quoted; {
	case s.Pattern != nil:
		return s.Pattern.String()
	case q == nil || q.Enum != nil:
		return ""
	case q.Kind == "integer":
		return integerPattern(q)
	case q.Kind == "number":
		return `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`
	}
	return ""
}

// integerPattern returns the pattern of integers in text.
func integerPattern(s *schema.Schema) string {
	if s.Unsigned {
		return "^(0|[1-9][0-9]*)$"
	}
	return "^(0|-?[1-9][0-9]*)$"
}

// enum writes the allowed values. Null is one of them, except where tools refuse it with a type:
// redocly in 2.0, and oapi-codegen for numbers of 3.0. In these formats the nullable flag is
// enough.
func (w *writer) enum(s *schema.Schema) (values []json.RawMessage) {
	for _, l := range s.Enum {
		values = append(values, l.JSON)
	}
	if q := s.Quoted; q != nil {
		texts := q.Enum
		if q.Kind == "boolean" && texts == nil {
			texts = []schema.Literal{{JSON: []byte("true")}, {JSON: []byte("false")}}
		}
		for _, l := range texts {
			b, _ := json.Marshal(string(l.JSON)) // text has no error
			values = append(values, b)
		}
	}
	if s.Nullable && values != nil && (w.isJSONSchema || w.Format == OpenAPI30 && s.Kind == "string") {
		values = append(values, json.RawMessage("null"))
	}
	return values
}

// properties writes the members. If unknown members are refused, a request may still have readOnly
// members, which are ignored.
func (w *writer) properties(s *schema.Schema) (list object) {
	for _, p := range s.Properties {
		switch {
		case p.Schema.NotIn != w.direction:
			list = append(list, member{p.Name, w.schema(p.Schema)})
		case s.Closed && w.direction == schema.InRequests:
			list = append(list, member{p.Name, object{{"description", "Ignored in requests"}, {"readOnly", true}}})
		}
	}
	return list
}

// required returns the names of the required members.
func (w *writer) required(s *schema.Schema) (list []string) {
	for _, p := range s.Properties {
		if p.RequiredIn(w.direction) && p.Schema.NotIn != w.direction {
			list = append(list, p.Name)
		}
	}
	return list
}

// dependentRequired returns the names of the members that each member requires.
func (w *writer) dependentRequired(s *schema.Schema) (o object) {
	for _, p := range s.Properties {
		var list []string
		for _, other := range s.Properties {
			if slices.Contains(other.NeededBy, p.Name) && p.Schema.NotIn != w.direction {
				list = append(list, other.Name)
			}
		}
		if list != nil {
			o = append(o, member{p.Name, list})
		}
	}
	return o
}

// keys describes the names of a map's members, which are always text.
func (w *writer) keys(s *schema.Schema) object {
	if s.Keys == nil || !w.isJSONSchema {
		return nil
	}
	var names []string
	keys := s.Keys.Resolve()
	for _, l := range keys.Enum {
		names = append(names, l.Text)
	}
	if names == nil && keys.Kind == "integer" {
		return object{{"pattern", integerPattern(keys)}}
	}
	return object{
		{"format", keys.Format},
		{"minLength", keys.MinLength},
		{"maxLength", keys.MaxLength},
		{"pattern", pattern(keys)},
		{"enum", names},
	}.withoutEmpty()
}

// additionalProperties describes additional members.
func (w *writer) additionalProperties(s *schema.Schema) any {
	switch {
	case s.Values != nil:
		return w.schema(s.Values)
	case s.Closed:
		return false
	}
	return nil
}

// alternatives writes the types of a union. In 2.0 only their definitions are written.
func (w *writer) alternatives(s *schema.Schema) (list []object) {
	for _, one := range s.OneOf {
		list = append(list, w.schema(one))
	}
	switch {
	case w.isSwagger():
		return nil
	case list != nil && s.Nullable && w.isJSONSchema:
		list = append(list, object{{"type", "null"}})
	}
	return list
}

// discriminator writes the member that names the type of a union. Its values refer to definitions,
// so it is omitted if a type has no name.
func (w *writer) discriminator(s *schema.Schema) (o object) {
	if s.By == nil || w.isSwagger() || w.Format == standalone || slices.ContainsFunc(s.OneOf, func(one *schema.Schema) bool { return one.Ref == "" }) {
		return nil
	}
	var mapping object
	for _, k := range s.By.Mappings {
		mapping = append(mapping, member{k.Text, w.address(k.Schema)})
	}
	return object{{"propertyName", s.By.Name}, {"mapping", mapping}}
}

// notes writes the annotations.
func (w *writer) notes(s *schema.Schema) object {
	var example any = s.Example
	if s.Example != nil && w.isJSONSchema {
		example = []json.RawMessage{s.Example}
	}
	return object{
		{"description", s.Doc},
		{"deprecated", flag(s.Deprecated && !w.isSwagger())},
		{"default", s.Default},
		{w.example, example},
	}.withoutEmpty()
}
