package pattern

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Rules change what a pattern matches. They are those of an app or of a route.
type Rules struct {
	Where  map[string]*Class // what the values of parameters must be, by their names
	Format string            // follows a pattern, or a prefix where its path ends; empty for none
	Loose  bool              // paths have neither a slash at the end nor several in a row
	Lazy   bool              // wildcards of Rails match as few characters as possible
}

// Prefix is the beginning of paths, without a slash at its end: that of a group or a mount, or a
// base path. It is immutable and safe for concurrent use. The nil Prefix is none.
//
// A path has one reading of a prefix, which does not depend on what follows: the first that is
// possible, where optional parts are taken before they are left out. So filters, conditions and
// routes of a group have the same parameters of the prefix.
type Prefix struct {
	text     string
	own      string // the text without that of the prefix around
	syntax   syntax
	around   *Prefix
	rules    Rules
	written  []Token   // with those of the prefix around
	readings []reading // in order
}

// reading is one way to take and leave the optional parts of a prefix.
type reading struct {
	tokens []Token // without choices
	shape  *Shape  // of paths that begin with it
}

// newPrefix returns the prefix of a text below the prefix around.
func newPrefix(text string, s syntax, around *Prefix, rules Rules) (*Prefix, error) {
	p := &Prefix{text: around.String() + text, own: text, syntax: s, around: around, rules: rules}
	own, err := parse(text, s, around != nil)
	if err != nil {
		return nil, err
	}
	if err := p.checkRules(keysOf(own)); err != nil {
		return nil, err
	}
	if around != nil {
		if err := staysBelow(text, own); err != nil {
			return nil, err
		}
	}
	p.written = endWithout(join(around.Tokens(), copied(own)))
	if err := constrain(p.written, rules); err != nil {
		return nil, err
	}
	ways := expand(own)
	if ways == nil {
		return nil, errors.New("there are too many optional parts: make several groups")
	}
	for _, outer := range around.all() {
		before := outer.shape.before
		for _, way := range ways {
			tokens := join(slices.Clone(outer.tokens), way)
			if slices.ContainsFunc(tokens, func(t Token) bool { return t.Kind == Literal && strings.Contains(t.Text, "//") }) {
				return nil, errors.New("a segment may be empty: put its slash into the optional part")
			}
			tokens = withoutSlash(tokens)
			names := keysOf(tokens)
			for i, name := range names {
				if slices.Contains(names[:i], name) {
					return nil, fmt.Errorf("%q would have two values: give the second one another name", name)
				}
			}
			if err := constrain(tokens, rules); err != nil {
				return nil, err
			}
			shape, err := beginning(p.text, tokens, rules)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(before, func(b *Shape) bool { return b.covers(*shape) }) {
				continue
			}
			if rules.Lazy && hasShortValues(tokens) {
				return nil, errors.New("a value that is as short as possible would end in two places if a format follows: leave the question mark at the end of the Where out")
			}
			shape.before = slices.Clip(before)
			p.readings = append(p.readings, reading{tokens, shape})
			before = append(shape.before, shape)
			if rules.Format != "" { // below "(/:locale)", the path "/de.json" is of the locale "de" too
				if rules.Loose {
					tokens, _ = tidied(tokens) // was done without an error
				}
				formatted, err := shapesOf(p.text, append(literal(slices.Clone(tokens), "."), Token{Kind: Param, Text: "format", class: dotless}))
				if err != nil {
					return nil, err
				}
				before = append(before, formatted...)
			}
		}
	}
	return p, nil
}

// checkRules returns an error for classes that do not fit a prefix, which has own parameters.
func (p *Prefix) checkRules(own []string) error {
	for name := range p.rules.Where {
		if !slices.Contains(own, name) {
			if err := p.around.checkWhere(name, p.rules.Where[name]); err != nil {
				return err
			}
		}
	}
	for _, name := range own {
		if slices.Contains(p.around.Names(), name) {
			return p.around.twice(name)
		}
	}
	return nil
}

// twice is the error of a name that is also in the prefix.
func (p *Prefix) twice(name string) error {
	return fmt.Errorf("the prefix %q has the parameter %q too, which then would have two values: give it another name", p, name)
}

