package apidoc

import (
	"encoding/json"
	"unicode/utf8"
)

// This file moves over a text that is known to be JSON.

// space moves to the next character that is no white space.
func (c *checker) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

// comma moves behind a value, and to the next one if there is one.
func (c *checker) comma() {
	if c.space(); c.text[c.at] == ',' {
		c.at++
		c.space()
	}
}

// name reads the name of a member, and moves to its value.
func (c *checker) name() []byte {
	name, escaped := c.quoted()
	if escaped || !utf8.Valid(name) {
		name = []byte(unquote(name))
	}
	c.space()
	c.at++ // the colon
	c.space()
	return name
}

// quoted moves behind a string, and returns what is between its quotation marks.
func (c *checker) quoted() (inner []byte, escaped bool) {
	c.at++
	start := c.at
	for c.text[c.at] != '"' {
		if c.text[c.at] == '\\' {
			escaped = true
			c.at++
		}
		c.at++
	}
	c.at++
	return c.text[start : c.at-1], escaped
}

// unquote returns what a string with escapes holds.
func unquote(inner []byte) (text string) {
	quoted := make([]byte, 0, len(inner)+2)
	quoted = append(append(append(quoted, '"'), inner...), '"')
	json.Unmarshal(quoted, &text) // the string is known to be JSON
	return text
}

// skip moves behind a value.
func (c *checker) skip() {
	for depth := 0; ; {
		switch c.text[c.at] {
		case '"':
			c.quoted()
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		case ',', ':', ' ', '\t', '\r', '\n':
			c.at++
		default:
			for c.at < len(c.text) && !isEnd(c.text[c.at]) {
				c.at++
			}
		}
		if depth == 0 {
			return
		}
	}
}

// isEnd reports whether b ends a number or a word.
func isEnd(b byte) bool {
	switch b {
	case ',', ':', ']', '}', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}
