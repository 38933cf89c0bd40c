package routing_test

// This file reads patterns slowly and simply, and has two matchers to compare the real one with.
// One writes a pattern as a regular expression, character by character. The other walks along the
// path and tries everything.

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A capture is one parameter and its value.
type capture struct{ key, value string }

var (
	errBadReferencePattern = errors.New("bad pattern")
	errTooManySteps        = errors.New("too many steps")
)

// ---- Reading patterns ----

// A part is one part of a pattern: a character, a parameter, a wildcard, optional parts, or
// alternatives.
type part struct {
	kind    byte // 'c', ':', '*', '?', '|'
	text    string
	stop    string // characters at which a parameter ends; for a wildcard empty
	short   bool   // as few characters as possible
	empty   bool   // a wildcard that may be empty
	where   string // an expression that must match the value
	parts   []part
	choices [][]part
}

// rules are the options that change patterns.
type rules struct {
	where         map[string]string
	loose, format bool
	anyFormat     bool // of a filter in an app with formats
}

// readReference reads a pattern.
func readReference(syntax, pattern string, r rules) ([]part, error) {
	isRails := syntax == "rails"
	if r.loose {
		pattern = slashes.ReplaceAllString(pattern, "/")
		if pattern != "/" {
			pattern = strings.TrimSuffix(pattern, "/")
		}
	}
	if isRails {
		pattern = referenceNormalized(pattern)
	}
	if isRails && r.format && !strings.HasSuffix(pattern, "/") && !regexp.MustCompile(`\.:format\)*$`).MatchString(pattern) {
		pattern += "(.:format)"
	}
	reader := referenceReader{isRails: isRails, text: pattern}
	parts, err := reader.choices(0)
	if err != nil {
		return nil, err
	}
	if !isRails {
		parts = lookingAhead(parts)
	}
	return ruled(parts, r), nil
}

// referenceNormalized is Mapper.normalize_path of Action Pack, for a tidy path.
func referenceNormalized(path string) string {
	if strings.HasPrefix(path, "(") {
		path = "/" + path
	}
	path = regexp.MustCompile(`/(\(+)/?`).ReplaceAllString(path, "${1}/")
	if regexp.MustCompile(`^(\(+[^)]+\))(\(+/:[^)]+\))*$`).MatchString(path) {
		path = regexp.MustCompile(`^(\(+)/`).ReplaceAllString(path, "/${1}")
	}
	return path
}

// ruled returns parts with the expressions that the values of parameters must match.
func ruled(parts []part, r rules) []part {
	for i := range parts {
		p := &parts[i]
		p.parts = ruled(p.parts, r)
		for n := range p.choices {
			p.choices[n] = ruled(p.choices[n], r)
		}
		if p.kind == '*' && !p.empty {
			p.short = r.format
		}
		if where, ok := r.where[p.text]; ok && (p.kind == ':' || p.kind == '*') {
			p.where, p.short, p.empty = where, strings.HasSuffix(where, "?"), false
			if p.kind == ':' {
				p.stop = "/"
			}
		}
		if r.anyFormat && p.kind == ':' && p.text == "format" {
			p.where, p.stop = "[^/]+", "/"
		}
	}
	return parts
}

// A referenceReader reads a pattern by recursive descent.
type referenceReader struct {
	isRails bool
	text    string
	at      int
}

// choices reads alternatives, up to the parenthesis that closes depth or to the end.
func (r *referenceReader) choices(depth int) ([]part, error) {
	var choices [][]part
	for {
		parts, err := r.sequence()
		if err != nil {
			return nil, err
		}
		choices = append(choices, parts)
		switch {
		case r.at < len(r.text) && r.text[r.at] == '|':
			r.at++
			continue
		case (r.at < len(r.text)) != (depth > 0): // a parenthesis too many, or too few
			return nil, errBadReferencePattern
		case len(choices) == 1:
			return parts, nil
		}
		return []part{{kind: '|', choices: choices}}, nil
	}
}