// checkWhere returns an error if a parameter of the prefix may not have all values of a class.
func (p *Prefix) checkWhere(name string, c *Class) error {
	for t := range all(p.Tokens()) {
		switch {
		case !t.hasValue() || t.Text != name || t.class.Equal(c):
		case t.Where() != "":
			return fmt.Errorf("the group says what %q must be: leave the other Where out", name)
		case !t.class.includes(c):
			return fmt.Errorf("%q may be more than in the prefix, so that requests would avoid the filters of the group: "+
				"write the Where in the options of the group", name)
		case !p.isSegment(name):
			return fmt.Errorf("%q is a part of a segment of the prefix, and would have another value than in the filters of the group: "+
				"write the Where in the options of the group", name)
		}
	}
	return nil
}

// isSegment reports whether the values of a parameter are whole segments, which end in one place
// whatever its class is.
func (p *Prefix) isSegment(name string) bool {
	for _, r := range p.all() {
		for i, t := range r.tokens {
			if !t.hasValue() || t.Text != name {
				continue
			}
			begins := i > 0 && r.tokens[i-1].Kind == Literal && strings.HasSuffix(r.tokens[i-1].Text, "/")
			rest := r.tokens[i+1:]
			hasFormat := len(rest) == 0 && p.rules.Format != "" && t.class.has('.')
			if t.Kind != Param || !begins || !endsSegment(rest) || hasFormat {
				return false
			}
		}
	}
	return true
}

// says reports whether the prefix has a parameter with the class.
func (p *Prefix) says(name string, c *Class) bool {
	for t := range all(p.Tokens()) {
		if t.hasValue() && t.Text == name {
			return t.class.Equal(c)
		}
	}
	return false
}

// beginning returns the shape of paths that begin with tokens, which have no choices.
func beginning(text string, tokens []Token, rules Rules) (s *Shape, err error) {
	if rules.Loose {
		if tokens, err = tidied(tokens); err != nil {
			return nil, err
		}
	}
	s = segmentsOf(text, tokens)
	if s.end == open || s.end == byExpression {
		s.expression, err = beginningWith(tokens)
	}
	s.end = below
	return s, err
}

// hasShortValues reports whether the value of a parameter is as short as possible, but may have a
// dot.
func hasShortValues(tokens []Token) bool {
	return slices.ContainsFunc(tokens, func(t Token) bool { return t.Where() != "" && t.class.lazy && t.class.has('.') })
}

// withoutSlash returns tokens without a slash at their end.
func withoutSlash(tokens []Token) []Token {
	last := len(tokens) - 1
	if last < 0 || tokens[last].Kind != Literal {
		return tokens
	}
	return literal(tokens[:last:last], strings.TrimSuffix(tokens[last].Text, "/"))
}

// checkPrefix returns an error for a text that is no prefix.
func checkPrefix(text string, tokens []Token) error {
	if last := len(tokens) - 1; last >= 0 && tokens[last].Kind == Wildcard {
		return errors.New("leave the wildcard at the end out: a prefix has everything below it")
	}
	if strings.Contains(text, "//") || hasDotSegment(text) {
		return fmt.Errorf("a prefix must not have empty or dot segments: write %q", path.Clean(text))
	}
	return nil
}

// staysBelow returns an error if tokens below a prefix also match paths that are not below it.
func staysBelow(own string, tokens []Token) error {
	switch starts := startsOf(tokens); {
	case starts&(bySlash|byNothing) == 0:
		return fmt.Errorf("patterns must start with /: write %q", "/"+own)
	case starts&^(bySlash|byNothing) != 0:
		return fmt.Errorf("pattern %q also matches paths outside of the group, which its filters would miss: "+
			"start with a slash that is not optional, and add a route for %q", own, "/")
	}
	return nil
}

