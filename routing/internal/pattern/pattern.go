// Package pattern parses the patterns of routes and filters, matches paths, and captures
// parameters. It does not depend on HTTP.
//
// A pattern in the Sinatra or Rails syntax is parsed into tokens (read.go, slash.go), which may
// follow those of a prefix (below.go). A parameter has a class: what its values may be (class.go).
// Most patterns consist of whole segments: literal text, parameters that fill their segment, and at
// the end perhaps a wildcard, or a dot and a format. Such a pattern becomes a few shapes, one for
// each way to read its optional parts and alternatives (shape.go). A shape is the pattern's text
// with the offsets of its parameters. Matching and capturing go from slash to slash (capture.go),
// and package match finds shapes in a trie. Two shapes tell whether one pattern hides another
// (cover.go).
//
// Any other pattern, and each regular expression, becomes one shape with an expression
// (expression.go). The shape is the part before the first partial segment; the expression then
// matches the whole path.
//
// Matching takes time linear in the length of the path: shapes look at each byte once, and package
// regexp guarantees it for expressions.
package pattern

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is a parsed pattern. It is immutable and safe for concurrent use. The nil Pattern
// matches every path and has no parameters.
type Pattern struct {
	text   string // with that of the prefix
	syntax syntax
	prefix *Pattern // its tokens come first; nil for none
	rules  *Rules
	shapes []*Shape // in the order in which a backtracking matcher would try them
}

// Rules change what a pattern matches. They are those of an app or of a route.
type Rules struct {
	Where map[string]*Class // what the values of parameters must be, by their names
	Loose bool              // paths have neither a slash at the end nor several in a row
	Lazy  bool              // wildcards of Rails match as few characters as possible
}

// syntax is how the text of a pattern is parsed.
type syntax uint8

const (
	sinatra syntax = iota
	rails
	regular
	anyBelow // "/*", which is optional below a prefix
)

var syntaxNames = [...]string{sinatra: "sinatra", rails: "rails", regular: "regexp", anyBelow: "sinatra"}

// Sinatra parses a pattern in the syntax of Sinatra and Scalatra.
func Sinatra(text string) (*Pattern, error) { return Pattern{text: text, syntax: sinatra}.compiled() }

// Rails parses a pattern in the syntax of Rails.
func Rails(text string) (*Pattern, error) { return Pattern{text: text, syntax: rails}.compiled() }

// Regexp returns the pattern of a regular expression, which is compiled again.
func Regexp(re *regexp.Regexp) *Pattern {
	text := re.String()
	s := shapeOf(text, []Token{{Text: literalPrefix(text)}, {Kind: Choice}}) // what a choice matches
	s.expression = searchFor(text)                                           // is for the expression to say
	return &Pattern{text: text, syntax: regular, shapes: []*Shape{s}}
}

// With returns the pattern with these rules in place of those it has; a class stays if there is no
// other one, and so do the rules of the prefix. It returns an error for the name of a parameter
// that the pattern does not have or whose class the prefix has, and for an expression that the
// values of a parameter do not match.
func (p *Pattern) With(rules *Rules) (*Pattern, error) {
	names := p.Names()
	for _, name := range slices.Sorted(maps.Keys(rules.Where)) {
		switch {
		case !slices.Contains(names, name):
			return nil, fmt.Errorf("the pattern has no parameter %q: it has %q", name, names)
		case p.syntax == regular:
			return nil, errors.New("write what a group must be in the regular expression itself")
		case p.prefix.lacks(name, rules.Where[name]):
			return nil, fmt.Errorf("%q may be more than in the prefix, so that requests would avoid the filters of the group: "+
				"write the Where in the options of the group", name)
		}
	}
	if p == nil || p.syntax == regular {
		return p, nil
	}
	ruled := *p
	ruled.rules = &Rules{Where: rules.Where, Loose: rules.Loose, Lazy: rules.Lazy}
	if p.rules != nil && p.rules.Where != nil { // it is the pattern of another route
		ruled.rules.Where = maps.Clone(p.rules.Where)
		maps.Copy(ruled.rules.Where, rules.Where)
	}
	with, err := ruled.compiled()
	if err != nil {
		return nil, err
	}
	if p.prefix != nil && p.syntax == sinatra { // loose slashes have moved into optional parts
		if own, _ := with.parseOwn(nil, true); leaves(own) {
			return nil, leavesGroup(with.own())
		}
	}
	for t := range all(with.Tokens()) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == t.Text && t.class.Equal(rules.Where[name]) })
	}
	for name := range rules.Where {
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("the group says what %q must be: leave the other Where out", name)
		}
	}
	return with, nil
}

// lacks reports whether a parameter of p, which has no Where, may not have all values of a class.
func (p *Pattern) lacks(name string, c *Class) bool {
	for t := range all(p.Tokens()) {
		if t.Kind != Literal && t.Text == name && t.Where() == "" && !t.class.includes(c) {
			return true
		}
	}
	return false
}

// compiled returns p with its shapes.
func (p Pattern) compiled() (*Pattern, error) {
	if p.prefix != nil && p.prefix.syntax == regular {
		return expressionBelow(p.prefix, &p)
	}
	var room [8]Token // saves an allocation for most patterns
	tokens, err := p.parse(room[:0])
	if err == nil {
		p.shapes, err = shapesOf(p.text, p.orSlash(tokens))
	}
	if err == nil {
		return &p, nil
	}
	wrong, ok := err.(mistake)
	if !ok {
		return nil, err // of Where
	}
	if also := p.Foreign(); also != nil {
		return nil, fmt.Errorf("routing: %s pattern %q: %w", syntaxNames[p.syntax], p.text, also)
	}
	return nil, fmt.Errorf("routing: %s pattern %q, %w", syntaxNames[p.syntax], p.text, wrong)
}

