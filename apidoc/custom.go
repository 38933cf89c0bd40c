package apidoc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// This file reads what types tell of themselves by methods: Values makes an enumeration, OneOf a
// union, and DescribedAs another type and rules.

// Union is a type that is one of several on the wire, exactly one of which must fit. OneOf is asked
// of the zero value, and returns a value of each. The type brings MarshalJSON and UnmarshalJSON.
type Union interface{ OneOf() []any }

// Described is a type that is like another one on the wire, with rules as of a field's tag: money
// that writes itself as text of a pattern for example. DescribedAs is asked of the zero value. What
// the type decodes itself must keep the rules and be decoded without an error.
type Described interface {
	DescribedAs() (like any, rules reflect.StructTag)
}

var (
	unionType     = reflect.TypeFor[Union]()
	describedType = reflect.TypeFor[Described]()
)

// own returns the schema that t tells of itself, or nil.
func (d *definitions) own(t reflect.Type) (*schema, error) {
	if t.Kind() == reflect.Interface {
		return nil, nil
	}
	switch zero := reflect.New(t); {
	case implements(t, describedType):
		return d.define(t, func(reflect.Type) (*schema, error) { return d.like(zero.Interface().(Described), t) })
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

// like returns the schema of a type that names another one.
func (d *definitions) like(described Described, t reflect.Type) (*schema, error) {
	like, tag := described.DescribedAs()
	if like == nil || reflect.TypeOf(like) == t {
		return nil, fmt.Errorf("type %s: DescribedAs: return a value of another type", t)
	}
	s, err := d.read(reflect.TypeOf(like))
	if err == nil {
		s, err = s.ruled(tag)
	}
	if err != nil {
		return nil, fmt.Errorf("type %s: DescribedAs: %w", t, err)
	}
	c := *s.resolve()
	c.goType = t
	return &c, nil
}
