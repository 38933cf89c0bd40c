package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// This file has what may be wrong with a value.

// Fault is the rule that a value breaks, for programs and for people. Nil is none, so that nothing
// is paid for values that are right. A Fault is not changed.
type Fault struct {
	Code   string // of the rule: its keyword in JSON Schema, if it has one
	Limit  any    // what the rule allows, as behind that keyword; nil if the code says it all
	Detail string // the same in English, such as "must be an integer", behind the name of the value
}

// Faults that are the same for all values. Names that occur twice have no keyword, nor have values
// that match all rules but that their Go types cannot decode.
var (
	Required = &Fault{Code: "required", Detail: "is required"}
	Unknown  = &Fault{Code: "additionalProperties", Detail: "is not a described member"}
	SameName = &Fault{Code: "duplicate", Detail: "must not occur twice"}
	SameItem = &Fault{Code: "uniqueItems", Detail: "must not occur twice"}
)

// MissingWith is the fault of a value that is missing beside another one that is there.
func MissingWith(name string) *Fault {
	return &Fault{"dependentRequired", name, "is required with " + strconv.Quote(name)}
}

// OfName returns the fault of a member whose name has the fault.
func (f *Fault) OfName() *Fault { return &Fault{"propertyNames", f.Limit, "the name " + f.Detail} }

// WrongType is the fault of a value of another type.
func (s *Schema) WrongType() *Fault {
	t := s.Resolve()
	if f := wrongTypes[t.Kind]; f != nil {
		return f
	}
	return &Fault{"type", t.Kind, "must be " + t.Noun()}
}

// wrongTypes are made once, since they are the same for all schemas of a kind.
var wrongTypes = func() map[string]*Fault {
	all := make(map[string]*Fault)
	for _, kind := range []string{"string", "integer", "number", "boolean", "array", "object"} {
		all[kind] = &Fault{"type", kind, "must be " + (&Schema{Kind: kind}).Noun()}
	}
	return all
}()

// bound is the fault of a number beyond a limit, which follows words.
func bound(code, words, limit string) *Fault {
	return &Fault{code, json.Number(limit), "must be " + words + " " + limit}
}

// unlisted is the fault of a value that an enumeration does not have.
func (s *Schema) unlisted() *Fault {
	texts, values := make([]string, len(s.Enum)), make([]any, len(s.Enum))
	for i, l := range s.Enum {
		texts[i], values[i] = string(l.JSON), json.Number(l.JSON)
		if l.JSON[0] == '"' {
			values[i] = l.Text
		}
	}
	return &Fault{"enum", values, "must be one of " + strings.Join(texts, ", ")}
}

// LengthRules returns the keywords for limits of a value's length, and what is counted. JSON Schema
// has none for the bytes of a file.
func (s *Schema) LengthRules() (least, most, unit string) {
	switch {
	case s.IsBinary():
		return "minBytes", "maxBytes", "byte"
	case s.Kind == "array":
		return "minItems", "maxItems", "item"
	case s.Kind == "object":
		return "minProperties", "maxProperties", "member"
	}
	return "minLength", "maxLength", "character"
}

// RefuseLength returns what is wrong with the length of a value.
func (s *Schema) RefuseLength(n int) *Fault {
	limit, words := 0, ""
	switch {
	case s.Length != nil && n != *s.Length:
		limit = *s.Length
	case s.MinLength != nil && n < *s.MinLength:
		limit, words = *s.MinLength, "at least "
	case s.MaxLength != nil && n > *s.MaxLength:
		limit, words = *s.MaxLength, "at most "
	default:
		return nil
	}
	code, most, unit := s.LengthRules()
	if n > limit {
		code = most
	}
	if limit != 1 {
		unit += "s"
	}
	return &Fault{code, limit, "must have " + words + strconv.Itoa(limit) + " " + unit}
}
