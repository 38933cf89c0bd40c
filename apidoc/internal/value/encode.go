package value

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file encodes values like encoding/json, except that nil slices and maps are empty, as
// described. encoding/json encodes values of types that encode themselves.

// Encode appends the JSON of v to b, for one direction. The schema describes the type of v, which
// must be addressable.
func Encode(b []byte, s *schema.Schema, v reflect.Value, direction schema.Direction) ([]byte, error) {
	e := encoder{direction: direction}
	b = e.value(b, s, v)
	return b, e.err
}

// encoder encodes one text. Its methods append to the argument b, which is not a field, since
// storing pointers is slow during a garbage collection.
type encoder struct {
	direction schema.Direction
	depth     int
	err       error // the first error
}

// maxDepth is the maximum depth of values. Deeper values may have cycles. encoding/json encodes
// them, and returns an error for a cycle.
const maxDepth = 1000

func (e *encoder) value(b []byte, s *schema.Schema, v reflect.Value) []byte {
	if v = s.Content(v); !v.IsValid() {
		return append(b, "null"...)
	}
	s = s.Resolve()
	e.depth++
	switch {
	case s.Opaque != nil || s.Kind == "" || e.depth > maxDepth || s.Scalar() && s.Codec == nil:
		b = e.encodeByMethods(b, s, v)
	case s.Codec != nil:
		b = e.scalar(b, s, v)
	case v.Kind() == reflect.Struct:
		b = e.object(b, s, v)
	case v.Kind() == reflect.Map:
		b = e.entries(b, s, v)
	default:
		b = e.array(b, s, v)
	}
	e.depth--
	return b
}

// scalar encodes a scalar.
func (e *encoder) scalar(b []byte, s *schema.Schema, v reflect.Value) []byte {
	var err error
	before := b // methods may return nothing with an error
	switch start := len(b); {
	case s.Kind != "string":
		b, err = s.Codec.Append(b, v)
	case v.Kind() == reflect.String && !s.Codec.IsStrict:
		b = e.text(b, v.String())
	default:
		if b, err = s.Codec.Append(append(b, '"'), v); err != nil {
			break
		}
		if text := b[start+1:]; isPlain(text) {
			b = append(b, '"')
		} else {
			b = e.text(b[:start], string(text))
		}
	}
	if s.Codec.ZeroIsAbsent && v.IsZero() && s.LacksZero() {
		err = fmt.Errorf("a zero %s has no JSON: write a pointer, or leave it out", s.Codec.Type)
	}
	if err != nil {
		e.fail(err)
		return before
	}
	return b
}

// ErrNotUTF8 is the error of encoding a request with a text that is not UTF-8.
var ErrNotUTF8 = errors.New("a text is not UTF-8")

// text appends a string. In responses, bytes that are not UTF-8 are replaced.
func (e *encoder) text(b []byte, text string) []byte {
	if e.direction == schema.InRequests && !utf8.ValidString(text) {
		e.fail(ErrNotUTF8)
	}
	return appendString(b, text)
}

// encodeByMethods encodes a value whose type encodes itself.
func (e *encoder) encodeByMethods(b []byte, s *schema.Schema, v reflect.Value) []byte {
	text, err := json.Marshal(v.Addr().Interface())
	e.fail(err)
	if err == nil && (!s.Scalar() && !s.IsAny() || bytes.Contains(text, []byte("null"))) {
		text = Amended(s, text, e.direction)
	}
	return append(b, text...)
}

// Amended changes the output of encoding/json to the described JSON: with [] and {} in place of
// null if the schema has a slice or a map, with our text for types that encoding/json writes
// differently, and without members that the direction excludes.
func Amended(s *schema.Schema, text []byte, direction schema.Direction) []byte {
	r := newReader(string(text), direction)
	defer r.end()
	r.amends = true
	r.value(s, reflect.Value{})
	return r.since(0)
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *encoder) array(b []byte, s *schema.Schema, v reflect.Value) []byte {
	if v.Len() == 0 {
		return append(b, "[]"...)
	}
	start := len(b)
	for i := range v.Len() {
		b = e.value(append(b, ','), s.Items, v.Index(i))
	}
	b[start] = '[' // in place of the first comma
	return append(b, ']')
}

