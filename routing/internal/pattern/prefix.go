package pattern

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Rules change what a pattern matches. An app and a route each have rules.
type Rules struct {
	Where  map[string]*Class // the rules for the values of parameters, by name
	Format bool              // a format may follow the pattern
	Lazy   bool              // wildcards of Rails match as few characters as possible

	// AnyFormat lets the parameter "format" have any value, as Where may allow for a route. It is
	// for filters. Formats that the other rules allow are captured by these rules.
	AnyFormat bool
}

// areNone reports whether the rules change nothing.
func (r Rules) areNone() bool {
	return len(r.Where) == 0 && !r.Format && !r.Lazy && !r.AnyFormat
}

// definition is what a pattern or a prefix is made of.
type definition struct {
	text   string // as written, after the text of the outer prefix
	rest   string // without the outer prefix
	syntax syntax
	outer  *Prefix // its tokens come first; may be nil
	rules  Rules
}

// format follows a pattern if the rules have it.
var format = []Token{optional([]Token{{Kind: Literal, Text: "."}, {Kind: Param, Text: formatName, class: railsParam}})}

// read parses the text without the outer prefix, and applies the rules. It returns an error if a
// rule names no parameter of the pattern, or if the text does not fit below the prefix.
func (d *definition) read(withFormat bool) (rest []Token, err error) {
	var names []string
	if d.syntax == regular {
		if names = regexp.MustCompile(d.rest).SubexpNames(); len(names) > 1 {
			names = append(names, capturesKey)
		}
	} else {
		rest, err = parse(d.rest, d.syntax, d.outer != nil)
		if err == nil && d.outer != nil {
			err = staysBelow(d.rest, rest)
		}
		if err != nil {
			return nil, err
		}
		if withFormat {
			rest = join(rest, copied(format))
		}
		names = keysOf(rest)
	}
	outerNames := d.outer.Names()
	if outerNames == nil && len(d.rules.Where) == 0 && !d.rules.Lazy {
		return rest, nil // as for most routes; saves a fifth of the time to define one
	}
	for _, name := range names {
		if name != "" && slices.Contains(outerNames, name) {
			return nil, fmt.Errorf("the prefix %q also has the parameter %q, which would then have two values: give it another name", d.outer, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.rules.Where)) {
		switch isOwn := slices.Contains(names, name); {
		case isOwn && d.syntax == regular:
			err = errors.New("Where does not apply to regular expressions: restrict the group in the expression")
		case isOwn:
		case slices.Contains(outerNames, name):
			if !d.outer.hasClass(name, d.rules.Where[name]) {
				err = fmt.Errorf("%q is a parameter of the group's prefix: write the Where in the options of the group, so that it applies to the group's filters too", name)
			}
		default:
			err = fmt.Errorf("the pattern has no parameter %q: it has %q", name, append(outerNames, names...))
		}
		if err != nil {
			return nil, err
		}
	}
	return rest, constrain(rest, d.rules)
}

// Prefix is the path prefix of a group or a mount, without a slash at its end.
// It consists of literal text and of parameters that fill a segment. It is immutable and safe for
// concurrent use. The nil Prefix is empty.
type Prefix struct {
	definition
	tokens  []Token  // including the outer prefix's tokens
	variant *Variant // of paths that begin with it
}

func newPrefix(d definition) (*Prefix, error) {
	p := &Prefix{definition: d}
	p.text = d.outer.String() + d.rest
	rest, err := d.read(false)
	if err != nil {
		return nil, err
	}
	for _, t := range rest {
		switch {
		case t.Choices != nil:
			return nil, errors.New(`a prefix has neither optional parts nor alternatives: loop over the prefixes, as in ` +
				`for _, prefix := range []string{"", "/:locale"} { … }`)
		case t.Kind == Wildcard:
			return nil, errors.New("a prefix has no wildcard, because it may end inside a segment: write a parameter, " +
				`or loop over the prefixes, as in for _, prefix := range []string{"/:a", "/:a/:b"} { … }`)
		case p.rules.Lazy && t.Where() != "" && t.class.lazy && t.class.has('.'):
			return nil, errors.New("a value that is as short as possible would be ambiguous if a format follows: remove the question mark at the end of the Where")
		}
	}
	p.tokens = withoutSlash(join(d.outer.Tokens(), rest))
	names := keysOf(p.tokens)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("%q would have two values: give the second one another name", name)
		}
	}
	if p.variant = segmentsOf(p.text, p.tokens); p.variant.end != exact {
		return nil, errors.New("a parameter of a prefix fills its segment: write a pattern for each route")
	}
	p.variant.end = beforeSlash
	return p, nil
}

