package value

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// scanner moves over a text that is valid JSON, so it does not check the syntax. Outside of strings
// all characters up to a space are white space.
type scanner struct {
	text string
	at   int
}

// space moves to the next character that is not white space.
func (s *scanner) space() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' {
		s.at++
	}
}

// next moves after a value, and to the next one if there is one.
func (s *scanner) next() {
	if s.space(); s.text[s.at] == ',' {
		s.at++
		s.space()
	}
}

// name reads the name of a member, and moves to its value.
func (s *scanner) name() string {
	name := s.quoted()
	for s.text[s.at] != ':' {
		s.at++
	}
	s.at++
	s.space()
	return name
}

// quoted moves after a string, and returns its content.
func (s *scanner) quoted() string {
	start := s.at
	if inner := s.literal(); !strings.Contains(inner, `\`) && utf8.ValidString(inner) {
		return inner
	}
	var text string
	json.Unmarshal([]byte(s.text[start:s.at]), &text) // cannot fail: the text is valid JSON
	return text
}

// literal moves after a string, and returns the text between its quotation marks.
func (s *scanner) literal() string {
	s.at++
	start := s.at
	for ; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.text[start : s.at-1]
}

// skip moves after a value.
func (s *scanner) skip() {
	for depth := 0; ; {
		switch c := s.text[s.at]; {
		case c == '"':
			s.literal()
		case c == '{' || c == '[':
			depth++
			s.at++
		case c == '}' || c == ']':
			depth--
			s.at++
		case c == ',' || c == ':' || c <= ' ':
			s.at++
		default:
			s.word()
		}
		if depth == 0 {
			return
		}
	}
}

// word moves after a number, true, false or null, and returns it.
func (s *scanner) word() string {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] > ' ' && s.text[s.at] != ',' && s.text[s.at] != ']' && s.text[s.at] != '}' {
		s.at++
	}
	return s.text[start:s.at]
}
