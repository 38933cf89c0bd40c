package apidoc

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// object is a JSON object whose members keep the order in which they were added, so that a
// description follows the program's order, and its bytes are the same each time.
type object []member

type member struct {
	name  string
	value any
}

// present returns o without the members that tell nothing: null, empty text, and lists and objects
// that are nil. Without any member left it is nil.
func (o object) present() object {
	o = slices.DeleteFunc(o, func(m member) bool {
		switch v := m.value.(type) {
		case nil:
			return true
		case string:
			return v == ""
		case object:
			return v == nil
		case []object:
			return v == nil
		case []string:
			return v == nil
		case json.RawMessage:
			return v == nil
		case []json.RawMessage:
			return v == nil
		}
		return false
	})
	if len(o) == 0 {
		return nil
	}
	return o
}

// with returns o with further members, sorted by name.
func (o object) with(members map[string]any) object {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		o = append(o, member{name, members[name]})
	}
	return o
}

// without returns o without some members.
func (o object) without(names ...string) object {
	return slices.DeleteFunc(o, func(m member) bool { return slices.Contains(names, m.name) })
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
