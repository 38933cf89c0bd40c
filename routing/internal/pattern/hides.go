package pattern

import (
	"cmp"
	tree "regexp/syntax"
	"slices"
)

// This file finds patterns that match everything that another one matches.

// Covers reports whether p certainly matches every path that other matches.
func (p *Pattern) Covers(other *Pattern) bool {
	for _, s := range other.Shapes() {
		text := *cmp.Or(s, Everything)
		if !slices.ContainsFunc(p.Shapes(), func(by *Shape) bool { return cmp.Or(by, Everything).covers(text) }) {
			return false
		}
	}
	return true
}

// unusual is a character that hardly any pattern has.
const unusual = "\uE000"

// Sample returns a path that p matches, or the empty text if none is found.
func (p *Pattern) Sample() string {
	s := cmp.Or(p.Shapes()[0], Everything)
	path, from := "", 0
	for _, param := range s.params {
		path += s.source[from:param.from] + param.class.sample()
		from = int(param.to)
	}
	path += s.source[from:]
	switch {
	case s.end == byExpression:
		path = sampleOf(s.expression.re.String())
	case s.suffix != nil:
		path += "." + s.suffix.class.sample()
	}
	if !s.Match(path) {
		return ""
	}
	return path
}

// sample returns a value of the class, one that hardly any literal text is equal to if possible.
func (c *Class) sample() string {
	if c.Match(unusual) {
		return unusual
	}
	return sampleOf(c.text)
}

// sampleOf returns a text that an expression matches, unless its assertions prevent that.
func sampleOf(expression string) string {
	program, err := programOf(expression)
	if err != nil {
		return ""
	}
	var sample []rune
	seen := make([]bool, len(program.Inst))
	at := uint32(program.Start)
	for range 2 * len(seen) { // more steps are a loop without an end
		in := &program.Inst[at]
		next := in.Out
		switch in.Op {
		case tree.InstMatch:
			return string(sample)
		case tree.InstRune, tree.InstRune1:
			sample = append(sample, in.Rune[0])
		case tree.InstRuneAny, tree.InstRuneAnyNotNL:
			sample = append(sample, []rune(unusual)...)
		case tree.InstAlt:
			if !seen[at] {
				next = in.Arg // ends a repetition, unless that is lazy
			}
		}
		seen[at] = true
		at = next
	}
	return ""
}
