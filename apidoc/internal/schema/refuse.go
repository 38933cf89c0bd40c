package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file checks the texts of scalars against a schema. Errors are texts such as "must be an
// integer", which follow the name of the value.

// Refuse returns why the text of a scalar is invalid, or "". The text is that of a parameter, so a
// string has no quotation marks.
func (s *Schema) Refuse(text string) string {
	switch {
	case s.Quoted != nil:
		return s.Quoted.refuseWithin(text)
	case s.Kind == "boolean" && text != "true" && text != "false":
		return "must be true or false"
	case s.Kind == "integer":
		return s.refuseInteger(text)
	case s.Kind == "number":
		return s.refuseNumber(text)
	case s.Kind == "string":
		return s.refuseString(text)
	}
	return ""
}

// refuseWithin returns why JSON within a string is invalid, or "". Values of an enumeration must be
// written as there.
func (s *Schema) refuseWithin(text string) string {
	inner, detail := text, ""
	switch {
	case !json.Valid([]byte(text)), s.Kind == "string" && (text[0] != '"' || json.Unmarshal([]byte(text), &inner) != nil):
		detail = "must be " + s.Noun()
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return string(l.JSON) == text }):
		detail = s.enumeration()
	default:
		detail = s.Refuse(inner)
	}
	if detail != "" {
		detail += " in a string"
	}
	return detail
}

func (s *Schema) refuseString(text string) string {
	if s.Duration {
		if _, err := ParseDuration(text); err != nil {
			return "must be a duration as in ISO 8601, without years and months, such as P1DT2H"
		}
	}
	if s.Format != "" {
		if detail := refuseFormat(s.Format, text); detail != "" {
			return detail
		}
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(l Literal) bool { return l.Text == text }) {
		return s.enumeration()
	}
	if s.MinLength != nil || s.MaxLength != nil {
		if detail := s.RefuseLength(utf8.RuneCountInString(text), "character"); detail != "" {
			return detail
		}
	}
	if s.Pattern != nil && !s.Pattern.MatchString(text) {
		return "must match the pattern " + s.Pattern.String()
	}
	return ""
}

// refuseInteger returns why an integer is invalid, or "".
func (s *Schema) refuseInteger(text string) string {
	switch {
	case !isInteger(text):
		return "must be an integer"
	case s.Unsigned && text[0] == '-':
		return "must be an integer of at least 0"
	case s.Unsigned:
		if _, err := strconv.ParseUint(text, 10, s.Bits); err != nil {
			return "must be an integer of " + strconv.Itoa(s.Bits) + " bits, without a sign"
		}
	case s.Bits != 0 && (s.Bits != 64 || len(text) > 18):
		if _, err := strconv.ParseInt(text, 10, s.Bits); err != nil {
			return "must be an integer of " + strconv.Itoa(s.Bits) + " bits"
		}
	}
	return s.refuseBounds(text)
}

func (s *Schema) refuseNumber(text string) string {
	if !isNumber(text) {
		return "must be a number"
	}
	if s.Bits == 32 || s.Bits == 64 && len(text) > 15 || strings.ContainsAny(text, "eE") {
		if _, err := strconv.ParseFloat(text, max(s.Bits, 32)); s.Bits != 0 && err != nil {
			return "must be a number of " + strconv.Itoa(s.Bits) + " bits"
		}
	}
	return s.refuseBounds(text)
}

// refuseBounds returns the rule that a number breaks, or "".
func (s *Schema) refuseBounds(text string) string {
	if s.Min == nil && s.Max == nil && s.Above == nil && s.Below == nil && s.MultipleOf == nil && s.Enum == nil {
		return ""
	}
	n := NumberOf(text)
	switch {
	case s.Min != nil && s.Min.Compare(&n) > 0:
		return "must be at least " + s.Min.Text
	case s.Above != nil && s.Above.Compare(&n) >= 0:
		return "must be greater than " + s.Above.Text
	case s.Below != nil && s.Below.Compare(&n) <= 0:
		return "must be less than " + s.Below.Text
	case s.Max != nil && s.Max.Compare(&n) < 0:
		return "must be at most " + s.Max.Text
	case s.MultipleOf != nil && !s.MultipleOf.divides(&n):
		return "must be a multiple of " + s.MultipleOf.Text
	}
	equal := func(l Literal) bool {
		value := NumberOf(l.Text)
		return value.Compare(&n) == 0
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, equal) {
		return s.enumeration()
	}
	return ""
}

// enumeration lists the allowed values.
func (s *Schema) enumeration() string {
	texts := make([]string, len(s.Enum))
	for i, l := range s.Enum {
		texts[i] = string(l.JSON)
	}
	return "must be one of " + strings.Join(texts, ", ")
}

// RefuseLength returns why the length of a value, in units such as "item", is invalid, or "".
func (s *Schema) RefuseLength(n int, unit string) string {
	limit, word := s.MinLength, "at least"
	if limit == nil || n >= *limit {
		limit, word = s.MaxLength, "at most"
		if limit == nil || n <= *limit {
			return ""
		}
	}
	if *limit != 1 {
		unit += "s"
	}
	return "must have " + word + " " + strconv.Itoa(*limit) + " " + unit
}
