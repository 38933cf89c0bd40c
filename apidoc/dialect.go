package apidoc

import "encoding/json"

// This file writes schemas in each of the three formats. They differ in where definitions are, in
// what may stand beside a reference, and in null, for which Swagger 2.0 has no word.

type dialect uint8

const (
	swagger2 dialect = iota
	openAPI30
	openAPI31
)

// reference returns the address of a definition.
func (d dialect) reference(name string) object {
	if d == swagger2 {
		return object{{"$ref", "#/definitions/" + name}}
	}
	return object{{"$ref", "#/components/schemas/" + name}}
}

// null lets o, which describes what is not null, describe null too.
func (d dialect) null(o object) object {
	switch d {
	case swagger2:
		o.add("x-nullable", true)
	case openAPI30:
		o.add("nullable", true)
	}
	return o
}

// object writes s in the dialect d.
func (s *schema) object(d dialect) object {
	if s.ref != "" {
		return s.refer(d)
	}
	var o object
	if s.nullable && d == openAPI31 && s.kind != "" {
		o.add("type", []string{s.kind, "null"})
	} else {
		o.addText("type", s.kind)
	}
	o.addText("format", s.format)
	s.addNumbers(&o)
	if s.items != nil {
		o.add("items", s.items.object(d))
	}
	s.addLengths(&o)
	if s.pattern != nil {
		o.add("pattern", s.pattern.String())
	} else if s.quoted != nil && s.quoted.kind == "integer" {
		o.add("pattern", "^-?[0-9]+$")
	}
	if s.enum != nil {
		o.add("enum", s.enumValues())
	}
	if s.unique {
		o.add("uniqueItems", true)
	}
	s.addMembers(&o, d)
	if s.oneOf != nil && d != swagger2 {
		var list []object
		for _, one := range s.oneOf {
			list = append(list, one.object(d))
		}
		if s.nullable && d == openAPI31 {
			list = append(list, object{{"type", "null"}})
		}
		o.add("oneOf", list)
	}
	if s.nullable && s.kind != "" || s.nullable && s.oneOf != nil {
		o = d.null(o)
	}
	s.addNotes(&o, d)
	if o == nil {
		return object{}
	}
	return o
}

// refer writes a reference. What stands beside one is read in OpenAPI 3.1 alone: 3.0 needs an allOf
// around it, and 2.0, of which go-swagger makes types that always hold themselves where there is an
// allOf, goes without.
func (s *schema) refer(d dialect) object {
	reference := d.reference(s.ref)
	var notes object
	s.addNotes(&notes, d)
	switch {
	case d == swagger2 || !s.nullable && notes == nil:
		return reference
	case d == openAPI31 && s.nullable:
		return append(object{{"anyOf", []object{reference, {{"type", "null"}}}}}, notes...)
	case d == openAPI31:
		return append(reference, notes...)
	}
	o := object{{"allOf", []object{reference}}}
	if t := s.resolve(); s.nullable && t != nil && t.kind != "" { // null is read beside a type alone
		o = d.null(append(object{{"type", t.kind}}, o...))
	}
	return append(o, notes...)
}

// addNumbers adds the bounds of numbers, the narrower ones of the type and the rules.
func (s *schema) addNumbers(o *object) {
	minimum, maximum, ok := s.bounds()
	switch {
	case s.min != nil:
		o.add("minimum", json.RawMessage(s.min.text))
	case ok:
		o.add("minimum", minimum)
	}
	switch {
	case s.max != nil:
		o.add("maximum", json.RawMessage(s.max.text))
	case ok && maximum > 0:
		o.add("maximum", maximum)
	}
	if s.multipleOf != nil {
		o.add("multipleOf", json.RawMessage(s.multipleOf.text))
	}
}

func (s *schema) addLengths(o *object) {
	least, most := "minLength", "maxLength"
	switch {
	case s.isBinary(): // generated clients of openapi-generator take a file's length for that of text
		least, most = "x-minBytes", "x-maxBytes"
	case s.kind == "array":
		least, most = "minItems", "maxItems"
	case s.kind == "object":
		least, most = "minProperties", "maxProperties"
	}
	if s.length != nil {
		o.add(least, *s.length)
		o.add(most, *s.length)
		return
	}
	if s.minLength != nil {
		o.add(least, *s.minLength)
	}
	if s.maxLength != nil {
		o.add(most, *s.maxLength)
	}
}

func (s *schema) enumValues() []json.RawMessage {
	var values []json.RawMessage
	for _, l := range s.enum {
		values = append(values, l.json)
	}
	if s.nullable {
		values = append(values, json.RawMessage("null"))
	}
	return values
}

// addMembers adds what an object has. In 2.0 a reference cannot say that it may be null, and the
// member is not required in place of that.
func (s *schema) addMembers(o *object, d dialect) {
	if len(s.properties) > 0 {
		var properties object
		var required []string
		for _, p := range s.properties {
			properties.add(p.name, p.schema.object(d))
			if p.required && !(d == swagger2 && p.schema.ref != "" && p.schema.nullable) {
				required = append(required, p.name)
			}
		}
		o.add("properties", properties)
		if required != nil {
			o.add("required", required)
		}
	}
	if s.keys != nil && s.keys.kind == "integer" && d == openAPI31 {
		o.add("propertyNames", object{{"pattern", "^-?[0-9]+$"}})
	}
	if s.values != nil {
		o.add("additionalProperties", s.values.object(d))
	} else if s.closed {
		o.add("additionalProperties", false)
	}
}

// addNotes adds what is for people.
func (s *schema) addNotes(o *object, d dialect) {
	o.addText("description", s.doc)
	if s.deprecated && d != swagger2 {
		o.add("deprecated", true)
	}
	if s.def != nil {
		o.add("default", s.def)
	}
	if s.example == nil {
		return
	}
	if d == openAPI31 {
		o.add("examples", []json.RawMessage{s.example})
	} else {
		o.add("example", s.example)
	}
}
