// Package pattern parses the patterns of routes and filters, matches paths, and captures
// parameters. It does not depend on HTTP.
//
// A pattern in the Sinatra or Rails syntax is parsed into tokens (read.go), which may follow the
// tokens of a prefix (prefix.go). A parameter has a class: the rule for its values (class.go). The
// rules of an app and a route set classes, and add formats (definition.go). They are applied once,
// when the Pattern is defined, for filters, routes, groups, mounts and URLs (url.go).
//
// Most patterns consist of complete segments: literal text, parameters that fill their segment, and
// at the end perhaps a wildcard, or a dot and a format. Such a pattern becomes a few variants, one
// for each combination of its optional tokens and alternatives (variant.go). A variant is the
// pattern's text with the offsets of its parameters. Matching and capturing go from slash to slash
// (capture.go), and package match finds variants in a trie. The variants of two patterns determine
// whether one hides the other (cover.go).
//
// Any other pattern, and each regular expression, becomes one variant with an expression
// (expression.go). The variant has the text before the first partial segment; the expression
// matches the complete path.
//
// Matching takes time linear in the length of the path: variants do not backtrack, and package
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
	definition
	variants []*Variant // in the order in which a backtracking matcher would try them
}

// Sinatra parses a pattern in the syntax of Sinatra and Scalatra.
func Sinatra(text string) (*Pattern, error) { return parsed(text, sinatra) }

// Rails parses a pattern in the syntax of Rails.
func Rails(text string) (*Pattern, error) { return parsed(text, rails) }

func parsed(text string, s syntax) (*Pattern, error) {
	p := &Pattern{definition: definition{text: text, rest: text, syntax: s}}
	if err := p.compile(); err != nil {
		return nil, err
	}
	return p, nil
}

// Regexp returns the pattern of a regular expression. It compiles the expression again.
func Regexp(re *regexp.Regexp) *Pattern {
	p, err := parsed(re.String(), regular)
	if err != nil {
		panic(err) // impossible unless the expression was compiled with other flags
	}
	return p
}

// Prefix returns p as a prefix below the outer one. For the empty pattern and "/" it returns the
// outer prefix.
func (p *Pattern) Prefix(outer *Prefix, rules Rules) (*Prefix, error) {
	switch {
	case p == nil:
		return nil, errors.New("the zero Pattern is not a prefix: to share only options, use Group with an empty prefix")
	case p.text == "" || p.text == "/":
		return outer, nil
	case p.syntax == regular:
		return nil, errors.New("a regular expression is not a prefix: write a pattern, and Where for its parameters")
	}
	err := p.reachable()
	if err == nil {
		err = checkPrefix(p.text, p.Tokens())
	}
	if err != nil {
		return nil, err
	}
	return newPrefix(definition{rest: strings.TrimSuffix(p.text, "/"), syntax: p.syntax, outer: outer, rules: rules})
}

// AnyPath matches every path that begins with a slash; below a prefix it matches the prefix and all
// paths below it. It has no parameters.
var AnyPath, _ = parsed("/*", anyBelow)

// Define returns p below a prefix and with rules, for a route or filter. Below a prefix, the slash
// of the pattern "/" is optional, and the nil Pattern is [AnyPath]. It returns an error if the
// pattern would match paths outside the prefix, or if a rule names no parameter of the pattern.
//
// If p is already the pattern of a route, it keeps its own prefix and classes too.
func (p *Pattern) Define(prefix *Prefix, rules Rules) (_ *Pattern, err error) {
	switch {
	case p == nil && prefix == nil: // rules for parameters are an error
		_, err = (&definition{rules: rules}).read(false)
		return nil, err
	case p == nil:
		p = AnyPath
	case prefix == p.outer && rules.areNone() && p.rules.areNone():
		return p, p.reachable()
	case prefix == nil:
		if err := p.reachable(); err != nil {
			return nil, err
		}
	}
	rules.Format = p.rules.Format
	d := &Pattern{definition: definition{rest: p.rest, syntax: p.syntax, rules: rules}}
	if d.outer, err = p.outer.within(prefix); err != nil {
		return nil, err
	}
	if p.rules.Where != nil {
		d.rules.Where = maps.Clone(p.rules.Where)
		maps.Copy(d.rules.Where, rules.Where)
	}
	text := d.rest
	switch {
	case d.outer == nil:
	case d.rest == "/" && d.syntax == rails:
		text, d.rest = "(/)", "(/)"
	case d.rest == "/":
		text, d.rest = "/?", "/?"
	case d.syntax == sinatra && strings.Contains(d.rest, "|"):
		if tokens, _ := parse(d.rest, sinatra, true); len(tokens) > 0 && tokens[0].Kind == Choice {
			text = "(" + d.rest + ")" // the prefix applies to all alternatives
		}
	}
	d.text = d.outer.String() + text
	if rules.Format {
		d.text += "(.:format)"
	}
	return d, d.compile()
}