// sequence reads up to a parenthesis or an alternative.
func (r *referenceReader) sequence() (parts []part, err error) {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		_, size := utf8.DecodeRuneInString(rest)
		name := referenceName.FindString(rest[1:])
		if r.isRails && name != "" && strings.Contains("0123456789", name[:1]) {
			name = ""
		}
		switch c := rest[0]; {
		case c == ')', c == '|' && !r.isRails:
			return parts, nil
		case c == '|':
			return nil, errBadReferencePattern
		case c == ':' && name != "" && r.isRails:
			size = 1 + len(name)
			parts = append(parts, part{kind: ':', text: name, stop: "/."})
		case c == ':' && name != "":
			size = 1 + len(name)
			parts = append(parts, part{kind: ':', text: name, stop: "/"})
		case c == '*' && name != "" && r.isRails:
			size = 1 + len(name)
			parts = append(parts, part{kind: '*', text: name})
		case c == '*' && !r.isRails:
			parts = append(parts, part{kind: '*', text: "splat", short: true, empty: true})
		case c == '{' && !r.isRails:
			found := referenceBraces.FindStringSubmatch(rest)
			if found == nil {
				return nil, errBadReferencePattern
			}
			size = len(found[0])
			if found[1] == "+" {
				parts = append(parts, part{kind: '*', text: found[2], short: true, empty: true})
			} else {
				parts = append(parts, part{kind: ':', text: found[2], stop: "/"})
			}
		case c == '(':
			from := r.at
			r.at++
			inside, err := r.choices(1)
			if err != nil {
				return nil, err
			}
			if size = r.at + 1 - from; r.isRails {
				parts = append(parts, part{kind: '?', parts: inside})
			} else if strings.HasPrefix(r.text[r.at+1:], "?") {
				size++
				parts = append(parts, part{kind: '?', parts: inside})
			} else {
				if !slices.ContainsFunc(inside, func(p part) bool { return p.kind != 'c' }) {
					inside = slices.Concat([]part{{kind: 'c', text: "("}}, inside, []part{{kind: 'c', text: ")"}})
				}
				parts = append(parts, inside...)
			}
			r.at = from
		case c == '\\' && r.isRails:
			if len(rest) == 1 {
				return nil, errBadReferencePattern
			}
			_, escaped := utf8.DecodeRuneInString(rest[1:])
			size = 1 + escaped
			parts = append(parts, part{kind: 'c', text: rest[1:size]})
		case sinatraEscape.MatchString(rest) && !r.isRails:
			size = 2
			parts = append(parts, part{kind: 'c', text: rest[1:2]})
		case c == '?' && !r.isRails:
			if len(parts) == 0 || parts[len(parts)-1].kind == '?' {
				return nil, errBadReferencePattern
			}
			parts[len(parts)-1] = part{kind: '?', parts: []part{parts[len(parts)-1]}}
		default:
			parts = append(parts, part{kind: 'c', text: rest[:size]})
		}
		r.at += size
	}
	return parts, nil
}

var (
	sinatraEscape   = regexp.MustCompile(`^\\[[:punct:]]`)
	referenceName   = regexp.MustCompile(`^[0-9A-Za-z_]+`)
	referenceBraces = regexp.MustCompile(`^\{(\+?)([0-9A-Za-z_]+)\}`)
)

// lookingAhead makes a parameter short if an optional part follows in the same segment: a text, and
// perhaps a parameter. If the text is one character, the value of that parameter does not contain
// it. The optional part must be at the end of parts or of the segment.
func lookingAhead(parts []part) []part {
	isText := func(list []part) bool {
		return len(list) > 0 && list[0].text != "/" && !slices.ContainsFunc(list, func(p part) bool { return p.kind != 'c' })
	}
	for i := range parts {
		parts[i].parts = lookingAhead(parts[i].parts)
		for n := range parts[i].choices {
			parts[i].choices[n] = lookingAhead(parts[i].choices[n])
		}
	}
	for i := 0; i+1 < len(parts); i++ {
		if parts[i].kind != ':' || parts[i+1].kind != '?' {
			continue
		}
		inside, rest := parts[i+1].parts, parts[i+2:]
		if isText(inside) && len(rest) > 0 && rest[0].kind == '?' && len(rest[0].parts) == 1 && rest[0].parts[0].kind == ':' {
			inside, rest = append(slices.Clone(inside), rest[0].parts[0]), rest[1:]
		}
		text := inside
		if last := len(inside) - 1; last > 0 && inside[last].kind == ':' {
			text = inside[:last]
		}
		if !isText(text) || len(rest) > 0 && rest[0].text != "/" {
			continue
		}
		if len(text) < len(inside) && len(text) == 1 {
			inside[len(inside)-1].stop += text[0].text
		}
		parts[i].short, parts[i+1].parts = true, inside
		parts = append(parts[:i+2:i+2], rest...)
	}
	return parts
}

// ---- The matcher with a regular expression ----

// A referencePattern is a pattern as a regular expression and the keys of its
// groups.
type referencePattern struct {
	expression *regexp.Regexp
	keys       []string
	search     bool              // a pattern of the syntax regex: absent groups are empty texts
	wide       *referencePattern // tried next; of a filter in an app with formats
}

// match returns the parameters in their order.
func (p referencePattern) match(path string) ([]capture, bool) {
	found := p.expression.FindStringSubmatchIndex(path)
	switch {
	case found == nil && p.wide != nil:
		return p.wide.match(path)
	case found == nil:
		return nil, false
	}
	var captures []capture
	for i, key := range p.keys {
		from, to := found[2*i+2], found[2*i+3]
		switch {
		case from >= 0:
			captures = append(captures, capture{key, path[from:to]})
		case p.search:
			captures = append(captures, capture{key, ""})
		}
	}
	return captures, true
}