// own returns the text of p without that of its prefix.
func (p *Pattern) own() string { return p.text[len(p.prefix.String()):] }

// parse appends the tokens of p, after those of its prefix.
func (p *Pattern) parse(tokens []Token) ([]Token, error) {
	tokens, err := p.parseOwn(tokens, p.prefix != nil)
	if err == nil && p.prefix != nil && p.prefix.syntax != regular {
		var before []Token
		before, err = p.prefix.parse(nil)
		tokens = join(endWithout(before), tokens)
	}
	if p.isLoose() {
		tokens = trimSlashes(tokens)
	}
	if err == nil && p.rules != nil {
		err = constrain(tokens, p.rules)
	}
	return tokens, err
}

// parseOwn appends the tokens of p without those of its prefix.
func (p *Pattern) parseOwn(tokens []Token, isBelow bool) (_ []Token, err error) {
	text := p.own()
	switch {
	case p.syntax == anyBelow && isBelow:
		return append(tokens, optional([]Token{slash, splat})), nil
	case p.syntax == anyBelow:
		return append(tokens, slash, splat), nil
	}
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return nil, mistake{i, "not valid UTF-8"}
		}
	}
	if tokens, err = readTokens(tokens, text, p.syntax == rails); err == nil && (p.syntax == rails || p.isLoose()) {
		tokens = moveSlashes(tokens, !isBelow)
	}
	return tokens, err
}

func (p *Pattern) isLoose() bool { return p.rules != nil && p.rules.Loose }

// orSlash returns tokens for a whole path: if all are optional, "/" matches too, as in Rails.
// Without a prefix, that is not so in Sinatra.
func (p *Pattern) orSlash(tokens []Token) []Token {
	if p.syntax == sinatra && p.prefix == nil && !p.isLoose() || len(tokens) == 0 || slices.ContainsFunc(tokens, func(t Token) bool { return t.Kind != Optional }) {
		return tokens
	}
	return []Token{{Kind: Choice, Choices: [][]Token{tokens, {slash}}}}
}

// constrain sets the classes of parameters and wildcards.
func constrain(tokens []Token, rules *Rules) error {
	for t := range all(tokens) {
		if t.class == some && rules.Lazy {
			t.class = someLazy
		}
		c := rules.Where[t.Text]
		if c == nil || !t.hasValue() || t.Where() != "" {
			continue
		}
		if t.Kind == Param {
			if err := c.check(); err != nil {
				return fmt.Errorf("%q must not be %s: %w", t.Text, c.given, err)
			}
		}
		t.class = c
	}
	return nil
}

// String returns the pattern as it was written.
func (p *Pattern) String() string {
	if p == nil {
		return ""
	}
	return p.text
}

// Syntax returns "sinatra", "rails" or "regexp".
func (p *Pattern) Syntax() string {
	if p == nil {
		return ""
	}
	return syntaxNames[p.syntax]
}

// Shapes returns the shapes. The pattern matches what they match together; the first that matches a
// path captures the parameters. The nil Pattern has one, which is nil.
func (p *Pattern) Shapes() []*Shape {
	if p == nil {
		return []*Shape{nil}
	}
	return p.shapes
}

// Find returns the first shape that matches path, or nil.
func (p *Pattern) Find(path string) *Shape {
	for _, s := range p.shapes {
		if s.Match(path) {
			return s
		}
	}
	return nil
}

// Match reports whether path matches.
func (p *Pattern) Match(path string) bool { return p == nil || p.Find(path) != nil }

// Unindexed reports whether the pattern has an expression and no literal prefix, so that it must
// be tried on every path.
func (p *Pattern) Unindexed() bool {
	s := p.Shapes()[0]
	return s != nil && s.end == byExpression && len(s.params) == 0 && (s.source == "" || s.source == "/")
}

// Tokens parses the pattern's text again and returns its parts. It returns nil for a regular
// expression and the nil Pattern.
func (p *Pattern) Tokens() []Token {
	if p == nil || p.syntax == regular {
		return nil
	}
	tokens, _ := p.parse(nil) // it was parsed without an error before
	return p.orSlash(tokens)
}

// Names returns the names of the parameters in order; a name that occurs twice is listed twice.
func (p *Pattern) Names() []string {
	if p != nil && p.syntax == regular {
		return p.shapes[0].expression.keys()
	}
	return keysOf(p.Tokens())
}

// Reachable returns an error if no path matches because the pattern, or one of its alternatives,
// does not start with a slash.
func (p *Pattern) Reachable() error {
	if p == nil || p.syntax == regular || strings.HasPrefix(p.text, "/") && !strings.Contains(p.text, "|") {
		return nil
	}
	tokens := p.Tokens()
	isUnreachable := func(tokens []Token) bool { return startsOf(tokens)&(bySlash|byWildcard) == 0 }
	switch {
	case len(tokens) == 0:
		return errors.New(`the empty pattern matches no path: write "/" for the base path, or "*" for every path`)
	case withMethod.MatchString(p.text):
		return fmt.Errorf("leave the method out: write %q", withMethod.ReplaceAllString(p.text, "/"))
	case tokens[0].Kind == Choice && slices.ContainsFunc(tokens[0].Choices, isUnreachable):
		return errors.New("all alternatives must start with /")
	case isUnreachable(tokens):
		return fmt.Errorf("patterns must start with /: write %q", "/"+p.text)
	}
	return nil
}

// withMethod matches the method in a pattern of http.ServeMux.
var withMethod = regexp.MustCompile(`^[A-Z]+ /`)
