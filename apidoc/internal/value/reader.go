package value

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file holds what is known while a text is read.

// Problem tells what is wrong with a part of a value.
type Problem struct {
	Pointer string // a JSON pointer (RFC 6901) to the part, empty for the whole value
	Detail  string // what the part must be
}

// Mode tells what a check is for.
type Mode uint8

const (
	Lenient  Mode = iota // integers may be written 1.0, as JSON Schema says
	Strict               // integers are digits alone: encoding/json will decode the text as it is
	Response             // the text was sent by us: types with a decoding of their own are not asked
	filling              // of responses: null is an empty slice or map
)

// reader reads one text.
type reader struct {
	scanner
	mode     Mode
	path     []step
	room     [8]step // of paths that are not deep
	problems []Problem
	most     int // problems that are told
	edits    []edit
	decided  map[choice]verdict // of unions
	passed   int                // what is in front of it was read freely, as part of a union
	ends     map[int]int        // where long values end that were read freely, by where they begin
}

func newReader(text string, mode Mode) *reader {
	r := &reader{scanner: scanner{text: text}, mode: mode, most: maxProblems}
	r.path = r.room[:0]
	return r
}

// step leads into an array, or into an object if the index is below 0.
type step struct {
	name  string
	index int
}

// edit replaces a part of the text, where encoding/json could not read it as it is meant.
type edit struct {
	from, to int
	text     string
}

// choice is an alternative at a place of the text.
type choice struct {
	schema *schema.Schema
	at     int
}

// verdict tells whether an alternative fits, and where its value ends.
type verdict struct {
	end   int
	fits  bool
	edits []edit
}

// anything is the schema of every value.
var anything = &schema.Schema{}

const (
	maxProblems = 100 // that are told of one text; the rest would help nobody
	maxPointer  = 512 // bytes; a deeper place is told by what leads there
	minLong     = 64  // bytes of a value whose end is worth noting
)

// tell notes what is wrong with the value that the path leads to, unless detail is empty.
func (r *reader) tell(detail string) {
	if detail != "" && len(r.problems) < r.most {
		r.problems = append(r.problems, Problem{r.pointer(), detail})
	}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (r *reader) pointer() string {
	var b strings.Builder
	for _, s := range r.path {
		text := s.name
		if s.index >= 0 {
			text = strconv.Itoa(s.index)
		}
		text = pointerEscapes.Replace(strings.ToValidUTF8(text[:min(len(text), maxPointer)], "\uFFFD"))
		if b.Len()+1+len(text) > maxPointer {
			break
		}
		b.WriteByte('/')
		b.WriteString(text)
	}
	return b.String()
}

// skip moves behind a value.
func (r *reader) skip() {
	if end, ok := r.ends[r.at]; ok {
		r.at = end
		return
	}
	r.scanner.skip()
}

// since returns the text between start and where the reader is, with its edits.
func (r *reader) since(start int) []byte {
	first, _ := slices.BinarySearchFunc(r.edits, start, func(e edit, start int) int { return cmp.Compare(e.from, start) })
	var b []byte
	for _, e := range r.edits[first:] {
		b = append(append(b, r.text[start:e.from]...), e.text...)
		start = e.to
	}
	return append(b, r.text[start:r.at]...)
}

// canonical returns a text that is the same for equal values.
func canonical(text string) string {
	ambiguous := `\.eE{[`
	if text[0] == '"' {
		ambiguous = `\`
	}
	if !strings.ContainsAny(text, ambiguous) {
		return text
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(b)
}
