package apidoc

import (
	"io"
	"reflect"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// problemType is a [Problem] without MarshalJSON: a type with this method is described as any
// value, but a problem is described by its fields. The definition has the type's name.
var problemType = func() reflect.Type {
	type Problem routing.Problem
	return reflect.TypeFor[Problem]()
}()

// Union is a type that is encoded as any of several types. Exactly one of them must match a value.
// OneOf is called on the zero value and returns a value of each type. The type must have
// MarshalJSON and UnmarshalJSON.
//
// If all types are named structs that require one member, such as kind, with different enumerations
// of texts, it is the discriminator in OpenAPI.
type Union interface{ OneOf() []any }

// SchemaProvider is a type that is encoded like another type, with rules as in a field's tag.
// DescribedAs is called on the zero value. If like is a pointer, nil or not, the value may be null.
type SchemaProvider interface {
	DescribedAs() (like any, rules reflect.StructTag)
}

var readerType = reflect.TypeFor[io.Reader]()

// writtenType is the type of bodies of responses that a function writes.
var writtenType = reflect.TypeFor[func(io.Writer) error]()

// addressable returns a copy of v that can be addressed, so that methods of pointers are found.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// binary returns the schema of a file and of a raw body.
func binary() *schema.Schema { return &schema.Schema{Kind: "string", Format: "binary"} }

// schemaOf returns the schema of a body, and adds its definitions. Nil and a reader are any JSON.
// With a media type other than JSON, bytes are raw.
func schemaOf(t reflect.Type, d *gotype.Definitions, media ...string) (*schema.Schema, error) {
	switch isRaw := !message.IsJSON(media...); {
	case t == nil || t == readerType && !isRaw:
		return &schema.Schema{}, nil
	case t == reflect.TypeFor[Problem]():
		return d.Read(problemType)
	case isRaw && (t == reflect.TypeFor[[]byte]() || t.Implements(readerType) || t == writtenType):
		return binary(), nil
	}
	return d.Read(t)
}