// WithFormatSuffix returns a copy of p for [Pattern.Define] that a format such as ".json" may
// follow.
func (p *Pattern) WithFormatSuffix() *Pattern {
	copied := *p
	copied.rules.Format = true
	return &copied
}

// compile sets the variants.
func (p *Pattern) compile() error {
	rest, err := p.read(p.rules.Format)
	if err == nil {
		tokens := join(p.outer.Tokens(), rest)
		if p.syntax == regular {
			p.variants, err = p.regexpVariants(tokens)
		} else {
			p.variants, err = variantsOf(p.text, tokens)
		}
		if err == nil && p.rules.AnyFormat && setAnyFormat(rest) {
			var more []*Variant
			more, err = variantsOf(p.text, join(p.outer.Tokens(), rest))
			p.variants = append(p.variants, more...)
		}
	}
	if len(p.variants) > 1 || len(p.variants) == 1 && p.variants[0].expression != nil {
		names := p.Names()
		for _, v := range p.variants {
			v.setUncommon(func(m *uncommonVariant) { m.mayLack = names })
		}
	}
	return p.inContext(err)
}

// regexpVariants returns the variant of a regular expression after a prefix.
func (p *Pattern) regexpVariants(prefix []Token) ([]*Variant, error) {
	text := p.rest
	if p.outer != nil {
		inner, err := unanchored(p.rest)
		if err != nil {
			return nil, err
		}
		text = `\A(?:` + expressionOf(prefix, true) + inner + `)\z`
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	first := 1 + len(keysOf(prefix))                                           // the groups before are the parameters of the prefix
	v := variantOf(text, []Token{{Text: literalPrefix(text)}, {Kind: Choice}}) // the expression decides what a choice matches
	v.uncommonVariant = &uncommonVariant{expression: &expression{re: re, names: re.SubexpNames(), first: first}}
	return []*Variant{v}, nil
}

// inContext adds the pattern to the text of a syntax error.
func (p *Pattern) inContext(err error) error {
	syntaxErr, ok := err.(syntaxError)
	if !ok {
		return err
	}
	if otherSyntax := p.Foreign(); otherSyntax != nil {
		return fmt.Errorf("routing: %s pattern %q: %w", syntaxNames[p.syntax], p.text, otherSyntax)
	}
	return fmt.Errorf("routing: %s pattern %q, %w", syntaxNames[p.syntax], p.text, syntaxErr)
}

// String returns the pattern as it was written, with its prefix. It is empty for the nil Pattern.
func (p *Pattern) String() string {
	if p == nil {
		return ""
	}
	return p.text
}

// Syntax returns "sinatra", "rails" or "regexp", and the empty string for the nil Pattern.
func (p *Pattern) Syntax() string {
	if p == nil {
		return ""
	}
	return syntaxNames[p.syntax]
}

// Variants returns the variants. The pattern matches a path if any variant does; the first variant
// that matches captures the parameters. The nil Pattern has one variant, which is nil.
func (p *Pattern) Variants() []*Variant {
	if p == nil {
		return []*Variant{nil}
	}
	return p.variants
}

// Find returns the first variant that matches path, or nil.
func (p *Pattern) Find(path string) *Variant {
	for _, v := range p.variants {
		if v.Match(path) {
			return v
		}
	}
	return nil
}

// Match reports whether path matches.
func (p *Pattern) Match(path string) bool { return p == nil || p.Find(path) != nil }

// Tokens parses the pattern's text again and returns the tokens as written. It returns nil for a
// regular expression and the nil Pattern.
func (p *Pattern) Tokens() []Token {
	if p == nil || p.syntax == regular {
		return nil
	}
	rest, _ := p.read(p.rules.Format) // it was read without an error before
	return join(p.outer.Tokens(), rest)
}

// Names returns the names of the parameters in order; a name that occurs twice is listed twice.
func (p *Pattern) Names() []string {
	if p != nil && p.syntax == regular {
		return p.variants[0].expression.keys()
	}
	return keysOf(p.Tokens())
}

// Foreign returns an error if the pattern looks like another router's syntax. A backslash before
// such syntax makes it literal.
func (p *Pattern) Foreign() error {
	if p == nil || p.syntax == regular {
		return nil
	}
	return checkForeign(p.text, p.syntax)
}

// reachable returns an error if the pattern, or one of its alternatives, matches no path because it
// does not start with a slash.
func (p *Pattern) reachable() error {
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
		return errors.New(`all alternatives must start with /: write "/(a|b)" for those of a segment`)
	case isUnreachable(tokens):
		return fmt.Errorf("patterns must start with /: write %q", "/"+p.text)
	}
	return nil
}

// withMethod matches the method in a pattern of http.ServeMux.
var withMethod = regexp.MustCompile(`^[A-Z]+ /`)
