// Package pattern parses the patterns of routes and filters, matches paths, and captures
// parameters. It does not depend on HTTP.
//
// A pattern in the Sinatra or Rails syntax is parsed into tokens (read.go, slash.go), which may
// follow those of a prefix (prefix.go). A parameter has a class: what its values may be (class.go).
// What else changes the meaning is applied once: classes of values, formats, and slashes that do
// not count. Filters, routes, groups, mounts and addresses ask the same value then.
//
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
)

// Pattern is a parsed pattern. It is immutable and safe for concurrent use. The nil Pattern
// matches every path and has no parameters.
type Pattern struct {
	text   string // with that of the prefix
	own    string // without
	syntax syntax
	prefix *Prefix // its tokens come first; nil for none
	rules  Rules
	shapes []*Shape // in the order in which a backtracking matcher would try them
}

// Sinatra parses a pattern in the syntax of Sinatra and Scalatra.
func Sinatra(text string) (*Pattern, error) { return parsed(text, sinatra) }

// Rails parses a pattern in the syntax of Rails.
func Rails(text string) (*Pattern, error) { return parsed(text, rails) }

func parsed(text string, s syntax) (*Pattern, error) {
	p := &Pattern{text: text, own: text, syntax: s}
	if err := p.compile(); err != nil {
		return nil, err
	}
	return p, nil
}

// Regexp returns the pattern of a regular expression, which is compiled again.
func Regexp(re *regexp.Regexp) *Pattern {
	p, err := parsed(re.String(), regular)
	if err != nil {
		panic(err) // only an expression with other flags does not compile again
	}
	return p
}

// Prefix returns p as a prefix below that around it. The empty pattern and "/" are no prefix: then
// it returns around.
func (p *Pattern) Prefix(around *Prefix, rules Rules) (*Prefix, error) {
	switch {
	case p == nil:
		return nil, errors.New("the zero Pattern is no prefix: use Group with an empty prefix, to share options alone")
	case p.text == "" || p.text == "/":
		return around, nil
	case p.syntax == regular:
		return nil, errors.New("a regular expression is no prefix: write a pattern, and Where for its parameters")
	}
	err := p.Reachable()
	if err == nil {
		err = checkPrefix(p.text, p.Tokens())
	}
	if err != nil {
		return nil, err
	}
	return newPrefix(strings.TrimSuffix(p.text, "/"), p.syntax, around, rules)
}

// Define returns what p is below a prefix and with rules. Where p is "/", the slash is optional
// below a prefix; the nil p is the prefix and everything below. It is an error if the pattern would
// match paths that are neither those of the prefix nor below, if the rules do not fit, or if the
// prefix takes what the pattern needs.
//
// If p is the pattern of another route, its prefix and its classes stay.
func (p *Pattern) Define(prefix *Prefix, rules Rules) (_ *Pattern, err error) {
	if p == nil {
		if prefix == nil {
			return nil, checkNames(rules, nil)
		}
		p = &Pattern{own: "/*", syntax: anyBelow}
	}
	d := &Pattern{own: p.own, syntax: p.syntax, rules: rules}
	if d.prefix, err = p.prefix.within(prefix); err != nil {
		return nil, err
	}
	if p.rules.Where != nil {
		d.rules.Where = maps.Clone(p.rules.Where)
		maps.Copy(d.rules.Where, rules.Where)
	}
	text := d.own
	switch {
	case d.prefix == nil:
	case d.own == "/" && d.syntax == rails:
		text, d.own = "(/)", "(/)"
	case d.own == "/":
		text, d.own = "/?", "/?"
	case d.syntax == sinatra && strings.Contains(d.own, "|"):
		if tokens, _ := parse(d.own, sinatra, true); len(tokens) > 0 && tokens[0].Kind == Choice {
			text = "(" + d.own + ")" // the prefix is for all alternatives
		}
	}
	d.text = d.prefix.String() + text + rules.Format
	return d, d.compile()
}

// Everything returns the pattern of the prefix and all paths below it, without a parameter for what
// is below. It is that of a filter.
func (p *Prefix) Everything() *Pattern {
	all := &Pattern{text: p.text + "/*", own: "/*", syntax: anyBelow, prefix: p, rules: p.rules}
	for _, r := range p.readings {
		all.shapes = append(all.shapes, r.shape)
	}
	return all
}

// compile makes the shapes.
func (p *Pattern) compile() error {
	own, err := p.ownTokens()
	if err == nil {
		err = p.checkRules(own)
	}
	var never []*Shape
	for _, r := range p.prefix.all() {
		if err != nil {
			return p.told(err)
		}
		var shapes []*Shape
		if shapes, err = p.shapesAfter(r); err != nil {
			continue
		}
		for _, s := range shapes {
			if s.stayBehind(r.shape.before) {
				p.shapes = append(p.shapes, s)
			} else {
				never = append(never, s)
			}
		}
	}
	if len(p.shapes) > mostShapes {
		err = errors.New("there are too many optional parts: define several routes")
	}
	for _, s := range never {
		if err == nil && !slices.ContainsFunc(p.shapes, func(other *Shape) bool { return !other.Choosy() && other.covers(*s) }) {
			err = fmt.Errorf("the prefix %q takes a part of the paths %q: say with Where what its parameters must be, or define routes without the prefix", p.prefix, s.source)
		}
	}
	return p.told(err)
}

// ownTokens parses the pattern without its prefix.
func (p *Pattern) ownTokens() ([]Token, error) {
	if p.syntax == regular {
		return nil, nil
	}
	return parse(p.own+p.rules.Format, p.syntax, p.prefix != nil)
}

