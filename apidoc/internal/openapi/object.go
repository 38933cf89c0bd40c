package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// object is a JSON object with a fixed order of members, so that a description has the program's
// order and its bytes are always the same. Members without a value are omitted.
type object []member

type member struct {
	name  string
	value any
}

// withoutEmpty returns the members whose value is not nil, a nil pointer or slice, or "". Without
// such members it returns nil.
func (o object) withoutEmpty() (members object) {
	for _, m := range o {
		v := reflect.ValueOf(m.value)
		isEmpty := (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer) && v.IsNil() || v.Kind() == reflect.String && v.Len() == 0
		if v.IsValid() && !isEmpty {
			members = append(members, m)
		}
	}
	return members
}

// with returns o with additional members, sorted by name.
func (o object) with(members map[string]any) object {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		o = append(o, member{name, &value}) // written even if it is empty
	}
	return o
}

// MarshalJSON writes the members that have a value.
func (o object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range o.withoutEmpty() {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // text has no error
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

// flag returns true, or nil for false.
func flag(b bool) any {
	if b {
		return true
	}
	return nil
}
