package apidoc

import (
	"encoding/json"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file writes schemas. The forms differ in what may stand beside a reference, in null, for
// which Swagger 2.0 has no word, and in unions, which it cannot tell.

// schema writes s in place.
func (w *formWriter) schema(s *schema.Schema) object {
	switch {
	case s == nil:
		return nil
	case s.Ref != "":
		return w.refer(s)
	}
	least, most := lengthMembers(s)
	minimum, maximum := limits(s)
	o := object{
		{"type", w.kind(s)},
		{"format", s.Format},
		{"minimum", minimum},
		{"maximum", maximum},
		{"multipleOf", numberJSON(s.MultipleOf)},
		{"items", w.schema(s.Items)},
		{least, length(s.Length, s.MinLength)},
		{most, length(s.Length, s.MaxLength)},
		{"pattern", patternText(s)},
		{"enum", enumValues(s)},
		{"uniqueItems", flag(s.Unique)},
		{"properties", w.properties(s)},
		{"required", w.required(s)},
		{"propertyNames", w.keys(s)},
		{"additionalProperties", w.furtherMembers(s)},
		{"oneOf", w.alternatives(s)},
	}.present()
	if s.Nullable && (s.Kind != "" || s.OneOf != nil) && w.nullable != "" {
		o = append(o, member{w.nullable, true})
	}
	if o = append(o, w.notes(s)...); o == nil {
		return object{}
	}
	return o
}

// kind returns the member type, which in OpenAPI 3.1 tells of null too.
func (w *formWriter) kind(s *schema.Schema) any {
	if s.Nullable && s.Kind != "" && w.form == openAPI31 {
		return []string{s.Kind, "null"}
	}
	return s.Kind
}

// refer writes a reference and what stands beside it, which is read in OpenAPI 3.1 alone: the others
// need an allOf around the reference.
func (w *formWriter) refer(s *schema.Schema) object {
	reference, notes := w.reference(s), w.notes(s)
	switch {
	case w.isSwagger() || !s.Nullable && notes == nil:
		return reference
	case w.form == openAPI31 && s.Nullable:
		return append(object{{"anyOf", []object{reference, {{"type", "null"}}}}}, notes...)
	case w.form == openAPI31:
		return append(reference, notes...)
	}
	o := object{{"allOf", []object{reference}}}
	if t := s.Resolve(); s.Nullable && t != nil && t.Kind != "" { // null is read beside a type alone
		o = object{{"type", t.Kind}, o[0], {w.nullable, true}}
	}
	return append(o, notes...)
}

// reference returns the address of a definition, and writes the definition when it is met first.
func (w *formWriter) reference(s *schema.Schema) object {
	name, target := s.Ref, s.Target
	if target != nil {
		name = w.api.Names.types[target.Named]
	} else {
		target = w.api.Names.named[name]
	}
	if !w.met[name] {
		w.met[name] = true
		i := len(w.definitions)
		w.definitions = append(w.definitions, member{name: name})
		written := w.schema(target)
		w.definitions[i].value = written
	}
	return object{{"$ref", w.references + name}}
}

// limits returns the bounds of a number, the narrower ones of the rules and the type.
func limits(s *schema.Schema) (minimum, maximum any) {
	least, greatest, ok := s.Bounds()
	if ok {
		minimum = least
	}
	if ok && greatest > 0 {
		maximum = greatest
	}
	if s.Min != nil {
		minimum = numberJSON(s.Min)
	}
	if s.Max != nil {
		maximum = numberJSON(s.Max)
	}
	return minimum, maximum
}

func numberJSON(b *schema.Number) json.RawMessage {
	if b == nil {
		return nil
	}
	return json.RawMessage(b.Text)
}

// lengthMembers returns the names that limits of length have.
func lengthMembers(s *schema.Schema) (least, most string) {
	switch {
	case isBinary(s): // generated clients of openapi-generator take a file's length for that of text
		return "x-minBytes", "x-maxBytes"
	case s.Kind == "array":
		return "minItems", "maxItems"
	case s.Kind == "object":
		return "minProperties", "maxProperties"
	}
	return "minLength", "maxLength"
}

// length returns a limit of length, of Go arrays the one that they have.
func length(fixed, limit *int) any {
	switch {
	case fixed != nil:
		return *fixed
	case limit != nil:
		return *limit
	}
	return nil
}

const integerPattern = "^-?[0-9]+$"

func patternText(s *schema.Schema) string {
	switch {
	case s.Pattern != nil:
		return s.Pattern.String()
	case s.Quoted != nil && s.Quoted.Kind == "integer":
		return integerPattern
	}
	return ""
}

func enumValues(s *schema.Schema) []json.RawMessage {
	var values []json.RawMessage
	for _, l := range s.Enum {
		values = append(values, l.JSON)
	}
	if s.Nullable && values != nil {
		values = append(values, json.RawMessage("null"))
	}
	return values
}

func (w *formWriter) properties(s *schema.Schema) (list object) {
	for _, p := range s.Properties {
		list = append(list, member{p.Name, w.schema(p.Schema)})
	}
	return list
}

// required returns the names of the members that must be there. In 2.0 a reference cannot say that
// it may be null, and the member is not required in place of that.
func (w *formWriter) required(s *schema.Schema) (list []string) {
	for _, p := range s.Properties {
		if p.Required && !(w.isSwagger() && p.Schema.Ref != "" && p.Schema.Nullable) {
			list = append(list, p.Name)
		}
	}
	return list
}

// keys tells which names the members of a map have.
func (w *formWriter) keys(s *schema.Schema) object {
	if s.Keys == nil || s.Keys.Kind != "integer" || w.form != openAPI31 {
		return nil
	}
	return object{{"pattern", integerPattern}}
}

// furtherMembers tells what members may be that are not listed.
func (w *formWriter) furtherMembers(s *schema.Schema) any {
	switch {
	case s.Values != nil:
		return w.schema(s.Values)
	case s.Closed:
		return false
	}
	return nil
}

// alternatives writes what a union consists of. 2.0 has the definitions alone.
func (w *formWriter) alternatives(s *schema.Schema) (list []object) {
	for _, one := range s.OneOf {
		list = append(list, w.schema(one))
	}
	if list != nil && s.Nullable && w.form == openAPI31 {
		list = append(list, object{{"type", "null"}})
	}
	if w.isSwagger() {
		return nil
	}
	return list
}

// notes writes what is for people.
func (w *formWriter) notes(s *schema.Schema) object {
	var example any = s.Example
	if s.Example != nil && w.form == openAPI31 {
		example = []json.RawMessage{s.Example}
	}
	return object{
		{"description", s.Doc},
		{"deprecated", flag(s.Deprecated && !w.isSwagger())},
		{"default", s.Default},
		{w.example, example},
	}.present()
}

// flag returns true, or nil for false.
func flag(b bool) any {
	if b {
		return true
	}
	return nil
}

// isBinary reports whether a schema is bytes as they are.
func isBinary(s *schema.Schema) bool { return s.Kind == "string" && s.Format == "binary" }
