package apidoc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file checks a JSON text against a schema in one pass, without a tree of its values. All that
// is wrong is told, each with a JSON pointer (RFC 6901). The text was found to be JSON before, by
// json.Valid, so that reading it needs no checks of its own.
//
// What fits but encoding/json could not read as meant is mended on the way, by edits of the text:
// integers such as 1.0, and members that have a default and are left out.

const (
	maxProblems = 100 // that are told of one request; the rest would help nobody
	maxPointer  = 512 // bytes; a deeper place is told by what leads there
)

// checker is a check under way.
type checker struct {
	text     []byte
	at       int
	mode     mode
	path     []step
	room     [8]step // of paths that are not deep
	problems []InputError
	edits    []edit
	decided  map[choice]verdict
}

// mode tells what is mended.
type mode uint8

const (
	mended    mode = iota // requests: integers and defaults
	asWritten             // requests that a hand-written action decodes: nothing
	response              // responses: null for an empty slice or map
	exact                 // responses as they were sent: nothing
)

// isResponse reports whether the text is our own, which no decoder needs to be asked about.
func (m mode) isResponse() bool { return m >= response }

// step leads into an object or an array.
type step struct {
	name  []byte // nil in an array
	index int
}

// edit replaces a part of the text.
type edit struct {
	from, to int
	text     string
}

// check checks the whole text.
func (c *checker) check(s *schema) { c.decode(s, reflect.Value{}) }

// decode checks the whole text, and sets v to its value. What v holds is of no use where problems
// were found. The zero reflect.Value stands for a check alone, here and below.
func (c *checker) decode(s *schema, v reflect.Value) {
	c.space()
	c.value(s, v)
}

// edited returns the text with its edits.
func (c *checker) edited() []byte { return c.editedFrom(0) }

// editedFrom returns what was read of the text since start, with its edits.
func (c *checker) editedFrom(start int) []byte {
	i := len(c.edits)
	for i > 0 && c.edits[i-1].from >= start {
		i--
	}
	if i == len(c.edits) {
		return c.text[start:c.at]
	}
	var b bytes.Buffer
	for _, e := range c.edits[i:] {
		b.Write(c.text[start:e.from])
		b.WriteString(e.text)
		start = e.to
	}
	b.Write(c.text[start:c.at])
	return b.Bytes()
}

// tell notes what is wrong with the value that the path leads to, unless detail is empty.
func (c *checker) tell(detail string) {
	if detail != "" && len(c.problems) < maxProblems {
		c.problems = append(c.problems, InputError{In: InBody, Pointer: c.pointer(), Detail: detail})
	}
}