// newReferencePattern reads a pattern of a case; nil matches every path.
func newReferencePattern(syntax string, pattern *string, r rules) (p referencePattern, err error) {
	switch {
	case pattern == nil:
		return referencePattern{expression: regexp.MustCompile("")}, nil
	case syntax == "regex":
		if p.expression, err = regexp.Compile(*pattern); err != nil {
			return p, err
		}
		p.search = true
		for range p.expression.NumSubexp() {
			p.keys = append(p.keys, "captures")
		}
		return p, nil
	}
	if r.anyFormat {
		p.wide = new(referencePattern)
		if *p.wide, err = readWhole(syntax, *pattern, r); err != nil {
			return p, err
		}
		r.anyFormat = false
	}
	whole, err := readWhole(syntax, *pattern, r)
	whole.wide = p.wide
	return whole, err
}

// readWhole returns the expression of a whole path.
func readWhole(syntax, pattern string, r rules) (p referencePattern, err error) {
	parts, err := readReference(syntax, pattern, r)
	if err != nil {
		return p, err
	}
	p.expression, err = regexp.Compile(`(?s)\A` + p.write(parts) + `\z`)
	return p, err
}

// write writes parts as a regular expression, and notes the keys.
func (p *referencePattern) write(parts []part) (text string) {
	for _, part := range parts {
		switch part.kind {
		case 'c':
			text += regexp.QuoteMeta(part.text)
		case '?':
			text += "(?:" + p.write(part.parts) + ")?"
		case '|':
			var choices []string
			for _, choice := range part.choices {
				choices = append(choices, p.write(choice))
			}
			text += "(?:" + strings.Join(choices, "|") + ")"
		default:
			p.keys = append(p.keys, part.text)
			value := "."
			if part.kind == ':' {
				value = "[^"
				for _, c := range part.stop {
					value += fmt.Sprintf(`\x{%x}`, c)
				}
				value += "]"
			}
			if part.empty {
				value += "*"
			} else {
				value += "+"
			}
			if part.short {
				value += "?"
			}
			if part.where != "" {
				value = part.where
			}
			text += "(" + value + ")"
		}
	}
	return text
}

// ---- The matcher that tries everything ----

// A backtrackingMatcher matches parts by trying everything, in the order in which a
// backtracking regular expression would. It gives up after many steps.
type backtrackingMatcher struct{ steps int }

// match returns the parameters with which parts match the whole path.
func (m *backtrackingMatcher) match(parts []part, path string) (captures []capture, ok bool, err error) {
	ok = m.try(parts, path, nil, func(rest string, got []capture) bool {
		captures = got
		return rest == ""
	})
	if m.steps <= 0 {
		return nil, false, errTooManySteps
	}
	if !ok {
		captures = nil
	}
	return captures, ok, nil
}

// try matches parts at the beginning of path, and calls then with the rest of the path.
func (m *backtrackingMatcher) try(parts []part, path string, got []capture, then func(string, []capture) bool) bool {
	if m.steps--; m.steps <= 0 {
		return false
	}
	if len(parts) == 0 {
		return then(path, got)
	}
	first, others := parts[0], parts[1:]
	goOn := func(rest string, got []capture) bool { return m.try(others, rest, got, then) }
	take := func(size int) bool {
		return goOn(path[size:], append(got[:len(got):len(got)], capture{first.text, path[:size]}))
	}
	switch first.kind {
	case 'c':
		return strings.HasPrefix(path, first.text) && goOn(path[len(first.text):], got)
	case '?': // taken if that leads to a match
		return m.try(first.parts, path, got, goOn) || goOn(path, got)
	case '|':
		for _, choice := range first.choices {
			if m.try(choice, path, got, goOn) {
				return true
			}
		}
		return false
	}
	longest := len(path)
	if i := strings.IndexAny(path, first.stop); first.stop != "" && i >= 0 {
		longest = i
	}
	ends := characterEnds(path[:longest])
	if first.empty {
		ends = append([]int{0}, ends...)
	}
	if !first.short {
		slices.Reverse(ends)
	}
	for _, end := range ends {
		if (first.where == "" || regexp.MustCompile(`\A(?:`+first.where+`)\z`).MatchString(path[:end])) && take(end) {
			return true
		}
	}
	return false
}

// characterEnds returns the ends of the characters of s. An invalid byte counts as a character.
func characterEnds(s string) []int {
	var ends []int
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
		ends = append(ends, i)
	}
	return ends
}
