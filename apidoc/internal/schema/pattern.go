package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// This file translates patterns. Values are checked with a regular expression of Go, but JSON
// Schema and its tools read those of ECMA 262, with the flag u (JSON Schema Core, 6.4). What both
// read alike is published as written. Other patterns are written anew from their syntax tree.

// Pattern is a regular expression.
type Pattern struct {
	*regexp.Regexp
	text  string
	fault *Fault // of a text that does not match
}

// String returns the pattern for clients: ECMA 262, which Go reads as well.
func (p *Pattern) String() string { return p.text }

// NewPattern parses a regular expression of Go. It returns an error if ECMA 262 has no such
// pattern.
func NewPattern(text string) (*Pattern, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	if !common.MatchString(text) {
		tree, _ := syntax.Parse(text, syntax.Perl) // it was compiled
		var w patternWriter
		if err := w.write(tree); err != nil {
			return nil, err
		}
		text = w.String()
	}
	return &Pattern{compiled, text, &Fault{"pattern", text, "must match the pattern " + text}}, nil
}

// common matches the patterns that mean the same in Go and in ECMA 262. It has neither a point nor
// \s, which exclude and include other line breaks and spaces there.
var common = func() *regexp.Regexp {
	const (
		escape = `\\(?:[dDwWtnrfv^$\\.*+?()[\]{}|/]|x[0-9A-Fa-f]{2})`
		single = `(?:[^\\^[\]-]|\\(?:[tnrfv^$\\.*+?()[\]{}|/-]|x[0-9A-Fa-f]{2}))` // in brackets
		item   = `(?:` + single + `(?:-` + single + `)?|\\[dDwW])`
		class  = `\[\^?` + item + `+-?\]`
		repeat = `(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??`
		atom   = `(?:[^\\.*+?()[\]{}|^$]|` + escape + `|` + class + `|\))`
	)
	return regexp.MustCompile(`^(?:` + atom + `(?:` + repeat + `)?|\((?:\?:)?|[|^$]|\\[bB])*$`)
}()

// patternWriter writes a syntax tree.
type patternWriter struct{ strings.Builder }

var errNoMatch = errors.New("no text matches it")

// operators are the texts of operations without parts.
var operators = map[syntax.Op]string{
	syntax.OpEmptyMatch: "(?:)", syntax.OpAnyChar: `[\s\S]`, syntax.OpAnyCharNotNL: `[^\n]`, syntax.OpBeginText: "^",
	syntax.OpEndText: "$", syntax.OpWordBoundary: `\b`, syntax.OpNoWordBoundary: `\B`,
}

func (w *patternWriter) write(re *syntax.Regexp) error {
	if text, ok := operators[re.Op]; ok {
		w.WriteString(text)
		return nil
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			w.literal(r, re.Flags&syntax.FoldCase != 0)
		}
		return nil
	case syntax.OpCharClass:
		return w.class(re.Rune)
	case syntax.OpCapture, syntax.OpConcat, syntax.OpAlternate:
		return w.list(re)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return w.repeat(re)
	case syntax.OpNoMatch:
		return errNoMatch
	}
	return errors.New(`other languages do not have the flag m: write (?:^|\n) and (?:$|\n) for the ends of lines`)
}

// list writes a group, or parts after each other or beside each other.
func (w *patternWriter) list(re *syntax.Regexp) error {
	if re.Op == syntax.OpCapture {
		w.WriteByte('(')
		defer w.WriteByte(')')
	}
	for i, part := range re.Sub {
		if i > 0 && re.Op == syntax.OpAlternate {
			w.WriteByte('|')
		}
		if err := w.part(part, re.Op == syntax.OpConcat && part.Op == syntax.OpAlternate); err != nil {
			return err
		}
	}
	return nil
}

// part writes a part of an operation, in parentheses if it needs them.
func (w *patternWriter) part(re *syntax.Regexp, parentheses bool) error {
	if !parentheses {
		return w.write(re)
	}
	w.WriteString("(?:")
	defer w.WriteByte(')')
	return w.write(re)
}