// Static returns the prefix if it has no parameters.
func (p *Prefix) Static() (path string, ok bool) {
	if p == nil {
		return "", true
	}
	return p.variant.text, len(p.variant.params) == 0
}

// Find returns the variant of the prefix, or nil if the path does not begin with it, and the end of
// the prefix in the path.
func (p *Prefix) Find(path string) (v *Variant, end int) {
	if end := p.variant.length(path); end >= 0 {
		return p.variant, end
	}
	return nil, 0
}

// withoutSlash returns tokens without a slash at their end.
func withoutSlash(tokens []Token) []Token {
	last := len(tokens) - 1
	if last < 0 || tokens[last].Kind != Literal {
		return tokens
	}
	return literal(tokens[:last:last], strings.TrimSuffix(tokens[last].Text, "/"))
}

// checkPrefix returns an error for a text that is not a valid prefix.
func checkPrefix(text string, tokens []Token) error {
	if last := len(tokens) - 1; last >= 0 && tokens[last].Kind == Wildcard {
		return errors.New("remove the wildcard at the end: a prefix matches everything below it")
	}
	if strings.Contains(text, "//") || HasDotSegment(text) {
		return fmt.Errorf("a prefix must not have empty or dot segments: write %q", path.Clean(text))
	}
	return nil
}

// staysBelow returns an error if tokens below a prefix also match paths that are not below it.
func staysBelow(rest string, tokens []Token) error {
	switch starts := startsOf(tokens); {
	case starts&(bySlash|byNothing) == 0:
		return fmt.Errorf("patterns must start with /: write %q", "/"+rest)
	case starts&^(bySlash|byNothing) != 0:
		return fmt.Errorf("pattern %q also matches paths outside of the group, which its filters would miss: "+
			"start with a slash that is not optional, and add a route for %q", rest, "/")
	}
	return nil
}

// formatName is the name of the parameter for a format.
const formatName = "format"

// setAnyFormat lets the formats in tokens have any value. It reports whether there are formats.
func setAnyFormat(tokens []Token) (ok bool) {
	for t := range all(tokens) {
		if t.Kind == Param && t.Text == formatName {
			t.class, ok = anyFormat, true
		}
	}
	return ok
}

// constrain sets the classes of parameters and wildcards.
func constrain(tokens []Token, rules Rules) error {
	for t := range all(tokens) {
		if t.class == railsWildcard && rules.Lazy {
			t.class = lazyRailsWildcard
		}
		c := rules.Where[t.Text]
		if c == nil || !t.hasValue() || t.Where() != "" {
			continue
		}
		if t.Kind == Param {
			if err := c.check(); err != nil {
				return fmt.Errorf("%q must not be %q: %w", t.Text, c.given, err)
			}
		}
		t.class = c
	}
	return nil
}

// String returns the prefix as it was written, with the outer one.
func (p *Prefix) String() string {
	if p == nil {
		return ""
	}
	return p.text
}

// Tokens returns the tokens of the prefix.
func (p *Prefix) Tokens() []Token {
	if p == nil {
		return nil
	}
	return slices.Clone(p.tokens)
}

// Names returns the names of the parameters in order.
func (p *Prefix) Names() []string {
	if p == nil {
		return nil
	}
	return keysOf(p.tokens)
}

// hasClass reports whether the parameter with a name has class c.
func (p *Prefix) hasClass(name string, c *Class) bool {
	for t := range all(p.tokens) {
		if t.hasValue() && t.Text == name && !t.class.Equal(c) {
			return false
		}
	}
	return true
}

// within returns the prefix below another one.
func (p *Prefix) within(outer *Prefix) (*Prefix, error) {
	switch {
	case p == nil || p == outer:
		return outer, nil
	case p.outer != nil:
		var err error
		if outer, err = p.outer.within(outer); err != nil {
			return nil, err
		}
	}
	d := p.definition
	d.outer = outer
	return newPrefix(d)
}