// tellOf is tell for a member of the value.
func (c *checker) tellOf(name, detail string) {
	c.path = append(c.path, step{name: []byte(name)})
	c.tell(detail)
	c.path = c.path[:len(c.path)-1]
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (c *checker) pointer() string {
	var b strings.Builder
	for _, s := range c.path {
		text := strconv.Itoa(s.index)
		if s.name != nil {
			if b.Len()+len(s.name) > maxPointer {
				break
			}
			text = pointerEscapes.Replace(strings.ToValidUTF8(string(s.name), "\uFFFD"))
		}
		if b.Len()+1+len(text) > maxPointer {
			break
		}
		b.WriteByte('/')
		b.WriteString(text)
	}
	return b.String()
}

// value checks the value that the text is at, sets v to it, and moves behind it.
func (c *checker) value(s *schema, v reflect.Value) {
	if len(c.problems) == maxProblems {
		c.skip()
		return
	}
	nullable := s.nullable
	if s.ref != "" {
		if s = s.resolve(); s == nil {
			s = anything
		}
	}
	start, kind := c.at, c.text[c.at]
	if kind == 'n' && (nullable || s.nullable) {
		c.at += len("null")
		return
	}
	before := len(c.problems)
	whole := v // what encoding/json decodes
	if s.decodesItself() {
		v = reflect.Value{}
	} else {
		whole, v = reflect.Value{}, pointed(v)
	}
	switch {
	case s.oneOf != nil:
		c.choose(s)
	case kind == 'n' && c.mode == response && c.mend(s):
		return
	case c.mode == response && kind != '{' && kind != '[':
		c.skip() // only nil slices and maps are looked for
	case s.kind == "":
		c.free()
	case s.kind == "object" && kind == '{':
		c.object(s, v)
	case s.kind == "array" && kind == '[':
		c.array(s, v)
	case s.kind == "string" && kind == '"':
		c.string(s, v)
	case (s.kind == "integer" || s.kind == "number") && (kind == '-' || '0' <= kind && kind <= '9'):
		c.number(s, v)
	case s.kind == "boolean" && (kind == 't' || kind == 'f'):
		c.skip()
		if v.IsValid() {
			v.SetBool(kind == 't')
		}
	default:
		c.skip()
		c.tell("must be " + s.noun())
	}
	if len(c.problems) == before && !c.mode.isResponse() {
		c.asType(s, whole, start)
	}
}

// asType lets encoding/json decode a value that began at start, where its type wants that.
func (c *checker) asType(s *schema, v reflect.Value, start int) {
	text := c.text[start:c.at]
	switch {
	case v.IsValid():
		text = c.editedFrom(start)
	case s.goType == nil || s.oneOf != nil:
		return
	case len(c.edits) > 0 && c.edits[len(c.edits)-1].from >= start:
		return // whoever decodes the edited text will tell
	default:
		v = reflect.New(s.goType).Elem()
	}
	if json.Unmarshal(text, v.Addr().Interface()) == nil {
		return
	}
	if s.goType == nil {
		c.tell("cannot be read")
	} else {
		c.tell("must be a valid " + s.goType.Name())
	}
}

// mend writes an empty slice or map in place of null: Go's nil ones are empty.
func (c *checker) mend(s *schema) bool {
	empty := "{}"
	switch {
	case s.kind == "array" && s.length == nil:
		empty = "[]"
	case s.kind == "object" && s.values != nil && s.properties == nil:
	default:
		return false
	}
	c.edits = append(c.edits, edit{c.at, c.at + len("null"), empty})
	c.at += len("null")
	return true
}

// anything is the schema of every value.
var anything = &schema{}

// free passes any value. Within it too, no member may occur twice.
func (c *checker) free() {
	switch {
	case c.mode.isResponse():
		c.skip()
	case c.text[c.at] == '{':
		c.object(anything, reflect.Value{})
	case c.text[c.at] == '[':
		c.array(anything, reflect.Value{})
	default:
		c.skip()
	}
}

func (c *checker) object(s *schema, v reflect.Value) {
	var few [4]uint64
	seen := bits(few[:])
	if len(s.properties) > 64*len(few) {
		seen = make(bits, len(s.properties)/64+1)
	}
	var others names
	if v.IsValid() && v.Kind() == reflect.Map {
		v.Set(reflect.MakeMap(v.Type()))
	}
	count := 0
	c.at++
	for c.space(); c.text[c.at] != '}'; count++ {
		name := c.name()
		c.path = append(c.path, step{name: name})
		if len(c.problems) > 0 {
			v = reflect.Value{} // nobody will read it
		}
		inner, into := s.values, reflect.Value{}
		i, listed := s.property(name, count)
		if listed {
			inner = s.properties[i].schema
			into = c.fieldOf(v, s.properties[i].index)
			if !seen.add(i) {
				c.tell("must not occur twice")
			}
		} else {
			c.other(s, name, &others)
			into = newElement(v)
		}
		if inner == nil {
			inner = anything
		}
		c.value(inner, into)
		if into.IsValid() && !listed && len(c.problems) == 0 {
			c.setElement(v, string(name), into)
		}
		c.path = c.path[:len(c.path)-1]
		c.comma()
	}
	c.missing(s, seen, count, v)
	c.at++
	if s.minLength != nil || s.maxLength != nil {
		c.tell(s.refuseLength(count, "member"))
	}
}

// property returns the index of a property. Members mostly come in the order of the properties.
func (s *schema) property(name []byte, guess int) (int, bool) {
	if guess < len(s.properties) && s.properties[guess].name == string(name) {
		return guess, true
	}
	i, ok := s.names[string(name)]
	return i, ok
}

// other checks the name of a member that is not listed. One that differs from a listed one in
// letter case alone is refused, since encoding/json would read it in the other's place.
func (c *checker) other(s *schema, name []byte, others *names) {
	if s.folded != nil {
		var room [64]byte
		if i, ok := s.folded[string(fold(room[:0], name))]; ok {
			c.tell("must be written " + strconv.Quote(s.properties[i].name))
			return
		}
	}
	switch {
	case !others.add(name) && !c.mode.isResponse():
		c.tell("must not occur twice")
	case s.closed:
		c.tell("is not a member that is described")
	case s.keys == nil:
	case s.keys.kind == "integer":
		if detail := s.keys.refuseInteger(string(name)); detail != "" {
			c.tell("the name " + detail)
		}
	case !c.mode.isResponse():
		text, _ := json.Marshal(string(name))
		if json.Unmarshal(text, reflect.New(s.keys.goType).Interface()) != nil {
			c.tell("the name must be a valid " + s.keys.goType.Name())
		}
	}
}

// missing tells which required members are not there, and adds the defaults of others.
func (c *checker) missing(s *schema, seen bits, count int, v reflect.Value) {
	for i := range s.properties {
		p := &s.properties[i]
		switch {
		case seen.has(i):
		case p.required:
			c.tellOf(p.name, "is required")
		case p.schema.def != nil && v.IsValid():
			field := c.fieldOf(v, p.index)
			inner := checker{text: p.schema.def}
			inner.decode(p.schema, field) // which was checked when the type was read
		case p.schema.def != nil && c.mode == mended:
			name, _ := json.Marshal(p.name)
			text := string(name) + ":" + string(p.schema.def)
			if count > 0 {
				text = "," + text
			}
			c.edits = append(c.edits, edit{c.at, c.at, text})
			count++
		}
	}
}

func (c *checker) array(s *schema, v reflect.Value) {
	items := s.items
	if items == nil {
		items = anything
	}
	var seen names
	count := 0
	c.at++
	for c.space(); c.text[c.at] != ']'; count++ {
		start := c.at
		c.path = append(c.path, step{index: count})
		if len(c.problems) > 0 {
			v = reflect.Value{} // nobody will read it
		}
		c.value(items, itemOf(v, count))
		if s.unique && !seen.add(canonical(c.text[start:c.at])) {
			c.tell("must not occur twice")
		}
		c.path = c.path[:len(c.path)-1]
		c.comma()
	}
	c.at++
	if count == 0 && v.IsValid() && v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	if s.length != nil && count != *s.length {
		c.tell("must have " + strconv.Itoa(*s.length) + " items")
	}
	if s.minLength != nil || s.maxLength != nil {
		c.tell(s.refuseLength(count, "item"))
	}
}

// canonical returns a text that is the same for equal values.
func canonical(value []byte) []byte {
	ambiguous := `\.eE{[`
	if value[0] == '"' {
		ambiguous = `\`
	}
	if bytes.ContainsAny(value, ambiguous) {
		var v any
		if json.Unmarshal(value, &v) == nil {
			if b, err := json.Marshal(v); err == nil {
				return b
			}
		}
	}
	return value
}

func (c *checker) string(s *schema, v reflect.Value) {
	inner, escaped := c.quoted()
	if !v.IsValid() && s.format == "" && s.enum == nil && s.quoted == nil && !escaped {
		c.tell(s.refuseBytes(inner))
		return
	}
	text := string(inner)
	if escaped || v.IsValid() && !utf8.Valid(inner) {
		text = unquote(inner)
	}
	detail := ""
	if s.quoted != nil {
		detail = s.quoted.refuseQuoted(text)
	} else {
		detail = s.refuseText(text)
	}
	if c.tell(detail); detail == "" && v.IsValid() {
		c.setString(s, v, text)
	}
}

// refuseQuoted returns what is wrong with a value within a text, which encoding/json reads by the
// option ",string".
func (s *schema) refuseQuoted(text string) string {
	if s.kind == "integer" || s.kind == "number" || s.kind == "boolean" {
		if detail := s.refuse(text); detail != "" || !json.Valid([]byte(text)) {
			return "must be " + s.noun() + " in a string"
		}
		return ""
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) != nil {
		return "must be a string in a string"
	}
	return s.refuseText(inner)
}

func (c *checker) number(s *schema, v reflect.Value) {
	start := c.at
	c.skip()
	if raw := c.text[start:c.at]; s.isPlain(raw) {
		if v.IsValid() {
			c.setNumber(v, string(raw))
		}
		return
	}
	text, detail := string(c.text[start:c.at]), ""
	if s.kind == "number" {
		detail = s.refuseNumber(text)
	} else {
		if !isInteger(text) || text == "-0" {
			plain, ok := plainInteger(text)
			switch {
			case !ok:
				c.tell("must be an integer")
				return
			case c.mode == asWritten && text != "-0":
				c.tell("must be an integer without a point or an exponent")
				return
			}
			if text = plain; !v.IsValid() {
				c.edits = append(c.edits, edit{start, c.at, plain})
			}
		}
		detail = s.refuseInteger(text)
	}
	if c.tell(detail); detail == "" && v.IsValid() {
		c.setNumber(v, text)
	}
}

// isPlain reports whether a number has so few digits, and the schema so few rules, that it fits.
// Most numbers do, and none of the rest of the check is needed for them.
func (s *schema) isPlain(number []byte) bool {
	if len(number) > 15 || s.bits != 64 || s.min != nil || s.max != nil || s.multipleOf != nil || s.enum != nil {
		return false
	}
	for _, b := range number {
		if (b < '0' || b > '9') && (b != '.' || s.kind == "integer") {
			return false
		}
	}
	return true
}

// choice is a union's alternative at a place of the text.
type choice struct {
	schema *schema
	at     int
}

type verdict struct {
	end   int
	fits  bool
	edits []edit
}

// choose checks that exactly one alternative of a union fits. Each is tried once at each place, so
// that unions within unions cost no more than their number times the text.
func (c *checker) choose(s *schema) {
	var chosen []verdict
	start, end := c.at, c.at
	for _, alternative := range s.oneOf {
		v := c.try(alternative, start)
		if end = v.end; v.fits {
			chosen = append(chosen, v)
		}
	}
	c.at = end
	switch len(chosen) {
	case 1:
		c.edits = append(c.edits, chosen[0].edits...)
	case 0:
		c.tell("must be " + s.alternatives())
	default:
		c.tell("must be only one of those: " + s.alternatives())
	}
}

func (s *schema) alternatives() string {
	var list []string
	for _, one := range s.oneOf {
		name := one.ref
		if name == "" {
			name = one.noun()
		}
		list = append(list, name)
	}
	return strings.Join(list, " or ")
}

func (c *checker) try(s *schema, at int) verdict {
	key := choice{s.resolve(), at}
	v, ok := c.decided[key]
	if !ok {
		if c.decided == nil {
			c.decided = make(map[choice]verdict)
		}
		inner := checker{text: c.text, at: at, mode: c.mode, decided: c.decided}
		inner.value(s, reflect.Value{})
		v = verdict{inner.at, len(inner.problems) == 0, inner.edits}
		c.decided[key] = v
	}
	return v
}

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// add reports whether i was not there.
func (b bits) add(i int) bool {
	had := b.has(i)
	b[i/64] |= 1 << (i % 64)
	return !had
}

// names is a set of texts. Few are kept without a map.
type names struct {
	few   [8][]byte
	count int
	many  map[string]struct{}
}

// add reports whether name was not there. The name must not be changed later.
func (n *names) add(name []byte) bool {
	if n.many != nil {
		before := len(n.many)
		n.many[string(name)] = struct{}{}
		return len(n.many) > before
	}
	for _, one := range n.few[:n.count] {
		if bytes.Equal(one, name) {
			return false
		}
	}
	if n.count < len(n.few) {
		n.few[n.count] = name
		n.count++
		return true
	}
	n.many = map[string]struct{}{string(name): {}}
	for _, one := range n.few {
		n.many[string(one)] = struct{}{}
	}
	return true
}

// fold appends name without its letter case to b, by the rule of encoding/json: of all letters that
// are one in another case, the first stands for them.
func fold(b, name []byte) []byte {
	for len(name) > 0 {
		if c := name[0]; c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			b, name = append(b, c), name[1:]
			continue
		}
		r, size := utf8.DecodeRune(name)
		name = name[size:]
		for next := unicode.SimpleFold(r); ; next = unicode.SimpleFold(next) {
			if next <= r {
				b = utf8.AppendRune(b, next)
				break
			}
		}
	}
	return b
}
