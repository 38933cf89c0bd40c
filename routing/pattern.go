package routing

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// This file holds what a pattern is once it has been read: the two ways in which it can match, and the parameters it
// gives. The syntaxes themselves are read in sinatra.go and rails.go.
//
// Most patterns are made of whole segments: literal text, a parameter that fills its segment, perhaps a wildcard that
// takes the rest of the path. Such a pattern becomes a few shapes, one for each way to take or leave its optional parts.
// A shape is matched by walking along the slashes, without a regular expression, and the index finds it in a trie.
// Everything else becomes one shape that leads up to the first part that is not a whole segment, and a regular
// expression that decides.

// A Pattern is what a path must look like for a route or a filter to apply. It is made by [Sinatra], [Rails] or [Regexp];
// the zero Pattern matches every path and has no parameters. Patterns are immutable and safe for concurrent use.
type Pattern struct {
	p *pattern
}

// Must returns p, and panics if err is not nil. It is for patterns written in the program's text:
//
//	app.Route("GET", routing.Must(routing.Rails("/doc/:id(.:format)")), show)
func Must(p Pattern, err error) Pattern {
	if err != nil {
		panic(err)
	}
	return p
}

// Regexp returns the Pattern of a regular expression. The expression is searched for in the path, so write `^/year/(\d+)$`
// to match all of it; an anchored expression is also found faster. All groups, named ones included, are the values of the
// parameter "captures", in their order; a group that took no part gives the empty text. The value of a named group is a
// parameter of that name too.
//
// The text of re is compiled anew, so that nothing done to re later matters; expressions of [regexp.CompilePOSIX] get the
// rules of [regexp.Compile]. A nil re panics.
func Regexp(re *regexp.Regexp) Pattern {
	if re == nil {
		panic("routing: Regexp(nil): pass a compiled expression, or use the zero Pattern to match every path")
	}
	p := &pattern{syntax: "regexp", text: re.String(), expression: regexp.MustCompile(re.String()), search: true}
	for i, name := range re.SubexpNames() {
		if i == 0 {
			continue
		}
		p.groups = append(p.groups, group{key: "captures", number: i})
		if name != "" {
			p.groups = append(p.groups, group{key: name, number: i})
		}
	}
	p.shapes = []*shape{leadTo(p, []token{{kind: literal, text: literalPrefix(p.text)}})}
	return Pattern{p}
}

// String returns the pattern as it was written; the zero Pattern is the empty text.
func (p Pattern) String() string {
	if p.p == nil {
		return ""
	}
	return p.p.text
}

// Syntax returns "sinatra", "rails" or "regexp", and the empty text for the zero Pattern.
func (p Pattern) Syntax() string {
	if p.p == nil {
		return ""
	}
	return p.p.syntax
}

// Names returns the keys of the parameters that the pattern gives, in their order; a name that occurs twice is listed
// twice. A wildcard is "splat", a group of a regular expression "captures".
func (p Pattern) Names() []string {
	if p.p == nil {
		return nil
	}
	var names []string
	for _, g := range p.p.groups {
		names = append(names, g.key)
	}
	return names
}

// Match reports whether the decoded path matches. The path is the text that routes see: below the base path, with a slash
// in front.
func (p Pattern) Match(path string) bool {
	return p.p == nil || p.p.find(path) != nil
}

// reachable returns why no path can match, which is nearly always a slash that was forgotten.
func (p Pattern) reachable() error {
	if p.p == nil || len(p.p.tokens) == 0 {
		return nil
	}
	if first := p.p.tokens[0]; first.kind == literal && first.text[0] != '/' {
		return fmt.Errorf("no path matches, for all begin with a slash: write %q", "/"+p.p.text)
	}
	return nil
}

// pattern is a pattern that has been read.
type pattern struct {
	syntax string
	text   string
	tokens []token
	shapes []*shape // in the order in which a backtracking matcher would try them
	groups []group

	// expression decides where a shape ends in verified. It is searched for, not matched, if search is set; then a group
	// that took no part has an empty value.
	expression *regexp.Regexp
	search     bool
}

// group is one parameter of a pattern: its key and, if the pattern has an expression, the number of its group there.
type group struct {
	key    string
	number int
}

