package apidoc

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is a JSON object whose members keep the order in which they were added, so that a
// description follows the program's order, and its bytes are the same each time.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) add(name string, value any) {
	*o = append(*o, member{name, value})
}

// addText adds text unless it is empty.
func (o *object) addText(name, text string) {
	if text != "" {
		o.add(name, text)
	}
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

// encode writes a whole document, indented for the people who open it.
func (o object) encode() ([]byte, error) {
	b, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}