func (w *patternWriter) repeat(re *syntax.Regexp) error {
	part := re.Sub[0]
	isOne := part.Op == syntax.OpLiteral && len(part.Rune) == 1
	switch part.Op {
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpCapture, syntax.OpEmptyMatch:
		isOne = true
	}
	if err := w.part(part, !isOne); err != nil {
		return err
	}
	sign, isSimple := map[syntax.Op]string{syntax.OpStar: "*", syntax.OpPlus: "+", syntax.OpQuest: "?"}[re.Op]
	switch {
	case isSimple:
		w.WriteString(sign)
	case re.Max < 0:
		fmt.Fprintf(w, "{%d,}", re.Min)
	case re.Min == re.Max:
		fmt.Fprintf(w, "{%d}", re.Min)
	default:
		fmt.Fprintf(w, "{%d,%d}", re.Min, re.Max)
	}
	if re.Flags&syntax.NonGreedy != 0 {
		w.WriteByte('?')
	}
	return nil
}

// literal writes a character, and with fold those that differ from it only in letter case.
func (w *patternWriter) literal(r rune, fold bool) {
	if !fold || unicode.SimpleFold(r) == r {
		w.character(r, `^$\.*+?()[]{}|/`)
		return
	}
	w.WriteByte('[')
	w.character(r, `^\]-`)
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		w.character(other, `^\]-`)
	}
	w.WriteByte(']')
}

// character writes a character, with an escape if it is special or a control character.
func (w *patternWriter) character(r rune, special string) {
	switch {
	case r < ' ' || r == 0x7F:
		fmt.Fprintf(w, `\x%02X`, r)
	case strings.ContainsRune(special, r):
		w.WriteByte('\\')
		fallthrough
	default:
		w.WriteRune(r)
	}
}

// mostRanges is the maximum number of ranges in brackets, beside categories.
const mostRanges = 64

// class writes the ranges of characters in brackets. Large ones are written with Unicode's
// categories.
func (w *patternWriter) class(ranges []rune) error {
	start := "["
	switch {
	case len(ranges) == 0:
		return errNoMatch
	case size(ranges) == unicode.MaxRune+1:
		w.WriteString(operators[syntax.OpAnyChar])
		return nil
	case ranges[0] == 0 && ranges[len(ranges)-1] == unicode.MaxRune:
		start = "[^"
		ranges = without([]rune{0, unicode.MaxRune}, ranges)
	}
	w.WriteString(start)
	defer w.WriteByte(']')
	if len(ranges) > mostRanges {
		for _, category := range categories {
			if rest := without(ranges, category.ranges); size(rest) == size(ranges)-size(category.ranges) {
				w.WriteString(category.name)
				ranges = rest
			}
		}
	}
	if len(ranges) > 2*mostRanges {
		return fmt.Errorf("brackets have at most %d ranges of characters, and the categories of Unicode such as \\p{L}", mostRanges)
	}
	for i := 0; i < len(ranges); i += 2 {
		first, last := ranges[i], ranges[i+1]
		w.character(first, `^\]-`)
		if last > first+1 {
			w.WriteByte('-')
		}
		if last > first {
			w.character(last, `^\]-`)
		}
	}
	return nil
}

// categories are the categories of Unicode that Go and ECMA 262 know by the same name, the large
// ones first. Their ranges are pairs of the first and the last character.
var categories = func() (list []struct {
	name   string
	ranges []rune
}) {
	for _, name := range strings.Fields("L M N P S Z Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs") {
		name = `\p{` + name + `}`
		tree, _ := syntax.Parse(name, syntax.Perl) // it has no error
		list = append(list, struct {
			name   string
			ranges []rune
		}{name, tree.Rune})
	}
	return list
}()

// without returns the ranges without the characters of others. Both are sorted.
func without(ranges, others []rune) (rest []rune) {
	for i := 0; i < len(ranges); i += 2 {
		first, last := ranges[i], ranges[i+1]
		for ; len(others) > 0 && others[1] < first; others = others[2:] {
		}
		for ; len(others) > 0 && others[0] <= last; others = others[2:] {
			if first < others[0] {
				rest = append(rest, first, others[0]-1)
			}
			first = max(first, others[1]+1)
			if others[1] > last {
				break // the rest of it may be in the next range
			}
		}
		if first <= last {
			rest = append(rest, first, last)
		}
	}
	return rest
}

// size returns the number of characters in ranges.
func size(ranges []rune) (n int) {
	for i := 0; i < len(ranges); i += 2 {
		n += int(ranges[i+1]-ranges[i]) + 1
	}
	return n
}
