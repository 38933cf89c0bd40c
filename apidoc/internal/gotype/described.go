package gotype

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file reads the methods with which types describe themselves: Values makes an enumeration,
// OneOf a union, and DescribedAs another type with rules.

type (
	union         interface{ OneOf() []any }
	describedType interface {
		DescribedAs() (like any, rules reflect.StructTag)
	}
)

// described returns the schema from t's methods, or nil.
func (d *Definitions) described(t reflect.Type) (*schema.Schema, error) {
	if t.Kind() == reflect.Interface {
		return nil, nil
	}
	switch zero := reflect.New(t).Interface().(type) {
	case describedType:
		return d.define(t, func() (*schema.Schema, error) { return d.like(zero, t) })
	case union:
		return d.define(t, func() (*schema.Schema, error) { return d.union(zero, t) })
	default:
		for _, m := range [...][2]string{{"OneOf", "OneOf() []any"}, {"DescribedAs", "DescribedAs() (any, reflect.StructTag)"}} {
			if reflect.ValueOf(zero).MethodByName(m[0]).IsValid() {
				return nil, fmt.Errorf("type %s: write its method as %s", t, m[1])
			}
		}
		values := reflect.ValueOf(zero).MethodByName("Values")
		if !values.IsValid() {
			return nil, nil
		}
		own, method := basic[t.Kind()], values.Type()
		isScalar := own.Scalar()
		isEnum := method == reflect.FuncOf(nil, []reflect.Type{reflect.SliceOf(t)}, false)
		switch {
		case isEnum && (t.Kind() == reflect.Bool || !isScalar && !Implements(t, TextMarshaler)):
			return nil, fmt.Errorf("type %s: an enumeration is of text or numbers: remove its method Values", t)
		case isEnum:
			return d.define(t, func() (*schema.Schema, error) { return d.enumeration(values.Call(nil)[0], t) })
		case isScalar && method.NumIn() == 0 && method.NumOut() == 1 && method.Out(0).Kind() == reflect.Slice:
			return nil, fmt.Errorf("type %s: write its method as Values() []%s, or give the method another name", t, t.Name())
		}
		return nil, nil
	}
}

// like returns the schema of a type with DescribedAs.
func (d *Definitions) like(described describedType, t reflect.Type) (*schema.Schema, error) {
	like, tag := described.DescribedAs()
	for _, name := range [...]string{"default", "nullable", "readOnly", "writeOnly", "dependentRequired", "accept"} {
		if _, ok := tag.Lookup(name); ok {
			return nil, fmt.Errorf("type %s: DescribedAs: tag %s: this is for a field: write it on the fields of this type", t, name)
		}
	}
	if like == nil || reflect.TypeOf(like) == t {
		return nil, fmt.Errorf("type %s: DescribedAs: return a value of another type", t)
	}
	s, err := d.Read(reflect.TypeOf(like))
	if err == nil {
		s, err = Ruled(s, tag)
	}
	if err != nil {
		return nil, fmt.Errorf("type %s: DescribedAs: %w", t, err)
	}
	c := *s.Resolve()
	c.Nullable = c.Nullable || s.Nullable
	return &c, d.setMethods(&c, t)
}

func (d *Definitions) union(u union, t reflect.Type) (*schema.Schema, error) {
	values := u.OneOf()
	if len(values) == 0 || slices.Contains(values, nil) || !Implements(t, Unmarshaler) || !Implements(t, Marshaler) {
		return nil, fmt.Errorf("type %s: a type with OneOf names at least one type, and has MarshalJSON and UnmarshalJSON", t)
	}
	s := &schema.Schema{Opaque: t}
	for _, v := range values {
		one, err := d.Read(reflect.TypeOf(v))
		if err != nil {
			return nil, err
		}
		s.OneOf = append(s.OneOf, one)
	}
	return s, nil
}

// discriminator returns the first member that distinguishes the alternatives of a union, or nil.
// All alternatives require the member, as a string, and their enumerations have no common value.
func discriminator(s *schema.Schema) *schema.Discriminator {
	for _, candidate := range s.OneOf[0].Resolve().Properties {
		d := &schema.Discriminator{Name: candidate.Name}
		if !slices.ContainsFunc(s.OneOf, func(one *schema.Schema) bool { return !addMappings(d, one) }) {
			return d
		}
	}
	return nil
}

// addMappings adds the discriminator values of an alternative, and reports whether they are unique.
func addMappings(d *schema.Discriminator, one *schema.Schema) bool {
	t := one.Resolve()
	i := t.PropertyOf(d.Name, 0)
	if i < 0 || one.Nullable || t.Nullable {
		return false
	}
	p := t.Properties[i]
	kind := p.Schema.Resolve()
	for _, l := range kind.Enum {
		if slices.ContainsFunc(d.Mappings, func(k schema.Mapping) bool { return k.Text == l.Text }) {
			return false
		}
		d.Mappings = append(d.Mappings, schema.Mapping{Text: l.Text, Schema: one})
	}
	isText := kind.Kind == "string" && kind.Enum != nil && !kind.Nullable
	return isText && p.Required && p.Schema.NotIn == 0 && !p.Schema.Nullable
}

// enumeration returns the schema of a type with Values.
func (d *Definitions) enumeration(values reflect.Value, t reflect.Type) (*schema.Schema, error) {
	if values.Len() == 0 {
		return nil, fmt.Errorf("type %s: Values returns nothing: list at least one value", t)
	}
	s := &schema.Schema{Kind: "string", Codec: schema.CodecOf(t)}
	for i := range values.Len() {
		b, err := json.Marshal(values.Index(i).Interface())
		if err != nil {
			return nil, fmt.Errorf("type %s: Values: %w", t, err)
		}
		text := string(b)
		if b[0] != '"' {
			number := basic[t.Kind()]
			s.Kind, s.Bits, s.Unsigned = number.Kind, number.Bits, number.Unsigned
			s.Min, s.Max = number.Min, number.Max
		} else if err := json.Unmarshal(b, &text); err != nil {
			return nil, err
		}
		if s.Enum, err = addLiteral(s.Enum, schema.NewLiteral(text, b)); err != nil {
			return nil, fmt.Errorf("type %s: Values: %w", t, err)
		}
	}
	if Implements(t, slices.Concat(Marshaler, Unmarshaler, TextMarshaler, TextUnmarshaler)) {
		return s, d.setMethods(s, t)
	}
	return s, nil
}