// find returns the first shape of p that matches path, or nil.
func (p *pattern) find(path string) *shape {
	for _, s := range p.shapes {
		if s.match(path) {
			return s
		}
	}
	return nil
}

// tokenKind tells the parts of which patterns are made.
type tokenKind uint8

const (
	literal  tokenKind = iota // text as it stands
	param                     // one or more characters up to a slash; up to a dot too if dotless
	splat                     // any characters, as few as possible; or at least one and as many as possible if greedy
	optional                  // tokens that may be left out
)

// token is one part of a pattern in the Sinatra or Rails syntax.
type token struct {
	kind    tokenKind
	text    string  // of a literal; the key of a param or splat
	dotless bool    // of a param
	greedy  bool    // of a splat
	tokens  []token // of an optional
}

// maxShapes bounds the ways to take and leave optional parts that are kept as shapes of their own.
const maxShapes = 16

// newPattern makes a pattern of its tokens.
func newPattern(syntax, text string, tokens []token) Pattern {
	p := &pattern{syntax: syntax, text: text, tokens: tokens}
	p.groups = groupsOf(tokens, nil)
	if readings, ok := expand(tokens, maxShapes); ok {
		for _, reading := range readings {
			s, ok := wholeSegments(p, reading)
			if !ok {
				p.shapes = nil
				break
			}
			p.shapes = append(p.shapes, s)
		}
	}
	if p.shapes == nil {
		p.expression = regexp.MustCompile(`(?s)\A` + source(tokens) + `\z`)
		p.shapes = []*shape{leadTo(p, tokens)}
	}
	return Pattern{p}
}

func groupsOf(tokens []token, groups []group) []group {
	for _, t := range tokens {
		switch t.kind {
		case param, splat:
			groups = append(groups, group{key: t.text, number: len(groups) + 1})
		case optional:
			groups = groupsOf(t.tokens, groups)
		}
	}
	return groups
}

// source writes tokens as a regular expression.
func source(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		switch t.kind {
		case literal:
			b.WriteString(regexp.QuoteMeta(t.text))
		case param:
			if t.dotless {
				b.WriteString(`([^/.]+)`)
			} else {
				b.WriteString(`([^/]+)`)
			}
		case splat:
			if t.greedy {
				b.WriteString(`(.+)`)
			} else {
				b.WriteString(`(.*?)`)
			}
		case optional:
			b.WriteString(`(?:` + source(t.tokens) + `)?`)
		}
	}
	return b.String()
}

// expand returns every way to take and leave the optional parts of tokens, the leftmost taken first, as a backtracking
// matcher goes through them. It reports false if there are more than most.
func expand(tokens []token, most int) ([][]token, bool) {
	readings := [][]token{nil}
	for _, t := range tokens {
		if t.kind != optional {
			for i := range readings {
				readings[i] = append(readings[i], t)
			}
			continue
		}
		inner, ok := expand(t.tokens, most)
		if !ok || len(readings)*(len(inner)+1) > most {
			return nil, false
		}
		var longer [][]token
		for _, reading := range readings {
			reading = reading[:len(reading):len(reading)]
			for _, in := range inner {
				longer = append(longer, append(reading, in...))
			}
			longer = append(longer, reading)
		}
		readings = longer
	}
	return readings, true
}

// literalPrefix returns a text with which every path begins that the expression matches; it is empty for an expression that
// is not anchored.
func literalPrefix(expression string) string {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat || tree.Sub[0].Op != syntax.OpBeginText {
		return ""
	}
	var prefix string
	for _, part := range tree.Sub[1:] {
		if part.Op != syntax.OpLiteral || part.Flags&syntax.FoldCase != 0 {
			break
		}
		prefix += string(part.Rune)
	}
	// U+FFFD in an expression also matches any byte of a path that is not UTF-8.
	prefix, _, _ = strings.Cut(prefix, "\uFFFD")
	return prefix
}

// patternError is the error of a pattern that cannot be read.
func patternError(syntax, text string, offset int, problem string) error {
	return fmt.Errorf("routing: %s pattern %q, offset %d: %s", syntax, text, offset, problem)
}

// checkUTF8 refuses text that is not UTF-8: a pattern is made of characters, and no character could be told from another.
func checkUTF8(syntax, text string) error {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return patternError(syntax, text, i, "not valid UTF-8")
		}
		i += size
	}
	return nil
}