// shapesAfter returns the shapes that follow one reading of the prefix.
func (p *Pattern) shapesAfter(r reading) ([]*Shape, error) {
	if p.syntax == regular {
		s, err := p.searching(r.tokens)
		return []*Shape{s}, err
	}
	var room [8]Token // saves an allocation for most patterns
	tokens := append(room[:0], r.tokens...)
	own, _ := p.ownTokens()
	tokens = join(tokens, own)
	if err := constrain(tokens, p.rules); err != nil {
		return nil, err
	}
	tokens = p.orSlash(tokens)
	shapes, err := shapesOf(p.text, tokens)
	if err != nil || !p.rules.Loose {
		return shapes, err
	}
	tidy, err := tidied(tokens)
	if err != nil {
		return nil, err
	}
	more, err := shapesOf(p.text, tidy)
	// Where a path matches as it is, the values are the same as without the option.
	shapes = slices.DeleteFunc(shapes, (*Shape).isUntidy)
	for _, s := range more {
		if !slices.ContainsFunc(shapes, s.isLike) {
			shapes = append(shapes, s)
		}
	}
	return shapes, err
}

// searching returns the shape of a regular expression after a prefix.
func (p *Pattern) searching(prefix []Token) (*Shape, error) {
	text := p.own
	if p.prefix != nil {
		if p.rules.Loose {
			prefix, _ = tidied(prefix) // was tidied without an error before
		}
		inner, err := inside(p.own)
		if err != nil {
			return nil, err
		}
		text = `\A(?:` + expressionOf(prefix, true) + "(?:" + inner + `))\z`
	}
	if p.rules.Loose && strings.Contains(text, "//") {
		return nil, errors.New("a path has no two slashes in a row in this app: write one")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	s := shapeOf(text, []Token{{Text: literalPrefix(text)}, {Kind: Choice}}) // what a choice matches
	s.expression = searchFor(re, p.rules.Loose)                              // is for the expression to say
	return s, nil
}

// told returns an error with the pattern.
func (p *Pattern) told(err error) error {
	wrong, ok := err.(mistake)
	if !ok {
		return err
	}
	if also := p.Foreign(); also != nil {
		return fmt.Errorf("routing: %s pattern %q: %w", syntaxNames[p.syntax], p.text, also)
	}
	return fmt.Errorf("routing: %s pattern %q, %w", syntaxNames[p.syntax], p.text, wrong)
}

// checkRules returns an error if the rules or the prefix do not fit the pattern.
func (p *Pattern) checkRules(own []Token) error {
	names := keysOf(own)
	if p.syntax == regular {
		names = regexp.MustCompile(p.own).SubexpNames()
	}
	for _, name := range names {
		if name != "" && slices.Contains(p.prefix.Names(), name) {
			return p.prefix.twice(name)
		}
	}
	if err := checkNames(p.rules, append(p.prefix.Names(), names...)); err != nil {
		return err
	}
	for name, class := range p.rules.Where {
		if err := p.prefix.checkWhere(name, class); err != nil {
			return err
		} else if p.syntax == regular && !p.prefix.says(name, class) {
			return errors.New("write what a group must be in the regular expression itself")
		}
	}
	if p.prefix == nil || p.syntax == regular || p.syntax == anyBelow {
		return nil
	}
	plain, err := parse(p.own, p.syntax, true)
	if err != nil {
		return err
	}
	return staysBelow(p.own, plain)
}

// checkNames returns an error for the name of a class that is not among the names of parameters.
func checkNames(rules Rules, names []string) error {
	for _, name := range slices.Sorted(maps.Keys(rules.Where)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the pattern has no parameter %q: it has %q", name, names)
		}
	}
	return nil
}

// orSlash returns tokens for a whole path: if all are optional, "/" matches too, below a prefix and
// where Rails says so.
func (p *Pattern) orSlash(tokens []Token) []Token {
	if p.syntax == anyBelow || slices.ContainsFunc(tokens, func(t Token) bool { return t.Kind != Optional }) {
		return tokens
	}
	isRoot := p.prefix != nil
	if p.syntax == rails && (p.prefix == nil || p.prefix.syntax == rails) {
		isRoot = railsRoot(p.prefix.String() + p.own)
	}
	switch {
	case !isRoot:
		return tokens
	case len(tokens) == 0:
		return []Token{slash}
	}
	return []Token{{Kind: Choice, Choices: [][]Token{tokens, {slash}}}}
}

// railsRoot reports whether a pattern of optional parts is one of the root in Rails, which is so if
// all but the first are parameters.
func railsRoot(text string) bool {
	text = slashBefore.ReplaceAllString("/"+strings.TrimSuffix(text, "(/)"), "$1/")
	return text == "/" || ofTheRoot.MatchString(strings.TrimSuffix(text, "/"))
}

var (
	slashBefore = regexp.MustCompile(`/+(\(+)/?`)
	ofTheRoot   = regexp.MustCompile(`^\(+[^)]+\)(?:\(+/:[^)]+\))*$`)
)

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

// Tokens parses the pattern's text again and returns its parts, as it was written. It returns nil
// for a regular expression and the nil Pattern.
func (p *Pattern) Tokens() []Token {
	if p == nil || p.syntax == regular {
		return nil
	}
	own, _ := p.ownTokens() // it was parsed without an error before
	tokens := join(p.prefix.Tokens(), own)
	_ = constrain(tokens, p.rules)
	return tokens
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
