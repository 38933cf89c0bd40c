// Package gotype makes schemas from Go types and the tags of their fields, as encoding/json encodes
// and decodes them.
package gotype

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/schema"
)

// Definitions are the schemas of named types, in the order in which they were found. A document
// names them.
type Definitions struct {
	List  []*schema.Schema
	Input bool // for decoding, otherwise for encoding: types that don't support it are refused

	asText bool // for a parameter or header: a type with text methods is text, even if it has JSON methods

	HasValidators bool // one of the types read so far implements Validator

	byType map[definitionKey]*schema.Schema
	open   int // definitions that are being read, within each other
}

// definitionKey is the key of a definition: a type is read for each direction, as text or as JSON.
type definitionKey struct {
	of            reflect.Type
	input, asText bool
}

// NewDefinitions returns empty Definitions.
func NewDefinitions() *Definitions {
	return &Definitions{byType: make(map[definitionKey]*schema.Schema)}
}

// Methods are interfaces with methods that encoding/json calls for the same purpose.
type Methods []reflect.Type

// The methods of types that encode and decode themselves.
var (
	Marshaler       = append(marshalers, reflect.TypeFor[json.Marshaler]())
	Unmarshaler     = append(unmarshalers, reflect.TypeFor[json.Unmarshaler]())
	TextMarshaler   = append(textMarshalers, reflect.TypeFor[encoding.TextMarshaler]())
	TextUnmarshaler = Methods{reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// Implements reports whether values of t have one of the methods, as encoding/json looks for it: on
// the value, or on its address.
func Implements(t reflect.Type, methods Methods) bool {
	return slices.ContainsFunc(methods, func(method reflect.Type) bool {
		return t.Implements(method) || t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(method)
	})
}

// special are types that encoding/json treats specially, and types of the standard library that are
// text here.
var special = map[reflect.Type]schema.Schema{
	reflect.TypeFor[time.Time]():       {Kind: "string", Format: "date-time", Codec: schema.Time},
	reflect.TypeFor[time.Duration]():   {Kind: "integer", Format: "int64", Bits: 64, Duration: true, Codec: schema.Duration},
	reflect.TypeFor[url.URL]():         {Kind: "string", Format: "uri", Codec: schema.URL},
	reflect.TypeFor[netip.Addr]():      {Kind: "string", Format: "ip", Codec: schema.Addr},
	reflect.TypeFor[netip.Prefix]():    {Kind: "string", Format: "cidr", Codec: schema.Prefix},
	reflect.TypeFor[big.Int]():         {Kind: "integer", Codec: schema.ByMethods(reflect.TypeFor[big.Int](), "integer")},
	reflect.TypeFor[json.Number]():     {Kind: "number", Codec: schema.Digits},
	reflect.TypeFor[json.RawMessage](): {},
}

var notNegative = schema.Rules{Min: limit("0", false)}

// basic are the schemas of basic types. Integers have limits if their format does not imply them,
// except limits above 2⁶³, which few JSON decoders could represent.
var basic = map[reflect.Kind]schema.Schema{
	reflect.String:    {Kind: "string"},
	reflect.Bool:      {Kind: "boolean"},
	reflect.Int:       {Kind: "integer", Format: "int64", Bits: strconv.IntSize},
	reflect.Int8:      {Kind: "integer", Format: "int32", Bits: 8, Rules: between("-128", "127")},
	reflect.Int16:     {Kind: "integer", Format: "int32", Bits: 16, Rules: between("-32768", "32767")},
	reflect.Int32:     {Kind: "integer", Format: "int32", Bits: 32},
	reflect.Int64:     {Kind: "integer", Format: "int64", Bits: 64},
	reflect.Uint:      {Kind: "integer", Format: "int64", Unsigned: true, Bits: 64, Rules: notNegative}, // without a format, clients read 32 bits
	reflect.Uint8:     {Kind: "integer", Format: "int32", Unsigned: true, Bits: 8, Rules: between("0", "255")},
	reflect.Uint16:    {Kind: "integer", Format: "int32", Unsigned: true, Bits: 16, Rules: between("0", "65535")},
	reflect.Uint32:    {Kind: "integer", Format: "int64", Unsigned: true, Bits: 32, Rules: between("0", "4294967295")},
	reflect.Uint64:    {Kind: "integer", Format: "int64", Unsigned: true, Bits: 64, Rules: notNegative},
	reflect.Uintptr:   {Kind: "integer", Format: "int64", Unsigned: true, Bits: 64, Rules: notNegative},
	reflect.Float32:   {Kind: "number", Format: "float", Bits: 32},
	reflect.Float64:   {Kind: "number", Format: "double", Bits: 64},
	reflect.Interface: {},
}

func between(least, greatest string) schema.Rules {
	return schema.Rules{Min: limit(least, false), Max: limit(greatest, true)}
}

func limit(text string, isGreatest bool) *schema.Limit {
	return schema.NewLimit(schema.NumberOf(text), isGreatest, false)
}

// Read returns the schema of a Go type.
func (d *Definitions) Read(t reflect.Type) (*schema.Schema, error) {
	s, err := d.read(t)
	if err == nil && s.Ref == "" && t.Kind() != reflect.Pointer && wrapperOf(t) == nil {
		err = d.readValidators(s, t)
	}
	return s, err
}

func (d *Definitions) read(t reflect.Type) (*schema.Schema, error) {
	if s, ok := special[t]; ok {
		return &s, nil
	}
	if t.Kind() == reflect.Pointer {
		s, err := d.Read(t.Elem())
		switch {
		case err != nil || s.IsAny():
			return s, err
		case s.Wrapper != nil:
			return nil, fmt.Errorf("type %s: write it without a pointer, since it may be null itself", t)
		}
		pointed := *s
		pointed.Nullable = true
		return &pointed, nil
	}
	switch w := wrapperOf(t); {
	case t.PkgPath() == apidocPath && t.Name() == "File":
		return nil, fmt.Errorf("type %s: an upload is a field of a form: write the tag form; to send a file, write an io.Reader with the tag body", t)
	case w == nil:
	case w.IsOptional:
		return nil, fmt.Errorf("type %s: only a member of an object can be absent: write a pointer", t)
	default:
		return d.wrapped(t, w)
	}
	if s, err := d.described(t); s != nil || err != nil {
		return s, err
	}
	switch k := t.Kind(); {
	case k == reflect.Interface && t.NumMethod() > 0 && d.Input:
		return nil, fmt.Errorf("type %s: JSON cannot be decoded into an interface: "+
			"write a struct with the methods OneOf, MarshalJSON and UnmarshalJSON around it", t)
	case d.asText && Implements(t, d.textMethods()):
		s, err := d.textOf(t)
		if err == nil {
			s.Opaque = nil // outside of JSON
		}
		return s, err
	case Implements(t, Marshaler) || Implements(t, Unmarshaler):
		s := &schema.Schema{}
		return s, d.setMethods(s, t)
	case Implements(t, TextMarshaler) || Implements(t, TextUnmarshaler):
		return d.textOf(t)
	case isBytes(t):
		return &schema.Schema{Kind: "string", Format: "byte", Codec: schema.Base64}, nil
	case k == reflect.Slice || k == reflect.Array || k == reflect.Map || k == reflect.Struct:
		d.asText = d.asText && k == reflect.Slice // its parts are JSON, unless it is a list of texts
		if isTexts := d.asText && Implements(t.Elem(), d.textMethods()); t.Name() == "" || isTexts {
			return d.composite(t)
		}
		return d.define(t, func() (*schema.Schema, error) { return d.composite(t) })
	default:
		if s, ok := basic[k]; ok {
			s.Codec = schema.CodecOf(t)
			return &s, nil
		}
	}
	return nil, fmt.Errorf("type %s: JSON cannot represent it: exclude it with the tag `json:\"-\"`", t)
}

// apidocPath is the package of File and Optional.
const apidocPath = "example.com/flowercafe/apidoc"

// wrapperOf returns the Wrapper of [sql.Null], of similar types such as sql.NullString, and of
// apidoc.Optional. It returns nil for other types.
func wrapperOf(t reflect.Type) *schema.Wrapper {
	name, _, _ := strings.Cut(t.Name(), "[")
	switch {
	case t.PkgPath() == "database/sql" && strings.HasPrefix(name, "Null"):
		return &schema.Wrapper{Name: t.Field(0).Name}
	case t.PkgPath() == apidocPath && name == "Optional":
		return &schema.Wrapper{IsOptional: true}
	}
	return nil
}

// wrapped returns the schema of the value in a wrapper.
func (d *Definitions) wrapped(t reflect.Type, by *schema.Wrapper) (*schema.Schema, error) {
	s, err := d.Read(t.Field(0).Type)
	switch {
	case err != nil:
		return nil, err
	case s.Wrapper != nil:
		return nil, fmt.Errorf("type %s: write one of the two types, since each may be null", t)
	}
	wrapped := *s
	wrapped.Nullable, wrapped.Wrapper = true, by
	return &wrapped, nil
}

// textMethods returns the methods for the text of a parameter, or of a header of a response.
func (d *Definitions) textMethods() Methods {
	if d.Input {
		return TextUnmarshaler
	}
	return TextMarshaler
}

// textOf returns the schema of a type that encodes itself as text.
func (d *Definitions) textOf(t reflect.Type) (*schema.Schema, error) {
	s := special[t]
	s.Kind = "string"
	if t.Name() == "UUID" {
		s.Format = "uuid"
	}
	return &s, d.setMethods(&s, t)
}

// setMethods records that t encodes and decodes itself. It returns an error if t lacks one of the
// methods and its JSON would therefore have another type.
func (d *Definitions) setMethods(s *schema.Schema, t reflect.Type) error {
	if t.Kind() == reflect.Interface {
		return nil // unknown for interfaces
	}
	needs, isJSON, isText := "MarshalText", Marshaler, TextMarshaler
	if d.Input {
		needs, isJSON, isText = "UnmarshalText", Unmarshaler, TextUnmarshaler
	}
	own := basic[t.Kind()].Kind // without methods
	isOther := s.Scalar() && own != s.Kind && (own == "" || s.Kind == "string") && !isBytes(t)
	if isOther && !Implements(t, isJSON) && !Implements(t, isText) {
		return fmt.Errorf("type %s: it is described as %s, but encoded differently: write its method %s", t, s.Noun(), needs)
	}
	s.Codec = nil
	if s.Scalar() {
		s.Codec = schema.ByMethods(t, s.Kind)
	}
	if isText := s.Kind == "string" && Implements(t, TextUnmarshaler) && !Implements(t, Unmarshaler) && !Implements(t, Marshaler); !isText {
		s.Opaque = t
	}
	return nil
}

// define returns a reference to the definition of t, which read makes the first time. Only named
// types can be recursive.
func (d *Definitions) define(t reflect.Type, read func() (*schema.Schema, error)) (*schema.Schema, error) {
	key := definitionKey{t, d.Input, d.asText}
	reference := &schema.Schema{Ref: DefinitionName(t), Target: d.byType[key]}
	if reference.Target != nil {
		return reference, nil
	}
	s, at := &schema.Schema{}, len(d.List)
	d.List = append(d.List, s)
	d.byType[key], reference.Target = s, s // before its members and items, which may refer to it
	d.open++
	parts, err := read()
	d.open--
	if err != nil {
		return nil, err
	}
	*s = *parts
	s.Named = t
	if err := d.readValidators(s, t); err != nil {
		return nil, err
	}
	if d.open == 0 { // all nested schemas are known
		for _, one := range d.List[at:] {
			if one.OneOf != nil {
				one.By = discriminator(one)
			}
			one.DependsOnDirection = differs(one, make(map[*schema.Schema]bool))
		}
	}
	return reference, nil
}

// differs reports whether a schema or a nested schema has members that are only in requests or only
// in responses, or required in only one of them.
func differs(s *schema.Schema, entered map[*schema.Schema]bool) bool {
	if s == nil || entered[s] {
		return false
	}
	entered[s] = true
	nestedDiffers := func(s *schema.Schema) bool { return differs(s, entered) }
	memberDiffers := func(p schema.Property) bool { return p.OmitZero || nestedDiffers(p.Schema) }
	return s.NotIn != 0 || slices.ContainsFunc(s.Properties, memberDiffers) ||
		slices.ContainsFunc(append([]*schema.Schema{s.Target, s.Items, s.Values}, s.OneOf...), nestedDiffers)
}

// composite returns the inline schema of a composite type.
func (d *Definitions) composite(t reflect.Type) (*schema.Schema, error) {
	if t.Kind() == reflect.Struct {
		return d.object(t)
	}
	elements, err := d.Read(t.Elem())
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case reflect.Map:
		keys, err := d.keys(t)
		return &schema.Schema{Kind: "object", Keys: keys, Values: elements}, err
	case reflect.Array:
		s := &schema.Schema{Kind: "array", Items: elements, Fixed: true}
		s.MinLength, s.MaxLength = s.NewLength(t.Len(), false), s.NewLength(t.Len(), true)
		return s, nil
	}
	return &schema.Schema{Kind: "array", Items: elements}, nil
}

func (d *Definitions) object(t reflect.Type) (*schema.Schema, error) {
	isSeen := func(f reflect.StructField) bool { return f.IsExported() || f.Anonymous || f.Name == "_" }
	if t.NumField() > 0 && !slices.ContainsFunc(reflect.VisibleFields(t), isSeen) {
		return nil, fmt.Errorf("type %s: it has no exported fields, so its JSON is always {}: write its methods MarshalJSON and UnmarshalJSON, or use another type", t)
	}
	s := &schema.Schema{Kind: "object"}
	fields, isClosed, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	s.Closed = isClosed
	for _, f := range fields {
		p := schema.Property{Name: f.name, Index: f.Index}
		name, err := json.Marshal(p.Name)
		if err != nil {
			return nil, err
		}
		p.Label = "," + string(name) + ":"
		if p.Schema, err = d.field(f); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		f.omitZero = f.omitZero || isOptional(p.Schema.Wrapper)
		p.Required = !f.mayMiss && !f.omitEmpty && !f.omitZero && p.Schema.Default == nil
		p.OmitZero = p.Required && p.Schema.LacksZero()
		p.Omits = f.omits(p.Schema)
		if p.Schema.Default != nil {
			p.LeftOut, p.DefaultText = f.leftOut(p.Schema), defaultText(p.Schema)
		}
		if i := len(s.Properties); i > 0 {
			before, last := s.Properties[i-1].Index, len(p.Index)-1
			p.SameStruct = slices.Equal(before[:len(before)-1], p.Index[:last])
		}
		s.Properties = append(s.Properties, p)
	}
	s.IndexNames()
	if err := d.needs(s, fields); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	return s, nil
}

// defaultText returns the content of a default, or "" if the value is no scalar or decodes itself.
func defaultText(s *schema.Schema) string {
	if t := s.Resolve(); !t.Scalar() || t.Opaque != nil || string(s.Default) == "null" {
		return ""
	}
	return schema.ContentOf(s.Default)
}

// ReadText is [Definitions.ReadMember] for a parameter or a header.
func (d *Definitions) ReadText(t reflect.Type) (*schema.Schema, error) {
	d.asText = true
	defer func() { d.asText = false }()
	return d.ReadMember(t)
}

// ReadMember is [Definitions.Read] for a type that may be absent: a member of an object or a
// parameter.
func (d *Definitions) ReadMember(t reflect.Type) (*schema.Schema, error) {
	if w := wrapperOf(t); isOptional(w) {
		return d.wrapped(t, w)
	}
	return d.Read(t)
}

func isOptional(w *schema.Wrapper) bool { return w != nil && w.IsOptional }

func (d *Definitions) field(f field) (*schema.Schema, error) {
	isSet := func(tag string) bool { is, _ := strconv.ParseBool(f.Tag.Get(tag)); return is }
	isInput := d.Input
	d.Input = (isInput || isSet("writeOnly")) && !isSet("readOnly") // which are only decoded, or only encoded
	s, err := d.ReadMember(f.Type)
	isStuck := f.isStuck && d.Input
	switch d.Input = isInput; {
	case err != nil:
		return nil, err
	case f.Tag.Get("accept") != "":
		return nil, errors.New("tag accept: this is for a File, in a form")
	case isStuck:
		return nil, errors.New("it cannot be set behind a pointer to a type that is not exported: embed the struct without a pointer")
	}
	t := s.Resolve()
	isDeep := f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Pointer // encoding/json follows one pointer
	if f.asText && t.Scalar() && !t.Codec.IsStrict && s.Wrapper == nil && t.Format != "byte" && !isDeep {
		inner := *t
		inner.Nullable = false
		s = &schema.Schema{Kind: "string", Nullable: s.Nullable || t.Nullable, Quoted: &inner, Codec: inner.Within()}
	}
	ruled, err := Ruled(s, f.Tag)
	if err == nil && s.Nullable && !ruled.Nullable && !isOptional(s.Wrapper) && !f.omitEmpty && !f.omitZero {
		return nil, errors.New(`tag nullable:"false": nil would be written as null: add omitempty to the tag json`)
	}
	return ruled, err
}

// isBytes reports whether encoding/json writes t as base64 text: a slice of bytes, unless the byte
// type encodes itself.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		!Implements(t.Elem(), Marshaler) && !Implements(t.Elem(), TextMarshaler)
}

// keys returns the schema of a map's keys. It returns an error for keys that encoding/json refuses.
func (d *Definitions) keys(t reflect.Type) (*schema.Schema, error) {
	key := t.Key()
	isText := key.Kind() == reflect.String
	// encoding/json ignores MarshalJSON of keys, and MarshalText of string keys.
	if !Implements(key, Marshaler) && !(isText && Implements(key, TextMarshaler)) {
		s, err := d.described(key)
		if err != nil || s != nil && (s.Resolve().Enum != nil || s.Resolve().Opaque == nil) {
			return s, err
		}
	}
	number, isNumber := basic[key.Kind()]
	isNumber = isNumber && number.Kind == "integer"
	switch reads := Implements(key, TextUnmarshaler); {
	case isText && !reads:
		return &schema.Schema{Kind: "string", Codec: schema.CodecOf(key)}, nil
	case (isText || isNumber) && reads || key.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return d.textOf(key)
	case isNumber:
		number.Codec = schema.CodecOf(key)
		return &number, nil
	}
	return nil, fmt.Errorf("type %s: JSON cannot have such keys: use text, integers, or a type with MarshalText", t)
}