func (e *encoder) object(b []byte, s *schema.Schema, v reflect.Value) []byte {
	start := len(b)
	parent, ok := v, true
	for i := range s.Properties {
		p := &s.Properties[i]
		last := len(p.Index) - 1
		if !p.SameStruct {
			parent, ok = embedded(v, p.Index[:last])
		}
		if p.Schema.NotIn == e.direction {
			continue
		}
		if !ok { // in an embedded pointer that is nil
			if p.Schema.Default != nil && !requires(s, i) { // the other member may be in the pointer too
				b = e.absent(b, p, p.Schema.Default)
			}
			continue
		}
		field := parent.Field(p.Index[last])
		if p.Omits != nil && p.Omits(field) && !e.needs(s, p, v) && (p.LeftOut != nil || p.Schema.Default == nil || e.direction == schema.InRequests) {
			b = e.absent(b, p, p.LeftOut)
			continue
		}
		b = e.value(append(b, p.Label...), p.Schema, field)
	}
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{' // in place of the first comma
	return append(b, '}')
}

// absent appends a member with a value in place of its own, which is left out. It appends nothing
// without a value, or in a request. In a response, clients would read the default instead.
func (e *encoder) absent(b []byte, p *schema.Property, value json.RawMessage) []byte {
	if value == nil || e.direction == schema.InRequests {
		return b
	}
	return append(append(b, p.Label...), value...)
}

// needs reports whether v has a member that requires p.
func (e *encoder) needs(s *schema.Schema, p *schema.Property, v reflect.Value) bool {
	return slices.ContainsFunc(p.SentWith, func(i int) bool {
		by := &s.Properties[i]
		last := len(by.Index) - 1
		parent, ok := embedded(v, by.Index[:last])
		isKept := by.Omits == nil || by.Schema.Default != nil && e.direction != schema.InRequests
		return ok && (isKept || !by.Omits(parent.Field(by.Index[last])))
	})
}

// requires reports whether the property i requires another one.
func requires(s *schema.Schema, i int) bool {
	return slices.ContainsFunc(s.Properties, func(p schema.Property) bool { return slices.Contains(p.SentWith, i) })
}

// entries encodes a map, sorted by name.
func (e *encoder) entries(b []byte, s *schema.Schema, v reflect.Value) []byte {
	if v.Len() == 0 {
		return append(b, "{}"...)
	}
	key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem() // addressable, so that pointer methods are found
	var buffer [8]entry
	list, start := buffer[:0], len(b)
	for each := v.MapRange(); each.Next(); {
		key.SetIterKey(each)
		element.SetIterValue(each)
		name, err := nameOf(key)
		e.fail(err)
		from := len(b) - start
		b = e.value(append(e.text(append(b, ','), name), ':'), s.Values, element)
		list = append(list, entry{name, from, len(b) - start})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	unsorted := string(b[start:])
	b = b[:start]
	for _, one := range list {
		b = append(b, unsorted[one.from:one.to]...)
	}
	b[start] = '{' // in place of the first comma
	return append(b, '}')
}

// entry is an element of a map, with the start and end of its encoding.
type entry struct {
	name     string
	from, to int
}

// nameOf returns the name of a map's element.
func nameOf(key reflect.Value) (string, error) {
	switch {
	case key.Kind() == reflect.String:
		return key.String(), nil
	case key.Type().Implements(textMarshaler):
		text, err := key.Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), nil
	}
	return strconv.FormatUint(key.Uint(), 10), nil
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// isLiteral has the bytes that a string contains as they are. HTML in a string is escaped, as in
// encoding/json.
var isLiteral = func() (set [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		set[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return set
}()

// notUTF8 is what encoding/json writes for a byte that is not UTF-8: the replacement character, as
// an escape or as it is since Go 1.27.
var notUTF8 = func() []byte {
	text, _ := json.Marshal("\xff") // a string has no error
	return bytes.Trim(text, `"`)
}()

// isPlain reports whether a string contains a text as it is.
func isPlain(text []byte) bool {
	for _, c := range text {
		if !isLiteral[c] {
			return false
		}
	}
	return true
}

// appendString appends a string.
func appendString(b []byte, text string) []byte {
	const short, hex = "\"\\\b\f\n\r\t", "0123456789abcdef"
	b = append(b, '"')
	from := 0 // the start of the bytes to append
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isLiteral[c] {
			continue
		}
		end, escape := i, [...]byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&0xF]}
		written := escape[:]
		if at := strings.IndexByte(short, c); at >= 0 {
			escape[1], written = `"\bfnrt`[at], escape[:2]
		} else if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size - 1
			switch {
			case r == utf8.RuneError && size == 1:
				written = notUTF8
			case r == '\u2028' || r == '\u2029': // JavaScript took these for the ends of lines, even within strings
				escape[2], escape[3], escape[4], escape[5] = '2', '0', '2', hex[r&0xF]
			default:
				continue
			}
		}
		b = append(append(b, text[from:end]...), written...)
		from = i + 1
	}
	return append(append(b, text[from:]...), '"')
}
