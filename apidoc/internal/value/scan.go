package value

import (
	"encoding/json"
	"unicode/utf8"
)

// scanner moves over a text that is known to be JSON, so that reading it needs no checks.
type scanner struct {
	text []byte
	at   int
}

// space moves to the next character that is no white space.
func (s *scanner) space() {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// next moves behind a value, and to the next one if there is one.
func (s *scanner) next() {
	if s.space(); s.text[s.at] == ',' {
		s.at++
		s.space()
	}
}

// name reads the name of a member, and moves to its value.
func (s *scanner) name() []byte {
	name, plain := s.quoted()
	if !plain {
		name = []byte(unquote(name))
	}
	s.space()
	s.at++ // the colon
	s.space()
	return name
}

// quoted moves behind a string, and returns what is between its quotation marks. It is plain if
// that is what the string holds.
func (s *scanner) quoted() (inner []byte, plain bool) {
	s.at++
	start, escaped := s.at, false
	for s.text[s.at] != '"' {
		if s.text[s.at] == '\\' {
			escaped = true
			s.at++
		}
		s.at++
	}
	inner = s.text[start:s.at]
	s.at++
	return inner, !escaped && utf8.Valid(inner)
}

// unquote returns what a string holds that is not plain.
func unquote(inner []byte) (text string) {
	quoted := make([]byte, 0, len(inner)+2)
	quoted = append(append(append(quoted, '"'), inner...), '"')
	json.Unmarshal(quoted, &text) // the string is known to be JSON
	return text
}

// skip moves behind a value.
func (s *scanner) skip() {
	for depth := 0; ; {
		switch c := s.text[s.at]; {
		case c == '"':
			s.quoted()
		case c == '{' || c == '[':
			depth++
			s.at++
		case c == '}' || c == ']':
			depth--
			s.at++
		case c == ',' || c == ':' || isSpace(c):
			s.at++
		default:
			s.word()
		}
		if depth == 0 {
			return
		}
	}
}

// word moves behind a number, true, false or null, and returns it.
func (s *scanner) word() []byte {
	start := s.at
	for s.at < len(s.text) && !isSpace(s.text[s.at]) && s.text[s.at] != ',' && s.text[s.at] != ']' && s.text[s.at] != '}' {
		s.at++
	}
	return s.text[start:s.at]
}
