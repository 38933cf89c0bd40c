package pattern

import (
	"cmp"
	tree "regexp/syntax"
)

// This file finds a path that a pattern matches: a pattern that matches all its paths must match
// this one too.

// privateUse is a character that hardly any pattern has.
const privateUse = "\uE000"

// Sample returns a path that p matches, or the empty string if it finds none.
func (p *Pattern) Sample() string {
	v := cmp.Or(p.Variants()[0], Everything)
	path, from := "", 0
	for _, param := range v.params {
		path += v.text[from:param.from] + param.class.sample()
		from = int(param.to)
	}
	path += v.text[from:]
	switch {
	case v.end == byExpression:
		path = sampleOf(v.expression.re.String())
	case v.suffix != nil:
		path += "." + v.suffix.class.sample()
	}
	if !v.Match(path) {
		return ""
	}
	return path
}

// sample returns a value of the class, if possible a value that hardly any pattern has as literal
// text.
func (c *Class) sample() string {
	if c.Match(privateUse) {
		return privateUse
	}
	return sampleOf(c.text)
}

// sampleOf returns a text that an expression matches, unless its assertions prevent that.
func sampleOf(expression string) string {
	parsed, err := tree.Parse(expression, tree.Perl)
	if err != nil {
		return ""
	}
	return sampleIn(parsed.Simplify())
}

func sampleIn(e *tree.Regexp) (text string) {
	switch e.Op {
	case tree.OpLiteral:
		return string(e.Rune)
	case tree.OpCharClass:
		if len(e.Rune) > 0 {
			return string(e.Rune[0])
		}
	case tree.OpAnyChar, tree.OpAnyCharNotNL:
		return privateUse
	case tree.OpAlternate:
		return sampleIn(e.Sub[0])
	}
	for _, sub := range e.Sub { // once, if repeated
		text += sampleIn(sub)
	}
	return text
}
