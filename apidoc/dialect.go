package apidoc

import "encoding/json"

// This file writes schemas. The forms differ in what may stand beside a reference, in null, for
// which Swagger 2.0 has no word, and in unions, which it cannot tell.

// schema writes s in place.
func (w *formWriter) schema(s *schema) object {
	switch {
	case s == nil:
		return nil
	case s.ref != "":
		return w.refer(s)
	}
	least, most := s.lengthMembers()
	minimum, maximum := s.limits()
	o := object{
		{"type", w.kind(s)},
		{"format", s.format},
		{"minimum", minimum},
		{"maximum", maximum},
		{"multipleOf", s.multipleOf.json()},
		{"items", w.schema(s.items)},
		{least, length(s.length, s.minLength)},
		{most, length(s.length, s.maxLength)},
		{"pattern", s.patternText()},
		{"enum", s.enumValues()},
		{"uniqueItems", flag(s.unique)},
		{"properties", w.properties(s)},
		{"required", w.required(s)},
		{"propertyNames", w.keys(s)},
		{"additionalProperties", w.furtherMembers(s)},
		{"oneOf", w.alternatives(s)},
	}.present()
	if s.nullable && (s.kind != "" || s.oneOf != nil) && w.nullable != "" {
		o = append(o, member{w.nullable, true})
	}
	if o = append(o, w.notes(s)...); o == nil {
		return object{}
	}
	return o
}

// kind returns the member type, which in OpenAPI 3.1 tells of null too.
func (w *formWriter) kind(s *schema) any {
	if s.nullable && s.kind != "" && w.form == openAPI31 {
		return []string{s.kind, "null"}
	}
	return s.kind
}

// refer writes a reference and what stands beside it, which is read in OpenAPI 3.1 alone: the others
// need an allOf around the reference.
func (w *formWriter) refer(s *schema) object {
	reference, notes := w.reference(s), w.notes(s)
	switch {
	case w.isSwagger() || !s.nullable && notes == nil:
		return reference
	case w.form == openAPI31 && s.nullable:
		return append(object{{"anyOf", []object{reference, {{"type", "null"}}}}}, notes...)
	case w.form == openAPI31:
		return append(reference, notes...)
	}
	o := object{{"allOf", []object{reference}}}
	if t := s.resolve(); s.nullable && t != nil && t.kind != "" { // null is read beside a type alone
		o = object{{"type", t.kind}, o[0], {w.nullable, true}}
	}
	return append(o, notes...)
}

// reference returns the address of a definition, and writes the definition when it is met first.
func (w *formWriter) reference(s *schema) object {
	name, target := s.ref, s.target
	if target != nil {
		name = w.api.Names.types[target.named]
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
func (s *schema) limits() (minimum, maximum any) {
	least, greatest, ok := s.bounds()
	if ok {
		minimum = least
	}
	if ok && greatest > 0 {
		maximum = greatest
	}
	if s.min != nil {
		minimum = s.min.json()
	}
	if s.max != nil {
		maximum = s.max.json()
	}
	return minimum, maximum
}

func (b *bound) json() json.RawMessage {
	if b == nil {
		return nil
	}
	return json.RawMessage(b.text)
}

// lengthMembers returns the names that limits of length have.
func (s *schema) lengthMembers() (least, most string) {
	switch {
	case s.isBinary(): // generated clients of openapi-generator take a file's length for that of text
		return "x-minBytes", "x-maxBytes"
	case s.kind == "array":
		return "minItems", "maxItems"
	case s.kind == "object":
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

func (s *schema) patternText() string {
	switch {
	case s.pattern != nil:
		return s.pattern.String()
	case s.quoted != nil && s.quoted.kind == "integer":
		return integerPattern
	}
	return ""
}

func (s *schema) enumValues() []json.RawMessage {
	var values []json.RawMessage
	for _, l := range s.enum {
		values = append(values, l.json)
	}
	if s.nullable && values != nil {
		values = append(values, json.RawMessage("null"))
	}
	return values
}

func (w *formWriter) properties(s *schema) (list object) {
	for _, p := range s.properties {
		list = append(list, member{p.name, w.schema(p.schema)})
	}
	return list
}

// required returns the names of the members that must be there. In 2.0 a reference cannot say that
// it may be null, and the member is not required in place of that.
func (w *formWriter) required(s *schema) (list []string) {
	for _, p := range s.properties {
		if p.required && !(w.isSwagger() && p.schema.ref != "" && p.schema.nullable) {
			list = append(list, p.name)
		}
	}
	return list
}

// keys tells which names the members of a map have.
func (w *formWriter) keys(s *schema) object {
	if s.keys == nil || s.keys.kind != "integer" || w.form != openAPI31 {
		return nil
	}
	return object{{"pattern", integerPattern}}
}

// furtherMembers tells what members may be that are not listed.
func (w *formWriter) furtherMembers(s *schema) any {
	switch {
	case s.values != nil:
		return w.schema(s.values)
	case s.closed:
		return false
	}
	return nil
}

// alternatives writes what a union consists of. 2.0 has the definitions alone.
func (w *formWriter) alternatives(s *schema) (list []object) {
	for _, one := range s.oneOf {
		list = append(list, w.schema(one))
	}
	if list != nil && s.nullable && w.form == openAPI31 {
		list = append(list, object{{"type", "null"}})
	}
	if w.isSwagger() {
		return nil
	}
	return list
}

// notes writes what is for people.
func (w *formWriter) notes(s *schema) object {
	var example any = s.example
	if s.example != nil && w.form == openAPI31 {
		example = []json.RawMessage{s.example}
	}
	return object{
		{"description", s.doc},
		{"deprecated", flag(s.deprecated && !w.isSwagger())},
		{"default", s.def},
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
func (s *schema) isBinary() bool { return s.kind == "string" && s.format == "binary" }
