package apidoc

// This file holds schemas, and how each of the two formats writes them. They differ in where definitions are, and in null, for
// which Swagger 2.0 has no word.

// schema describes a JSON value. With no member set it describes any.
type schema struct {
	ref        string // a definition's name
	kind       string // JSON Schema's type
	format     string
	bits       int  // the size of a Go number; 0 if it has none
	unsigned   bool // not below 0
	items      *schema
	length     *int // of an array, if all have the same
	properties []property
	values     *schema // of properties that are not listed
	nullable   bool
}

// property is one member of an object.
type property struct {
	name        string
	required    bool
	schema      *schema
	description string
}

// bounds returns the least and the greatest integer where the format does not tell them. Of the unsigned integers of 64 bits
// it returns no greatest one, since few readers of JSON could hold it.
func (s *schema) bounds() (minimum, maximum int64, ok bool) {
	switch {
	case s.kind != "integer" || s.bits == 0:
		return 0, 0, false
	case s.unsigned && s.bits == 64:
		return 0, 0, true
	case s.unsigned:
		return 0, 1<<s.bits - 1, true
	case s.bits < 32:
		return -1 << (s.bits - 1), 1<<(s.bits-1) - 1, true
	}
	return 0, 0, false
}

// requires reports whether one of the properties must be there.
func (s *schema) requires() bool {
	for _, p := range s.properties {
		if p.required {
			return true
		}
	}
	return false
}

// scalar reports whether a value is written as one text in a request.
func (s *schema) scalar() bool {
	switch s.kind {
	case "string", "integer", "number", "boolean":
		return true
	}
	return false
}

// quotable reports whether encoding/json's option ",string" applies.
func (s *schema) quotable() bool {
	return s.scalar() && s.format != "date-time" && s.format != "byte"
}

// dialect is one way to write schemas.
type dialect struct {
	definitions string // where they are
	nullType    bool   // whether null is a type
}

var (
	swagger2  = dialect{definitions: "#/definitions/"}
	openAPI31 = dialect{definitions: "#/components/schemas/", nullType: true}
)

// object writes s in the dialect d.
func (s *schema) object(d dialect) object {
	o := object{}
	if s.ref != "" {
		reference := object{{"$ref", d.definitions + s.ref}}
		switch {
		case !s.nullable:
			return reference
		case d.nullType:
			o.add("anyOf", []object{reference, {{"type", "null"}}})
		default:
			// What stands beside a $ref is not read by all. In an allOf it would be, but then go-swagger makes of a type that
			// may hold itself one that always does.
			return append(reference, member{"x-nullable", true})
		}
		return o
	}
	nullable := s.nullable && s.kind != ""
	if nullable && d.nullType {
		o.add("type", []string{s.kind, "null"})
	} else {
		o.addText("type", s.kind)
	}
	o.addText("format", s.format)
	if minimum, maximum, ok := s.bounds(); ok {
		o.add("minimum", minimum)
		if maximum > 0 {
			o.add("maximum", maximum)
		}
	}
	if s.items != nil {
		o.add("items", s.items.object(d))
	}
	if s.length != nil {
		o.add("minItems", *s.length)
		o.add("maxItems", *s.length)
	}
	if len(s.properties) > 0 {
		var properties object
		var required []string
		for _, p := range s.properties {
			o := p.schema.object(d)
			o.addText("description", p.description)
			properties.add(p.name, o)
			if p.required {
				required = append(required, p.name)
			}
		}
		o.add("properties", properties)
		if len(required) > 0 {
			o.add("required", required)
		}
	}
	if s.values != nil {
		o.add("additionalProperties", s.values.object(d))
	}
	if nullable && !d.nullType {
		o.add("x-nullable", true)
	}
	return o
}
