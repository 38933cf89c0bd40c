package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file checks the texts of scalars against a schema.

// Refuse returns what is wrong with the text of a scalar. The text is that of a parameter, so a
// string has no quotation marks.
func (s *Schema) Refuse(text string) *Fault {
	switch {
	case s.Quoted != nil:
		return s.Quoted.refuseWithin(text)
	case s.Kind == "boolean" && text != "true" && text != "false":
		return &Fault{"type", s.Kind, "must be true or false"}
	case s.Kind == "integer":
		return s.refuseInteger(text)
	case s.Kind == "number":
		return s.refuseNumber(text)
	case s.Kind == "string":
		return s.refuseString(text)
	}
	return nil
}

// refuseWithin returns what is wrong with JSON within a string. Values of an enumeration must be
// written as there.
func (s *Schema) refuseWithin(text string) *Fault {
	var f *Fault
	inner := text
	switch {
	case !json.Valid([]byte(text)), s.Kind == "string" && (text[0] != '"' || json.Unmarshal([]byte(text), &inner) != nil):
		f = s.WrongType()
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return string(l.JSON) == text }):
		f = s.unlisted()
	default:
		f = s.Refuse(inner)
	}
	if f == nil {
		return nil
	}
	return &Fault{f.Code, f.Limit, f.Detail + " in a string"}
}

func (s *Schema) refuseString(text string) *Fault {
	if s.Duration {
		if _, err := ParseDuration(text); err != nil {
			return &Fault{"format", s.Format, "must be a duration as in ISO 8601, without years and months, such as P1DT2H"}
		}
	}
	if s.Format != "" {
		if f, ok := formats[s.Format]; ok && !f.valid(text) {
			return &Fault{"format", s.Format, f.detail}
		}
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return l.Text == text }) {
		return s.unlisted()
	}
	if s.MinLength != nil || s.MaxLength != nil {
		length := utf8.RuneCountInString(text)
		if s.IsBinary() {
			length = len(text)
		}
		if f := s.RefuseLength(length); f != nil {
			return f
		}
	}
	if s.Pattern != nil && !s.Pattern.MatchString(text) {
		return s.Pattern.fault
	}
	return nil
}

func (s *Schema) refuseInteger(text string) *Fault {
	if !isInteger(text) {
		return s.WrongType()
	}
	if f := s.refuseBounds(text); f != nil {
		return f
	}
	return s.refuseSize(text)
}

// refuseSize returns what is wrong with an integer that its Go type cannot hold.
func (s *Schema) refuseSize(text string) *Fault {
	switch {
	case s.Unsigned:
		if _, err := strconv.ParseUint(text, 10, s.Bits); err == nil {
			return nil
		}
	case s.Bits == 0 || s.Bits == 64 && len(text) <= 18:
		return nil
	default:
		if _, err := strconv.ParseInt(text, 10, s.Bits); err == nil {
			return nil
		}
	}
	least, most := int64(0), uint64(math.MaxUint64)>>(64-s.Bits)
	if !s.Unsigned {
		least, most = math.MinInt64>>(64-s.Bits), most/2
	}
	if text[0] == '-' {
		return bound("minimum", "at least", strconv.FormatInt(least, 10))
	}
	return bound("maximum", "at most", strconv.FormatUint(most, 10))
}

func (s *Schema) refuseNumber(text string) *Fault {
	if !IsNumber(text) {
		return s.WrongType()
	}
	if s.Bits == 32 || s.Bits == 64 && len(text) > 15 || strings.ContainsAny(text, "eE") {
		if _, err := strconv.ParseFloat(text, max(s.Bits, 32)); s.Bits != 0 && err != nil {
			return &Fault{"format", s.Format, "must be a number of " + strconv.Itoa(s.Bits) + " bits"}
		}
	}
	return s.refuseBounds(text)
}

// refuseBounds returns the rule that a number breaks.
func (s *Schema) refuseBounds(text string) *Fault {
	if s.Min == nil && s.Max == nil && s.MultipleOf == nil && s.Enum == nil {
		return nil
	}
	n := NumberOf(text)
	switch {
	case s.Min != nil && s.Min.Exclusive && s.Min.Compare(&n) >= 0:
		return bound("exclusiveMinimum", "greater than", s.Min.Text)
	case s.Min != nil && s.Min.Compare(&n) > 0:
		return bound("minimum", "at least", s.Min.Text)
	case s.Max != nil && s.Max.Exclusive && s.Max.Compare(&n) <= 0:
		return bound("exclusiveMaximum", "less than", s.Max.Text)
	case s.Max != nil && s.Max.Compare(&n) < 0:
		return bound("maximum", "at most", s.Max.Text)
	case s.MultipleOf != nil && !s.MultipleOf.divides(&n):
		return bound("multipleOf", "a multiple of", s.MultipleOf.Text)
	}
	equal := func(l Literal) bool {
		value := NumberOf(l.Text)
		return value.Compare(&n) == 0
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, equal) {
		return s.unlisted()
	}
	return nil
}
