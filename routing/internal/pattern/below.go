package pattern

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	tree "regexp/syntax"
	"strings"
)

// This file puts patterns below a prefix, that of a group or of a mount. Their tokens follow those
// of the prefix, whatever the syntax of the two is. If one is a regular expression, so is the
// result.

// Prefix returns p as a prefix, without a slash at its end. The empty pattern and "/" become nil,
// which is no prefix.
func (p *Pattern) Prefix() (*Pattern, error) {
	switch {
	case p == nil:
		return nil, errors.New("the zero Pattern is no prefix: use Group with an empty prefix, to share options alone")
	case p.syntax == regular:
		_, err := inside(p.text)
		return p, err
	case p.text == "" || p.text == "/":
		return nil, nil
	}
	if err := p.Reachable(); err != nil {
		return nil, err
	}
	if tokens := p.Tokens(); p.syntax == anyBelow || tokens[len(tokens)-1].Kind == Wildcard {
		return nil, errors.New("leave the wildcard at the end out: a prefix has everything below it")
	}
	text := strings.TrimSuffix(p.text, "/")
	if strings.Contains(p.text, "//") || hasDotSegment(text) {
		return nil, fmt.Errorf("a prefix must not have empty or dot segments: write %q", path.Clean(text))
	}
	if text == p.text {
		return p, nil
	}
	return Pattern{text: text, syntax: p.syntax}.compiled()
}

// Below returns the pattern that matches what prefix matches, followed by what p and then more
// match. More is in the syntax of p. A nil prefix is none; the nil p matches the prefix and
// everything below.
//
// Where p is "/", the slash is optional. It is an error if the pattern would match paths that are
// neither those of the prefix nor below.
func (p *Pattern) Below(prefix *Pattern, more string) (_ *Pattern, err error) {
	switch {
	case prefix == nil && more == "":
		return p, nil
	case p == nil:
		return prefix.Everything()
	case p.prefix != nil: // of another group
		if prefix, err = p.prefix.Below(prefix, ""); err != nil {
			return nil, err
		}
	}
	own := p.own()
	switch {
	case prefix == nil:
		return Pattern{text: own + more, syntax: p.syntax, rules: p.rules}.compiled()
	case p.syntax == regular:
		return expressionBelow(prefix, p)
	}
	tokens, err := p.parseOwn(nil, true)
	switch starts := startsOf(tokens); {
	case err != nil:
		return nil, err
	case starts&(bySlash|byNothing) == 0:
		return nil, fmt.Errorf("patterns must start with /: write %q", "/"+own)
	case leaves(tokens):
		return nil, leavesGroup(own)
	case own == "/" && p.syntax == rails:
		own = "(/)"
	case own == "/":
		own = "/?"
	case p.syntax == sinatra && len(tokens) > 0 && tokens[0].Kind == Choice:
		own = "(" + own + ")" // the prefix is for all alternatives
	}
	return Pattern{text: prefix.text + own + more, syntax: p.syntax, prefix: prefix, rules: p.rules}.compiled()
}

// leaves reports whether tokens below a prefix also match paths that are not below it.
func leaves(tokens []Token) bool { return startsOf(tokens)&^(bySlash|byNothing) != 0 }

func leavesGroup(own string) error {
	return fmt.Errorf("pattern %q also matches paths outside of the group, which its filters would miss: "+
		"start with a slash that is not optional, and add a route for %q", own, "/")
}

// Everything returns the pattern of a prefix and all paths below it; nil is no prefix. It is that
// of a mount.
func (p *Pattern) Everything() (*Pattern, error) {
	return Pattern{text: p.String() + "/*", syntax: anyBelow, prefix: p}.compiled()
}

// expressionBelow returns the pattern of a prefix and a rest of which one is a regular expression.
func expressionBelow(prefix, rest *Pattern) (*Pattern, error) {
	var b strings.Builder
	for i, p := range []*Pattern{prefix, rest} {
		if p.syntax != regular {
			tokens, _ := p.parse(nil) // was parsed without an error before
			b.WriteString(expressionOf(endWithout(tokens), true))
			continue
		}
		expression, err := inside(p.text)
		if err == nil && i > 0 && !strings.HasPrefix(literalPrefix(`\A(?:`+expression+`)`), "/") {
			err = errors.New("begin with a slash: it also matches paths outside of the group, which its filters would miss")
		}
		if err != nil {
			return nil, fmt.Errorf("expression %q: %w", p, err)
		}
		b.WriteString("(?:" + expression + ")")
	}
	whole := func() (*regexp.Regexp, error) { return regexp.Compile(`\A(?:` + b.String() + `)\z`) }
	re, err := whole()
	if err == nil && re.MatchString("") {
		b.WriteString("|/") // the shortest path
		re, err = whole()
	}
	if err != nil {
		return nil, err
	}
	return Regexp(re), nil
}

// inside returns the expression in one for whole paths, \A(?:…)\z.
func inside(text string) (string, error) {
	rest, begins := strings.CutPrefix(text, `\A(?:`)
	rest, ends := strings.CutSuffix(rest, `)\z`)
	program, err := programOf(rest)
	if !begins || !ends || err != nil {
		return "", errors.New("use WholeRegexp, since a group has the beginning of a path and its patterns the rest")
	}
	const anchors = tree.EmptyBeginLine | tree.EmptyEndLine | tree.EmptyBeginText | tree.EmptyEndText
	for _, in := range program.Inst {
		if in.Op == tree.InstEmptyWidth && tree.EmptyOp(in.Arg)&anchors != 0 {
			return "", errors.New("leave the anchors out: the path matches as a whole")
		}
	}
	return rest, nil
}

// starts says how the texts begin that tokens match.
type starts uint8

const (
	bySlash    starts = 1 << iota
	byText            // another character
	byWildcard        // any character
	byNothing         // there is a text without any
)

func startsOf(tokens []Token) (s starts) {
	for _, t := range tokens {
		switch {
		case t.Kind == Wildcard:
			return s | byWildcard
		case t.Choices == nil && beginsWith([]Token{t}, '/'):
			return s | bySlash
		case t.Choices == nil:
			return s | byText
		}
		for _, tokens := range t.Choices {
			s |= startsOf(tokens)
		}
		if s&byNothing == 0 {
			return s
		}
		s &^= byNothing
	}
	return s | byNothing
}
