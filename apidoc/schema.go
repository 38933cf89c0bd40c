package apidoc

import "reflect"

// This file holds what a JSON value must be like, as Go types and tags tell it. reader.go makes
// schemas, check.go checks values against them, dialect.go writes them.

// schema describes a JSON value. With no member set it describes any. A schema is never changed
// once the type that it was read from is complete.
type schema struct {
	ref        string       // the name of a type, with nothing but nullable and rules beside it
	target     *schema      // what ref names, nil for a name made by Ref
	named      reflect.Type // of which a target is the definition
	kind       string       // JSON Schema's type
	format     string
	bits       int  // the size of a Go number; 0 if it has none
	unsigned   bool // not below 0
	items      *schema
	length     *int // of a Go array
	properties []property
	names      map[string]int // from the names of properties to their index
	folded     map[string]int // likewise, from names without letter case
	closed     bool           // members that are not listed are refused
	keys       *schema        // of properties that are not listed, where not every text is a key
	values     *schema        // of properties that are not listed
	quoted     *schema        // what is written within the text: the json tag's option ",string"
	oneOf      []*schema
	nullable   bool
	goType     reflect.Type // has a decoding of its own, which is asked too
	rules
}

// property is one member of an object.
type property struct {
	name     string
	required bool
	leftOut  bool // where it is empty, a nil slice for example
	schema   *schema
	index    []int // of the field of the Go struct
}

// index fills in the tables by which a name is found.
func (s *schema) index() {
	s.names, s.folded = make(map[string]int), make(map[string]int)
	for i, p := range s.properties {
		s.names[p.name] = i
		s.folded[string(fold(nil, []byte(p.name)))] = i
	}
}

// resolve follows references. It returns nil for a name that nothing brought.
func (s *schema) resolve() *schema {
	for s != nil && s.ref != "" {
		s = s.target
	}
	return s
}

// bounds returns the least and the greatest integer where the format does not tell them. Of the
// unsigned integers of 64 bits it returns no greatest one, since few readers of JSON could hold it.
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

// scalar reports whether a value is written as one text in a request.
func (s *schema) scalar() bool {
	switch s.kind {
	case "string", "integer", "number", "boolean":
		return true
	}
	return false
}

// quotable reports whether the json tag's option ",string" applies.
func (s *schema) quotable() bool {
	return s.scalar() && s.format != "date-time" && s.format != "byte" && s.goType == nil
}

// isAny reports whether every JSON value fits.
func (s *schema) isAny() bool { return s.kind == "" && s.ref == "" && s.oneOf == nil }

// noun names the kind in a sentence.
func (s *schema) noun() string {
	switch {
	case s.ref != "":
		if t := s.resolve(); t != nil {
			return t.noun()
		}
		return "JSON"
	case s.oneOf != nil:
		return "one of the described kinds"
	case s.kind == "array" || s.kind == "integer" || s.kind == "object":
		return "an " + s.kind
	case s.kind == "":
		return "JSON"
	}
	return "a " + s.kind
}
