package value

import (
	"encoding/json"
	"unicode/utf8"
)

// This file moves over a text that is known to be JSON, so that reading it needs no checks.

// space moves to the next character that is no white space.
func (r *reader) space() {
	for r.at < len(r.text) && isSpace(r.text[r.at]) {
		r.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// next moves behind a value, and to the next one if there is one.
func (r *reader) next() {
	if r.space(); r.text[r.at] == ',' {
		r.at++
		r.space()
	}
}

// name reads the name of a member, and moves to its value.
func (r *reader) name() []byte {
	name, plain := r.quoted()
	if !plain {
		name = []byte(unquote(name))
	}
	r.space()
	r.at++ // the colon
	r.space()
	return name
}

// quoted moves behind a string, and returns what is between its quotation marks. It is plain if
// that is what the string holds.
func (r *reader) quoted() (inner []byte, plain bool) {
	r.at++
	start, escaped := r.at, false
	for r.text[r.at] != '"' {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
		r.at++
	}
	inner = r.text[start:r.at]
	r.at++
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
func (r *reader) skip() {
	for depth := 0; ; {
		switch c := r.text[r.at]; {
		case c == '"':
			r.quoted()
		case c == '{' || c == '[':
			depth++
			r.at++
		case c == '}' || c == ']':
			depth--
			r.at++
		case c == ',' || c == ':' || isSpace(c):
			r.at++
		default:
			r.word()
		}
		if depth == 0 {
			return
		}
	}
}

// word moves behind a number, true, false or null, and returns it.
func (r *reader) word() []byte {
	start := r.at
	for r.at < len(r.text) && !isSpace(r.text[r.at]) && r.text[r.at] != ',' && r.text[r.at] != ']' && r.text[r.at] != '}' {
		r.at++
	}
	return r.text[start:r.at]
}
