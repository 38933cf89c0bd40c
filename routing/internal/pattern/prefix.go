package pattern

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

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