// constrain sets the classes of parameters and wildcards.
func constrain(tokens []Token, rules Rules) error {
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

// nowhere is the reading of no prefix.
var nowhere = []reading{{shape: &Shape{end: below}}}

func (p *Prefix) all() []reading {
	if p == nil {
		return nowhere
	}
	return p.readings
}

// String returns the prefix as it was written, with that around it.
func (p *Prefix) String() string {
	if p == nil {
		return ""
	}
	return p.text
}

// Tokens returns the parts of the prefix.
func (p *Prefix) Tokens() []Token {
	if p == nil {
		return nil
	}
	return copied(p.written)
}

// Names returns the names of the parameters in order.
func (p *Prefix) Names() []string { return keysOf(p.Tokens()) }

// HasWildcard reports whether the prefix has a wildcard.
func (p *Prefix) HasWildcard() bool {
	return slices.ContainsFunc(p.Tokens(), func(t Token) bool {
		return t.Kind == Wildcard
	})
}

// Static returns the prefix if it has one reading and no parameters.
func (p *Prefix) Static() (path string, ok bool) {
	s := p.all()[0].shape
	return s.source, len(p.all()) == 1 && s.expression == nil && len(s.params) == 0
}

// Find returns the shape of the reading of a path, or nil if the path does not begin with the
// prefix, and where that ends.
func (p *Prefix) Find(path string) (s *Shape, end int) {
	for _, r := range p.all() {
		if end := r.shape.length(path); end >= 0 && r.shape.Admits(path) {
			return r.shape, end
		}
	}
	return nil, 0
}

// Path returns the path of the prefix with values for its parameters. It removes these from given.
func (p *Prefix) Path(given map[string][]string) (string, error) {
	if p == nil {
		return "", nil
	}
	tokens, before := p.Tokens(), maps.Clone(given)
	path, err := fill(tokens, given)
	if err != nil {
		return "", err
	}
	for t := range all(tokens) {
		if list := before[t.Text]; t.hasValue() && len(list) > 0 && (list[0] == "" || hasDotSegment(list[0])) {
			return "", fmt.Errorf("value %q for %q must be a path segment", list[0], t.Text)
		}
	}
	s, end := p.Find(cmp.Or(path, "/"))
	if s == nil || end != len(path) {
		return "", fmt.Errorf("the prefix %q is not read from %q", p, path)
	}
	for key, value := range s.All(cmp.Or(path, "/")) {
		if list := before[key]; len(list) == 0 || list[0] != value {
			return "", fmt.Errorf("the path %q has %q for %q", path, value, key)
		}
	}
	return path, nil
}

// Reads reports whether a path that begins with one of the prefix alone has no other values for it.
func (p *Prefix) Reads(alone, path string) bool {
	if p == nil {
		return true
	}
	s, end := p.Find(cmp.Or(path, "/"))
	own, _ := p.Find(cmp.Or(alone, "/"))
	if s == nil || own != s || end != len(alone) {
		return false
	}
	var values, others []string
	for key, value := range s.All(path) {
		values = append(values, key, value)
	}
	for key, value := range own.All(alone) {
		others = append(others, key, value)
	}
	return slices.Equal(values, others)
}

// Base returns the prefix of a base path, in which a segment in braces is a parameter. The empty
// path is nil.
func Base(base string) (*Prefix, error) {
	if base == "" {
		return nil, nil
	}
	var tokens []Token
	for i, segment := range strings.Split(base, "/") {
		if i > 0 {
			tokens = literal(tokens, "/")
		}
		name, begins := strings.CutPrefix(segment, "{")
		name, ends := strings.CutSuffix(name, "}")
		switch {
		case begins && ends && name != "" && nameEnd(name, 0) == len(name):
			tokens = append(tokens, Token{Kind: Param, Text: name})
		case strings.ContainsAny(segment, "{}"):
			return nil, fmt.Errorf("a brace must begin a segment {name}: write %q", "/{name}")
		default:
			tokens = literal(tokens, segment)
		}
	}
	shape, err := beginning(base, tokens, Rules{})
	return &Prefix{text: base, written: tokens, readings: []reading{{tokens, shape}}}, err
}

// within returns the prefix below another one.
func (p *Prefix) within(around *Prefix) (*Prefix, error) {
	switch {
	case p == nil || p == around:
		return around, nil
	case p.around != nil:
		var err error
		if around, err = p.around.within(around); err != nil {
			return nil, err
		}
	}
	return newPrefix(p.own, p.syntax, around, p.rules)
}
