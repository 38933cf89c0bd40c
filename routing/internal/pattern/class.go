package pattern

import (
	"errors"
	"math"
	"regexp"
	tree "regexp/syntax"
	"unicode"
)

// Class describes the values that a parameter or a wildcard may have. The nil Class is Sinatra's:
// for a parameter any characters but slashes, for a wildcard any at all. Most classes are a set of
// bytes and limits of the length, so that no expression is evaluated.
type Class struct {
	text     string         // an expression without captures
	given    string         // the expression as it was written; empty for the classes of a syntax
	bytes    [4]uint64      // a set with all bytes of values
	min, max int            // the length of values
	re       *regexp.Regexp // decides, if bytes and length do not suffice
	lazy     bool           // in an expression, prefers short values
}

// The default classes of the syntaxes, besides nil.
var (
	railsParam        = builtinClass(`[^/.]+`)   // a parameter in Rails
	anyFormat         = builtinClass(`[^/]+`)    // a format in Rails for filters
	lazyParam         = builtinClass(`[^/]+?`)   // a parameter before an optional part in Sinatra
	railsWildcard     = builtinClass(`(?s:.+)`)  // a wildcard in Rails
	lazyRailsWildcard = builtinClass(`(?s:.+?)`) // a wildcard in Rails before a format
)

// builtinClass returns a class of a syntax. Its expression was not written by a user.
func builtinClass(expression string) *Class {
	c, err := NewClass(expression)
	if err != nil {
		panic(err)
	}
	c.given = ""
	return c
}

// NewClass returns the class of the values that a regular expression matches completely. It returns
// an error for an expression that is not valid, has an anchor, a word boundary, or a character
// class without characters.
func NewClass(expression string) (*Class, error) {
	parsed, err := tree.Parse(expression, tree.Perl)
	if err != nil {
		return nil, err
	}
	parsed = uncaptured(parsed)
	c := &Class{text: parsed.String(), given: expression, min: 1, max: 1, lazy: parsed.Flags&tree.NonGreedy != 0}
	one := parsed // perhaps repeated
	switch parsed.Op {
	case tree.OpPlus:
		one, c.max = parsed.Sub[0], math.MaxInt
	case tree.OpStar:
		one, c.min, c.max = parsed.Sub[0], 0, math.MaxInt
	case tree.OpRepeat:
		one, c.min, c.max = parsed.Sub[0], parsed.Min, parsed.Max
		if c.max < 0 {
			c.max = math.MaxInt
		}
	}
	program, err := tree.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	isASCII, allOthers := true, true // no value has a non-ASCII character; or each such character is allowed
	for _, inst := range program.Inst {
		switch inst.Op {
		case tree.InstEmptyWidth:
			return nil, errors.New(`leave ^, $ and \b out, since the whole value must match`)
		case tree.InstRune, tree.InstRune1, tree.InstRuneAny, tree.InstRuneAnyNotNL:
			if len(inst.Rune) == 0 {
				return nil, errors.New(`a character class has no characters: leave it out`)
			}
			for b := range rune(0x80) {
				if inst.MatchRune(b) {
					c.bytes[b>>6] |= 1 << (b & 63)
				}
			}
			last := len(inst.Rune) - 1
			isAny := last < 1 || inst.Rune[last-1] <= 0x80 && inst.Rune[last] == unicode.MaxRune
			if isAny && inst.MatchRune(unicode.MaxRune) {
				isASCII = false
			} else if inst.Rune[last] >= 0x80 || tree.Flags(inst.Arg)&tree.FoldCase != 0 {
				isASCII, allOthers = false, false
			}
		}
	}
	if !isASCII {
		c.bytes[2], c.bytes[3] = math.MaxUint64, math.MaxUint64
	}
	isSet := one.Op == tree.OpCharClass || one.Op == tree.OpAnyChar || one.Op == tree.OpAnyCharNotNL
	if !isSet || !isASCII && (!allOthers || c.min > 1 || c.max < math.MaxInt) {
		c.re, err = regexp.Compile(`\A(?:` + c.text + `)\z`)
	}
	return c, err
}

// uncaptured returns an expression without its captures.
func uncaptured(e *tree.Regexp) *tree.Regexp {
	for e.Op == tree.OpCapture {
		e = e.Sub[0]
	}
	for i := range e.Sub {
		e.Sub[i] = uncaptured(e.Sub[i])
	}
	return e
}

// check returns an error if a parameter cannot have some value of the class.
func (c *Class) check() error {
	switch {
	case c.has('/'):
		return errors.New(`it also matches slashes, which a parameter never has: write [^/] in place of a dot, or use a wildcard`)
	case c.Match(""):
		return errors.New(`it also matches the empty string, which a parameter never is: write + in place of *, or make the part optional`)
	}
	return nil
}

// Match reports whether value is in the class. The nil Class matches every value: the caller checks
// that the value of a parameter is not empty and has no slash.
func (c *Class) Match(value string) bool {
	switch {
	case c == nil:
		return true
	case c.re != nil:
		return c.re.MatchString(value)
	case len(value) < c.min || len(value) > c.max:
		return false
	}
	for i := range len(value) {
		if !c.has(value[i]) {
			return false
		}
	}
	return true
}

// has reports whether values may have the byte b.
func (c *Class) has(b byte) bool { return c == nil || c.bytes[b>>6]>>(b&63)&1 != 0 }

// orNil returns nil for a class of all values that a parameter may have.
func (c *Class) orNil() *Class {
	if c != nil && c.re == nil && c.min <= 1 && c.max == math.MaxInt && c.bytes == lazyParam.bytes {
		return nil
	}
	return c
}

// Equal reports whether both classes are made from the same expression.
func (c *Class) Equal(other *Class) bool {
	return c == other || c != nil && other != nil && c.text == other.text
}
