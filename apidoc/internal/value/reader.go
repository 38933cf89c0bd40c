package value

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file has the state of a reader, and its scanner.

// reader reads one text.
type reader struct {
	scanner
	direction schema.Direction
	amends    bool // a text of encoding/json: null becomes an empty slice or map
	path      []step
	shortPath [6]step // the memory of paths that are not deep
	problems  []routing.InputError
	limit     int             // of reported problems
	ctx       context.Context // for Validate; may be nil
	failed    error           // the error of a Validate method
	found     int             // the number of problems from Validate methods; enclosing values are still validated
	edits     []edit
	decided   map[choice]verdict // of unions
	passed    int                // anyValue has read the text before this offset, for a union
	ends      map[int]int        // the ends of long values that anyValue has read, by their starts
	decoding  []*schema.Schema   // of the enclosing values that encoding/json decodes as a whole
	nested    int                // number of enclosing values whose types decode themselves
	texts     strings.Builder    // memory for short texts of values
}

// readers are reused, since a reader is larger than most bodies.
var readers = sync.Pool{New: func() any { return new(reader) }}

func newReader(text string, direction schema.Direction) *reader {
	r := readers.Get().(*reader)
	r.text, r.direction, r.limit, r.path = text, direction, MaxProblems, r.shortPath[:0]
	r.next()
	return r
}

// end returns the reader to the pool. It must not be used afterwards.
func (r *reader) end() {
	*r = reader{} // so that it does not refer to the request
	readers.Put(r)
}

// isRequest reports whether the text is a client's. Types that decode themselves must be able to
// decode it, and defaults are added.
func (r *reader) isRequest() bool { return r.direction == schema.InRequests && !r.amends }

// step is a step into an array, or into an object if the index is negative.
type step struct {
	name  string
	index int
}

// edit replaces a part of the text that encoding/json would not read as intended.
type edit struct {
	from, to int
	text     string
}

// choice is an alternative at a position in the text.
type choice struct {
	schema *schema.Schema
	at     int
}

// verdict is whether an alternative matches, and where its value ends.
type verdict struct {
	end   int
	fits  bool
	edits []edit
}

// anything is a schema that allows every value.
var anything = &schema.Schema{}

// MaxProblems is the maximum number of reported problems of a text.
const MaxProblems = 100

// maxNested is the maximum depth of values whose types decode themselves. Each reads the text of
// those in it again.
const maxNested = 64

// minLong is the minimum length of a value whose end is recorded.
const minLong = 64

// skip moves after a value.
func (r *reader) skip() {
	if end, ok := r.ends[r.at]; ok {
		r.at = end
		return
	}
	r.scanner.skip()
}

// scanner moves over a text that is valid JSON, so it does not check the syntax. Outside of strings
// all characters up to a space are white space.
type scanner struct {
	text string
	at   int
}

// next moves to the next value, name or closing bracket.
func (s *scanner) next() {
	for s.at < len(s.text) && (s.text[s.at] <= ' ' || s.text[s.at] == ',' || s.text[s.at] == ':') {
		s.at++
	}
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
