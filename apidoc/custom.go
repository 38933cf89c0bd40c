package apidoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// This file reads what types tell of themselves by methods: Values makes an enumeration, OneOf a
// union, and JSONSchema is a schema in a type's own words.

// Union is a type that is one of several on the wire, exactly one of which must fit. OneOf is asked
// of the zero value, and returns a value of each. The type brings MarshalJSON and UnmarshalJSON.
type Union interface{ OneOf() []any }

// Schemer is a type that brings its own schema, in JSON: an object with the members type, format,
// description, pattern, enum, minimum, maximum, multipleOf, minLength, maxLength, items, properties,
// required and additionalProperties of JSON Schema. JSONSchema is asked of the zero value.
type Schemer interface{ JSONSchema() string }

var (
	unionType   = reflect.TypeFor[Union]()
	schemerType = reflect.TypeFor[Schemer]()
)

// own returns the schema that t tells of itself, or nil.
func (d *definitions) own(t reflect.Type) (*schema, error) {
	if t.Kind() == reflect.Interface {
		return nil, nil
	}
	switch zero := reflect.New(t); {
	case implements(t, schemerType):
		return d.define(t, func(reflect.Type) (*schema, error) {
			return readSchema(zero.Interface().(Schemer).JSONSchema(), t)
		})
	case implements(t, unionType):
		return d.define(t, func(reflect.Type) (*schema, error) {
			return d.union(zero.Interface().(Union).OneOf(), t)
		})
	}
	values, ok := reflect.PointerTo(t).MethodByName("Values")
	if !ok || values.Type.NumIn() != 1 || values.Type.NumOut() != 1 || values.Type.Out(0) != reflect.SliceOf(t) {
		return nil, nil
	}
	if t.Kind() != reflect.String && !slices.Contains(integerKinds, t.Kind()) && !implements(t, textMarshalerType) {
		return nil, nil
	}
	return d.define(t, func(reflect.Type) (*schema, error) {
		return enumeration(reflect.New(t).MethodByName("Values").Call(nil)[0], t)
	})
}

// enumeration returns the schema of a type that lists its values.
func enumeration(list reflect.Value, t reflect.Type) (*schema, error) {
	s := &schema{kind: "string"}
	if list.Len() == 0 {
		return nil, fmt.Errorf("type %s: Values returns nothing: list at least one value", t)
	}
	for i := range list.Len() {
		b, err := json.Marshal(list.Index(i).Interface())
		if err != nil {
			return nil, fmt.Errorf("type %s: Values: %w", t, err)
		}
		l := literal{text: string(b), json: b}
		if b[0] != '"' {
			s.kind, s.bits, s.unsigned = "integer", t.Bits(), t.Kind() >= reflect.Uint
		} else if err := json.Unmarshal(b, &l.text); err != nil {
			return nil, err
		}
		s.enum = append(s.enum, l)
	}
	if implements(t, textUnmarshalerType) || implements(t, unmarshalerType) {
		s.goType = t
	}
	return s, nil
}

func (d *definitions) union(values []any, t reflect.Type) (*schema, error) {
	if len(values) == 0 || !implements(t, unmarshalerType) || !implements(t, marshalerType) {
		return nil, fmt.Errorf("type %s: a type with OneOf names at least one type, and has MarshalJSON and UnmarshalJSON", t)
	}
	s := &schema{goType: t}
	for _, v := range values {
		one, err := d.read(reflect.TypeOf(v))
		if err != nil {
			return nil, err
		}
		s.oneOf = append(s.oneOf, one)
	}
	return s, nil
}

// written is a schema as types write it.
type written struct {
	Type, Format, Description, Pattern string
	Enum                               []json.RawMessage
	Minimum, Maximum, MultipleOf       *json.Number
	MinLength, MaxLength               *int
	Items                              *written
	Properties                         orderedProperties
	Required                           []string
	AdditionalProperties               *written
	Example                            json.RawMessage
}

// orderedProperties keeps the order of an object's members.
type orderedProperties []struct {
	name   string
	schema *written
}

// UnmarshalJSON reads the members in their order.
func (o *orderedProperties) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		w := &written{}
		if err := d.Decode(w); err != nil {
			return err
		}
		*o = append(*o, struct {
			name   string
			schema *written
		}{fmt.Sprint(name), w})
	}
	return nil
}

// readSchema reads what a type's JSONSchema returns.
func readSchema(text string, t reflect.Type) (*schema, error) {
	var w written
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return nil, fmt.Errorf("type %s: JSONSchema: %w", t, err)
	}
	s, err := w.schema()
	if err != nil {
		return nil, fmt.Errorf("type %s: JSONSchema: %w", t, err)
	}
	s.goType = t
	return s, nil
}

func (w *written) schema() (s *schema, err error) {
	s = &schema{kind: w.Type, format: w.Format}
	s.doc, s.example = w.Description, w.Example
	s.minLength, s.maxLength = w.MinLength, w.MaxLength
	for _, n := range []struct {
		from *json.Number
		to   **bound
	}{{w.Minimum, &s.min}, {w.Maximum, &s.max}, {w.MultipleOf, &s.multipleOf}} {
		if n.from == nil {
			continue
		}
		if *n.to, err = readBound(n.from.String()); err != nil {
			return nil, err
		}
	}
	if w.Pattern != "" {
		if s.pattern, err = readPattern(w.Pattern); err != nil {
			return nil, err
		}
	}
	for _, b := range w.Enum {
		l := literal{text: string(b), json: b}
		if b[0] == '"' {
			err = json.Unmarshal(b, &l.text)
		}
		s.enum = append(s.enum, l)
	}
	for _, p := range w.Properties {
		inner, err := p.schema.schema()
		if err != nil {
			return nil, err
		}
		s.properties = append(s.properties, property{p.name, slices.Contains(w.Required, p.name), inner})
	}
	if w.Items != nil {
		if s.items, err = w.Items.schema(); err != nil {
			return nil, err
		}
	} else if s.kind == "array" {
		s.items = &schema{}
	}
	if w.AdditionalProperties != nil {
		if s.values, err = w.AdditionalProperties.schema(); err != nil {
			return nil, err
		}
	}
	switch s.kind {
	case "", "string", "integer", "number", "boolean", "array", "object":
		s.index()
		return s, err
	}
	return nil, fmt.Errorf("type %q is none of JSON Schema: write string, integer, number, boolean, array or object", s.kind)
}
